/*
 * Two-level: the likelihood of a series of readings on a drifting machine, each of a build that is at the old level or at
 * the new one, and estimates of both levels.
 *
 *	value(t) = level(side) + build(revision) + machine(t) + mode(t) gap + noise(t)
 *
 * machine is a random walk that now and then makes a leap (other load comes and goes), noise has outliers, builds of
 * equal code differ a little, and where runs fall into two modes each of them is in either (mode is 0 or 1) by chance.
 * The state (old level, new level, machine, gap) is followed by a Kalman filter whose every step weighs the
 * possible reasons of a deviation (ordinary noise, the other mode, an outlier, a leap) and joins their posteriors into one
 * normal distribution again (Harrison and Stevens, "Bayesian forecasting", JRSS B 38 (1976); the
 * sum of log-likelihoods of its predictions is the evidence for the sides that were assumed). So the
 * influence of a single reading is bounded by the rarity of outliers, and drift of the machine moves neither level.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Builds whose own deviation is followed; that of others is taken for noise. */
#define PE_TWOLEVEL_BUILDS  29
#define PE_TWOLEVEL_NO_SLOT PE_TWOLEVEL_BUILDS
#define PE_TWOLEVEL_STATES  (4 + PE_TWOLEVEL_BUILDS)

/** How the machine behaves. */
enum pe_twolevel_machine {
	PE_TWOLEVEL_CALM,     /**< it all but stands still, outliers are rare */
	PE_TWOLEVEL_MOVING,   /**< as usual */
	PE_TWOLEVEL_RESTLESS, /**< it wanders widely, leaps and outliers are many */
	/** runs fall into two modes: the upper one seldom or mostly, three to eleven deviations apart */
	PE_TWOLEVEL_MODES,
	PE_TWOLEVEL_MODES_END = PE_TWOLEVEL_MODES + 6,
	PE_TWOLEVEL_MACHINES = PE_TWOLEVEL_MODES_END
};

/** Deviation of a single run: of ordinary noise and, where there are some, of the modes. */
double pe_twolevel_deviation(enum pe_twolevel_machine machine, double noise);

/** Plain data, copied freely. On the scale of the readings: logarithms, or shares of a level. */
struct pe_twolevel {
	double noise;  /**< standard deviation of ordinary noise */
	double builds; /**< of builds of equal code */
	enum pe_twolevel_machine machine;
	size_t n; /**< states in use */
	/** old level, new level (of the lower mode), machine, gap between the modes, and the builds by slot */
	double mean[PE_TWOLEVEL_STATES], cov[PE_TWOLEVEL_STATES][PE_TWOLEVEL_STATES];
	double log_likelihood;
};

/** Begin, at a given noise; `about` is any value near the readings. */
void pe_twolevel_begin(struct pe_twolevel *out, enum pe_twolevel_machine machine, double noise,
		       double builds, double about);

/**
 * Take a reading.
 *
 * @param fresh  the first of a batch: where the machine stands is not known
 * @param side   0: old, 1: new
 * @param slot   of its build: slots are taken into use in order, from 0; PE_TWOLEVEL_NO_SLOT: it has none
 */
void pe_twolevel_take(struct pe_twolevel *levels, bool fresh, int side, size_t slot, double value);

/** New level minus old level, and its variance. */
double pe_twolevel_step(const struct pe_twolevel *levels, double *variance);

/** What a reading of a build would be in the mean, if it were on a side. */
double pe_twolevel_expected(const struct pe_twolevel *levels, int side, size_t slot);

/**
 * Variance of the next reading of a build about the middle between the levels: what telling them apart is up to.
 *
 * @param slot  may be one that is not in use yet
 */
double pe_twolevel_spread(const struct pe_twolevel *levels, size_t slot);

/** How the covariance would be after another reading of a side, whatever its value, in ordinary noise. */
void pe_twolevel_imagine(struct pe_twolevel *levels, int side, size_t slot);
