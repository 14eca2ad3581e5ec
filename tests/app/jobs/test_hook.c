/* What hooks do: queue a commit, show what came of others, and the worker that measures what waits. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

#include "hooks/background.h"
#include "tests/app/jobs/fake_track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char config[] = "build: ./build\nbenchmarks:\n  parse: {command: ./parse}\n";

static struct app_fixture fixture;
static const char *folder;

static void set_up(void)
{
	setenv("PERFEVO_BACKGROUND", "normal", 1);
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	app_fixture_open(&fixture, 3, config);
	tmp_repo_write(&fixture.repo, "perfevo.yml", config);
	folder = pe_app_hook_dir(&fixture.app);
}

static void tear_down(void)
{
	app_fixture_close(&fixture);
}

TestSuite(hook, .init = set_up, .fini = tear_down, .timeout = 600);

static size_t n_waiting(struct pe_queued **queue)
{
	size_t n = 0;

	cr_assert_eq(pe_queue_list(queue, &n, folder, &fixture.arena, &fixture.err), PE_OK, "%s",
		     fixture.err.message);
	return n;
}

static void queue_commit(size_t i, unsigned attempts)
{
	struct pe_queued commit = {.git_dir = ""}, *queue;
	char *tree = tmp_repo_path(&fixture.repo, "repo");

	strcpy(commit.id, fixture.commits.at[i].id);
	commit.tree = tree;
	cr_assert(eq(int, pe_queue_add(folder, &commit, &fixture.err), PE_OK));
	free(tree);
	cr_assert(gt(sz, n_waiting(&queue), 0));
	for (size_t q = 0; q < n_waiting(&queue); q++)
		if (strcmp(queue[q].id, fixture.commits.at[i].id) == 0)
			cr_assert(eq(int, pe_queue_note(folder, &queue[q], attempts, &fixture.err),
				     PE_OK));
}

/* The only result. */
static struct pe_hook_result result_of(void)
{
	struct pe_hook_result *results;
	size_t n;

	cr_assert(eq(int, pe_result_list(&results, &n, folder, true, &fixture.arena, NULL), PE_OK));
	cr_assert(eq(sz, n, 1));
	return results[0];
}

static void work(void)
{
	int rc = pe_hook_work(&fixture.app, false);

	cr_assert_eq(rc, PE_OK, "%s", fixture.err.message);
}

/* What `perfevo track` says of commit 2: parse is 25 % slower, and nobody confirmed it. */
static const char suspected[] =
	"read first; echo \"$first\" >../../first\n"
	"id=$(cat | tail -n 1)\n"
	"echo '{\"event\":\"run\",\"done\":1,\"total\":2}' >&2\n"
	"echo \"{\\\"format\\\":1,\\\"lines\\\":[{\\\"benchmark\\\":\\\"parse\\\","
	"\\\"points\\\":[{\\\"revision\\\":\\\"$id\\\",\\\"outcome\\\":\\\"measured\\\"}]}],"
	"\\\"events\\\":[{\\\"commit\\\":\\\"$id\\\",\\\"standing\\\":\\\"suspected\\\",\\\"worse\\\":true,"
	"\\\"summary\\\":\\\"slower, suspected: parse wall time +25 %\\\"}],"
	"\\\"failures\\\":[]}\"\n";

Test(hook, worker_measures_what_waits_and_keeps_what_came_of_it)
{
	struct pe_hook_result result;
	struct pe_worker_state state;
	struct pe_queued *queue;
	char *calls;

	queue_commit(2, 0);
	fake_track_set(&fixture.repo, suspected);
	work();
	calls = fake_track_calls(&fixture.repo);
	cr_expect_str_eq(calls, "track --stdin --format json --no-open");
	free(calls);
	cr_expect(eq(sz, n_waiting(&queue), 0));
	result = result_of();
	cr_expect(eq(int, result.verdict, PE_RESULT_SUSPECTED));
	cr_expect_str_eq(result.id, fixture.commits.at[2].id);
	cr_expect_str_eq(result.subject, "change 2");
	cr_expect_str_eq(result.text, "slower, suspected: parse wall time +25 %");
	cr_expect(not(pe_worker_ask(&state, folder)), "it left");
}

Test(hook, worker_asks_for_the_nearest_ancestors_too)
{
	char *ids;

	queue_commit(2, 0);
	fake_track_set(&fixture.repo, "cat >../ids; exit 1");
	work();
	ids = tmp_repo_output(&fixture.repo, "cat ids");
	for (size_t i = 0; i < 3; i++)
		cr_expect(strstr(ids, fixture.commits.at[i].id) != NULL, "%s", ids);
	free(ids);
}

Test(hook, worker_says_why_a_commit_could_not_be_measured)
{
	struct pe_hook_result result;
	struct pe_queued *queue;

	queue_commit(2, 0);
	fake_track_set(&fixture.repo, "echo 'perfevo: no space left on device' >&2; exit 128");
	work();
	result = result_of();
	cr_expect(eq(int, result.verdict, PE_RESULT_FAILED));
	cr_expect_str_eq(result.text, "could not be measured: no space left on device");
	cr_expect(eq(sz, n_waiting(&queue), 0));
}

Test(hook, worker_gives_a_commit_up_over_which_three_died)
{
	struct pe_hook_result result;
	struct pe_queued *queue;
	char *calls;

	queue_commit(2, 0);
	fake_track_set(&fixture.repo, "kill -KILL $$");
	work();
	result = result_of();
	cr_expect(eq(int, result.verdict, PE_RESULT_FAILED));
	cr_expect(eq(sz, n_waiting(&queue), 0));
	calls = fake_track_calls(&fixture.repo);
	cr_expect_str_eq(calls, "track --stdin --format json --no-open\n"
				"track --stdin --format json --no-open\n"
				"track --stdin --format json --no-open");
	free(calls);
}

Test(hook, worker_leaves_out_what_nothing_leads_to)
{
	struct pe_queued *queue;
	char *calls;

	queue_commit(2, 0);
	tmp_repo_git(&fixture.repo, "reset -q --hard HEAD~1");
	fake_track_set(&fixture.repo, suspected);
	pe_app_close(&fixture.app);
	app_fixture_reopen(&fixture);
	folder = pe_app_hook_dir(&fixture.app);
	work();
	cr_expect(eq(sz, n_waiting(&queue), 0));
	calls = fake_track_calls(&fixture.repo);
	cr_expect_str_empty(calls);
	free(calls);
}

Test(hook, one_worker_at_a_time)
{
	struct pe_queued *queue;
	int lock;

	queue_commit(2, 0);
	fake_track_set(&fixture.repo, suspected);
	cr_assert(eq(int, pe_worker_lock(&lock, folder, &fixture.err), PE_OK));
	work();
	cr_expect(eq(sz, n_waiting(&queue), 1));
	pe_worker_leave(lock, folder);
	work();
	cr_expect(eq(sz, n_waiting(&queue), 0));
}

Test(hook, worker_that_is_stopped_leaves_the_commit_for_the_next)
{
	struct pe_queued *queue;

	queue_commit(2, 1);
	fake_track_set(&fixture.repo, suspected);
	fixture.interrupts = 1;
	work();
	cr_assert(eq(sz, n_waiting(&queue), 1));
	cr_expect(eq(uint, queue[0].attempts, 1), "that was no attempt");
}

/* --- After a commit --- */

static void add_result(size_t commit, enum pe_result_verdict verdict, const char *text)
{
	struct pe_hook_result result = {.verdict = verdict,
					.found_s = 1700000000 + (int64_t)commit,
					.text = text,
					.subject = fixture.commits.at[commit].subject};

	strcpy(result.id, fixture.commits.at[commit].id);
	cr_assert(eq(int, pe_result_add(folder, &result, &fixture.arena, &fixture.err), PE_OK));
}

/* What a commit says on stderr. No worker is started: there is one. */
static char *commit_says(void)
{
	char *path = tmp_repo_path(&fixture.repo, "said"), *said;
	int lock, before = dup(STDERR_FILENO);

	cr_assert(eq(int, pe_worker_lock(&lock, folder, &fixture.err), PE_OK));
	fflush(stderr);
	cr_assert(freopen(path, "w", stderr) != NULL);
	pe_hook_commit(&fixture.app);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	pe_worker_leave(lock, folder);
	free(path);
	said = tmp_repo_output(&fixture.repo, "cat said");
	return said;
}

Test(hook, commit_is_queued_with_its_tree)
{
	struct pe_queued *queue;
	char *said = commit_says(), *tree = tmp_repo_path(&fixture.repo, "repo");

	cr_expect_str_empty(said);
	cr_assert(eq(sz, n_waiting(&queue), 1));
	cr_expect_str_eq(queue[0].id, fixture.commits.at[2].id);
	cr_expect(strncmp(queue[0].tree, tree, strlen(tree)) == 0, "%s", queue[0].tree);
	free(said);
	free(tree);
}

Test(hook, commit_without_a_config_is_not_measured)
{
	struct pe_queued *queue;
	char *said;

	tmp_repo_sh(&fixture.repo, "rm repo/perfevo.yml");
	add_result(1, PE_RESULT_REGRESSED, "worse");
	said = commit_says();
	cr_expect_str_empty(said);
	cr_expect(eq(sz, n_waiting(&queue), 0));
	free(said);
}

Test(hook, commit_shows_each_result_once_the_worst_first_in_two_lines)
{
	char *said;

	add_result(0, PE_RESULT_PASS, "no change in 1 benchmark");
	add_result(1, PE_RESULT_REGRESSED, "worse: parse wall time +25 %");
	add_result(2, PE_RESULT_IMPROVED, "better: parse wall time -5 %");
	said = commit_says();
	cr_expect(strstr(said, "change 1: worse: parse wall time +25 %\nperfevo: and 2 more") !=
			  NULL,
		  "%s", said);
	cr_expect(strstr(said, "change 0") == NULL, "%s", said);
	free(said);
	said = commit_says();
	cr_expect_str_empty(said);
	free(said);
}

/* --- Before a commit --- */

Test(hook, staged_config_that_nobody_can_read_is_told)
{
	cr_expect(not(pe_hook_config_is_broken(&fixture.app)), "nothing is staged");
	tmp_repo_write(&fixture.repo, "perfevo.yml", "build: ./build\nbenchmark: {}\n");
	tmp_repo_git(&fixture.repo, "add perfevo.yml");
	cr_expect(pe_hook_config_is_broken(&fixture.app));
	tmp_repo_write(&fixture.repo, "perfevo.yml", config);
	cr_expect(pe_hook_config_is_broken(&fixture.app), "what is staged counts");
	tmp_repo_git(&fixture.repo, "add perfevo.yml");
	cr_expect(not(pe_hook_config_is_broken(&fixture.app)));
}

/* --- What track answered --- */

static struct pe_tracked tracked(const char *event, const char *failures, const char *points)
{
	struct pe_text document = PE_TEXT_INIT;
	struct pe_tracked out = {.verdict = PE_RESULT_FAILED};
	int rc;

	pe_text_addf(&document,
		     "{\"format\":1,\"lines\":[{\"benchmark\":\"parse\",\"points\":[%s]}],"
		     "\"events\":[%s],\"failures\":[%s]}",
		     points, event, failures);
	rc = pe_tracked_read(&out, pe_text_str(&document), document.len, "bb", &fixture.arena,
			     &fixture.err);
	cr_assert_eq(rc, PE_OK, "%s", fixture.err.message);
	pe_text_release(&document);
	return out;
}

#define MEASURED "{\"revision\":\"bb\",\"outcome\":\"measured\"}"
#define EVENT(standing, worse, better)                                                             \
	"{\"commit\":\"bb\",\"standing\":\"" standing "\",\"worse\":" #worse                       \
	",\"better\":" #better ",\"summary\":\"words\"}"
#define FAILURE "{\"revision\":\"bb\",\"benchmark\":\"sort\",\"outcome\":\"crashed\"}"

Test(hook, verdict_of_what_track_answered)
{
	static const struct {
		const char *event, *failures;
		enum pe_result_verdict verdict;
		const char *text;
	} table[] = {
		{"", "", PE_RESULT_PASS, "no change in 1 benchmark"},
		{EVENT("confirmed", true, false), "", PE_RESULT_REGRESSED, "words"},
		{EVENT("confirmed", true, true), "", PE_RESULT_REGRESSED, "words"},
		{EVENT("suspected", true, false), "", PE_RESULT_SUSPECTED, "words"},
		{EVENT("accepted", true, false), "", PE_RESULT_PASS, "words"},
		{EVENT("confirmed", false, true), "", PE_RESULT_IMPROVED, "words"},
		{EVENT("confirmed", false, false), "", PE_RESULT_PASS, "words"},
		{"", FAILURE, PE_RESULT_FAILED, "sort: crashed"},
		{EVENT("confirmed", true, false), FAILURE, PE_RESULT_REGRESSED,
		 "words; sort: crashed"},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct pe_tracked found =
			tracked(table[i].event, table[i].failures, MEASURED);

		cr_expect(eq(int, found.verdict, table[i].verdict), "%zu", i);
		cr_assert(found.text != NULL);
		cr_expect_str_eq(found.text, table[i].text);
	}
	cr_expect(eq(int, tracked("", "", "").verdict, PE_RESULT_FAILED), "nothing was measured");
}

Test(hook, answer_that_is_cut_is_no_answer)
{
	struct pe_tracked out;

	cr_expect(
		eq(int,
		   pe_tracked_read(&out, "{\"format\":1,", 12, "bb", &fixture.arena, &fixture.err),
		   PE_EINVALID));
}
