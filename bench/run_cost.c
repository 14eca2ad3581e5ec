/*
 * What one run costs beyond the command itself, for run_cost.sh:
 *
 *   runs N COMMAND...   run a command N times through the launcher, as measuring does
 *   spawns N COMMAND... run a command N times with posix_spawn(3) and waitpid(2) and nothing else
 *   cost N COMMAND...   run a command once and print "wall cpu": microseconds of it and its children, over N
 *
 * `cost N ... runs N X` and `cost N hyperfine --runs N X` then compare two whole programs by one clock.
 */
#include "core/base/clock.h"
#include "core/base/proc.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int fail(const char *what)
{
	fprintf(stderr, "run_cost: %s\n", what);
	return 128;
}

static int runs(long n, char **argv)
{
	char here[4096];
	struct pe_proc_spec spec = {.argv = (const char *const *)argv,
				    .env = (const char *const *)environ,
				    .cwd = getcwd(here, sizeof(here)),
				    .cpu = -1};
	struct pe_err err = PE_ERR_INIT;
	struct pe_launcher *launcher;
	int rc = pe_launcher_open(&launcher, NULL, &err);

	for (; rc == PE_OK && n > 0; n--) {
		struct pe_proc_result result;

		rc = pe_launcher_run(&result, launcher, &spec, &err);
		if (rc == PE_OK && (result.end != PE_PROC_EXITED || result.status != 0))
			rc = pe_fail(&err, PE_EINVALID, "the command failed");
	}
	pe_launcher_close(launcher);
	return rc == PE_OK ? 0 : fail(err.message);
}

static int spawns(long n, char **argv)
{
	for (; n > 0; n--) {
		pid_t child;
		int status;

		if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) != 0)
			return fail("cannot start the command");
		if (waitpid(child, &status, 0) != child || status != 0)
			return fail("the command failed");
	}
	return 0;
}

static double microseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static int cost(long n, char **argv)
{
	uint64_t began = pe_clock_ns();
	struct rusage usage;
	pid_t child;
	int status;

	if (posix_spawnp(&child, argv[0], NULL, NULL, argv, environ) != 0)
		return fail("cannot start the command");
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return fail("the command failed");
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%.1f %.1f\n", (double)(pe_clock_ns() - began) / 1e3 / (double)n,
	       (microseconds(usage.ru_utime) + microseconds(usage.ru_stime)) / (double)n);
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc > 3 ? strtol(argv[2], NULL, 10) : 0;

	if (n > 0 && strcmp(argv[1], "runs") == 0)
		return runs(n, argv + 3);
	if (n > 0 && strcmp(argv[1], "spawns") == 0)
		return spawns(n, argv + 3);
	if (n > 0 && strcmp(argv[1], "cost") == 0)
		return cost(n, argv + 3);
	fputs("usage: pe_bench_run_cost runs|spawns|cost N COMMAND...\n", stderr);
	return 129;
}
