/* What hooks do: enter a commit, print results of others, and the job that measures what waits. */
#define _XOPEN_SOURCE 700
#include "app/jobs/hook.h"

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
