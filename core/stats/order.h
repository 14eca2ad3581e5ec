/*
 * Order: the order statistics and the few tail functions that the rest of stats is made of. Values
 * are finite throughout; callers sort out infinities and NaN first.
 */
#pragma once

#include <stddef.h>

/** Ratio of the standard deviation to the median absolute deviation of a normal distribution. */
#define PE_MAD_TO_SD 1.4826022185056018

/** Sort ascending, in place. */
void pe_order_sort(double *values, size_t n);

/** The k-th smallest value, k from 0; reorders the values. O(n) on average. Needs k < n. */
double pe_order_select(double *values, size_t n, size_t k);

/** The median (the mean of the middle two for even n); reorders the values. NAN for n = 0. */
double pe_order_median(double *values, size_t n);

/**
 * Quantile of sorted values, type 7 of Hyndman and Fan, "Sample quantiles in statistical packages",
 * The American Statistician 50 (1996): linear between the order statistics at (n - 1) p. NAN for n
 * = 0.
 */
double pe_order_quantile(const double *sorted, size_t n, double p);

/**
 * Raw median absolute deviation about a centre, not scaled to a standard deviation.
 *
 * @param scratch  n values of room; may be the values themselves, which are then lost
 */
double pe_order_mad(const double *values, size_t n, double centre, double *scratch);

/**
 * Robust standard deviation of deviations from their centre: the scaled median of their sizes.
 * Where more than half of them are 0 (quantised metrics) the median ignores the others:
 * then the mean size, without the largest tenth (at least one), scaled in the same way. 0 only when all
 * but those are 0.
 *
 * @param deviations  become their sizes, in another order
 */
double pe_order_scale(double *deviations, size_t n);

/** P(Z > z) of the standard normal distribution. */
double pe_normal_tail(double z);

/** The z with P(Z > z) = tail, 0 < tail < 1. */
double pe_normal_quantile(double tail);

/**
 * The Student quantile for a normal one: t with P(T > t) = P(Z > z), nearly. Gaver and
 * Kafadar, "A retrievable recipe for inverse t", The American Statistician 38 (1984); within 3 % from 3 degrees on.
 *
 * @param freedom  degrees of freedom; those under 2 count as 2, where the recipe ends
 */
double pe_student_quantile(double z, double freedom);
