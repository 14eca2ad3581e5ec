/*
 * A/B test: two revisions measured now, in turns on this machine, and judged by nothing but those runs. The gate of
 * `perfevo ci` and of the hook before a push (app/jobs/ci_gate.h) asks it.
 */
#pragma once

#include "app/measure/session.h"
#include "core/stats/confirm.h"

/**
 * One question: did the tip get worse than the base? Both are in the session. Where the application takes counts only,
 * nothing is timed, and what counts do not decide stays open.
 */
struct pe_ab_test_question {
	size_t base, tip; /**< indices into session->revisions */
	bool once;        /**< asking again begins anew; else it goes on with what was measured */
	uint64_t
		deadline_ns; /**< pe_clock_ns(); a counting run is ended then, a timed one begins no more */
	uint64_t least_ns; /**< counting runs are not ended before so long after the builds */
	uint64_t
		first_ns; /**< without an answer so long after the builds, counting ends; 0: at the deadline */
};

/** How a benchmark, or one metric of it, came out. */
enum pe_ab_test_state {
	PE_AB_TEST_SAME,      /**< all that it executes and reads is the same in both builds */
	PE_AB_TEST_FAILS,     /**< a benchmark that runs at the base and not at the tip */
	PE_AB_TEST_GONE,      /**< a benchmark that the tip's suite does not have any more */
	PE_AB_TEST_UNKNOWN,   /**< a benchmark that does not run at the base either */
	PE_AB_TEST_WORSE,     /**< confirmed, or exact */
	PE_AB_TEST_BETTER,    /**< confirmed, or exact */
	PE_AB_TEST_NOT_WORSE, /**< neither: refuted, or exact */
	PE_AB_TEST_OPEN,      /**< neither, with the runs that there were */
	PE_AB_TEST_LATE,      /**< a benchmark that was not counted before the deadline */
};

/** All results of a check, for callers that need more than the worse ones. */
struct pe_ab_test_check {
	const struct pe_benchmark *benchmark;
	const struct pe_metric *metric; /**< NULL: of the benchmark as a whole */
	enum pe_ab_test_state state;
	bool layout; /**< worse, and both builds execute the same machine code on the same data */
	/** Instructions: a function that runs on this processor and not where they are counted; NULL: none. */
	const char *generic;
	bool contradicted; /**< open: the other metrics of the same runs contradict the pairs */
	double base_value, tip_value; /**< means over the runs; NaN: none */
	/** The result of the pairs; pairs is 0 and all values NaN where none were needed. */
	struct pe_confirm_result result;
};

struct pe_ab_test_answer {
	struct pe_ab_test_check *checks; /**< in the arena */
	size_t n_checks;
	size_t open; /**< benchmarks without an answer */
	/** That side does not build: nothing was run. */
	bool base_unbuilt, tip_unbuilt;
};

/**
 * Run the test. Stopped by the deadline or by the user, it answers with the results so far.
 *
 * @return  failures of the store and of the system
 */
int pe_ab_test_ask(struct pe_ab_test_answer *out, struct pe_session *session,
		   const struct pe_ab_test_question *question);
