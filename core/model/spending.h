/*
 * Spending: the time that passes while something is measured: set-up, launching and storing included. For estimates, and
 * for choosing what to measure next; it is no result.
 */
#pragma once

/** What is done for a cell (revision, benchmark). The numbers are stored: append, never reorder. */
enum pe_spent_kind {
	PE_SPENT_TIMED,   /**< a timed run */
	PE_SPENT_COUNTED, /**< a run with the counting library alone */
	PE_SPENT_READY,   /**< setup and cleanup, once a cell and session */
	PE_SPENT_WARMUP,  /**< a run before the first timed one */
	PE_SPENT_PROBE, /**< finding out what a cell executes, and whether another executes the same */
	PE_SPENT_SIMULATED, /**< a counting run in which instructions are simulated, too */
	PE_N_SPENT,
};

/** How often something was done and how long that took in all. */
struct pe_spent {
	double n, seconds;
};

/** Of one benchmark. */
struct pe_spending {
	struct pe_spent of[PE_N_SPENT];
};

/** Add `n`, from `since_ns` to `until_ns` of one steady clock; a clock that runs backwards adds nothing. */
static inline void pe_spending_add(struct pe_spending *costs, enum pe_spent_kind kind, double n,
				   unsigned long long since_ns, unsigned long long until_ns)
{
	if (until_ns < since_ns || !(n > 0))
		return;
	costs->of[kind].n += n;
	costs->of[kind].seconds += (double)(until_ns - since_ns) / 1e9;
}

/** What one of them takes, in seconds; otherwise: where there was none. */
static inline double pe_spent_mean(const struct pe_spent *spent, double otherwise)
{
	return spent->n > 0 ? spent->seconds / spent->n : otherwise;
}

/** Counting runs, with simulated instructions and without: for a plan, made before the runs decide which. */
static inline struct pe_spent pe_spending_of_counts(const struct pe_spending *costs)
{
	const struct pe_spent *plain = &costs->of[PE_SPENT_COUNTED];
	const struct pe_spent *simulated = &costs->of[PE_SPENT_SIMULATED];

	return (struct pe_spent){plain->n + simulated->n, plain->seconds + simulated->seconds};
}
