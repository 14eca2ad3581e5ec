/* Before a push: what is compared with what, and what stops it. `perfevo ci` is a script here. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

#include "tests/app/jobs/fake_track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#define ZERO "0000000000000000000000000000000000000000"

static const char config[] = "build: ./build\nbenchmarks:\n  parse: {command: ./parse}\n";

static struct app_fixture fixture;

TestSuiteWith(hook_push, (void)0, app_fixture_close(&fixture), .timeout = 600);

/* @param ci  a script in place of `perfevo ci` */
static void open_push(const char *more, const char *ci)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%s%s", config, more);
	app_fixture_open(&fixture, 3, pe_text_str(&text));
	tmp_repo_write(&fixture.repo, "perfevo.yml", pe_text_str(&text));
	pe_text_release(&text);
	fake_track_set(&fixture.repo, ci);
	/* The hook opens it itself. */
	fixture.app.config = NULL;
}

static const char *id_of(size_t i)
{
	return i < fixture.commits.n ? fixture.commits.at[i].id : ZERO;
}

/* Git's lines for the hook, and whether it stops the push. */
static bool push_lines(const char *lines)
{
	pe_auto_text text = PE_TEXT_INIT;
	char *path = tmp_repo_path(&fixture.repo, "lines");
	bool blocked;

	pe_text_add(&text, lines);
	OK(pe_text_write_file(&text, path, NULL));
	cr_assert(freopen(path, "r", stdin) != NULL);
	OK(pe_hook_push(&blocked, &fixture.app, "origin"));
	return blocked;
}

/* Push a commit to main, where another one is; past the last: none. */
static bool push(size_t new, size_t old)
{
	return push_lines(pe_arena_printf(&fixture.arena, "refs/heads/main %s refs/heads/main %s\n",
					  id_of(new), id_of(old)));
}

static bool is_said(const char *part)
{
	return strstr(pe_text_str(&fixture.notes), part) != NULL;
}

#define SAID pe_text_str(&fixture.notes)

/* How often `perfevo ci` compared two commits; past the last: any. */
static size_t n_compared(size_t base, size_t tip)
{
	char *calls = fake_track_calls(&fixture.repo);
	const char *wanted =
		base < fixture.commits.n
			? pe_arena_printf(&fixture.arena, "--base %s %s", id_of(base), id_of(tip))
			: " ci --no-profile --no-tests --budget ";
	size_t n = 0;

	for (const char *at = calls; (at = strstr(at, wanted)) != NULL; at++)
		n++;
	return n;
}

Test(hook_push, of_a_regression_is_stopped)
{
	open_push("", "exit 1");
	cr_expect(push(2, 0));
	cr_expect(eq(sz, n_compared(0, 2), 1));
	cr_expect(eq(sz, n_compared(9, 9), 1), "what lies between is not compared");
	cr_expect(is_said(pe_arena_printf(&fixture.arena, "testing main: %.8s against %.8s",
					  id_of(2), id_of(0))),
		  "%s", SAID);
	cr_expect(is_said("the push is stopped; 'perfevo compare "), "%s", SAID);
}

Test(hook_push, of_anything_else_goes_through)
{
	static const char *const scripts[] = {"exit 0", "exit 125", "exit 128", "kill -KILL $$"};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		open_push("", scripts[i]);
		cr_expect(not(push(2, 1)), "%s", scripts[i]);
		cr_expect(eq(sz, n_compared(1, 2), 1));
		app_fixture_close(&fixture);
	}
	open_push("", "exit 0");
}

Test(hook_push, is_told_and_not_stopped_where_the_config_says_so)
{
	open_push("hooks: {pre-push: {block: false}}\n", "exit 1");
	cr_expect(not(push(1, 0)));
	cr_expect(is_said("pushed anyway"), "%s", SAID);
}

Test(hook_push, of_nothing_new_measures_nothing)
{
	open_push("", "exit 1");
	cr_expect(not(push(1, 1)));
	cr_expect(not(push(3, 1)), "a reference that is deleted");
	cr_expect(not(push_lines(pe_arena_printf(
		&fixture.arena, "refs/notes/x %s refs/notes/x %s\n", id_of(1), id_of(0)))));
	cr_expect(not(push_lines("")));
	cr_expect(eq(sz, n_compared(9, 9), 0));
	cr_expect_str_empty(SAID);
}

Test(hook_push, of_two_branches_at_one_commit_measures_it_once)
{
	open_push("", "exit 1");
	cr_expect(push_lines(pe_arena_printf(
		&fixture.arena,
		"refs/heads/main %s refs/heads/main %s\nrefs/heads/b %s refs/heads/b %s\n",
		id_of(1), id_of(0), id_of(1), id_of(0))));
	cr_expect(eq(sz, n_compared(9, 9), 1));
}

Test(hook_push, to_a_remote_that_nothing_is_known_of_is_not_compared)
{
	open_push("", "exit 1");
	cr_expect(not(push(2, 3)));
	cr_expect(is_said("run 'git fetch' first"), "%s", SAID);
	cr_expect(eq(sz, n_compared(9, 9), 0));
}

Test(hook_push, is_stopped_by_nothing_that_is_wrong_with_the_config)
{
	char *path;
	struct pe_text text = PE_TEXT_INIT;

	open_push("", "exit 1");
	path = tmp_repo_path(&fixture.repo, "perfevo.yml");
	pe_text_add(&text, "build: [\n");
	OK(pe_text_write_file(&text, path, NULL));
	pe_text_release(&text);
	cr_expect(not(push(1, 0)));
	cr_expect(is_said("this push was not tested: "), "%s", SAID);
}

Test(hook_push, that_takes_too_long_goes_through)
{
	open_push("hooks: {pre-push: {budget: 1s}}\n", "exec sleep 31415");
	cr_expect(not(push(1, 0)));
	cr_expect(eq(sz, n_compared(0, 1), 1));
}

Test(hook_push, takes_any_words_of_the_user_for_the_local_side)
{
	open_push("", "exit 1");
	cr_expect(push_lines(pe_arena_printf(
		&fixture.arena, "\nHEAD@{1 day ago} %s refs/heads/main %s", id_of(2), id_of(0))));
}

Test(hook_push, of_lines_that_are_not_gits_goes_through_and_says_so)
{
	open_push("", "exit 1");
	cr_expect(not(push_lines(pe_arena_printf(&fixture.arena, "a %s b %s\na %s b\n", id_of(1),
						 id_of(1), id_of(1)))));
	cr_expect(is_said("this push was not tested: line 2 of what git says"), "%s", SAID);
	cr_expect(not(push_lines("a 123 b 456\n")));
	cr_expect(not(push_lines("   \n")));
	cr_expect(eq(sz, n_compared(9, 9), 0));
}
