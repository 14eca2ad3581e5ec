/*
 * Decisions: for each method one answer to whether it changed, from all that is known of it. Verdict and critical graph
 * take theirs from here, so that none says what another denies.
 *
 * Exact counts decide by themselves (analysis/compare/functions.h), unless the samples say the reverse for sure. Own time beyond that of more or fewer calls, which are counted,
 * is tested method by method, over the samples of all profiled runs; of those that are called changed at most a part are not,
 * in expectation (core/stats/fdr.h), however many methods a program has. What is neither is undecided, and how many more
 * samples would decide it is known before they are taken: it depends on a method's time, not on its difference.
 */
#ifndef PE_COMPARE_DECIDE_H
#define PE_COMPARE_DECIDE_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"
#include "analysis/compare/functions.h"

enum pe_decided {
	PE_DECIDED_NOT,  /**< it may have changed by as much as matters */
	PE_DECIDED_MORE, /**< it executes more, or takes longer */
	PE_DECIDED_LESS,
	PE_DECIDED_SAME, /**< it executes exactly as much, or differs by less than matters */
};

/** What matters, unless somebody says so: a share of the old execution. */
#define PE_DECIDE_LEAST 0.01

/** What is known of one method. */
struct pe_decision {
	uint32_t frame;
	enum pe_decided what;
	bool counted;          /**< by exact counts; else by samples */
	double old_ns, new_ns; /**< own time of the execution, means over the runs */
	double beyond_ns;      /**< what it gained, less what follows from more or fewer calls */
	double error_ns;       /**< standard error of that */
	int64_t instructions; /**< that it executes more or fewer for sure (struct pe_frame_count); 0: none, or unknown */
	double old_instructions; /**< at most */
	bool charged; /**< these are its source's, wherever it was compiled into; else of the function of its name, with what was inlined */
	/** what they take at its own speed, or that of the whole where it has few samples, less what follows from more or fewer calls */
	double worth_ns;
	double called_ns; /**< likewise, what follows from them */
	/** frame of the modified method that hands on what it executes more or fewer: itself, if it calls itself and no other does; PE_FRAME_NONE: none */
	uint32_t by;
	bool probably; /**< it has contexts that are not below that */
	bool steady;   /**< its calls are as many as they were */
	double calls;  /**< so many times as many as they were; NAN: it had none */
	double q; /**< the least rate of false answers at which its time is called changed; NAN: not tested */
};

struct pe_decisions {
	/** changed by exact counts, then by time, then undecided, then the same; each the greatest difference first */
	struct pe_decision *at;
	uint32_t n_counted, n_timed, n_open, n_same;
	uint32_t *places; /**< by frame: 1 + index into at; 0: it is not in either tree */
	uint32_t n_frames;
	double least_ns; /**< the least change that matters */
	double counted_ns; /**< likewise, of one that is known for sure: what exact counts say takes no samples */
	/** so many times as many samples decide all that they can; 1: there is nothing */
	double times;
	double more_ns; /**< processor time of those on both sides, beyond what was sampled; 0: nothing */
	/** What instructions take that functions in neither tree execute more or fewer, nobody knows for whom: it is in their callers' times. */
	double unplaced_ns;
	uint32_t
		n_never; /**< undecided ones that no number of samples decides: the whole's own speed is not known as well */
};

struct pe_decide_opts {
	const struct pe_changes *changes; /**< NULL: unknown */
	const struct pe_function_changes *
		functions; /**< joined with the frames (pe_functions_join()); NULL: nobody counted */
	double spread;     /**< pe_spread_find(); 0: unknown */
	double least;      /**< share of the old execution that matters; 0: 0.01 */
	unsigned looks;    /**< so often may it be decided anew, with more samples; 0: once */
};

/**
 * Decide about all methods of two executions. Where times are not known on both sides, with how they vary, there are no
 * decisions: `at` is NULL.
 *
 * @param arena  owns them
 */
void pe_decisions_make(struct pe_decisions *out, const struct pe_delta *delta,
		       const struct pe_decomposition *decomposition,
		       const struct pe_decide_opts *opts, struct pe_arena *arena);

/** What was decided about a method; NULL: nothing is known of it. */
const struct pe_decision *pe_decisions_of(const struct pe_decisions *decisions, uint32_t frame);

/**
 * Whether exact counts alone say that a method executes more or fewer, and not by being called more or less often, by at least so
 * much.
 */
bool pe_decision_is_worth(const struct pe_decision *decision, double least_ns);

/** Likewise, by being called more or less often, and somebody who was modified is known to have it called so. */
bool pe_decision_is_called(const struct pe_decision *decision, double least_ns);

/** Whether what it executes more or fewer is its own doing: its source is not known to be what it was. */
bool pe_decision_is_own(const struct pe_decision *decision, const struct pe_changes *changes);

/** Whether a method changed for sure in the direction of an amount. */
bool pe_decision_agrees(const struct pe_decision *decision, double amount);

/**
 * Whether it was decided that a method did not change in the direction of an amount, and it is called as often as it was: what
 * its own time says of that is noise. False where nothing is known of it.
 */
bool pe_decisions_deny(const struct pe_decisions *decisions, uint32_t frame, double amount);

/**
 * Whether its time shows, over all contexts, in the direction of an amount: it is called changed by its samples; or it changed by
 * exact counts, and what it gained is more than three standard errors, two where these instructions explain half of it, for
 * then the test is of how much, not of whether.
 */
bool pe_decision_shows(const struct pe_decision *decision, double amount);

/**
 * A test of some contexts of a method, which is sharper than that of all of them, found that it changed: it is undecided no
 * longer. Does nothing where it was decided.
 */
void pe_decisions_settle(struct pe_decisions *decisions, uint32_t frame, double amount);

#endif
