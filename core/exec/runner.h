/*
 * Runner: one run of one benchmark in one built tree: prepare, run, read the metrics. Nothing is decided here
 * about how often and in which order; that is the engine's (app/measure/engine.h).
 */
#pragma once

#include "core/base/arena.h"
#include "core/exec/ports.h"
#include "core/model/run.h"
#include "core/exec/dependencies.h"
#include "core/exec/modules.h"
#include "core/exec/suite.h"
#include "core/model/benchmark.h"
#include "core/model/spending.h"

/** What every run of a session shares. Borrowed. */
struct pe_runner {
	struct pe_executor executor;
	struct pe_json_reader json;
	struct pe_suite_port suites;
	struct pe_outside_port outside; /**< find may be NULL */
	/** folder for records of the run in flight; removed by the caller */
	const char *scratch;
	const char *
		trusted; /**< a folder above it, below which no link is followed; NULL: all is the user's */
	const char *root; /**< the user's tree, or NULL */
	const struct pe_strings *pass_env;
	/** path of the counting library; NULL: allocations are not counted */
	const char *alloc_library;
	int64_t since_s; /**< when the session began; 0: the modules of counting runs are not recorded */
	const char *valgrind; /**< counts instructions (core/exec/simulate.h); NULL: nothing does */
	/** it does so also where allocations are not counted, and however long a run takes */
	bool simulate_all;
	int cpu; /**< processor to pin to; -1: none */
	int nice;
	bool fixed_layout;
	const struct pe_sandbox *sandbox; /**< that commands are confined by; NULL: they are not */
	const struct pe_limits *limits;   /**< that they are bounded by; NULL: they are not */
	bool instructions;                /**< the machine counts them */
	uint64_t oom_kills;               /**< pe_oom_kills() when the session began */
	const volatile sig_atomic_t *interrupts;
	int stop_fd;            /**< see struct pe_proc_spec */
	uint64_t records_bytes; /**< bound of a run's records */
	uint64_t deadline_ns;   /**< pe_clock_ns(): a run is ended then; 0: it has its timeout */
};

/**
 * Run the setup commands of a benchmark, in order. Whatever comes of it and of the runs after it, the caller hands its
 * code to pe_runner_clean_up().
 *
 * @param out  outcome is PE_MEASURED when all succeeded, else PE_SETUP_FAILED with its log
 * @return     PE_ESTOPPED, PE_ESYS
 */
int pe_runner_set_up(struct pe_run *out, const struct pe_runner *runner,
		     const struct pe_benchmark *benchmark, const char *tree, struct pe_arena *arena,
		     struct pe_err *err);

/**
 * Run the cleanup commands of a benchmark whose setup was begun: also after a failure and after the first Ctrl-C, not
 * after the second. A command that fails changes no result, and the others are run all the same.
 *
 * @param rc   result of the setup and of the runs after it
 * @param err  keeps the failure of rc
 * @return     rc; where that is PE_OK, PE_ESTOPPED or PE_ESYS of the cleanup itself
 */
int pe_runner_clean_up(int rc, const struct pe_runner *runner, const struct pe_benchmark *benchmark,
		       const char *tree, struct pe_arena *arena, struct pe_err *err);

/** Add to the log of a run that failed that processes of its setup were ended, where there were some. */
void pe_runner_explain_left(struct pe_run *run, struct pe_arena *arena);

/** A path of the config, which is relative to the measured tree. */
const char *pe_runner_below(const char *tree, const char *path, struct pe_arena *arena);

/** Whether counting runs of a benchmark give any counts. */
bool pe_runner_counts(const struct pe_runner *runner, const struct pe_benchmark *benchmark);

/** Whether its instructions are simulated in counting runs that ask for it. */
bool pe_runner_simulates(const struct pe_runner *runner, const struct pe_benchmark *benchmark);

/** What a run is put down to among what is spent, once it was made. */
enum pe_spent_kind pe_runner_spent_kind(const struct pe_runner *runner,
					const struct pe_benchmark *benchmark,
					const struct pe_run *run);

/**
 * Run a benchmark once: prepare, then the run itself. A counting run prepares and runs it once for each kind of count.
 *
 * @param out   kind and simulate are the caller's; outcome, status, log, started_s and samples are filled in. Log and
 *              custom metrics' names live in the arena and the benchmark.
 * @param tree  absolute path of the built tree
 * @return      PE_ESTOPPED (nothing is to be stored), PE_ESYS, PE_EFULL
 */
int pe_runner_run(struct pe_run *out, const struct pe_runner *runner,
		  const struct pe_benchmark *benchmark, const char *tree, struct pe_arena *arena,
		  struct pe_err *err);

/**
 * Run a benchmark once to look into it: prepare, then the run itself with more in its environment, such as a
 * library to preload. Its costs are the samples; custom metrics are not read.
 *
 * @param out    as in pe_runner_run(); kind is not looked at
 * @param extra  "K=V"; they win over the benchmark's own
 */
int pe_runner_look(struct pe_run *out, const struct pe_runner *runner,
		   const struct pe_benchmark *benchmark, const char *tree,
		   const struct pe_strings *extra, struct pe_arena *arena, struct pe_err *err);

/** A module of the program, and what was seen of it. */
struct pe_entered_module {
	const char *path;          /**< of its file */
	const uint64_t *addresses; /**< of its functions as the file is linked, ascending */
	size_t n;
	bool watched;  /**< out: in every process that loaded it at its start */
	bool opened;   /**< out: the program read the file */
	bool *entered; /**< out: by function; the caller's array */
};

/** What a run is to be watched for: which functions of a program it enters (probe/formats/entries.h). */
struct pe_entries {
	struct pe_entered_module *modules;
	size_t n;
};

/**
 * Run a benchmark once with its setup, prepare and cleanup to see what it executes and reads. Its values are
 * thrown away. Needs alloc_library.
 *
 * @param out      valid when run->outcome is PE_MEASURED
 * @param entries  functions that are to be watched in the run itself; NULL: none
 */
int pe_runner_probe(struct pe_dependencies *out, struct pe_run *run, const struct pe_runner *runner,
		    const struct pe_benchmark *benchmark, const char *tree,
		    struct pe_entries *entries, struct pe_arena *arena, struct pe_err *err);
