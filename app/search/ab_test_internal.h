/* A/B test: shared by the files of pe_ab_test_ask() alone. */
#ifndef PE_APP_SEARCH_AB_TEST_INTERNAL_H
#define PE_APP_SEARCH_AB_TEST_INTERNAL_H

#include "app/search/ab_test.h"
#include "app/measure/engine.h"
#include "app/measure/trace.h"
#include "core/base/random.h"
#include "core/base/vec.h"
#include "core/stats/confirm.h"

#include <math.h>

/** Indices of the two sides, wherever there is one of each. */
enum { PE_AB_BASE, PE_AB_TIP };

/** Of what no pairs were needed for, or none were made. */
#define PE_AB_NO_RESULT                                                                            \
	{                                                                                          \
		.relative = NAN, .low = NAN, .high = NAN, .confidence = NAN, .p = NAN,             \
		.least = NAN                                                                       \
	}

/** A judged metric of a benchmark that is being tested. */
struct pe_ab_test {
	const struct pe_metric *metric;
	struct pe_confirm confirm;
	double base_sum; /**< of the left values, for thresholds that are absolute */
	double tip_sum;  /**< of the right ones */
	/** confirmed, and beyond the absolute threshold too */
	bool worse, better;
	bool absent;       /**< no run has given it a value */
	bool contradicted; /**< by the other metrics of the same runs: no answer */
};

/** A benchmark, in the order of asking. */
struct pe_ab_subject {
	size_t benchmark; /**< index into the session */
	bool same;        /**< what it executes and reads is the same in both builds */
	struct pe_ab_test *tests;
	size_t n_tests;
	unsigned rounds;  /**< pairs made */
	uint64_t cost_ns; /**< of a pair, as the last one was */
	bool worse;       /**< something is confirmed */
	bool same_code; /**< it enters the same functions on the same data: a worse time is by placement alone */
	bool failed;
	bool base_failed; /**< the tip is not to blame */
	bool gone;        /**< the tip's suite does not have it any more */
	bool late;        /**< the time was over before it was counted */
	/** of a run at one of the two sides; NULL: not known */
	const struct pe_trace *trace;
	/** A function that runs on this processor and not where instructions are counted; NULL: none. */
	const char *generic;
	bool generic_changed; /**< such functions are not the same on both sides */
};

/** A metric that is worse. */
struct pe_ab_finding {
	const struct pe_benchmark *benchmark;
	const struct pe_metric *metric;
	double relative;
};

/** One question while it is being asked. */
struct pe_ab {
	struct pe_session *session;
	const struct pe_ab_test_question *question;
	struct pe_ab_test_answer *answer;
	struct pe_ab_subject *subjects;
	size_t n;
	struct pe_engine *engine;
	struct pe_random random;
	uint64_t counted_by_ns; /* pe_clock_ns() when counting runs are ended */
	PE_VEC(struct pe_ab_finding) worse;
	PE_VEC(struct pe_ab_test_check) checks;
};

/** The benchmark of a subject. */
struct pe_benchmark *pe_ab_benchmark(const struct pe_ab *pairing,
				     const struct pe_ab_subject *subject);

/** The cell of a side. */
struct pe_cell *pe_ab_cell(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
			   size_t side);

/** Note a metric that is worse. */
void pe_ab_found_worse(struct pe_ab *pairing, struct pe_ab_subject *subject,
		       const struct pe_metric *metric, double relative);

/** Keep a copy of a check for the answer, under its benchmark's name. */
void pe_ab_add_check(struct pe_ab *pairing, const struct pe_ab_subject *subject,
		     const struct pe_ab_test_check *check);

/**
 * Whether processor time, context switches and exact instructions of the runs so far deny a change of wall time (evidence.h): then
 * the machine's load changed. Other metrics are denied by nothing.
 */
bool pe_ab_is_denied(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
		     const struct pe_metric *metric, double relative);

/** The tree of a side's build: an index into session->revisions; NULL: there is none. */
const char *pe_ab_tree(const struct pe_ab *pairing, size_t revision);

/** Run a side once more with traps at the entries of the functions of its programs. *out is empty where none were seen. */
int pe_ab_watch(struct pe_executed *out, struct pe_ab *pairing, const struct pe_ab_subject *subject,
		const struct pe_strings *programs, const char *tree);

/** Find out whether a benchmark that was counted executes other functions on this processor (ab_test_generic.c). */
int pe_ab_find_generic(struct pe_ab *pairing, struct pe_ab_subject *subject);

/** Add a test of a metric to a subject, unless the metric is not judged. */
void pe_ab_add_test(struct pe_ab *pairing, struct pe_ab_subject *subject,
		    const struct pe_metric *metric);

/**
 * Leave out the benchmarks that are the same in both builds: nothing can bear upon them. Of each other, count both sides, two
 * runs each, and keep the checks that come of it. Counts that vary from run to run become tests.
 */
int pe_ab_count(struct pe_ab *pairing);

/** Open the batch that the question's checkpoint names, or a new one, and write that down. */
int pe_ab_open(struct pe_ab *pairing);

/** Whether a pair could still decide one of a benchmark's tests. */
bool pe_ab_is_open(const struct pe_ab_subject *subject);

/**
 * One round over the benchmarks that can still come to their next look before time is up, at least over the first
 * open one: answers for some are better than none for all.
 *
 * @param more  whether there was any
 */
int pe_ab_round(struct pe_ab *pairing, bool *more);

#endif
