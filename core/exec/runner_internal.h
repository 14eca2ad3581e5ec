/* What the runs of one benchmark (runner.c) and of a suite (suite.c) share. */
#pragma once

#include "core/exec/runner.h"

/** Most that a command may write. */
static const uint64_t PE_RUN_OUTPUT_BYTES = 64u << 20;

/** Folder for the counting library's records, in the session's scratch folder. */
#define PE_RUN_ALLOCATION_RECORDS "allocations"

/** Where the run in flight leaves its output, in files without names, and its records. */
struct pe_run_places {
	int dir, out, err;
	const char *allocations;
};

/** What the commands of one run share. All is borrowed but the places. */
struct pe_run_ctx {
	const struct pe_runner *runner;
	const struct pe_benchmark *benchmark;
	const char *tree;
	struct pe_arena *arena;
	struct pe_err *err;
	struct pe_run_places places; /**< open from pe_run_places_open() to pe_run_places_close() */
};

/** Before pe_run_places_open(): nothing is open. */
#define PE_RUN_NO_PLACES                                                                           \
	{                                                                                          \
		-1, -1, -1, NULL                                                                   \
	}

/** A local context whose places are closed where its block is left. */
#define pe_auto_run __attribute__((cleanup(pe_run_places_close))) struct pe_run_ctx

/** Open outputs for one run; pe_run_places_close() closes them, also after a failure. */
int pe_run_places_open(struct pe_run_ctx *ctx);

/** Close what was opened. */
void pe_run_places_close(const struct pe_run_ctx *ctx);

/** A run that begins: without samples and log. */
void pe_runner_start(struct pe_run *out);

/** Commands in order, up to the first that fails: PE_SETUP_FAILED. Their outputs are their own. */
int pe_runner_helpers(struct pe_run *out, const struct pe_run_ctx *ctx,
		      const struct pe_commands *commands, const struct pe_strings *extra);

/** Run one command as part of a benchmark, pinned and niced by the session's settings. */
int pe_runner_command(struct pe_proc_result *result, const struct pe_run_ctx *ctx,
		      const struct pe_command *command, const struct pe_strings *extra);

/** Right before the command: whether all that it will read is its own commit's; if not, the run fails. */
bool pe_runner_is_own(struct pe_run *out, const struct pe_run_ctx *ctx);

/** How it ended: outcome, status and log of the run. */
void pe_runner_set_outcome(struct pe_run *out, const struct pe_run_ctx *ctx,
			   const struct pe_command *command, const struct pe_proc_result *result);

/** One more value; those beyond PE_RUN_MAX_SAMPLES are dropped. */
void pe_runner_add_sample(struct pe_run *run, const struct pe_metric *metric, double value);

/** The counting library's settings, and an empty folder for its records. */
int pe_runner_prepare_counting(struct pe_strings *extra, const struct pe_run_ctx *ctx);

/** Count allocations, then instructions; what one kind cannot count takes nothing from the other. */
int pe_runner_count(struct pe_run *out, const struct pe_run_ctx *ctx);

/** Before each run: empty the outputs and run the preparation, whose result is out->outcome. */
int pe_runner_prepare_again(struct pe_run *out, const struct pe_run_ctx *ctx);
