/*
 * Summary: statistics of the repeats of one metric at one revision. All are rank
 * statistics, because run times are skewed and have outliers.
 */
#pragma once

#include <stddef.h>

/** All but n in the unit of the values; NAN throughout when n is 0. */
struct pe_summary {
	size_t n;
	double min, max;
	double median;
	/** median absolute deviation from the median, raw (not scaled to a deviation) */
	double mad;
	double q25, q75; /**< quantiles, type 7 (pe_order_quantile()) */
	/**
	 * Standard error of q25: 1.36 * 1.4826 * MAD / sqrt(n), where 1.36 = sqrt(p (1 - p)) /
	 * phi(z_p) for p = 1/4 is the normal distribution's. 0 when n is 1: a single run has
	 * no known error.
	 */
	double error;
};

/** Summarise n finite values in any order. */
struct pe_summary pe_summarize(const double *values, size_t n);
