/* The look at a push: what is compared with what, and what stops it. Commands are not started. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

#include "configs/accepted.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZERO "0000000000000000000000000000000000000000"

static const char config[] = "build: ./build\n"
			     "metrics:\n"
			     "  cpu: {judge: false}\n"
			     "  max-rss: {judge: false}\n"
			     "defaults: {warmup: 0, repeats: 6, allocations: false}\n"
			     "benchmarks:\n"
			     "  parse: {command: ./parse}\n"
			     "  print: {command: ./print}\n";

static struct app_fixture fixture;
static uint32_t state;

static void tear_down(void)
{
	app_fixture_close(&fixture);
}

TestSuite(hook_push, .fini = tear_down, .timeout = 600);

/* Commit 1 makes parse slower; commit 2 changes nothing. */
static void answer(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	state = state * 1664525u + 1013904223u;
	result->cost.wall_ns = 1000000 + (state >> 8) % 10000;
	if (strcmp(command->text, "./parse") == 0 && command->revision >= 1)
		result->cost.wall_ns += 300000;
}

static void open_push(const char *more)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%s%s", config, more);
	app_fixture_open(&fixture, 3, pe_text_str(&text));
	tmp_repo_write(&fixture.repo, "perfevo.yml", pe_text_str(&text));
	pe_text_release(&text);
	fixture.executor.answer = answer;
	/* The hook opens them itself. */
	pe_store_close(fixture.app.store);
	fixture.app.store = NULL;
	fixture.app.config = NULL;
}

static const char *id_of(size_t i)
{
	return i < fixture.commits.n ? fixture.commits.at[i].id : ZERO;
}

/* Git's lines for the hook, and whether it stops the push. */
static bool push_lines(const char *lines)
{
	struct pe_text text = PE_TEXT_INIT;
	char *path = tmp_repo_path(&fixture.repo, "lines");
	bool blocked;

	pe_text_add(&text, lines);
	cr_assert(eq(int, pe_text_write_file(&text, path, NULL), PE_OK));
	cr_assert(freopen(path, "r", stdin) != NULL);
	cr_assert(eq(int, pe_hook_push(&blocked, &fixture.app, "origin"), PE_OK));
	pe_text_release(&text);
	free(path);
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

Test(hook_push, of_a_regression_is_stopped)
{
	open_push("");
	cr_expect(push(2, 0));
	cr_expect(is_said(pe_arena_printf(&fixture.arena,
					  "main %.8s: slower, worse than %.8s, after ", id_of(2),
					  id_of(0))),
		  "%s", SAID);
	cr_expect(is_said("  parse wall time +"), "%s", SAID);
	cr_expect(not(is_said("  print ")), "%s", SAID);
	cr_expect(is_said("the push is stopped; 'perfevo compare "), "%s", SAID);
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./build", 1), 0),
		  "what lies between is not asked");
}

Test(hook_push, that_changes_nothing_goes_through)
{
	open_push("");
	cr_expect(not(push(2, 1)));
	cr_expect(is_said("no regression since"), "%s", SAID);
	cr_expect(is_said("2 benchmarks measured"), "%s", SAID);
}

Test(hook_push, is_told_and_not_stopped_where_the_config_says_so)
{
	open_push("hooks: {pre-push: {block: false}}\n");
	cr_expect(not(push(1, 0)));
	cr_expect(is_said("worse than"), "%s", SAID);
	cr_expect(is_said("pushed anyway"), "%s", SAID);
}

Test(hook_push, of_an_accepted_regression_goes_through)
{
	struct pe_text list = PE_TEXT_INIT;

	open_push("");
	pe_text_addf(&list, "- benchmark: parse\n  revision: %s\n  why: wanted\n", id_of(1));
	tmp_repo_write(&fixture.repo, PE_ACCEPTED_FILE, pe_text_str(&list));
	pe_text_release(&list);
	cr_expect(not(push(2, 0)));
	cr_expect(is_said("(accepted)"), "%s", SAID);
}

Test(hook_push, of_nothing_new_measures_nothing)
{
	open_push("");
	cr_expect(not(push(1, 1)));
	cr_expect(not(push(3, 1)), "a reference that is deleted");
	cr_expect(not(push_lines(pe_arena_printf(
		&fixture.arena, "refs/notes/x %s refs/notes/x %s\n", id_of(1), id_of(0)))));
	cr_expect(not(push_lines("")));
	cr_expect(eq(sz, fixture.executor.commands.n, 0));
	cr_expect_str_empty(SAID);
}

Test(hook_push, of_two_branches_at_one_commit_measures_it_once)
{
	open_push("");
	cr_expect(push_lines(pe_arena_printf(
		&fixture.arena,
		"refs/heads/main %s refs/heads/main %s\nrefs/heads/b %s refs/heads/b %s\n",
		id_of(1), id_of(0), id_of(1), id_of(0))));
	cr_expect(not(is_said("\nb ")), "%s", SAID);
}

Test(hook_push, to_a_remote_that_nothing_is_known_of_is_not_compared)
{
	open_push("");
	cr_expect(not(push(2, 3)));
	cr_expect(is_said("run 'git fetch' first"), "%s", SAID);
	cr_expect(eq(sz, fixture.executor.commands.n, 0));
}

Test(hook_push, is_stopped_by_nothing_that_is_wrong_with_the_config)
{
	char *path;
	struct pe_text text = PE_TEXT_INIT;

	open_push("");
	path = tmp_repo_path(&fixture.repo, "perfevo.yml");
	pe_text_add(&text, "build: [\n");
	cr_assert(eq(int, pe_text_write_file(&text, path, NULL), PE_OK));
	pe_text_release(&text);
	free(path);
	cr_expect(not(push(1, 0)));
	cr_expect(is_said("this push was not tested: "), "%s", SAID);
}

static void break_tip(struct pe_proc_result *result, const struct fake_command *command,
		      void *payload)
{
	answer(result, command, payload);
	if (strcmp(command->text, "./build") == 0 && command->revision == 1)
		result->status = 2;
}

Test(hook_push, of_what_does_not_build_goes_through_and_says_so)
{
	open_push("");
	fixture.executor.answer = break_tip;
	cr_expect(not(push(1, 0)));
	cr_expect(is_said("what is pushed does not build"), "%s", SAID);
}
