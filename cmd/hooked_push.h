/*
 * The look at a push, in three parts: which commits are new on the other side (hooked_push.c), which benchmarks they
 * can affect (hooked_affected.c), and whether these got worse (hooked_ask.c).
 */
#ifndef PE_CMD_HOOKED_PUSH_H
#define PE_CMD_HOOKED_PUSH_H

#include "cmd/session.h"
#include "core/stats/confirm.h"

/** How a commit may bear upon a benchmark. */
enum pe_bearing {
	PE_BEARS, /**< a method that it changed was executed when the benchmark was profiled last */
	PE_MAY_BEAR,     /**< not known */
	PE_HARDLY_BEARS, /**< all that it changed are methods, and none of them was executed */
	PE_CANNOT_BEAR,  /**< what the benchmark executes and reads is the same in both builds */
};

/**
 * What is known before anything is built: changed methods by their names against the methods of the benchmark's last
 * stored profile.
 *
 * @param out  one for each workload of the session
 */
int pe_bearing_guess(enum pe_bearing *out, struct pe_session *session, const char *base,
		     const struct pe_revision *tip);

/** One question: did the tip get worse than the base? Both are in the session. */
struct pe_push_question {
	size_t base, tip; /**< indices into session->revisions */
	const char
		*notebook; /**< file that keeps its window, so that a second push goes on with it */
	uint64_t deadline_ns; /**< pe_clock_ns(); what runs then is ended by the caller's signal */
};

/**
 * A file for the notebook of a question: what is measured decides its name, so that an edited benchmark is
 * another question. In the context's arena.
 */
const char *pe_push_notebook(const struct pe_session *session, const char *base, const char *tip);

enum pe_push_verdict {
	PE_PUSH_PASSES,
	PE_PUSH_REGRESSED,
	PE_PUSH_INCONCLUSIVE,
};

/** What is known of one metric of one benchmark. */
struct pe_push_finding {
	const struct pe_workload *workload;
	const struct pe_metric *metric;
	double relative, low, high; /**< NaN low: exact counts */
	bool accepted;              /**< a tracked file says that it is known and wanted */
};

/** How a benchmark, or one metric of it, came out. */
enum pe_push_state {
	PE_PUSH_SAME,      /**< all that it executes and reads is the same in both builds */
	PE_PUSH_FAILS,     /**< a benchmark that runs at the base and not at the tip */
	PE_PUSH_UNKNOWN,   /**< a benchmark that does not run at the base either */
	PE_PUSH_WORSE,     /**< confirmed, or exact */
	PE_PUSH_NOT_WORSE, /**< refuted, or exact */
	PE_PUSH_OPEN,      /**< neither, with the runs that there were */
};

/** All that was asked, for whom it is not enough to know what is worse. */
struct pe_push_check {
	const struct pe_workload *workload;
	const struct pe_metric *metric; /**< NULL: of the benchmark as a whole */
	enum pe_push_state state;
	double base_value, tip_value; /**< means over the runs; NaN: none */
	/** What the pairs say; pairs is 0 and all figures NaN where none were needed. */
	struct pe_confirm_told told;
};

struct pe_push_answer {
	enum pe_push_verdict verdict;
	struct pe_push_finding *worse; /**< confirmed ones, in the arena */
	size_t n_worse;
	struct pe_push_check *checks; /**< in the arena */
	size_t n_checks;
	size_t same, looked_at, open; /**< benchmarks: identical, with an answer, without one */
	const char *why;              /**< inconclusive for a reason: a sentence; else NULL */
};

/**
 * Ask. Stopped by the deadline or by the user, it answers with what is known by then.
 *
 * @param bearing  as guessed, for the order
 * @return         failures of the store and of the system
 */
int pe_push_ask(struct pe_push_answer *out, struct pe_session *session,
		const struct pe_push_question *question, const enum pe_bearing *bearing);

#endif
