/* The sampler in real programs: it finds where the time goes, and the program is none the wiser. */
#include "analysis/profile/samples.h"
#include "analysis/symbols/symbols.h"

#include "core/base/files.h"
#include "probe/formats/samples.h"
#include "probe/runtime/sample_periods.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;
static char directory[] = "/tmp/pe_sampler_XXXXXX";
static struct pe_samples_info info;

TestSuiteWith(sampler, cr_assert_not_null(mkdtemp(directory)),
	      (pe_files_remove(directory, NULL), pe_frames_release(&frames),
	       pe_arena_release(&arena)),
	      .timeout = 600);

/* Run a mode; what it printed, and its status. */
static int run(const char *clock, char *said, size_t size, char *const argv[])
{
	int pipes[2], status;
	size_t n = 0;
	ssize_t got;
	pid_t child;

	cr_assert(eq(int, pipe(pipes), 0));
	child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", PE_LIBRARY, 1);
		setenv(PE_SAMPLES_DIR_ENV, directory, 1);
		if (clock != NULL)
			setenv(PE_SAMPLES_CLOCK_ENV, clock, 1);
		dup2(pipes[1], STDOUT_FILENO);
		close(pipes[0]);
		close(pipes[1]);
		execv(PE_PROGRAM, argv);
		_exit(127);
	}
	close(pipes[1]);
	while (n < size - 1 && (got = read(pipes[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = '\0';
	close(pipes[0]);
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	return status;
}

static struct pe_cct *read_back(void)
{
	const char *directories[] = {directory};
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbols_db *db;
	struct pe_symbolizer symbolizer;
	struct pe_cct *cct;
	int rc;

	cr_assert(eq(int, pe_symbols_open(&db, NULL, NULL, &err), PE_OK));
	symbolizer = pe_symbols_symbolizer(db);
	rc = pe_samples_read(&cct, &info, directories, 1, &symbolizer, &frames, &arena, &err);
	pe_symbols_close(db);
	cr_assert_ok(rc, err.message);
	cr_assert_ok(pe_cct_check(cct, &err), err.message);
	return cct;
}

static struct pe_cct *sample(const char *clock, const char *mode)
{
	char *argv[] = {(char *)(size_t) "sample_me", (char *)(size_t)mode, NULL};
	char said[64];
	int status = run(clock, said, sizeof(said), argv);

	cr_assert(eq(int, status, 0), "mode %s", mode);
	cr_assert(eq(str, said, (char *)(size_t) "ok\n"));
	return read_back();
}

/* Samples of stacks that have these methods in this order, others between them; NULL ends the list. */
static uint64_t samples_of(const struct pe_cct *cct, const char *const *methods)
{
	uint64_t sum = 0;
	size_t n = 0;

	while (methods[n] != NULL)
		n++;
	for (uint32_t i = 0; i < cct->n; i++) {
		size_t left = n;

		for (uint32_t at = i; at != PE_CCT_NONE && left > 0; at = cct->nodes[at].parent)
			if (strcmp(pe_cct_frame(cct, at)->name, methods[left - 1]) == 0)
				left--;
		if (left == 0)
			sum += cct->samples[i];
	}
	return sum;
}

#define SAMPLES(cct, ...) samples_of(cct, (const char *const[]){__VA_ARGS__, NULL})

Test(sampler, every_moment_of_a_short_run_is_as_likely_as_any_other)
{
	enum { RUNS = 200000, INTERVAL = 10000, PARTS = 24 };
	unsigned counts[PARTS] = {0}, runs_sampled = 0;

	/* Runs of two intervals in 24 parts; a third of all runs of a third of the interval has a sample. */
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct pe_sample_periods periods = {seed, INTERVAL};
		uint64_t at = pe_sample_periods_first(&periods);

		runs_sampled += at <= INTERVAL / 3;
		for (; at <= 2 * INTERVAL; at += pe_sample_periods_next(&periods))
			counts[(at - 1) * (PARTS / 2) / INTERVAL]++;
	}
	cr_expect(lt(int, abs((int)runs_sampled - RUNS / 3), 900), "%u", runs_sampled);
	for (int i = 0; i < PARTS; i++)
		cr_expect(lt(int, abs((int)counts[i] - RUNS * 2 / PARTS), 600), "part %d: %u", i,
			  counts[i]);
}

/* Times of what stands below these methods in this order. */
static uint64_t ns_of(const struct pe_cct *cct, const char *const *methods)
{
	uint64_t sum = 0;
	size_t n = 0;

	while (methods[n] != NULL)
		n++;
	for (uint32_t i = 0; cct->self_ns != NULL && i < cct->n; i++) {
		size_t left = n;

		for (uint32_t at = i; at != PE_CCT_NONE && left > 0; at = cct->nodes[at].parent)
			if (strcmp(pe_cct_frame(cct, at)->name, methods[left - 1]) == 0)
				left--;
		if (left == 0)
			sum += cct->self_ns[i];
	}
	return sum;
}

#define NS(cct, ...) ns_of(cct, (const char *const[]){__VA_ARGS__, NULL})

/* 100 ms of CPU time were spent: at one a millisecond there is a wide margin to both sides. */
enum { FEW = 40, MANY = 180 };

static const char *const clocks[] = {NULL, "timer"};

static size_t finds_where_the_time_goes_cases[] = {0, 1};

TestOver(size_t *which, finds_where_the_time_goes_cases, sampler, finds_where_the_time_goes)
{
	struct pe_cct *cct = sample(clocks[*which], "plain");
	uint64_t twice = SAMPLES(cct, "main", "outer", "twice", "spin");
	uint64_t all = SAMPLES(cct, "pe_program_sample_me", "main", "outer", "spin");

	cr_expect(ge(u64, twice, FEW));
	cr_expect(ge(u64, all - twice, FEW));
	cr_expect(ge(u64, 10 * all, 9 * cct->facts.samples), "and hardly anywhere else");
	cr_expect(le(u64, info.cut, 3));
	cr_expect_text("0 1 1", info.lost, cct->facts.processes, cct->facts.threads);
}

static size_t samples_every_thread_cases[] = {0, 1};

TestOver(size_t *which, samples_every_thread_cases, sampler, samples_every_thread)
{
	struct pe_cct *cct = sample(clocks[*which], "threads");

	cr_expect(ge(u64, SAMPLES(cct, "work_a", "spin"), FEW));
	cr_expect(ge(u64, SAMPLES(cct, "work_b", "spin"), FEW));
	cr_expect(eq(u64, SAMPLES(cct, "main", "spin"), 0), "it only waits");
	cr_expect(eq(u32, cct->facts.threads, 3));
}

Test(sampler, a_forked_child_has_its_own)
{
	struct pe_cct *cct = sample(NULL, "fork");

	cr_expect(ge(u64, SAMPLES(cct, "main", "in_parent", "spin"), FEW));
	cr_expect(ge(u64, SAMPLES(cct, "main", "in_child", "spin"), FEW));
	cr_expect(eq(u32, cct->facts.processes, 2));
}

Test(sampler, goes_on_in_the_next_program)
{
	struct pe_cct *cct = sample(NULL, "exec");

	cr_expect(ge(u64, SAMPLES(cct, "before", "spin"), FEW));
	cr_expect(ge(u64, SAMPLES(cct, "outer", "spin"), FEW));
	cr_expect(eq(u32, cct->facts.processes, 2));
}

Test(sampler, keeps_what_it_has_however_the_program_ends)
{
	char *argv[] = {(char *)(size_t) "sample_me", (char *)(size_t) "killed", NULL};
	char said[8];
	int status;

	cr_expect(ge(u64, SAMPLES(sample(NULL, "gone"), "before", "spin"), FEW));
	status = run(NULL, said, sizeof(said), argv);
	cr_expect(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGKILL));
	cr_expect(ge(u64, SAMPLES(read_back(), "before", "spin"), 2 * FEW));
}

static char modes[][16] = {"blocked", "closed"};

TestOver(char (*mode)[16], modes, sampler, is_not_shut_out)
{
	struct pe_cct *cct = sample(NULL, *mode);

	cr_expect(ge(u64, SAMPLES(cct, "main", "spin"), FEW), "%s", *mode);
}

Test(sampler, leaves_the_programs_own_use_of_the_signal)
{
	struct pe_cct *cct = sample(NULL, "own");

	/* Through a signal frame, and out of our own handler that passed the signal on. */
	cr_expect(ge(u64, SAMPLES(cct, "main", "handle", "spin"), FEW));
	cr_expect(le(u64, info.cut, 3));
}

Test(sampler, cuts_a_stack_that_is_too_deep_and_says_so)
{
	struct pe_cct *cct = sample(NULL, "deep");

	cr_expect(ge(u64, info.cut, FEW));
	cr_expect(ge(u64, SAMPLES(cct, PE_SAMPLES_CUT_NAME, "down", "down", "spin"), FEW));
	cr_expect(ge(u64, info.cut + 20, info.samples));
}

Test(sampler, survives_a_table_that_lies_and_leaves_faults_to_the_program)
{
	char *argv[] = {(char *)(size_t) "sample_me", (char *)(size_t) "lying", NULL};
	char said[64];
	int status = run(NULL, said, sizeof(said), argv);
	struct pe_cct *cct = read_back();

	cr_expect(eq(str, said, (char *)(size_t) "ok\n"));
	cr_expect(eq(int, WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGSEGV));
#ifdef __x86_64__
	cr_expect(ge(u64, SAMPLES(cct, PE_SAMPLES_CUT_NAME, "mislead"), FEW));
#endif
	cr_expect(ge(u64, cct->facts.samples, 1));
}

Test(sampler, follows_a_stack_that_was_switched_to)
{
	struct pe_cct *cct = sample(NULL, "switch");

	cr_expect(ge(u64, SAMPLES(cct, "aside", "spin"), FEW));
}

static size_t tells_waiting_from_running_cases[] = {0, 1};

TestOver(size_t *which, tells_waiting_from_running_cases, sampler, tells_waiting_from_running)
{
	struct pe_cct *cct = sample(clocks[*which], "sleep");

	cr_expect(le(u64, cct->facts.samples, FEW));
}

Test(sampler, knows_modules_that_took_each_others_place)
{
	char *argv[] = {(char *)(size_t) "sample_me", (char *)(size_t) "unload",
			(char *)(size_t)PE_MODULE_A, (char *)(size_t)PE_MODULE_B, NULL};
	char said[64];
	struct pe_cct *cct;

	cr_assert(eq(int, run(NULL, said, sizeof(said), argv), 0));
	cr_assert(eq(str, said, (char *)(size_t) "ok\n"));
	cct = read_back();
	cr_expect(ge(u64, SAMPLES(cct, "main", "module_work", "spin_there_a", "spin"), FEW));
	cr_expect(ge(u64, SAMPLES(cct, "main", "module_work", "spin_there_b", "spin"), FEW));
}

Test(sampler, without_a_directory_nothing_is_done)
{
	char *argv[] = {(char *)(size_t) "sample_me", (char *)(size_t) "own", NULL};
	const char *directories[] = {directory};
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;
	pid_t child = fork();
	int status;

	if (child == 0) {
		setenv("LD_PRELOAD", PE_LIBRARY, 1);
		unsetenv(PE_SAMPLES_DIR_ENV);
		execv(PE_PROGRAM, argv);
		_exit(127);
	}
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	cr_expect(eq(int, status, 0));
	cr_expect(eq(int, pe_samples_read(&cct, NULL, directories, 1, NULL, &frames, &arena, &err),
		     PE_ENOTFOUND));
}

#define CHILD "(child: pe_program_sample_me)"

static uint64_t calls_of(const struct pe_cct *cct, const char *parent, const char *name)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < cct->n; i++)
		if (strcmp(pe_cct_frame(cct, i)->name, name) == 0 &&
		    strcmp(pe_cct_frame(cct, cct->nodes[i].parent)->name, parent) == 0)
			sum += cct->calls[i];
	return sum;
}

Test(sampler, a_child_belongs_to_who_started_it)
{
	static const char *const starters[] = {"by_popen", "by_system", "by_spawn", "by_vfork",
					       "by_exec"};
	struct pe_cct *cct = sample(NULL, "children");
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(starters) / sizeof(*starters); i++) {
		cr_expect(ge(u64, SAMPLES(cct, "main", starters[i], CHILD, "main", "spin"), FEW),
			  "%s", starters[i]);
		cr_expect(eq(u64, calls_of(cct, starters[i], CHILD), i == 0 ? 2 : 1), "%s",
			  starters[i]);
		/* Two children take twice as long; waits and work of a child are all that each does. */
		cr_expect(ge(u64, NS(cct, "main", starters[i], CHILD, "main", "spin"), 100000000),
			  "%s", starters[i]);
		sum += NS(cct, "main", starters[i]);
	}
	cr_expect(ge(u64, 10 * sum, 9 * cct->total_ns[0]));
}

static size_t breaks_no_wait_off_cases[] = {0, 1};

TestOver(size_t *which, breaks_no_wait_off_cases, sampler, breaks_no_wait_off)
{
	sample(clocks[*which], "unbroken");
}

/* A busy machine may keep the main thread from waiting for as long as the others take. */
Test(sampler, waits_belong_to_who_waits)
{
	enum { SOME_NS = 1000000 };
	struct pe_cct *cct = sample(NULL, "waits");

	cr_expect(ge(u64, NS(cct, "main", "naps", "pause_ms", "(waiting: sleep)"), 190000000));
	/* What the other threads do meanwhile, who hold the lock and write to the pipe: they sleep. */
	cr_expect(ge(u64, NS(cct, "hold", "(waiting: sleep)"), SOME_NS));
	cr_expect(ge(u64, NS(cct, "tell", "(waiting: sleep)"), SOME_NS));
	cr_expect(ge(u64, NS(cct, "work_a", "spin"), SOME_NS));
	cr_expect(ge(u64, NS(cct, "idle", "(waiting: condition)"), 70000000));
	cr_expect(ge(u64, NS(cct, "main", "gives_up", "(waiting: lock)"), 110000000));
	cr_expect(ge(u64, NS(cct, "main", "gives_up", "(waiting: condition)"), 50000000));
}
