/*
 * Summary: what is said about the repeats of one metric at one revision. Everything here is a rank
 * statistic but the mean, because run times are skewed and have outliers.
 */
#ifndef PE_CORE_STATS_SUMMARY_H
#define PE_CORE_STATS_SUMMARY_H

#include <stddef.h>

/** All but n and coverage in the unit of the values; NAN throughout when n is 0. */
struct pe_summary {
	size_t n;
	double min, max;
	double mean;
	double median;
	/** median absolute deviation from the median, raw (not scaled to a deviation) */
	double mad;
	double q25, q75; /**< quantiles, type 7 (pe_order_quantile()) */
	/**
	 * Where the values lie for the detection of changes: the 25 % quantile. Disturbances only ever
	 * add time, so the lower part of the distribution is the steadier one; the minimum itself
	 * is an extreme and falls for ever as runs are added.
	 */
	double location;
	/**
	 * Standard error of location: 1.36 * 1.4826 * MAD / sqrt(n), where 1.36 = sqrt(p (1 - p)) /
	 * phi(z_p) for p = 1/4 is the normal distribution's. 0 when n is 1: a single run says
	 * nothing of its error.
	 */
	double error;
	/**
	 * Interval for the median between two order statistics, at least 95 % by the binomial
	 * distribution (Hollander and Wolfe, Nonparametric Statistical Methods (1999),
	 * section 3.6). Under 6 values no such interval exists: then it is [min, max] and coverage
	 * says what that is worth.
	 */
	double median_lo, median_hi;
	double coverage; /**< probability with which the interval holds the median; 0 when n is 1 */
};

/** Summarise n finite values in any order. */
struct pe_summary pe_summarize(const double *values, size_t n);

/** Standard error of the 25 % quantile of n values whose raw MAD is known: the formula of
 * pe_summary.error. */
double pe_quartile_error(double mad, size_t n);

#endif
