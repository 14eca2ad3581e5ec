/*
 * Verdict: the difference of two executions in words, ranked by what each cause contributes, with its
 * evidence. Causes do not overlap: every node of the delta tree belongs to one of them, so their
 * contributions add up to the whole together with what is left unsaid.
 */
#ifndef PE_COMPARE_VERDICT_H
#define PE_COMPARE_VERDICT_H

#include "compare/decide.h"
#include "compare/delta.h"

#include "core/base/text.h"

/** What kind of change a cause is, as far as the trees show it. */
enum pe_cause_kind {
	PE_CAUSE_MORE_CALLS, /**< called more often from its caller */
	PE_CAUSE_FEWER_CALLS,
	PE_CAUSE_DEARER, /**< a call costs more */
	PE_CAUSE_CHEAPER,
	PE_CAUSE_CALL_ADDED,   /**< the caller calls what it did not call */
	PE_CAUSE_CALL_IN_LOOP, /**< and does so several times in each of its own calls */
	PE_CAUSE_CALL_REMOVED,
	PE_CAUSE_CALL_MOVED, /**< from another caller; the work is the same */
	PE_CAUSE_INLINED,    /**< a callee's work is done by its caller itself now */
	PE_CAUSE_OUTLINED,   /**< a caller's own work is done by a new callee now */
	PE_CAUSE_SWAPPED,    /**< one callee took the place of another */
	/** what the code calls a cache calls on in more of its calls: it no longer hits as it did */
	PE_CAUSE_CACHE_MISSES,
	PE_CAUSE_CACHE_HITS, /**< the reverse */
	PE_CAUSE_ALLOCATES,  /**< allocates more in each call, and costs more */
	PE_CAUSE_LAYOUT,  /**< same counts, same code: only where things lie in memory can differ */
	PE_CAUSE_CHANGED, /**< differs; calls are not known */
	/** a modified method on the delta hot path, below which no cause stands out of the noise */
	PE_CAUSE_SUSPECT,
	/** executes more or fewer instructions for sure, and its samples are too few to show what time that is */
	PE_CAUSE_COUNTED,
	PE_CAUSE_OUTSIDE, /**< time that no context of the trees holds */
	PE_N_CAUSE_KINDS
};

/** A word for files: "more-calls", "call-in-loop", ... */
const char *pe_cause_kind_name(enum pe_cause_kind kind);

/** One cause. Values are sums over the contexts in which it happens. */
struct pe_cause {
	enum pe_cause_kind kind;
	/** of the delta tree: its greatest context, the first of equals; PE_CCT_NONE: PE_CAUSE_OUTSIDE */
	uint32_t node;
	uint32_t frame;  /**< the method it happens to */
	uint32_t caller; /**< the method that calls it; PE_FRAME_NONE: none, or many */
	uint32_t other;  /**< moved from, inlined, split off, swapped for; PE_FRAME_NONE: none */
	/**
	 * The nearest method above that was modified or recompiled, where neither `frame` nor the caller that makes
	 * the calls was: it hands on more or less work (PARCS section 3.3 lists these from the subtree up to the
	 * root, nearest first). PE_FRAME_NONE: none, or not one.
	 */
	uint32_t origin;
	/** That `origin` is the reason is likely, for it is the nearest; no context away from it is the proof. */
	bool probably;
	uint32_t contexts; /**< places in the tree where it happens */
	uint32_t
		elsewhere; /**< other places of the same calls, where it does not; 0: none, or unknown */
	uint32_t nodes; /**< of the delta tree that contribute */
	int64_t amount; /**< contribution, in the report's unit */
	double share;   /**< of the whole difference; NAN when that is 0 */
	double noise;   /**< standard error of `amount`, same unit; 0: none is known */
	uint64_t old_calls, new_calls;               /**< of `frame`; both 0: unknown */
	uint64_t old_caller_calls, new_caller_calls; /**< of `caller`; both 0: unknown */
	/**
	 * Cost of a call, in the report's unit, inclusive, but own where the cost of a call itself is
	 * what changed; NAN: unknown.
	 */
	double old_per_call, new_per_call;
	int64_t instructions; /**< of PE_CAUSE_COUNTED, more or fewer: it, with functions in no tree that it calls */
	double old_instructions;                   /**< likewise: of old, at most */
	uint64_t old_allocations, new_allocations; /**< own; both 0: none, or unknown */
	struct pe_frame_change change, caller_change, other_change, origin_change;
};

/** The method to look at: `origin`, or the changed caller of calls that changed, or `frame`. */
uint32_t pe_cause_blamed(const struct pe_cause *cause);

/** What source and machine code say of a method: "modified here", "recompiled"; NULL: nothing is known. */
const char *pe_change_words(struct pe_frame_change change);

/** What amounts are in. */
enum pe_verdict_unit {
	PE_VERDICT_NS,
	PE_VERDICT_ALLOCATIONS,
	PE_VERDICT_BYTES,
	PE_VERDICT_CALLS,
	PE_VERDICT_NOTHING, /**< no value is known on both sides */
};

struct pe_verdict_opts {
	const struct pe_changes *changes; /**< NULL: unknown */
	/** What is judged. Where it is unknown: time, else allocations, else calls. PE_N_COSTS: calls. Never instructions. */
	enum pe_cost cost;
	/**
	 * How much larger than known the variance of times is (pe_spread_find()); 0: unknown. It is not sure itself,
	 * so two thirds of z such standard errors do.
	 */
	double spread;
	/** NULL: each cause is tested by itself */
	const struct pe_decisions *decisions;
	/** What executes is known to differ where the trees cannot show it: nothing is layout. */
	bool work;
	/**
	 * A cause under z standard errors is within noise, under twice z where neither source nor machine code of a
	 * method whose own cost differs changed; 0: 3
	 */
	double z;
	/**
	 * Of the old execution: smaller causes are left unsaid. 0: 0.005 of times, nothing of counts, and in
	 * either case less than 0.005 of the whole difference.
	 */
	double min_share;
	uint32_t top; /**< most causes; 0: 20 */
};

struct pe_verdict_report {
	enum pe_verdict_unit unit;
	int64_t whole; /**< new - old */
	uint64_t old_whole, new_whole;
	double noise;            /**< standard error of the whole; 0: unknown */
	struct pe_cause *causes; /**< greatest contribution first */
	uint32_t n;
	int64_t unsaid; /**< the whole less all causes */
	/** What of the whole no tree has: pe_verdict_measured(); part of `unsaid`. */
	int64_t outside;
	uint64_t profiled_old; /**< the old execution by the trees; 0: the whole is theirs */
	uint32_t within_noise; /**< causes that were left out because they are within noise */
	uint32_t more;         /**< likewise, because they are beyond opts.top */
};

/**
 * Find the causes of a difference. Identical executions have none. Linear, but for sorting.
 *
 * @param arena  owns the causes
 */
void pe_verdict_make(struct pe_verdict_report *out, const struct pe_delta *delta,
		     const struct pe_verdict_opts *opts, struct pe_arena *arena);

/**
 * Make the whole of a report of times what timed runs measured, of which its causes are parts then. What the trees lack of
 * it, or have too much, is `outside`, and PE_PART_REST of the decomposition.
 *
 * @param error_ns  standard error of the difference
 */
void pe_verdict_measured(struct pe_verdict_report *report, struct pe_decomposition *decomposition,
			 const double sides_ns[2], double error_ns);

/**
 * One cause as a sentence: "78 % of +12.1 ms: `hash_probe` is called 3.0 times as often from `intern`
 * (modified here), 1,000 -> 3,000 calls; cost per call unchanged".
 */
void pe_verdict_say(struct pe_text *out, const struct pe_verdict_report *report, uint32_t cause,
		    const struct pe_delta *delta);

/** The whole difference as a sentence: "new takes 12.1 ms more than old: 18.9 ms -> 31.0 ms". */
void pe_verdict_say_whole(struct pe_text *out, const struct pe_verdict_report *report);

#endif
