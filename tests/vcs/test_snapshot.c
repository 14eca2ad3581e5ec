#include "tests/vcs/fixture.h"

#include "tests/support/test.h"

static struct fixture f;

TestSuiteWith(snapshot,
	      (fixture_init(&f),
	       free(tmp_repo_output(&f.tmp,
				    "git init -q repo && cd repo && echo one >a && echo two >b && "
				    "mkdir dir && echo three >dir/c && git add -A && "
				    "git commit -q -m first")),
	       fixture_open(&f, "repo")),
	      fixture_release(&f), .timeout = 600);

static struct pe_revision take(size_t *untracked)
{
	struct pe_revision revision;

	cr_assert_eq(pe_repo_snapshot(&revision, untracked, f.repo, &f.arena, &f.err), 0, "%s",
		     f.err.message);
	return revision;
}

static char *run(const char *command)
{
	char *output = tmp_repo_output(&f.tmp, "%s", command);
	char *copy = pe_arena_strdup(&f.arena, output);

	return copy;
}

/* Every file of the git directory but perfevo's own. */
static char *state(void)
{
	return run("cd repo && find .git -type f ! -path '.git/perfevo/*' -exec sha1sum {} + | "
		   "sort -k 2");
}

Test(snapshot, is_head_where_nothing_is_uncommitted)
{
	size_t untracked;
	struct pe_revision revision;

	run("echo new >repo/untracked");
	revision = take(&untracked);
	cr_expect_str_eq(revision.id, run("git -C repo rev-parse HEAD | tr -d '\\n'"));
	cr_expect(eq(sz, untracked, 1));
}

Test(snapshot, holds_edits_deletions_and_staged_files_and_writes_nothing_of_the_users)
{
	struct pe_revision revision, again;
	char *before, *edited;
	size_t untracked;

	run("cd repo && echo edited >a && rm b && echo staged >d && git add d && echo no >e");
	before = state();
	revision = take(&untracked);
	cr_expect_str_eq(state(), before);
	cr_expect(eq(sz, untracked, 1));
	cr_expect(eq(sz, revision.n_parents, 1));
	cr_expect_str_eq(revision.parents[0], run("git -C repo rev-parse HEAD | tr -d '\\n'"));
	again = take(&untracked);
	cr_expect_str_eq(again.id, revision.id);
	fixture_fill(&f, NULL, revision.id, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(run("cat slot/a slot/d slot/dir/c"), "edited\nstaged\nthree");
	cr_expect(not(fixture_exists(&f, "slot/b")));
	cr_expect(not(fixture_exists(&f, "slot/e")));
	edited = pe_arena_strdup(&f.arena, revision.id);
	run("echo 'edited more' >repo/a");
	cr_expect_str_neq(take(&untracked).id, edited);
}

Test(snapshot, is_found_when_the_repository_is_opened_again)
{
	struct pe_revision revision, found;
	size_t untracked;
	const char *id;

	run("echo edited >repo/a");
	revision = take(&untracked);
	id = pe_arena_strdup(&f.arena, revision.id);
	fixture_open(&f, "repo");
	cr_assert_eq(pe_repo_resolve(&found, f.repo, id, &f.arena, &f.err), 0, "%s", f.err.message);
	cr_expect_str_eq(found.subject, "uncommitted changes");
}

Test(snapshot, of_a_linked_worktree_is_its_own)
{
	struct pe_revision revision;
	size_t untracked;

	run("git -C repo worktree add -q ../linked && echo linked >linked/a && echo main >repo/a");
	fixture_open(&f, "linked");
	revision = take(&untracked);
	fixture_fill(&f, NULL, revision.id, PE_CLEAN_ALWAYS);
	cr_expect_str_eq(run("cat slot/a"), "linked");
}

Test(snapshot, of_a_bare_repository_and_of_unmerged_files_is_refused)
{
	struct pe_revision revision;
	size_t untracked;

	run("cd repo && git checkout -q -b other && echo other >a && git commit -q -a -m other && "
	    "git checkout -q - && echo mine >a && git commit -q -a -m mine && "
	    "! git merge -q other >/dev/null 2>&1");
	fixture_open(&f, "repo");
	cr_expect_fails(pe_repo_snapshot(&revision, &untracked, f.repo, &f.arena, &f.err),
			PE_EINVALID, f.err.message, "unmerged");
	run("git clone -q --bare repo bare.git");
	fixture_open(&f, "bare.git");
	cr_expect(eq(int, pe_repo_snapshot(&revision, &untracked, f.repo, &f.arena, &f.err),
		     PE_EUNSUPPORTED));
}
