/* A/B test: shared by the files of pe_ab_test_ask() alone. */
#pragma once

#include "app/search/ab_test.h"
#include "app/measure/trace.h"
#include "app/search/pairs.h"
#include "core/base/vec.h"

#include <math.h>

/** Indices of the two sides, wherever there is one of each. */
enum { PE_AB_BASE, PE_AB_TIP };

/** A benchmark, in the order of asking. */
struct pe_ab_subject {
	bool same;             /**< what it executes and reads is the same in both builds */
	struct pe_pairs pairs; /**< of the benchmark */
	unsigned rounds;       /**< pairs made */
	uint64_t cost_ns;      /**< of a pair, as the last one was */
	bool worse;            /**< something is confirmed */
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

/** One question while it is being asked. */
struct pe_ab {
	struct pe_session *session;
	const struct pe_ab_test_question *question;
	struct pe_ab_test_answer *answer;
	struct pe_ab_subject *subjects;
	size_t n;
	struct pe_engine *engine;
	uint64_t counted_by_ns; /* pe_clock_ns() when counting runs are ended */
	PE_VEC(struct pe_ab_test_check) checks;
};

/** The cell of a side. */
struct pe_cell *pe_ab_cell(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
			   size_t side);

/** Keep a copy of a check for the answer, under its benchmark's name, and note whether it is worse. */
void pe_ab_add_check(struct pe_ab *pairing, struct pe_ab_subject *subject,
		     const struct pe_ab_test_check *check);

/** How a test came out: also beyond its absolute threshold. */
enum pe_ab_test_state pe_ab_state_of(const struct pe_pair_test *test);

/** Add a test of a metric to a subject, unless the metric is not judged. */
void pe_ab_add_test(struct pe_ab *pairing, struct pe_ab_subject *subject,
		    const struct pe_metric *metric);

/**
 * Leave out the benchmarks that are the same in both builds: nothing can bear upon them. Of each other, count both sides, two
 * runs each, and keep the checks that come of it. Counts that vary from run to run become tests.
 */
int pe_ab_count(struct pe_ab *pairing);

/** Open the batch that was written down for the question, or a new one, and write that down. */
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
