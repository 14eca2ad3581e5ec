/*
 * Fake executor: commands that are not started. It writes down what it was asked to run, and at which revision, and
 * answers as the test says: what a run costs, which fails, after which one Ctrl-C comes.
 *
 * A tree says which revision it holds by its file "number" (app_fixture.h makes such commits). A counting run leaves
 * the record that the counting library would leave; a run that is to see what a benchmark touches leaves nothing
 * complete, so that nothing is reused. What a run for a profile leaves is the test's matter (fake_calls.h).
 */
#pragma once

#include "core/base/vec.h"
#include "core/exec/ports.h"

#include <stdbool.h>

enum fake_kind {
	FAKE_PLAIN,   /**< a build step, setup, prepare, cleanup, or a timed run or warm-up */
	FAKE_COUNT,   /**< under the counting library */
	FAKE_PROBE,   /**< likewise, to see what is touched */
	FAKE_CALLS,   /**< of the counting build, for a profile */
	FAKE_PROFILE, /**< a profiler of the project's own */
};

struct fake_command {
	unsigned revision; /**< its number; UINT_MAX: no tree of the fixture's */
	const char *text;  /**< as in the config */
	enum fake_kind kind;
};

/**
 * What one command costs and how it ends. Builds side by side ask at the same time, in threads of their own. All payloads
 * are the executor's `payload`.
 */
typedef void (*fake_answer)(struct pe_proc_result *result, const struct fake_command *command,
			    void *payload);

/** Allocations of a counting run. */
typedef uint64_t (*fake_count)(const struct fake_command *command, void *payload);

/**
 * What a run for a profile leaves.
 *
 * @param path  FAKE_CALLS: the folder for traces; FAKE_PROFILE: the file
 */
typedef void (*fake_leave)(const char *path, const struct fake_command *command, void *payload);

struct fake_executor {
	struct pe_arena arena;
	PE_VEC(struct fake_command) commands;
	fake_answer answer; /**< NULL: everything takes a millisecond and succeeds */
	fake_count count;   /**< NULL: 100 at every revision */
	fake_leave leave;   /**< NULL: nothing */
	void *payload;
	size_t stop_after;                 /**< commands after which Ctrl-C comes; 0: never */
	volatile sig_atomic_t *interrupts; /**< that Ctrl-C is counted in */
};

/** The port. The executor outlives it. */
struct pe_executor fake_executor_port(struct fake_executor *fake);

/** How many commands with this text ran, since position `from`; revision UINT_MAX: at any. */
size_t fake_executor_ran(const struct fake_executor *fake, size_t from, const char *text,
			 unsigned revision);

/** Free what was written down. */
void fake_executor_release(struct fake_executor *fake);
