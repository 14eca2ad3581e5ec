/* Outcome: how the attempt to measure ended. A failure is data: it is stored with its log and skipped. */
#pragma once

/** The numbers are stored: append, never reorder. */
enum pe_outcome {
	PE_MEASURED = 0,
	/** the revision's tree cannot be written (a submodule that is not here) */
	PE_TREE_REFUSED = 1,
	PE_BUILD_FAILED = 2,
	PE_BUILD_TIMED_OUT = 3,
	PE_SETUP_FAILED = 4, /**< setup, prepare or cleanup */
	PE_EXIT_WRONG = 5,   /**< another exit status than the expected one */
	PE_CRASHED = 6,      /**< ended by a signal */
	PE_TIMED_OUT = 7,
	PE_OUTPUT_FULL = 8,     /**< wrote more than it may */
	PE_NOT_STARTED = 9,     /**< the program does not exist or is not executable */
	PE_METRIC_MISSING = 10, /**< a custom metric was not in the output */
	/** of a counting run: the counting library cannot get into the program */
	PE_NOT_COUNTABLE = 11,
	PE_INCONCLUSIVE = 12, /**< the machine's fault: a full disk, no memory; tried again twice */
	/** the revision has no such benchmark: not in its suite, or without its program or script; no failure, never tried again */
	PE_ABSENT = 13,
	PE_N_OUTCOMES
};

/** "measured", "build failed", ...: as stores, JSON and CSV have it. */
const char *pe_outcome_name(enum pe_outcome outcome);

/** The same for people: "not counted" for what is not countable, "files not written" for a refused tree. */
const char *pe_outcome_say(enum pe_outcome outcome);
