/* Location: the location of each commit's readings, and its error. */
#ifndef PE_CORE_STATS_LOCATION_H
#define PE_CORE_STATS_LOCATION_H

#include "core/base/arena.h"

#include <stddef.h>

/**
 * Estimators of a location. None is best under all noise: the lower quartile under skew and
 * slow outliers, the mean-like ones under symmetric noise.
 */
enum pe_location {
	PE_LOCATION_QUARTILE, /**< 25 % quantile, type 7 */
	PE_LOCATION_MEDIAN,
	PE_LOCATION_TRIMMED, /**< mean without the lowest and highest fifth */
	/** median of the means of all n^2 pairs (Hodges and Lehmann 1963) */
	PE_LOCATION_HODGES_LEHMANN,
	PE_N_LOCATIONS
};

/** Sort n values and locate them; n > 0. */
double pe_locate(double *values, size_t n, enum pe_location how);

/**
 * Standard error of a location relative to sd / sqrt(n), for normal noise: what the medians of
 * deviations are turned into an error with. 1.36 for the quartile.
 */
double pe_location_factor(enum pe_location how);

/** Values by owner: those of owner i are value[start[i]] up to value[start[i + 1]]. */
struct pe_samples {
	const double *value;
	const size_t *start; /**< n + 1 */
	size_t n;            /**< owners, each with one value at least */
};

/** From the least of all values to the greatest; -INFINITY without any. */
double pe_samples_range(const struct pe_samples *samples);

struct pe_located {
	double *at;       /**< one an owner */
	double *variance; /**< one an owner: square of the standard error of `at` */
	double freedom;   /**< degrees of freedom that the variances rest on, all together */
};

/**
 * Locate every owner's values.
 *
 * The standard error of a location is factor * 1.4826 * MAD / sqrt(n). The MAD of few values is
 * both biased and very uncertain, so the deviations of all owners are pooled, and each owner's own
 * variance is shrunk towards the pooled one, which counts as four values (an empirical Bayes
 * estimate with fixed weight), and kept within a factor of four of it. With one value an owner
 * it is unknown: variance 0, freedom 0.
 *
 * @param arena  owns the arrays
 */
struct pe_located pe_locate_all(const struct pe_samples *samples, enum pe_location how,
				struct pe_arena *arena);

#endif
