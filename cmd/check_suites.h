/* What `check` sees of suites: a few processes of each, read as track reads them. */
#ifndef PE_CMD_CHECK_SUITES_H
#define PE_CMD_CHECK_SUITES_H

#include "app/measure/session.h"
#include "core/stats/nested.h"
#include "core/stats/summary.h"
#include "core/json/writer.h"
#include "suites/suite.h"

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

/** Whether all programs ran, and every benchmark in them. */
bool pe_check_suites_ran(const struct pe_checked_suites *suites);

/** Append what was seen: a paragraph a suite, for people. */
void pe_check_suites_print(struct pe_text *out, const struct pe_checked_suites *suites);
/** The same as a member "suites" of an object. */
void pe_check_suites_json(struct pe_json *json, const struct pe_checked_suites *suites);

#endif
