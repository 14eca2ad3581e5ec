/*
 * Noise: models of what measuring on real machines does to a value, for simulations.
 *
 * In logarithms of time,
 *
 *	value = level(commit) + layout(commit) + machine(slot) + run()
 *
 * where a slot is one run after the other; layout is drawn once a commit (build); machine is an autoregressive
 * process, bursts of other load, a random walk and perhaps one step; run is skewed (a shifted lognormal), with
 * outliers and in one model a second mode.
 */
#pragma once

#include "tests/support/random.h"

#define N_NOISE_MODELS 5

struct noise_model {
	const char *name;
	double run_sd, run_skew; /**< of the lognormal part */
	double outlier_chance, outlier_mean;
	double machine_sd, machine_memory; /**< memory in slots */
	double burst_chance, burst_length, burst_mean;
	double mode_chance, mode_size;
	double layout_sd;
	double step_chance, step_size, walk_sd; /**< walk: per root of 1000 slots */
	double fast_outliers;                   /**< share of the outliers that are fast */
};

extern const struct noise_model noise_models[N_NOISE_MODELS];

/** The machine as it goes from slot to slot. */
struct noise_machine {
	const struct noise_model *model;
	struct pe_random *random;
	double memory, state, walk, burst, step;
	double burst_left;
	double moment; /* what the last slot had of the machine */
	size_t slot, step_at;
};

/** Begin a session of that many slots; the generator is borrowed. */
struct noise_machine noise_machine_begin(const struct noise_model *model, size_t slots,
					 struct pe_random *random);

/** What the next slot and its run add to a commit's level. */
double noise_run(struct noise_machine *machine);
