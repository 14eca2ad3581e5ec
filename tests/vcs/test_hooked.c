/* setenv(3) and realpath(3) */
#define _XOPEN_SOURCE 700
#include "tests/support/test.h"
#include "tests/vcs/fixture.h"
#include "vcs/hooked.h"

static struct fixture f;

TestSuiteWith(hooked, fixture_init(&f), fixture_release(&f), .timeout = 600);

static const char *in_root(const char *name)
{
	char *path = tmp_repo_path(&f.tmp, name);
	const char *copy = pe_arena_strdup(&f.arena, path);

	return copy;
}

/* --- Which repository --- */

Test(hooked, takes_the_repository_that_git_names)
{
	tmp_repo_commit(&f.tmp, "one");
	tmp_repo_sh(&f.tmp, "git init -q repo/inner; mv repo/.git other.git");
	setenv("GIT_DIR", in_root("other.git"), 1);
	setenv("GIT_WORK_TREE", in_root("repo"), 1);
	cr_assert_eq(chdir(in_root("repo/inner")), 0);
	cr_assert_ok(pe_repo_open_as_git(&f.repo, &f.err), f.err.message);
	cr_expect_str_eq(pe_repo_common_dir(f.repo), in_root("other.git"));
	cr_expect_str_eq(pe_repo_workdir(f.repo), in_root("repo"));
	pe_repo_close(f.repo);
	unsetenv("GIT_DIR");
	unsetenv("GIT_WORK_TREE");
	cr_assert_ok(pe_repo_open_as_git(&f.repo, &f.err), f.err.message);
	cr_expect_str_eq(pe_repo_workdir(f.repo), in_root("repo/inner"));
}

Test(hooked, finds_the_worktree_of_a_linked_git_directory)
{
	tmp_repo_commit(&f.tmp, "one");
	tmp_repo_git(&f.tmp, "worktree add -q ../linked");
	setenv("GIT_DIR", in_root("repo/.git/worktrees/linked"), 1);
	cr_assert_ok(pe_repo_open_as_git(&f.repo, &f.err), f.err.message);
	cr_expect_str_eq(pe_repo_common_dir(f.repo), in_root("repo/.git"));
	cr_expect_str_eq(pe_repo_workdir(f.repo), in_root("linked"));
	cr_expect_str_eq(pe_repo_git_dir(f.repo, &f.arena), in_root("repo/.git/worktrees/linked"));
}

/* --- Where hooks lie --- */

static struct pe_hooks_place place(const char *dir)
{
	struct pe_hooks_place found;

	fixture_open(&f, dir);
	cr_assert_ok(pe_repo_hooks_place(&found, f.repo, &f.arena, &f.err), f.err.message);
	return found;
}

Test(hooked, a_relative_hooks_path_counts_from_the_tree)
{
	tmp_repo_git(&f.tmp, "config core.hooksPath sub/hooks");
	cr_expect_str_eq(place("repo").folder, in_root("repo/sub/hooks"));
	cr_expect(eq(int, (int)place("repo").origin, PE_HOOKS_CONFIGURED));
	cr_expect_str_eq(place("repo").setting, "sub/hooks");
}

Test(hooked, a_hooks_path_of_the_user_is_everybodys)
{
	tmp_repo_git(&f.tmp, "config --global core.hooksPath '~/hooks'");
	cr_expect_str_eq(place("repo").folder, in_root("home/hooks"));
	cr_expect(eq(int, (int)place("repo").origin, PE_HOOKS_SHARED));
	tmp_repo_git(&f.tmp, "config core.hooksPath /nowhere/else");
	cr_expect_str_eq(place("repo").folder, "/nowhere/else");
	cr_expect(eq(int, (int)place("repo").origin, PE_HOOKS_CONFIGURED));
}

/* --- What is staged --- */

Test(hooked, reads_the_index_that_git_names)
{
	pe_auto_text text = PE_TEXT_INIT;

	tmp_repo_write(&f.tmp, "file", "one\n");
	tmp_repo_sh(&f.tmp, "cd repo && GIT_INDEX_FILE=../index git add file");
	fixture_open(&f, "repo");
	cr_expect(eq(int, pe_repo_staged(&text, f.repo, "file", &f.err), PE_ENOTFOUND));
	setenv("GIT_INDEX_FILE", in_root("index"), 1);
	cr_assert_ok(pe_repo_staged(&text, f.repo, "file", &f.err), f.err.message);
	cr_expect_str_eq(pe_text_str(&text), "one\n");
	unsetenv("GIT_INDEX_FILE");
}

/* --- Where a push begins --- */

static const char *commit(const char *subject)
{
	return pe_arena_strdup(&f.arena, tmp_repo_commit(&f.tmp, subject));
}

static const char *fork_point(const char *tip, const char *known, const char *remote)
{
	char *id = pe_arena_alloc(&f.arena, PE_OID_HEX, 1);

	fixture_open(&f, "repo");
	cr_assert_ok(pe_repo_fork_point(id, f.repo, tip, known, remote, &f.err), f.err.message);
	return id;
}

Test(hooked, an_update_begins_at_what_is_there)
{
	const char *one = commit("one"), *two = commit("two"), *three = commit("three");

	cr_expect_str_eq(fork_point(three, one, NULL), one);
	cr_expect_str_eq(fork_point(three, two, NULL), two);
	cr_expect_str_eq(fork_point(two, three, NULL), two, "what is there already is not new");
}

Test(hooked, a_forced_update_begins_where_the_histories_part)
{
	const char *one = commit("one"), *there = commit("there"), *mine;

	tmp_repo_git(&f.tmp, "checkout -q -b mine %s", one);
	mine = commit("mine");
	cr_expect_str_eq(fork_point(mine, there, NULL), one);
}

Test(hooked, a_new_branch_begins_at_the_remotes_branches)
{
	const char *one = commit("one"), *two = commit("two"), *three;

	tmp_repo_git(&f.tmp, "update-ref refs/remotes/origin/main %s", one);
	tmp_repo_git(&f.tmp, "update-ref refs/remotes/other/main %s", two);
	three = commit("three");
	cr_expect_str_eq(fork_point(three, NULL, "origin"), one);
	cr_expect_str_eq(fork_point(three, NULL, "other"), two);
	cr_expect_str_eq(fork_point(three, NULL, "https://example.org/x"), two,
			 "a URL: any remote will do");
	/* What somebody else pushed meanwhile is not here. */
	cr_expect_str_eq(fork_point(three, "1234567890123456789012345678901234567890", "origin"),
			 one);
}

Test(hooked, a_first_push_begins_nowhere)
{
	const char *one = commit("one");

	cr_expect_str_eq(fork_point(one, NULL, "origin"), "");
}

Test(hooked, a_merge_begins_on_its_first_parents_line)
{
	const char *one = commit("one"), *there, *merge;

	tmp_repo_git(&f.tmp, "checkout -q -b side");
	there = commit("there");
	tmp_repo_git(&f.tmp, "checkout -q main");
	commit("mine");
	tmp_repo_git(&f.tmp, "merge -q --no-edit side");
	merge = "HEAD";
	cr_expect_str_eq(fork_point(merge, there, NULL), one);
}
