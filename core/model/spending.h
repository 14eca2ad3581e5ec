/*
 * Spending: the time that passes while something is measured: set-up, launching and storing included. For estimates, and
 * for choosing what to measure next; it is no result.
 */
#ifndef PE_CORE_MODEL_SPENDING_H
#define PE_CORE_MODEL_SPENDING_H

/** What is done for a cell (revision, benchmark). The numbers are stored: append, never reorder. */
enum pe_spent_kind {
	PE_SPENT_TIMED,   /**< a timed run */
	PE_SPENT_COUNTED, /**< a run with the counting library */
	PE_SPENT_READY,   /**< setup and cleanup, once a cell and session */
	PE_SPENT_WARMUP,  /**< a run before the first timed one */
	PE_SPENT_PROBE, /**< finding out what a cell executes, and whether another executes the same */
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

/** Add so many, from `since_ns` to `until_ns` of one steady clock; a clock that runs backwards adds nothing. */
static inline void pe_spending_add(struct pe_spending *costs, enum pe_spent_kind kind, double n,
				   unsigned long long since_ns, unsigned long long until_ns)
{
	if (until_ns < since_ns || !(n > 0))
		return;
	costs->of[kind].n += n;
	costs->of[kind].seconds += (double)(until_ns - since_ns) / 1e9;
}

#endif
