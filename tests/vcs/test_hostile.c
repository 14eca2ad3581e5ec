/* Trees that git itself would not make, written object by object, and what may not become of them. */
#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;

static void make(void)
{
	fixture_init(&f);
	tmp_repo_write(&f.tmp, "file", "content\n");
	tmp_repo_commit(&f.tmp, "tame");
	tmp_repo_sh(&f.tmp, "mkdir outside && echo untouched > outside/b");
	/* entry <mode> <name> <id>: one entry of a raw tree; seal: raw entries on stdin become a commit. */
	tmp_repo_write(&f.tmp, "../tools",
		       "entry() { printf '%s %s\\0' \"$1\" \"$2\"; printf \"$(echo $3 | "
		       "sed 's/../\\\\x&/g')\"; }\n"
		       "tree() { git hash-object -t tree -w --literally --stdin; }\n"
		       "seal() { git commit-tree -m hostile $(tree); }\n"
		       "blob() { printf \"$1\" | git hash-object -w --stdin; }\n");
}

static void drop(void)
{
	fixture_release(&f);
}

TestSuite(hostile, .init = make, .fini = drop, .timeout = 600);

/* Run a script of entries with bash, whose printf knows \x; the commit's id. */
static char *commit_of(const char *script)
{
	return tmp_repo_output(&f.tmp, "cd repo && bash -c '. ../tools; %s'", script);
}

static void is_refused(const char *script, const char *word)
{
	char *id = commit_of(script);

	cr_expect_eq(fixture_try_fill(&f, NULL, id), PE_EINVALID, "%s: %s", script, f.err.message);
	cr_expect_has(f.err.message, word);
}

Test(hostile, names_that_lead_elsewhere_are_refused)
{
	is_refused("B=$(blob x); entry 100644 .. $B | seal", "'..'");
	is_refused("B=$(blob x); entry 100644 . $B | seal", "'.'");
	is_refused("B=$(blob x); entry 100644 .git $B | seal", "'.git'");
	is_refused("B=$(blob x); entry 100644 .GIT $B | seal", "'.GIT'");
	is_refused("B=$(blob x); entry 100644 ../outside/b $B | seal", "'../outside/b'");
	is_refused("B=$(blob x); entry 100644 /tmp/x $B | seal", "'/tmp/x'");
	is_refused("B=$(blob x); T=$(entry 100644 hooks $B | tree); entry 40000 .git $T | seal",
		   "'.git'");
	is_refused("B=$(blob x); T=$(entry 100644 .. $B | tree); entry 40000 a $T | seal",
		   "'a/..'");
}

/* A link and a folder of one name: writing a/b would go where the link points. */
Test(hostile, a_link_and_a_folder_of_one_name_are_refused)
{
	is_refused("B=$(blob broken); L=$(blob ../outside); T=$(entry 100644 b $B | tree); "
		   "{ entry 120000 a $L; entry 40000 a $T; } | seal",
		   "'a' twice");
	is_refused("B=$(blob x); { entry 100644 a $B; entry 100644 a $B; } | seal", "'a' twice");
	cr_expect_str_eq(fixture_read(&f, "outside/b"), "untouched\n");
}

/* Each commit is tame, the change from one to the other is not: a link becomes a folder. */
Test(hostile, a_link_that_becomes_a_folder_is_not_followed)
{
	char *link = commit_of("L=$(blob ../outside); entry 120000 a $L | seal");
	char *dir = commit_of(
		"B=$(blob broken); T=$(entry 100644 b $B | tree); entry 40000 a $T | seal");

	fixture_fill(&f, NULL, link, PE_CLEAN_ALWAYS);
	fixture_fill(&f, link, dir, PE_CLEAN_NEVER);
	cr_expect_str_eq(fixture_read(&f, "slot/a/b"), "broken");
	cr_expect_str_eq(fixture_read(&f, "outside/b"), "untouched\n");
	fixture_fill(&f, dir, link, PE_CLEAN_NEVER);
	cr_expect(fixture_exists(&f, "outside/b"));
}

/* A build puts a link in place of a tracked folder; restoring, removing and cleaning go around it. */
Test(hostile, a_link_left_by_a_build_is_not_followed)
{
	char *with = commit_of(
		"B=$(blob inside); T=$(entry 100644 b $B | tree); entry 40000 a $T | seal");
	char *without = commit_of("B=$(blob x); entry 100644 other $B | seal");

	fixture_fill(&f, NULL, with, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "rm -r slot/a && ln -s ../outside slot/a");
	fixture_fill(&f, with, with, PE_CLEAN_NEVER);
	cr_expect_str_eq(fixture_read(&f, "slot/a/b"), "inside");
	tmp_repo_sh(&f.tmp, "rm -r slot/a && ln -s ../outside slot/a");
	fixture_fill(&f, with, without, PE_CLEAN_NEVER);
	tmp_repo_sh(&f.tmp, "ln -sfn ../outside slot/link");
	fixture_fill(&f, without, with, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(fixture_read(&f, "outside/b"), "untouched\n");
}

Test(hostile, export_does_not_follow_links_of_the_folder)
{
	const char *paths[] = {"a/b", NULL};
	struct pe_strings strings = {paths, 1};
	char *id = commit_of(
		"B=$(blob inside); T=$(entry 100644 b $B | tree); entry 40000 a $T | seal");

	tmp_repo_sh(&f.tmp, "mkdir slot && ln -s ../outside slot/a");
	fixture_open(&f, "repo");
	cr_assert_eq(pe_repo_export(f.repo, id, &strings, f.dir, NULL, &f.err), 0, "%s",
		     f.err.message);
	cr_expect_str_eq(fixture_read(&f, "outside/b"), "untouched\n");
	cr_expect_str_eq(fixture_read(&f, "slot/a/b"), "inside");
}

/* A fifo where a tracked file was must not make the fill wait for a writer. */
Test(hostile, special_files_in_the_place_of_tracked_ones_are_replaced)
{
	fixture_fill(&f, NULL, f.tmp.head, PE_CLEAN_ALWAYS);
	tmp_repo_sh(&f.tmp, "rm slot/file && mkfifo slot/file");
	fixture_fill(&f, f.tmp.head, f.tmp.head, PE_CLEAN_NEVER);
	fixture_matches_git(&f, f.tmp.head);
}
