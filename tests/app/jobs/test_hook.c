/* What hooks do: enter a commit, print results of others, and the job that measures what waits. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

#include "app/search/track.h"
#include "tests/app/jobs/fake_track.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

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

static size_t n_waiting(void)
{
	struct pe_journal journal;
	size_t n = 0;

	OK(pe_journal_read(&journal, folder, &fixture.arena, &fixture.err));
	pe_journal_waiting(&journal, &n);
	return n;
}

static void enter(size_t i)
{
	struct pe_journal_commit commit = {.id = fixture.commits.at[i].id, .git_dir = ""};
	struct pe_journal results;
	char *tree = tmp_repo_path(&fixture.repo, "repo");

	commit.tree = tree;
	OK(pe_journal_commit(&results, folder, &commit, &fixture.arena, &fixture.err));
}

/* What the journal says of the commit that was entered last. */
static struct pe_journal_commit result_of(void)
{
	struct pe_journal journal;

	OK(pe_journal_read(&journal, folder, &fixture.arena, NULL));
	cr_assert(gt(sz, journal.n, 0));
	return journal.at[journal.n - 1];
}

static void work(void)
{
	OK(pe_hook_work(&fixture.app));
}

static char *track_of(size_t commit)
{
	return pe_arena_printf(
		&fixture.arena, "--no-pager --config %s --store %s track --no-open --last 4 %s",
		fixture.app.config_path, fixture.app.store_path, fixture.commits.at[commit].id);
}

/* Commit 2 is slower, and fresh runs confirm it. */
static void jump(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	result->cost.wall_ns = command->revision == 2 ? 1500000 : 1000000;
}

static void measure(void)
{
	struct pe_track_request request = {.all = true, .first = fixture.commits.at[0].id};
	struct pe_session session;

	fixture.executor.answer = jump;
	app_fixture_open_session(&fixture, &session, 3);
	OK(pe_track_measure(&session, &request));
	pe_session_close(&session);
}

Test(hook, job_measures_what_waits_and_keeps_its_result)
{
	struct pe_journal_commit result;
	char *calls;

	measure();
	enter(2);
	fake_track_set(&fixture.repo, "exit 0");
	work();
	calls = fake_track_calls(&fixture.repo);
	cr_expect_str_eq(calls, track_of(2));
	cr_expect(eq(sz, n_waiting(), 0));
	result = result_of();
	cr_expect(eq(int, result.state, PE_JOURNAL_REGRESSED));
	cr_expect_str_eq(result.id, fixture.commits.at[2].id);
	cr_expect_str_eq(result.subject, "change 2");
	cr_expect_str_eq(result.text, "slower: parse wall time +50 %");
	cr_expect(eq(int, pe_job_process(folder), 0), "it left");
}

Test(hook, job_says_why_a_commit_could_not_be_measured)
{
	struct pe_journal_commit result;

	enter(2);
	fake_track_set(&fixture.repo,
		       "echo building; echo 'perfevo: no space left on device' >&2; exit 128");
	work();
	result = result_of();
	cr_expect(eq(int, result.state, PE_JOURNAL_FAILED));
	cr_expect_str_eq(result.text, "could not be measured: no space left on device");
	cr_expect(eq(sz, n_waiting(), 0));
}

Test(hook, commit_over_which_track_dies_is_a_failure)
{
	enter(2);
	fake_track_set(&fixture.repo, "kill -KILL $$");
	work();
	cr_expect(eq(int, result_of().state, PE_JOURNAL_FAILED));
	cr_expect_str_eq(result_of().text, "could not be measured: it ended early");
	cr_expect(eq(sz, n_waiting(), 0));
}

Test(hook, job_leaves_out_what_nothing_leads_to)
{
	char *calls;

	enter(2);
	tmp_repo_git(&fixture.repo, "reset -q --hard HEAD~1");
	fake_track_set(&fixture.repo, "exit 0");
	pe_app_close(&fixture.app);
	app_fixture_reopen(&fixture);
	folder = pe_app_hook_dir(&fixture.app);
	work();
	cr_expect(eq(int, result_of().state, PE_JOURNAL_SKIPPED));
	calls = fake_track_calls(&fixture.repo);
	cr_expect_str_empty(calls);
}

/* Another process that is the job until it is killed. */
static pid_t other_job(void)
{
	int ready[2], lock;
	char byte = 'x';
	pid_t pid;

	cr_assert_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (pe_job_lock(&lock, folder, NULL) == PE_OK && write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	cr_assert(eq(sz, (size_t)read(ready[0], &byte, 1), 1));
	return pid;
}

static void end_job(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

Test(hook, one_job_at_a_time)
{
	pid_t other;

	enter(2);
	fake_track_set(&fixture.repo, "exit 0");
	other = other_job();
	work();
	cr_expect(eq(sz, n_waiting(), 1));
	end_job(other);
	work();
	cr_expect(eq(sz, n_waiting(), 0));
}

Test(hook, job_that_is_stopped_leaves_the_commit_for_the_next)
{
	enter(2);
	fake_track_set(&fixture.repo, "exec sleep 1000");
	fixture.interrupts = 1;
	work();
	cr_expect(eq(sz, n_waiting(), 1));
}

/* --- After a commit --- */

static void add_result(size_t commit, enum pe_journal_event verdict, const char *text)
{
	const char *const fields[2] = {fixture.commits.at[commit].subject, text};

	OK(pe_journal_add(folder, verdict, fixture.commits.at[commit].id, fields, &fixture.err));
}

/* What a commit says on stderr. No job is started: there is one. */
static char *commit_says(void)
{
	char *path = tmp_repo_path(&fixture.repo, "said"), *said;
	int before = dup(STDERR_FILENO);
	pid_t job = other_job();

	fflush(stderr);
	cr_assert(freopen(path, "w", stderr) != NULL);
	pe_hook_commit(&fixture.app);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	end_job(job);
	said = tmp_repo_output(&fixture.repo, "cat said");
	return said;
}

Test(hook, commit_without_a_config_is_not_measured)
{
	char *said;

	tmp_repo_sh(&fixture.repo, "rm repo/perfevo.yml");
	add_result(1, PE_JOURNAL_REGRESSED, "worse");
	said = commit_says();
	cr_expect_str_empty(said);
	cr_expect(eq(sz, n_waiting(), 0));
}

Test(hook, commit_shows_each_result_once_the_worst_first_in_two_lines)
{
	char *said;

	add_result(0, PE_JOURNAL_PASS, "no change in 1 benchmark");
	add_result(1, PE_JOURNAL_REGRESSED, "worse: parse wall time +25 %");
	add_result(2, PE_JOURNAL_IMPROVED, "better: parse wall time -5 %");
	said = commit_says();
	cr_expect_has(said, "change 1: worse: parse wall time +25 %\nperfevo: and 2 more");
	cr_expect(strstr(said, "change 0") == NULL, "%s", said);
	said = commit_says();
	cr_expect_str_empty(said);
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
