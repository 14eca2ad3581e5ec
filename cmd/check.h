/* What `check` has seen of the config, the build and the benchmarks: tried, judged and printed in one file each. */
#pragma once

#include "app/measure/session.h"
#include "core/stats/nested.h"
#include "core/stats/summary.h"
#include "core/json/writer.h"
#include "suites/suite.h"

/* --- Suites: a few processes of each, read as track reads them --- */

/** One suite, after its program ran. */
struct pe_checked_suite {
	const struct pe_suite *suite;
	struct pe_suite_process
		process; /**< the first; how it ended is that of the first that failed */
	unsigned n_processes;
	/** one a benchmark of the first process: its first metric between processes; n: those that gave it */
	struct pe_summary *between;
	/** best number of values a process, by its first metric; n: 0: unknown */
	struct pe_nested_choice choice;
	double values; /**< a process and benchmark */
	const char *
		options; /**< options for the best number; NULL: it has that already, or there are none */
	size_t n_chosen;   /**< benchmarks that include, exclude and --bench leave */
	const char *alone; /**< what confirming runs for the first of them; NULL: the whole suite */
	const char *error; /**< why its program could not be listed; NULL: it ran */
};

struct pe_checked_suites {
	struct pe_checked_suite *at;
	size_t n;
};

/** Run the program of every suite that has a benchmark in the session: once, and up to four times more within 10 s. */
int pe_check_suites(struct pe_checked_suites *out, struct pe_session *session, const char *tree);

/** Whether a process gave a benchmark values. */
bool pe_checked_is_measured(const struct pe_member_reading *reading);

/** Deviation of a run, relative to the median: 1.4826 MAD estimates it for a normal distribution. */
double pe_check_noise(const struct pe_summary *runs);

/**
 * The step that track is likely to see: the penalty of 3 ln(100) is a z of about 3.7, on the difference of two
 * locations whose error is pe_summary.error, scaled from these runs to the configured repeats. Below 0.5 % the
 * judge looks away.
 */
double pe_check_visible_step(const struct pe_summary *runs, unsigned repeats);

/** "noise 2.0 %, detects changes from about 1.9 %"; a bound of more than a doubling is printed as none. */
void pe_check_add_noise(struct pe_text *out, double noise, double visible_step);

/** The same two as members of an object, to five decimals. */
void pe_check_noise_json(struct pe_json *json, const struct pe_summary *runs, unsigned repeats);

/** Whether all programs ran, and every benchmark in them. */
bool pe_check_suites_ran(const struct pe_checked_suites *suites);

/** Append foreign text between two of our own. */
void pe_check_add_text(struct pe_text *out, const char *before, const char *text,
		       const char *after);

/** Append what was seen: a paragraph a suite, for people. */
void pe_check_suites_print(struct pe_text *out, const struct pe_checked_suites *suites);
/** The same as a member "suites" of an object. */
void pe_check_suites_json(struct pe_json *json, const struct pe_checked_suites *suites);

/* --- All of it --- */

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
