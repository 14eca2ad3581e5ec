/*
 * Simulate: a program's instructions, counted by valgrind's cachegrind without its caches. It needs no hardware counters,
 * so it counts in virtual machines and containers, and the same program on the same input counts the same in each run,
 * whatever else the machine does: one run tells more than a thousand timed ones.
 *
 * What the count depends on beyond the program is fixed: the environment's size (core/exec/env.h), and the processor
 * for which the C library chooses its functions (pe_env_for_simulation()).
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/model/benchmark.h"
#include "core/model/functions.h"
#include "core/model/outcome.h"
#include "core/model/system_calls.h"

#include <stdbool.h>
#include <stdint.h>

/** A simulated run may take this many times the `timeout` of a run. */
enum { PE_SIMULATE_SLOWER = 100 };

/** What a simulated process tree left. */
struct pe_simulated {
	uint64_t instructions; /**< of all processes */
	unsigned processes;    /**< that ended and reported */
	unsigned unfinished;   /**< that did not: killed, or cut off */
	const char *problem;   /**< valgrind's message, one line; NULL: none */
	/** in the order of their arrival; component: the path in the debug information, "???" without */
	struct pe_function_counts functions;
	/** with PE_SIMULATE_TRACED; of what a process did before it became another program nothing, of forked ones their own */
	struct pe_system_calls calls;
	bool calls_lost; /**< not all that was written down could be read, or it is too much */
};

/** Also write down each system call: about 120 bytes, and as long as a hundred thousand instructions take. */
enum pe_simulate_flags { PE_SIMULATE_TRACED = 1 << 0 };

/**
 * Most that the records of a run may take on the disk where calls are written down: about a million calls. A run that takes
 * more is ended, and made again without.
 */
#define PE_SIMULATE_TRACED_BYTES (UINT64_C(128) << 20)

/**
 * Where valgrind is: what PERFEVO_VALGRIND names (empty: nowhere), else the first on PATH.
 *
 * @return  in the arena; NULL with PE_ENOTFOUND in err
 */
const char *pe_simulate_program(struct pe_arena *arena, struct pe_err *err);

/**
 * A command as valgrind runs it.
 *
 * @param dir    absolute path of an empty folder for its records
 * @param flags  enum pe_simulate_flags
 */
struct pe_command pe_simulate_command(const char *program, const struct pe_command *command,
				      const char *dir, unsigned flags, struct pe_arena *arena);

/** Names of records begin so; the number of the process follows. */
#define PE_SIMULATE_RECORD "count."

/**
 * A command as valgrind runs it to tell what each instruction and call costs: its records are of callgrind's format, with addresses
 * (analysis/profile/callgraph.h). It takes about three times as long as pe_simulate_command().
 *
 * @param dir  absolute path of an empty folder for its records
 */
struct pe_command pe_simulate_calls_command(const char *program, const struct pe_command *command,
					    const char *dir, struct pe_arena *arena);

/**
 * Read the records of a run.
 *
 * A process that forks and goes on in the child without starting another program has what it did before in the child's
 * count, too; what a process did before it became another program is in none.
 *
 * @param dir  descriptor of their folder
 * @return     PE_ESYS; PE_OK also where there are none
 */
int pe_simulate_collect(struct pe_simulated *out, int dir, struct pe_arena *arena,
			struct pe_err *err);

/**
 * Why there is no count, in a phrase: the program ends otherwise than without valgrind, or a process left none.
 *
 * @param outcome  of the simulated run
 * @return         NULL: there is one
 */
const char *pe_simulate_failure(const struct pe_simulated *counted, enum pe_outcome outcome,
				struct pe_arena *arena);
