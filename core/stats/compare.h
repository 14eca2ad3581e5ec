/*
 * Compare: are two sets of values apart, by how much, and is that better or worse? By ranks throughout, so
 * that neither skew nor outliers decide.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Which way of a metric is the good one. */
enum pe_better { PE_LOWER_IS_BETTER, PE_HIGHER_IS_BETTER };

enum pe_verdict {
	/** the interval reaches from nothing to more than the smallest effect: measure more */
	PE_UNDECIDED,
	PE_UNCHANGED, /**< the whole interval is within the smallest effect */
	PE_IMPROVED,
	PE_REGRESSED, /**< apart beyond chance, and the estimate reaches the smallest effect */
};

struct pe_compare_opts {
	enum pe_better better;
	double min_relative; /**< smallest relative change of interest; 0.005 is 0.5 % */
	double confidence;   /**< of the interval, in (0, 1) */
};

#define PE_COMPARE_DEFAULTS                                                                        \
	{                                                                                          \
		PE_LOWER_IS_BETTER, 0.005, 0.95                                                    \
	}

struct pe_comparison {
	/** Head relative to base by the Hodges-Lehmann estimate; 0.05 is +5 %. NAN when undefined. */
	double relative;
	/** Its interval; -1 (or -INFINITY) and INFINITY where so few values give none of that confidence. */
	double low, high;
	double shift; /**< the same in the metric's unit, from the median of base */
	double base; /**< the level of base in the metric's unit that the change is relative to; base + shift is head's */
	enum pe_verdict verdict;
	int way; /**< 1: the whole interval is above no change, -1: below it, 0: neither */
};

/** Pairs from which pe_compare_paired() has an interval of a small level, and pe_compare_way_of_pairs() a way. */
#define PE_COMPARE_LEAST_PAIRS 9

/**
 * The chance of a decision where nothing differs, as a part of what an interval may miss: 0.00002 of 0.05, so that 1,000
 * comparisons of equal code, of several metrics and looks each, have none in nine cases of ten.
 */
#define PE_COMPARE_DECIDED_PART 0.0004

/** Pairs from which all runs of one side, if they lie beyond all of the other's, decide: 2 of 184,756 ways to part them. */
#define PE_COMPARE_SEPARATE_PAIRS 10

/** Pairs from which differences of one sign decide: 2^-16. */
#define PE_COMPARE_DECIDING_PAIRS 17

/**
 * Compare runs of two builds that were taken in pairs: one of each in one round, in an order that was drawn. What moved
 * both runs of a pair is gone from their difference, and no other run takes part, so that load that changes between and
 * within sessions widens the interval and turns no sign. Hodges and Lehmann's estimate with the interval of the signed-rank
 * test (signed_rank.h), or of so few pairs that this has none, with Student's. Decided is what the signed-rank test decides at
 * PE_COMPARE_DECIDED_PART of the interval's level, or where the runs of the two sides do not overlap, and that is as
 * unlikely among all ways to part them.
 *
 * The test is whether these two *builds* differ on average over their runs. It cannot exclude that the difference comes
 * from layout, by which builds of equal code differ, too.
 *
 * Where a value is not positive, differences are taken as they are, relative to the size of the level of base;
 * they are undefined when that is 0, and then any difference beyond chance reaches the smallest effect.
 *
 * @param base, head  values by pair; finite
 * @param n           pairs; without any the results are NAN and the verdict undecided
 */
struct pe_comparison pe_compare_paired(const double *base, const double *head, size_t n,
				       const struct pe_compare_opts *opts);

/**
 * What other metrics of the same runs show of a change of wall time. A way is that of pe_comparison: 1 is up, -1 down, and 0
 * undecided or unknown.
 */
struct pe_compare_evidence {
	int cpu;              /**< way of processor time */
	int switches;         /**< way of involuntary context switches */
	bool counts_switches; /**< involuntary context switches are recorded */
	double instructions;  /**< exact, relative; NAN: unknown */
};

/** The way of pairs of runs; pairs with a value that is not finite are left out, and of fewer than PE_COMPARE_LEAST_PAIRS it is 0. */
int pe_compare_way_of_pairs(const double *base, const double *head, size_t n);

/**
 * Whether a decided change of wall time comes from other load on the machine. Two facts have to meet:
 *
 *  (1) The program itself changed the other way. Processor time is decided the other way; or exact instructions are, by half a
 *      percent and a quarter of the change, and processor time does not agree with the wall time.
 *  (2) The slower side was interrupted more often: involuntary context switches are decided in the way of the wall time. A program
 *      that waits longer, for a lock or a device, gives its processor up of its own accord. Where switches are not recorded, (1)
 *      suffices.
 */
bool pe_compare_is_denied(double relative, const struct pe_compare_evidence *evidence);
