#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;
static char first[41], second[41];

static void make(void)
{
	fixture_init(&f);
	tmp_repo_write(&f.tmp, "bench/a.c", "int a;\n");
	tmp_repo_write(&f.tmp, "bench/data/x", "x\n");
	tmp_repo_write(&f.tmp, "bench/data.txt", "sorts before data/\n");
	tmp_repo_write(&f.tmp, "src/main.c", "int main;\n");
	tmp_repo_write(&f.tmp, "src/.gitattributes", "*.c text eol=crlf\n");
	tmp_repo_sh(&f.tmp, "cd repo && ln -s a.c bench/link && chmod +x bench/data/x");
	memcpy(first, tmp_repo_commit(&f.tmp, "first"), 41);
	tmp_repo_write(&f.tmp, "bench/data/x", "y\n");
	memcpy(second, tmp_repo_commit(&f.tmp, "second"), 41);
	fixture_open(&f, "repo");
}

static void drop(void)
{
	fixture_release(&f);
}

TestSuite(export, .init = make, .fini = drop, .timeout = 600);

static int export_paths(const char *id, const char *const *paths, size_t n, char hex[PE_HASH_HEX])
{
	struct pe_strings strings = {paths, n};
	struct pe_hash hash;
	int rc;

	pe_hash_init(&hash);
	rc = pe_repo_export(f.repo, id, &strings, f.dir, &hash, &f.err);
	pe_hash_hex(&hash, hex);
	return rc;
}

Test(export, writes_files_and_folders_over_what_is_there)
{
	const char *paths[] = {"bench/", "./src/main.c"};
	char hex[PE_HASH_HEX];

	tmp_repo_sh(&f.tmp, "mkdir -p slot/bench slot/src && echo old > slot/bench/a.c && "
			    "echo mine > slot/bench/mine && ln -s /nowhere slot/src/main.c");
	cr_assert_eq(export_paths(first, paths, 2, hex), 0, "%s", f.err.message);
	cr_expect_str_eq(tmp_repo_output(&f.tmp,
					 "cd slot && find . -type f -printf '%%P %%m\\n' | sort && "
					 "readlink bench/link && cat bench/a.c"),
			 "bench/a.c 644\nbench/data.txt 644\nbench/data/x 755\n"
			 "bench/mine 644\nsrc/main.c 644\na.c\nint a;");
	/* Attributes of the commit hold, although their file was not asked for. */
	cr_expect_str_eq(fixture_read(&f, "slot/src/main.c"), "int main;\r\n");
}

Test(export, hash_follows_the_content_and_not_the_order)
{
	const char *paths[] = {"bench", "src"}, *turned[] = {"src", "bench", "bench/a.c"};
	char one[PE_HASH_HEX], two[PE_HASH_HEX], three[PE_HASH_HEX], none[PE_HASH_HEX];

	cr_assert_eq(export_paths(first, paths, 2, one), 0);
	cr_assert_eq(export_paths(first, turned, 3, two), 0);
	cr_assert_eq(export_paths(second, paths, 2, three), 0);
	cr_assert_eq(export_paths(second, paths, 0, none), 0);
	cr_expect_str_eq(one, two);
	cr_expect_str_neq(one, three);
	cr_expect_str_neq(one, none);
}

Test(export, keeps_what_is_equal)
{
	const char *paths[] = {"bench", "src"};
	char hex[PE_HASH_HEX];

	cr_assert_eq(export_paths(first, paths, 2, hex), 0);
	fixture_age(&f, "slot/bench/a.c");
	fixture_age(&f, "slot/bench/data/x");
	cr_assert_eq(export_paths(second, paths, 2, hex), 0);
	cr_expect_eq(fixture_mtime_ns(&f, "slot/bench/a.c"), 1000000000000000000);
	cr_expect_neq(fixture_mtime_ns(&f, "slot/bench/data/x"), 1000000000000000000);
}

Test(export, names_a_path_that_is_not_there)
{
	const char *paths[] = {"bench", "bench/none"};
	char hex[PE_HASH_HEX];

	cr_expect_fails(export_paths(first, paths, 2, hex), PE_ENOTFOUND, f.err.message,
			"'bench/none' is not in revision ");
	cr_expect_not(fixture_exists(&f, "slot/bench"), "nothing is written before all is known");
}

Test(export, path_ids_are_those_of_git)
{
	const char *paths[] = {"bench/a.c", "bench", "none", "./bench/data/", ".", "src/main.c/x"};
	struct pe_strings strings = {paths, 6};
	char ids[6][PE_OID_HEX], other[6][PE_OID_HEX];
	char *expected = tmp_repo_output(&f.tmp,
					 "git -C repo rev-parse %s:bench/a.c %s:bench "
					 "%s:bench/data %s: | xargs",
					 first, first, first, first);
	char got[4 * PE_OID_HEX];

	cr_assert_eq(pe_repo_path_ids(ids, f.repo, first, &strings, &f.err), 0, "%s",
		     f.err.message);
	snprintf(got, sizeof(got), "%s %s %s %s", ids[0], ids[1], ids[3], ids[4]);
	cr_expect_str_eq(got, expected);
	cr_expect_str_eq(ids[2], "");
	cr_expect_str_eq(ids[5], "");
	cr_assert_eq(pe_repo_path_ids(other, f.repo, second, &strings, &f.err), 0);
	cr_expect_str_eq(other[0], ids[0]);
	cr_expect_str_neq(other[1], ids[1]);
}
