/*
 * Counting runs: what a program does is counted, not timed. Allocations are counted in a process of their own with the
 * counting library, instructions in another one below valgrind: neither disturbs the other's counts.
 */
#include "core/exec/runner_internal.h"

#include "core/base/files.h"
#include "core/exec/alloc.h"
#include "core/exec/env.h"
#include "core/exec/simulate.h"

#include <fcntl.h>
#include <string.h>

static const char COUNTS[] = "instructions";

/*
 * Programs that need more processor time are simulated only where the config wants it: that takes fifty times as long, more
 * where they start processes. Waiting does not count, nor the time that others take on a busy machine.
 */
static const uint64_t SIMULATED_NS = UINT64_C(1000000000);

/* The reason, from the program's own file if possible; else what the records lack. */
static const char *why_not_countable(const struct pe_run_ctx *ctx, const char *missing)
{
	const char *program = ctx->benchmark->command.argv[0];
	const char *cwd = pe_runner_below(ctx->tree, ctx->benchmark->cwd, ctx->arena);
	char reason[256] = "";

	if (strchr(program, '/') == NULL ||
	    pe_alloc_countable(pe_runner_below(cwd, program, ctx->arena), reason, sizeof(reason)))
		return pe_arena_printf(ctx->arena, "%s\n", missing);
	return pe_arena_printf(ctx->arena, "%s: %s\n", program, reason);
}

/* A member of a suite has what one iteration takes, as its times are. */
static double iterations_of(const struct pe_run_ctx *ctx)
{
	return ctx->benchmark->iterations > 0 ? ctx->benchmark->iterations : 1;
}

static int count_allocations(struct pe_run *run, const struct pe_run_ctx *ctx,
			     const struct pe_proc_result *result)
{
	const double iterations = iterations_of(ctx);
	struct pe_alloc_cost cost;
	char missing[256];

	PE_TRY(pe_alloc_collect(&cost, ctx->places.allocations, NULL, NULL, ctx->err));
	if (!pe_alloc_complete(&cost, result->pid, missing, sizeof(missing))) {
		run->outcome = PE_NOT_COUNTABLE;
		run->log = why_not_countable(ctx, missing);
		return PE_OK;
	}
	pe_runner_add_sample(run, &pe_metrics[PE_ALLOCATIONS], (double)cost.count / iterations);
	pe_runner_add_sample(run, &pe_metrics[PE_ALLOCATED_BYTES], (double)cost.bytes / iterations);
	pe_runner_add_sample(run, &pe_metrics[PE_ALLOCATED_PEAK], (double)cost.peak_bytes);
	return PE_OK;
}

int pe_runner_prepare_counting(struct pe_strings *extra, const struct pe_run_ctx *ctx)
{
	const struct pe_run_places *places = &ctx->places;
	const char **settings = pe_arena_new(ctx->arena, const char *, 3);

	if (pe_files_make_fresh(places->dir, PE_RUN_ALLOCATION_RECORDS) != 0)
		return pe_fail_errno(ctx->err, "cannot make the folder %s", places->allocations);
	settings[0] = pe_arena_printf(ctx->arena, "LD_PRELOAD=%s", ctx->runner->alloc_library);
	settings[1] = pe_arena_printf(ctx->arena, "PERFEVO_ALLOC_DIR=%s", places->allocations);
	*extra = (struct pe_strings){settings, 2};
	return PE_OK;
}

static bool counts_allocations(const struct pe_runner *runner, const struct pe_benchmark *benchmark)
{
	return benchmark->count_allocations && runner->alloc_library != NULL;
}

bool pe_runner_simulates(const struct pe_runner *runner, const struct pe_benchmark *benchmark)
{
	return runner->valgrind != NULL && (benchmark->count_allocations || runner->simulate_all);
}

enum pe_spent_kind pe_runner_spent_kind(const struct pe_runner *runner,
					const struct pe_benchmark *benchmark,
					const struct pe_run *run)
{
	if (run->kind == PE_RUN_TIMED)
		return PE_SPENT_TIMED;
	return run->simulate && pe_runner_simulates(runner, benchmark) ? PE_SPENT_SIMULATED
								       : PE_SPENT_COUNTED;
}

bool pe_runner_counts(const struct pe_runner *runner, const struct pe_benchmark *benchmark)
{
	return counts_allocations(runner, benchmark) || pe_runner_simulates(runner, benchmark);
}

/* With the counting library. */
static int run_counting(struct pe_run *out, uint64_t *processor_ns, const struct pe_run_ctx *ctx)
{
	const struct pe_command *command = &ctx->benchmark->command;
	struct pe_strings extra;
	struct pe_proc_result result;

	PE_TRY(pe_runner_prepare_counting(&extra, ctx));
	PE_TRY(pe_runner_command(&result, ctx, command, &extra));
	*processor_ns = result.cost.user_ns + result.cost.sys_ns;
	pe_runner_set_outcome(out, ctx, command, &result);
	if (out->outcome != PE_MEASURED)
		return PE_OK;
	if (ctx->runner->since_s != 0)
		out->modules = pe_modules_collect(ctx->places.allocations, ctx->tree,
						  ctx->runner->alloc_library, ctx->runner->since_s,
						  ctx->arena);
	return count_allocations(out, ctx, &result);
}

/* One run under valgrind, with its records. */
struct simulation {
	struct pe_proc_result result;
	struct pe_run run; /* how it ended */
	struct pe_simulated counted;
};

static int simulate(struct simulation *out, const struct pe_run_ctx *ctx, unsigned flags)
{
	const struct pe_benchmark *benchmark = ctx->benchmark;
	const char *dir = pe_arena_printf(ctx->arena, "%s/%s", ctx->runner->scratch, COUNTS);
	struct pe_command command = pe_simulate_command(ctx->runner->valgrind, &benchmark->command,
							dir, flags, ctx->arena);
	const struct pe_strings extra =
		pe_env_for_simulation(benchmark, ctx->runner->pass_env, ctx->arena);
	struct pe_runner bounded = *ctx->runner;
	struct pe_benchmark slower = *benchmark;
	struct pe_run_ctx below = *ctx;
	pe_auto_fd records = -1;

	*out = (struct simulation){.run = {.kind = PE_RUN_COUNTED}};
	if (pe_files_make_fresh(ctx->places.dir, COUNTS) != 0)
		return pe_fail_errno(ctx->err, "cannot make the folder %s", dir);
	records = openat(ctx->places.dir, COUNTS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (records < 0)
		return pe_fail_errno(ctx->err, "cannot open the folder %s", dir);
	bounded.records_bytes = (flags & PE_SIMULATE_TRACED) != 0 ? PE_SIMULATE_TRACED_BYTES : 0;
	slower.timeout_ns = benchmark->timeout_ns < UINT64_MAX / PE_SIMULATE_SLOWER
				    ? benchmark->timeout_ns * PE_SIMULATE_SLOWER
				    : UINT64_MAX;
	below.runner = &bounded;
	below.benchmark = &slower;
	PE_TRY(pe_runner_command(&out->result, &below, &command, &extra));
	pe_runner_set_outcome(&out->run, &below, &command, &out->result);
	if (out->result.end != PE_PROC_RECORDS_FULL)
		PE_TRY(pe_simulate_collect(&out->counted, records, ctx->arena, ctx->err));
	/* Counts that are not read again are removed now, and not with the next run or the end of the session. */
	if (pe_files_make_fresh(ctx->places.dir, COUNTS) != 0)
		return pe_fail_errno(ctx->err, "cannot empty the folder %s", dir);
	return PE_OK;
}

/*
 * Run it under valgrind. The run's own results and outcome stay as they are. Where its system calls are too many to be
 * written down, it is run again without them: only these are lost.
 */
static int run_simulated(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const double iterations = iterations_of(ctx);
	const struct pe_system_calls *calls;
	struct simulation made;
	bool many;

	PE_TRY(simulate(&made, ctx, PE_SIMULATE_TRACED));
	many = made.result.end == PE_PROC_RECORDS_FULL;
	if (many) {
		PE_TRY(pe_runner_prepare_again(out, ctx));
		if (out->outcome != PE_MEASURED)
			return PE_OK;
		PE_TRY(simulate(&made, ctx, 0));
	}
	out->uncounted = pe_simulate_failure(&made.counted, made.run.outcome, ctx->arena);
	if (out->uncounted != NULL)
		return PE_OK;
	pe_runner_add_sample(out, &pe_metrics[PE_SIMULATED_INSTRUCTIONS],
			     (double)made.counted.instructions / iterations);
	out->functions = made.counted.functions;
	calls = &made.counted.calls;
	if (many)
		out->uncounted =
			"system calls are not counted: a run makes so many that valgrind's records of them are more than 128 MiB";
	else if (made.counted.calls_lost)
		out->uncounted =
			"system calls are not counted: valgrind's records of them cannot be read";
	if (many || calls->n == 0)
		return PE_OK;
	pe_runner_add_sample(out, &pe_metrics[PE_SYSTEM_CALLS],
			     (double)pe_system_calls_total(calls) / iterations);
	out->calls = *calls;
	return PE_OK;
}

int pe_runner_count(struct pe_run *out, const struct pe_run_ctx *ctx)
{
	const struct pe_runner *runner = ctx->runner;
	bool simulate = out->simulate && pe_runner_simulates(runner, ctx->benchmark);
	const char *no_allocations = NULL;
	uint64_t processor_ns = 0;
	int rc = PE_OK;

	if (counts_allocations(runner, ctx->benchmark)) {
		rc = run_counting(out, &processor_ns, ctx);
		if (rc != PE_OK || !simulate ||
		    (out->outcome != PE_MEASURED && out->outcome != PE_NOT_COUNTABLE))
			return rc;
		no_allocations = out->outcome == PE_NOT_COUNTABLE ? out->log : NULL;
		if (processor_ns > SIMULATED_NS && !runner->simulate_all) {
			out->uncounted =
				"instructions are not simulated: a run needs more than 1 s of processor time ('run: {instructions: simulated}' does it all the same)";
			return PE_OK;
		}
		rc = pe_runner_prepare_again(out, ctx);
		if (rc != PE_OK || out->outcome != PE_MEASURED)
			return rc;
	}
	if (simulate)
		rc = run_simulated(out, ctx);
	if (rc == PE_OK && out->n_samples == 0) {
		out->outcome = PE_NOT_COUNTABLE;
		out->log = no_allocations != NULL   ? no_allocations
			   : out->uncounted != NULL ? out->uncounted
						    : "nothing is counted\n";
	} else if (no_allocations != NULL) {
		out->log = NULL;
		out->uncounted =
			pe_arena_printf(ctx->arena, "allocations are not counted: %.*s",
					(int)strcspn(no_allocations, "\n"), no_allocations);
	}
	return rc;
}
