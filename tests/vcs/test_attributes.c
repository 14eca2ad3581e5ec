#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;
static char first[41], second[41];

TestSuiteWith(attributes, fixture_init(&f), fixture_release(&f), .timeout = 600);

static void commit(char id[41], const char *subject)
{
	memcpy(id, tmp_repo_commit(&f.tmp, subject), 41);
}

static void write_samples(void)
{
	static const char *const names[] = {"plain",   "text.txt",  "crlf.crlf",
					    "lf.lf",   "auto.auto", "id.id",
					    "bin.bin", "old.old",   "both.both"};
	char path[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tmp_repo_write(&f.tmp, names[i], "one\ntwo $Id$\n\nfour\n");
		snprintf(path, sizeof(path), "sub/deep/%s", names[i]);
		tmp_repo_write(&f.tmp, path, "one\ntwo $Id$\n\nfour\n");
		snprintf(path, sizeof(path), "sub/mixed-%s", names[i]);
		tmp_repo_write(&f.tmp, path, "one\r\ntwo\n");
		snprintf(path, sizeof(path), "sub/zero-%s", names[i]);
		tmp_repo_write_bytes(&f.tmp, path, "one\n\0two\n", 9);
	}
}

/* The oracle is git itself, file by file. */
Test(attributes, convert_as_git_does)
{
	tmp_repo_write(
		&f.tmp, ".gitattributes",
		"*.txt text\n*.crlf text eol=crlf\n*.lf text eol=lf\n*.auto text=auto eol=crlf\n"
		"*.id ident\n*.bin binary\n*.old crlf\n*.both text eol=crlf ident\n");
	tmp_repo_write(&f.tmp, "sub/.gitattributes", "*.lf eol=crlf\n*.crlf -text\n");
	tmp_repo_write(&f.tmp, "sub/deep/.gitattributes", "plain text eol=crlf\n*.id -ident\n");
	write_samples();
	commit(first, "samples");
	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
}

Test(attributes, follow_core_autocrlf)
{
	write_samples();
	commit(first, "samples");
	tmp_repo_sh(&f.tmp, "git config --global core.autocrlf true");
	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
}

/* The user's checkout and index say one thing, the commit another: the commit is right. */
Test(attributes, come_from_the_commit_and_not_from_the_checkout)
{
	tmp_repo_write(&f.tmp, "a.c", "one\n");
	tmp_repo_write(&f.tmp, "sub/b.c", "one\n");
	commit(first, "without");
	tmp_repo_write(&f.tmp, ".gitattributes", "*.c text eol=crlf\n");
	tmp_repo_write(&f.tmp, "sub/.gitattributes", "*.c text eol=crlf\n");
	tmp_repo_git(&f.tmp, "add -A");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(fixture_read(&f, "slot/a.c"), "one\n");
	cr_expect_str_eq(fixture_read(&f, "slot/sub/b.c"), "one\n");
	commit(second, "with");
	tmp_repo_sh(&f.tmp, "rm repo/.gitattributes repo/sub/.gitattributes");
	tmp_repo_git(&f.tmp, "add -A");
	fixture_fill(&f, first, second, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(fixture_read(&f, "slot/a.c"), "one\r\n");
}

/* Equal blobs, other attributes: only the files that come out differently are written. */
Test(attributes, that_change_rewrite_the_files_they_change)
{
	struct pe_fill filled;
	int64_t other;

	tmp_repo_write(&f.tmp, "x/a.txt", "one\n");
	tmp_repo_write(&f.tmp, "x/b.c", "one\n");
	tmp_repo_write(&f.tmp, "y/a.txt", "one\n");
	commit(first, "without");
	tmp_repo_write(&f.tmp, "x/.gitattributes", "*.txt text eol=crlf\n");
	commit(second, "with");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	other = fixture_mtime_ns(&f, "slot/x/b.c");
	filled = fixture_fill(&f, first, second, PE_CLEAN_ALWAYS);
	cr_expect_eq(filled.written, 2);
	cr_expect_eq(filled.kept, 2);
	cr_expect_eq(fixture_mtime_ns(&f, "slot/x/b.c"), other);
	fixture_matches_git(&f, second);
	filled = fixture_fill(&f, second, first, PE_CLEAN_NEVER);
	cr_expect_eq(filled.written, 1);
	cr_expect_eq(filled.removed, 1);
	fixture_matches_git(&f, first);
}

Test(attributes, a_changed_configuration_rewrites_the_files_it_changes)
{
	struct pe_fill filled;

	tmp_repo_write(&f.tmp, "a.txt", "one\n");
	commit(first, "one");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_write(&f.tmp, ".git/info/attributes", "*.txt text eol=crlf\n");
	fixture_open(&f, "repo");
	filled = fixture_fill(&f, first, first, PE_CLEAN_NEVER);
	cr_expect_eq(filled.written, 1);
	cr_expect_str_eq(fixture_read(&f, "slot/a.txt"), "one\r\n");
}

Test(attributes, encode_the_working_tree)
{
	tmp_repo_write(&f.tmp, ".gitattributes",
		       "*.u16 text working-tree-encoding=UTF-16LE-BOM\n"
		       "*.be text working-tree-encoding=UTF-16BE eol=crlf\n"
		       "*.l1 text working-tree-encoding=ISO-8859-1\n"
		       "*.u8 text working-tree-encoding=UTF-8\n");
	tmp_repo_sh(&f.tmp, "cd repo && printf 'caf\\303\\251\\n' > a.u8 && "
			    "{ printf '\\377\\376'; iconv -f UTF-8 -t UTF-16LE a.u8; } > a.u16 && "
			    "iconv -f UTF-8 -t UTF-16BE a.u8 > a.be && "
			    "iconv -f UTF-8 -t ISO-8859-1 a.u8 > a.l1");
	commit(first, "encodings");
	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
}

/* Converters of iconv(3) that nobody writes files with are not reached by a stranger's word: the blob stays as it is. */
Test(attributes, convert_only_encodings_that_files_have)
{
	static const char *const odd[] = {"ISO-2022-CN-EXT", "UTF-7", "UTF-16LE//TRANSLIT",
					  "TSCII"};

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		char *id, attributes[64];

		tmp_repo_write(&f.tmp, ".gitattributes", "");
		tmp_repo_write(&f.tmp, "a.x", "\345\212\204\n");
		commit(first, "raw");
		snprintf(attributes, sizeof(attributes), "*.x text working-tree-encoding=%s\n",
			 odd[i]);
		tmp_repo_write(&f.tmp, ".gitattributes", attributes);
		tmp_repo_git(&f.tmp, "commit -q -m odd .gitattributes");
		id = tmp_repo_output(&f.tmp, "git -C repo rev-parse HEAD");
		memcpy(first, id, 40);
		fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
		cr_expect_str_eq(fixture_read(&f, "slot/a.x"), "\345\212\204\n", "%s", odd[i]);
	}
}

/* A driver that runs a program is not run, and a tree that a checkout would have otherwise is refused; 'cat' changes nothing. */
Test(attributes, run_no_filter_driver)
{
	tmp_repo_write(&f.tmp, "deep/.gitattributes", "*.c filter=shout\n");
	tmp_repo_write(&f.tmp, "deep/a.c", "quiet\n");
	commit(first, "driver");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_git(&f.tmp, "config filter.shout.smudge cat");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_git(&f.tmp, "config filter.shout.smudge 'touch %s/ran; tr a-z A-Z'", f.tmp.root);
	tmp_repo_sh(&f.tmp, "rm -r slot");
	cr_expect_fails(fixture_try_fill(&f, NULL, first), PE_EUNSUPPORTED, f.err.message,
			"'shout'");
	cr_expect_has(f.err.message, "tree: {exclude: [deep/a.c]}");
	cr_expect_not(fixture_exists(&f, "ran"));
}

#define OID "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"

static void make_pointer(void)
{
	tmp_repo_write(&f.tmp, ".gitattributes", "*.dat filter=lfs diff=lfs merge=lfs -text\n");
	tmp_repo_write(&f.tmp, "big.dat",
		       "version https://git-lfs.github.com/spec/v1\noid sha256:" OID
		       "\nsize 12345\n");
	tmp_repo_write(&f.tmp, "no-pointer.dat", "plain content\n");
	tmp_repo_write(&f.tmp, "pointer.txt",
		       "version https://git-lfs.github.com/spec/v1\noid sha256:" OID
		       "\nsize 12345\n");
	commit(first, "pointer");
	tmp_repo_write(&f.tmp, "other", "x\n");
	commit(second, "other");
}

Test(attributes, take_lfs_objects_that_are_here)
{
	struct pe_fill filled;

	make_pointer();
	/* A download that broke off is not the object. */
	tmp_repo_sh(&f.tmp, "mkdir -p repo/.git/lfs/objects/4d/7a && "
			    "head -c 345 /dev/zero > repo/.git/lfs/objects/4d/7a/" OID);
	cr_expect_fails(fixture_try_fill(&f, NULL, first), PE_EUNSUPPORTED, f.err.message,
			"lfs fetch --all");
	cr_expect_has(f.err.message, "tree: {exclude: [big.dat]}");
	tmp_repo_sh(&f.tmp, "head -c 12345 /dev/zero > repo/.git/lfs/objects/4d/7a/" OID);
	fixture_fill(&f, NULL, second, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(
		tmp_repo_output(&f.tmp, "stat -c %%s slot/big.dat slot/pointer.txt | xargs"),
		"12345 130");
	filled = fixture_fill(&f, second, second, PE_CLEAN_ALWAYS);
	cr_expect_eq(filled.written, 0);
}
