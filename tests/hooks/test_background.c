/* The environment of some shells holds less than this. */
#define _GNU_SOURCE
#include "hooks/background.h"
#include "tests/support/test.h"
#include "tests/support/tmp_repo.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

static struct tmp_repo tmp;
static struct pe_arena arena;
static struct pe_err err;

TestSuiteWith(background, tmp_repo_init(&tmp), (pe_arena_release(&arena), tmp_repo_release(&tmp)),
	      .timeout = 600);

static const char *value(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env != NULL; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

Test(background, leaves_out_what_git_set_for_one_command)
{
	const char *const *env;

	setenv("GIT_DIR", ".git", 1);
	setenv("GIT_INDEX_FILE", ".git/index.lock", 1);
	setenv("GIT_QUARANTINE_PATH", "/q", 1);
	setenv("GIT_PREFIX", "sub/", 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	setenv("GITHUB_TOKEN_NAME", "none", 1);
	env = pe_background_env(NULL, NULL, &arena);
	cr_expect(value(env, "GIT_DIR") == NULL);
	cr_expect(value(env, "GIT_INDEX_FILE") == NULL);
	cr_expect(value(env, "GIT_QUARANTINE_PATH") == NULL);
	cr_expect(value(env, "GIT_PREFIX") == NULL);
	cr_expect_str_eq(value(env, "GIT_CONFIG_GLOBAL"), "/dev/null");
	cr_expect_str_eq(value(env, "GITHUB_TOKEN_NAME"), "none");
	env = pe_background_env("/a/.git", NULL, &arena);
	cr_expect_str_eq(value(env, "GIT_DIR"), "/a/.git");
	cr_expect(value(env, "GIT_WORK_TREE") == NULL);
}

/* Wait until a shell test holds; the suite's timeout is the bound. */
static void until(const char *test)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	for (;;) {
		char *answer = tmp_repo_output(&tmp, "if %s; then echo y; fi", test);
		bool yes = strcmp(answer, "y") == 0;

		if (yes)
			return;
		nanosleep(&pause, NULL);
	}
}

Test(background, runs_by_itself_in_a_session_of_its_own)
{
	char *log = tmp_repo_path(&tmp, "log");
	const char *argv[] = {
		"sh", "-c",
		"echo words; pwd; ps -o sid= -p $$ | tr -d ' '; echo $$; "
		"if read -r x; then echo input; fi; ls /proc/$$/fd | wc -l; mv ready done",
		NULL};
	char *text;
	int leak = open("/dev/null", 0);

	cr_assert(leak > 2);
	tmp_repo_sh(&tmp, "touch ready");
	cr_assert_ok(pe_background_start("/bin/sh", argv, pe_background_env(NULL, NULL, &arena),
					 tmp.root, log, &err),
		     err.message);
	until("[ -e done ]");
	/* The number of its session is its own, and its descriptors are the first three (and what ls reads). */
	text = tmp_repo_output(&tmp,
			       "sed -n 's/^words$/&/p; 2p' log; "
			       "[ \"$(sed -n 3p log)\" = \"$(sed -n 4p log)\" ] && echo leader; "
			       "grep -c input log; tail -n 1 log");
	cr_expect(strncmp(text, "words\n", 6) == 0, "%s", text);
	cr_expect_has(text, "\nleader\n0\n");
	cr_expect(atoi(strrchr(text, '\n') + 1) <= 4, "%s", text);
	close(leak);
}

Test(background, a_log_that_cannot_be_written_does_not_matter)
{
	const char *argv[] = {"sh", "-c", "echo words; touch done", NULL};

	cr_assert_ok(pe_background_start("/bin/sh", argv, pe_background_env(NULL, NULL, &arena),
					 tmp.root, "/nowhere/log", &err),
		     err.message);
	until("[ -e done ]");
}

Test(background, a_long_log_is_moved_away)
{
	char *log = tmp_repo_path(&tmp, "log");
	const char *argv[] = {"sh", "-c", "touch done", NULL};

	tmp_repo_sh(&tmp, "head -c 1100000 /dev/zero >log");
	cr_assert(eq(int,
		     pe_background_start("/bin/sh", argv, pe_background_env(NULL, NULL, &arena),
					 tmp.root, log, &err),
		     PE_OK));
	until("[ -e done ] && [ -s log.1 ] && [ ! -s log ]");
}

Test(background, gives_way)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pe_background_yield();
		_exit(sched_getscheduler(0) == SCHED_IDLE && getpriority(PRIO_PROCESS, 0) == 19
			      ? 0
			      : 1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	cr_expect(eq(int, status, 0));
}
