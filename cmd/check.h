/* What `check` has seen of the config, the build and the benchmarks: tried, judged and printed in one file each. */
#ifndef PE_CMD_CHECK_H
#define PE_CMD_CHECK_H

#include "cmd/check_suites.h"

/** What was seen of one of a benchmark's own metrics. */
struct pe_tried_metric {
	const struct pe_metric *metric;
	struct pe_summary values; /**< a value a run; n is 0 where none was read */
};

/** What was seen of one benchmark. */
struct pe_tried {
	const struct pe_benchmark *benchmark;
	struct pe_run run; /**< the last one: outcome and log */
	struct pe_summary wall;
	struct pe_tried_metric *customs; /**< as many as the benchmark has; NULL: it did not run */
	int format; /**< of the library that it runs, an enum pe_suite_format; PE_SUITE_AUTO: none */
	const char *not_countable; /**< why its allocations cannot be counted; NULL: they can */
	const struct pe_metric *inexact; /**< a count that two runs differ by; NULL: none */
	const char *
		varying; /**< the functions that execute another number of instructions in each; NULL: unknown */
};

/** One check. Zero-initialise; the session and the advice are to be released. */
struct pe_check {
	struct pe_session session;
	const struct pe_revision *revision;
	struct pe_build build;
	const char *tree; /**< where it was built; NULL: it was not */
	struct pe_tried *tried;
	size_t n_tried;
	struct pe_checked_suites suites;
	PE_VEC(const char *) advice;
};

/**
 * Run every benchmark of the session: some seconds of timed runs each, then two that count. One that fails is not an
 * error; its outcome is in tried.
 *
 * @param tree  where the revision was built
 */
int pe_check_try(struct pe_check *check, const char *tree);

/** Advise how to detect smaller differences on this machine: from the trial, and from the machine's state. */
void pe_check_advise(struct pe_check *check);

/** Whether it builds, and whatever was tried of it ran. */
bool pe_check_all_ran(const struct pe_check *check);

/** Append what was seen, for people. */
void pe_check_print(struct pe_text *out, const struct pe_check *check);

/** The same as a JSON document. */
void pe_check_print_json(struct pe_text *out, const struct pe_check *check);

#endif
