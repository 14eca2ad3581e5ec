/*
 * Baselines: how other tools find changes in a series, written from what their documentation says, to be put beside
 * perfevo in simulations (simulate_judge.c) and on real series (series.c).
 *
 * Each takes one value a commit, oldest first, and gives the first commits of new levels, ascending. Defaults of
 * the tools throughout.
 */
#pragma once

#include "core/base/arena.h"

#include <stddef.h>

struct baseline {
	const char *name;
	/** @param out  room for n. @param weight  n relative weights, or NULL */
	size_t (*find)(size_t *out, const double *value, const double *weight, size_t n);
};

#define N_BASELINES 2

extern const struct baseline baselines[N_BASELINES];

/**
 * airspeed velocity, "Step Detection" in its documentation: the piecewise constant fit under weighted absolute
 * deviations with a penalty of gamma a piece (Friedrich et al., "Complexity penalized M-estimation", JCGS 17 (2008)),
 * gamma chosen by an information criterion of 4 ln(n) / n a piece with first-order autocorrelated noise. asv
 * approximates the fit; here it is exact.
 */
size_t baseline_asv(size_t *out, const double *value, const double *weight, size_t n);

/**
 * Apache Otava, formerly Hunter (Fleming et al., ICPE 2023): E-divisive (Matteson and James, JASA 109 (2014)) in
 * windows of 50, with Student's test in place of permutations; weak points at p <= 0.01, merged until all of them
 * have p < 0.001.
 */
size_t baseline_otava(size_t *out, const double *value, const double *weight, size_t n);
