#define _GNU_SOURCE
#include "tests/support/test.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>

enum { SKIPPED = 77, MOST_JOBS = 64 };

static struct pe_test *first, **last = &first;
/* Of this process: the test that it runs, whether that has failed, and the values of the last comparison that did not hold. */
static const struct pe_test *running;
static bool failed;
static char values[2048];

void pe_test_add(struct pe_test *test)
{
	*last = test;
	last = &test->next;
}

static const struct pe_test *suite_of(const struct pe_test *test)
{
	static const struct pe_test none;

	for (const struct pe_test *suite = first; suite != NULL; suite = suite->next) {
		if (suite->name == NULL && strcmp(suite->suite, test->suite) == 0)
			return suite;
	}
	return &none;
}

/* --- Assertions --- */

void pe_test_failed(const char *file, int line, const char *condition, const char *format, ...)
{
	char sentence[8192];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	fprintf(stderr, "%s:%d: %s/%s: %s%s%s:%s\n", file, line, running->suite, running->name,
		condition, values[0] != '\0' ? ", but " : "", values, sentence);
	values[0] = '\0';
	failed = true;
}

static void tear_down(void)
{
	if (running->fini != NULL)
		running->fini();
	if (suite_of(running)->fini != NULL)
		suite_of(running)->fini();
}

void pe_test_end(void)
{
	tear_down();
	fflush(NULL);
	_exit(1);
}

void pe_test_skip(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s/%s: skipped:", running->suite, running->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	tear_down();
	fflush(NULL);
	_exit(SKIPPED);
}

/* Whether a relation holds between values in this order: -1, 0, 1, or 2 where they have none. */
static bool holds(int order, const char *relation)
{
	switch (relation[0]) {
	case '=':
		return order == 0;
	case '!':
		return order != 0;
	case '<':
		return order == -1 || (relation[1] == '=' && order == 0);
	default:
		return order == 1 || (relation[1] == '=' && order == 0);
	}
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b) ? 1 : (a) == (b) ? 0 : 2)
#define COMPARISON(kind, type, order, format, shown)                                               \
	bool pe_test_##kind(type a, const char *relation, type b)                                  \
	{                                                                                          \
		bool held = holds(order, relation);                                                \
                                                                                                   \
		if (!held)                                                                         \
			snprintf(values, sizeof(values), format " %s " format, (shown)a, relation, \
				 (shown)b);                                                        \
		return held;                                                                       \
	}

COMPARISON(int, int, ORDER(a, b), "%d", int)
COMPARISON(i32, int32_t, ORDER(a, b), "%d", int)
COMPARISON(long, long, ORDER(a, b), "%ld", long)
COMPARISON(i64, int64_t, ORDER(a, b), "%" PRId64, int64_t)
COMPARISON(chr, char, ORDER(a, b), "'%c'", char)
COMPARISON(uint, unsigned, ORDER(a, b), "%u", unsigned)
COMPARISON(u32, uint32_t, ORDER(a, b), "%u", unsigned)
COMPARISON(u64, uint64_t, ORDER(a, b), "%" PRIu64, uint64_t)
COMPARISON(sz, size_t, ORDER(a, b), "%zu", size_t)
COMPARISON(dbl, double, ORDER(a, b), "%.17g", double)
COMPARISON(ptr, const void *, ORDER((uintptr_t)a, (uintptr_t)b), "%p", const void *)

static int text_order(const char *a, const char *b)
{
	return a == NULL || b == NULL ? ORDER((uintptr_t)a, (uintptr_t)b) : ORDER(strcmp(a, b), 0);
}

COMPARISON(str, const char *, text_order(a, b), "\"%s\"", const char *)

bool pe_test_near(double a, double b, double distance)
{
	bool held = fabs(a - b) <= distance || a == b;

	if (!held)
		snprintf(values, sizeof(values), "%.17g and %.17g", a, b);
	return held;
}

bool pe_test_not(bool condition)
{
	values[0] = '\0';
	return !condition;
}

bool pe_test_any(size_t n, const bool *conditions)
{
	for (size_t i = 0; i < n; i++) {
		if (conditions[i])
			return pe_test_not(false);
	}
	return false;
}

static char said[2048];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	size_t len = strlen(said);
	va_list args;

	va_start(args, format);
	vsnprintf(said + len, sizeof(said) - len, format, args);
	va_end(args);
}

void pe_test_say_d(long long value)
{
	say("%lld ", value);
}

void pe_test_say_u(unsigned long long value)
{
	say("%llu ", value);
}

void pe_test_say_g(double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.15g", value);
	say(strtod(text, NULL) == value ? "%.15g " : "%.17g ", value);
}

void pe_test_say_s(const char *value)
{
	say("%s ", value != NULL ? value : "-");
}

void pe_test_say_p(const void *value)
{
	say("%s ", value != NULL ? "set" : "-");
}

bool pe_test_said(const char *expected)
{
	bool held;

	said[strlen(said) - 1] = '\0';
	held = pe_test_str(said, "==", expected);
	said[0] = '\0';
	return held;
}

/* --- The runner --- */

struct job {
	pid_t pid;
	const struct pe_test *test;
	size_t param;
};

/* In a process of its own. Its end looks for leaks where a sanitizer does. */
static _Noreturn void run_test(const struct pe_test *test, size_t param)
{
	const struct pe_test *suite = suite_of(test);

	running = test;
	alarm(test->timeout != 0 ? test->timeout : suite->timeout);
	if (suite->init != NULL)
		suite->init();
	if (test->init != NULL)
		test->init();
	if (test->run != NULL) {
		test->run();
	} else {
		struct pe_test_params params = test->params();

		test->run_with((const char *)params.first + param * params.size);
	}
	tear_down();
	exit(failed);
}

/* Wait until a job ends, and free its place. */
static void end_job(struct job *jobs, size_t *n, size_t counts[2])
{
	int status;
	pid_t pid = wait(&status);
	struct job *job = jobs;

	while (job->pid != pid)
		job++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
		counts[1]++;
	} else if (job->test->signal != 0
			   ? !WIFSIGNALED(status) || WTERMSIG(status) != job->test->signal
			   : status != 0) {
		counts[0]++;
		fprintf(stderr, "failed: %s/%s", job->test->suite, job->test->name);
		if (job->test->params != NULL)
			fprintf(stderr, " with element %zu", job->param);
		if (WIFSIGNALED(status))
			fprintf(stderr, ": %s", strsignal(WTERMSIG(status)));
		else if (WEXITSTATUS(status) > 1 || job->test->signal != 0)
			fprintf(stderr, ": exit status %d", WEXITSTATUS(status));
		fputc('\n', stderr);
	}
	*job = jobs[--*n];
}

/* Run the tests whose SUITE/NAME a pattern matches: [--jobs N] [--filter PATTERN]. */
int pe_test_main(int argc, char **argv)
{
	size_t most = 1, n = 0, n_run = 0, counts[2] = {0};
	const char *pattern = "*";
	struct job jobs[MOST_JOBS];

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--filter") == 0)
			pattern = argv[i + 1];
		else
			most = (size_t)atoi(argv[i + 1]);
	}
	most = most < 1 ? 1 : most > MOST_JOBS ? MOST_JOBS : most;
	for (const struct pe_test *test = first; test != NULL; test = test->next) {
		char name[512];

		snprintf(name, sizeof(name), "%s/%s", test->suite, test->name);
		if (test->name == NULL || fnmatch(pattern, name, 0) != 0)
			continue;
		for (size_t param = 0; param < (test->params != NULL ? test->params().n : 1);
		     param++) {
			while (n == most)
				end_job(jobs, &n, counts);
			fflush(NULL);
			jobs[n] = (struct job){.pid = fork(), .test = test, .param = param};
			if (jobs[n].pid == 0)
				run_test(test, param);
			if (jobs[n].pid < 0) {
				perror("fork");
				return 1;
			}
			n++;
			n_run++;
		}
	}
	while (n > 0)
		end_job(jobs, &n, counts);
	fprintf(stderr, "%zu tests, %zu failed, %zu skipped\n", n_run, counts[0], counts[1]);
	return n_run == 0 || counts[0] > 0;
}

/* A program may have its own. */
__attribute__((weak)) int main(int argc, char **argv)
{
	return pe_test_main(argc, argv);
}
