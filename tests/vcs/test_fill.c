#define _XOPEN_SOURCE 700
#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;
static struct pe_fill filled; /* of the running test */
static char first[41], second[41];

static void commit(char id[41], const char *subject)
{
	memcpy(id, tmp_repo_commit(&f.tmp, subject), 41);
}

/* Two commits that differ in every way a tree can. */
static void make(void)
{
	fixture_init(&f);
	tmp_repo_write(&f.tmp, "main.c", "int main(void) { return 0; }\n");
	tmp_repo_write(&f.tmp, "keep.c", "int keep;\n");
	tmp_repo_write(&f.tmp, "lib/deep/er/a.c", "int a;\n");
	tmp_repo_write(&f.tmp, "lib/b.c", "int b;\n");
	tmp_repo_write(&f.tmp, "gone/only.c", "int gone;\n");
	tmp_repo_write(&f.tmp, "was-file", "a file\n");
	tmp_repo_write(&f.tmp, "was-dir/x", "in a folder\n");
	tmp_repo_write(&f.tmp, "Makefile", "all:\n");
	tmp_repo_write(&f.tmp, "run.sh", "#!/bin/sh\n");
	tmp_repo_write(&f.tmp, "name\nwith newline", "odd\n");
	tmp_repo_write(&f.tmp, "empty", "");
	tmp_repo_sh(&f.tmp, "cd repo && chmod +x run.sh && ln -s lib/b.c link && ln -s lib dirlink "
			    "&& ln -s /nowhere/at/all dangling");
	commit(first, "first");
	tmp_repo_write(&f.tmp, "main.c", "int main(void) { return 1; }\n");
	tmp_repo_write(&f.tmp, "new/file.c", "int n;\n");
	tmp_repo_sh(&f.tmp, "cd repo && rm -r gone was-file was-dir && mkdir was-file && "
			    "echo x > was-file/in && echo y > was-dir && chmod -x run.sh && "
			    "rm link && ln -s main.c link && rm dirlink && mkdir dirlink && "
			    "echo z > dirlink/z");
	commit(second, "second");
}

static void drop(void)
{
	fixture_release(&f);
}

TestSuite(fill, .init = make, .fini = drop, .timeout = 600);

Test(fill, makes_what_git_checks_out)
{
	filled = fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	cr_expect_text("14 0 0", filled.written, filled.kept, filled.products_kept);
	fixture_matches_git(&f, first);
	fixture_fill_as_git(&f, first, second, PE_CLEAN_ALWAYS);
	fixture_fill_as_git(&f, second, first, PE_CLEAN_NEVER);
}

Test(fill, keeps_equal_files_with_their_mtime)
{
	int64_t kept, deep;

	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	kept = fixture_mtime_ns(&f, "slot/keep.c");
	deep = fixture_mtime_ns(&f, "slot/lib/deep/er/a.c");
	filled = fixture_fill(&f, first, second, PE_CLEAN_ALWAYS);
	cr_expect_eq(fixture_mtime_ns(&f, "slot/keep.c"), kept);
	cr_expect_eq(fixture_mtime_ns(&f, "slot/lib/deep/er/a.c"), deep);
	/* main.c, new/file.c, was-file/in, was-dir, link, dirlink/z; run.sh has another mode: it counts too. */
	cr_expect_eq(filled.written, 7);
	cr_expect_eq(filled.kept, 7);
	/* gone/only.c, was-dir/x, the links and files that became something else */
	cr_expect_eq(filled.removed, 4);
}

/* What a build does to a tree of the first commit, and what the next fill makes of it: the tree is as git has it then. */
static struct deed {
	const char *what, *command; /* in the folder */
	enum pe_clean clean;
	const char *next;     /* commit */
	const char *expected; /* written, kept, removed, products kept; NULL: not looked at */
} deeds[] = {
	{"products",
	 "mkdir -p build/sub lib/deep/obj && touch build/sub/a.o lib/deep/obj/b.o top.o"
	 " && ln -s / root && chmod 0500 build/sub build",
	 PE_CLEAN_ALWAYS, first, "0 14 4 0"},
	/* Package managers clone what a build needs; git's own clean leaves such folders. */
	{"repositories",
	 "git clone -q ../repo dep && git clone -q ../repo lib/dep && git init -q .",
	 PE_CLEAN_ALWAYS, first, NULL},
	{"products in folders of the tree",
	 "touch -r lib stamp && touch lib/hidden.o && touch -r stamp lib && rm stamp &&"
	 " mkdir lib/deep/obj && touch lib/deep/obj/a.o && rm lib/b.c && mkdir lib/b.c &&"
	 " touch lib/b.c/c.o",
	 PE_CLEAN_ALWAYS, first, "1 13 3 0"},
	{"products in folders that are gone or new",
	 "mkdir gone/obj && touch gone/obj/a.o && mkdir -p was-file.d && rm was-file &&"
	 " mkdir was-file && touch was-file/product",
	 PE_CLEAN_ALWAYS, second, "7 7 5 0"},
	{"changes of tracked files",
	 "echo 'int main(void) { return 7; }' >main.c && rm lib/b.c && chmod -x run.sh && rm link &&"
	 " cp main.c link && rm -r lib/deep && ln -s /tmp lib/deep && rm empty && mkdir empty &&"
	 " touch empty/product",
	 PE_CLEAN_NEVER, first, "6 8 0 1"},
	/* Same size and same mtime: only the content tells. */
	{"a change that hides its mtime",
	 "touch -r keep.c stamp && printf 'int KEEP;\\n' >keep.c && touch -r stamp keep.c && rm stamp",
	 PE_CLEAN_NEVER, first, "1 13 0 1"},
	/* The files look untouched through the link. */
	{"a folder that was moved and linked to", "mv lib moved && ln -s moved lib",
	 PE_CLEAN_ALWAYS, first, "2 12 3 0"},
};

TestOver(struct deed *deed, deeds, fill, mends_what_a_build_did)
{
	const char *found;

	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "cd slot && %s", deed->command);
	filled = fixture_fill(&f, first, deed->next, deed->clean);
	found = pe_arena_printf(&f.arena, "%zu %zu %zu %d", filled.written, filled.kept,
				filled.removed, filled.products_kept);
	cr_expect(deed->expected == NULL || strcmp(found, deed->expected) == 0, "%s: %s",
		  deed->what, found);
	cr_expect_not(fixture_exists(&f, "slot/.git"));
	fixture_matches_git(&f, deed->next);
}

Test(fill, cleans_what_an_incremental_fill_left)
{
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "touch slot/lib/deep/a.o slot/gone/b.o");
	fixture_fill(&f, first, first, PE_CLEAN_NEVER);
	fixture_fill_as_git(&f, first, second, PE_CLEAN_ALWAYS);
}

Test(fill, keeps_products_when_told_never_to_clean)
{
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "cd slot && mkdir -p build gone && touch build/a.o gone/product.o");
	tmp_repo_write(&f.tmp, "Makefile", "all: other\n");
	commit(second, "third");
	filled = fixture_fill(&f, first, second, PE_CLEAN_NEVER);
	cr_expect(filled.products_kept);
	cr_expect(fixture_exists(&f, "slot/build/a.o"));
	cr_expect(fixture_exists(&f, "slot/gone/product.o"));
	cr_expect_not(fixture_exists(&f, "slot/gone/only.c"));
}

Test(fill, auto_keeps_products_until_a_build_description_changes)
{
	char third[41], fourth[41];

	tmp_repo_write(&f.tmp, "cmake/Find.cmake", "# new\n");
	commit(third, "cmake");
	tmp_repo_sh(&f.tmp, "rm repo/Makefile");
	commit(fourth, "no more make");
	fixture_fill(&f, NULL, first, PE_CLEAN_AUTO);
	tmp_repo_sh(&f.tmp, "touch slot/a.o");
	filled = fixture_fill(&f, first, second, PE_CLEAN_AUTO);
	cr_expect(filled.products_kept);
	cr_expect(fixture_exists(&f, "slot/a.o"));
	filled = fixture_fill(&f, second, third, PE_CLEAN_AUTO);
	cr_expect_not(filled.products_kept);
	cr_expect_not(fixture_exists(&f, "slot/a.o"));
	tmp_repo_sh(&f.tmp, "touch slot/a.o");
	filled = fixture_fill(&f, third, fourth, PE_CLEAN_AUTO);
	cr_expect_not(filled.products_kept);
	cr_expect_not(fixture_exists(&f, "slot/a.o"));
}

Test(fill, keeps_a_file_that_was_only_touched)
{
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	fixture_age(&f, "slot/keep.c");
	filled = fixture_fill(&f, first, first, PE_CLEAN_ALWAYS);
	cr_expect_eq(filled.written, 0);
	cr_expect_eq(fixture_mtime_ns(&f, "slot/keep.c"), 1000000000000000000);
}

/* Hard links (a copied slot, ccache) must not be written through. */
Test(fill, writes_new_files_instead_of_into_old_ones)
{
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "ln slot/main.c copy.c");
	fixture_fill(&f, first, second, PE_CLEAN_NEVER);
	cr_expect_str_eq(fixture_read(&f, "copy.c"), "int main(void) { return 0; }\n");
}

Test(fill, starts_anew_without_have)
{
	tmp_repo_sh(&f.tmp, "mkdir -p slot/some && touch slot/some/thing slot/main.c");
	filled = fixture_fill(&f, NULL, first, PE_CLEAN_NEVER);
	cr_expect_not(filled.products_kept);
	cr_expect_eq(filled.removed, 2);
	fixture_matches_git(&f, first);
}

Test(fill, finds_the_changed_ones_of_many_files)
{
	tmp_repo_sh(&f.tmp, "cd repo && for d in a b c; do mkdir -p many/$d/e && "
			    "for i in $(seq 500); do echo $d $i > many/$d/e/$i; done; done");
	commit(first, "many");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "cd slot/many && echo a 7 > a/e/x && cat a/e/x > a/e/8 && rm b/e/9 && "
			    "chmod +x c/e/1 && mv c/e c/f && ln -s f c/e");
	filled = fixture_fill(&f, first, first, PE_CLEAN_ALWAYS);
	cr_expect_eq(filled.written, 502);
	cr_expect_eq(filled.removed, 502, "%zu", filled.removed);
	fixture_matches_git(&f, first);
}

Test(fill, writes_large_blobs_whole)
{
	tmp_repo_sh(&f.tmp, "dd if=/dev/urandom of=repo/large bs=1048576 count=17 2> /dev/null");
	commit(first, "large");
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(tmp_repo_output(&f.tmp, "cmp repo/large slot/large && echo same"), "same");
	cr_expect_eq(fixture_fill(&f, first, first, PE_CLEAN_ALWAYS).written, 0);
}

Test(fill, honours_the_umask)
{
	struct stat st;
	char *path = tmp_repo_path(&f.tmp, "slot/run.sh");

	umask(027);
	fixture_fill(&f, NULL, first, PE_CLEAN_ALWAYS);
	cr_assert_eq(stat(path, &st), 0);
	cr_expect_eq(st.st_mode & 0777, 0750);
}

Test(fill, says_what_a_partial_clone_lacks_and_how_to_get_it)
{
	tmp_repo_sh(&f.tmp,
		    "git -C repo config uploadpack.allowFilter true && "
		    "git clone -q --no-checkout --filter=blob:none file://$PWD/repo partial");
	fixture_open(&f, "partial");
	cr_assert_eq(fixture_try_fill(&f, NULL, first), PE_EUNSUPPORTED);
	cr_assert_has(f.err.message, "fetch --refetch --no-filter");
	/* The advice is taken. */
	tmp_repo_sh(&f.tmp, "git -C partial fetch -q --refetch --no-filter");
	fixture_open(&f, "partial");
	fixture_fill_as_git(&f, NULL, first, PE_CLEAN_ALWAYS);
}

Test(fill, refuses_more_bytes_than_it_may_write)
{
	struct pe_source source;
	struct pe_fill_spec spec = {.dir = f.dir, .id = first, .most_bytes = 60};
	struct pe_err err = PE_ERR_INIT;

	fixture_open(&f, "repo");
	source = pe_repo_source(f.repo);
	cr_expect_fails(source.fill(&filled, &spec, source.payload, &err), PE_EINVALID, err.message,
			"'disk:'");
	spec.most_bytes = 1000;
	cr_expect_eq(source.fill(&filled, &spec, source.payload, &err), PE_OK);
	/* What is kept counts as well as what is written. */
	spec.have = first;
	spec.id = second;
	spec.most_bytes = 60;
	cr_expect_eq(source.fill(&filled, &spec, source.payload, &err), PE_EINVALID);
}
