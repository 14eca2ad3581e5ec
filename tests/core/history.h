/* Histories for the tests of stats: readings of commits at known levels, with noise from a fixed seed. */
#pragma once

#include "core/base/vec.h"
#include "core/stats/changepoint.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

#define HISTORY_MAX 400

static const struct pe_changepoint_opts usual = PE_CHANGEPOINT_DEFAULTS;

struct history {
	PE_VEC(struct pe_reading) readings;
	size_t n_commits;
	double level[HISTORY_MAX]; /* in the metric's unit */
	double noise;              /* relative deviation of a run */
	struct pe_random random;
};

static inline void history_init(struct history *h, size_t n_commits, double level, double noise,
				uint64_t seed)
{
	memset(h, 0, sizeof(*h));
	h->n_commits = n_commits;
	h->noise = noise;
	for (size_t i = 0; i < n_commits; i++)
		h->level[i] = level;
	pe_random_seed(&h->random, seed);
}

/* From this commit on everything takes `factor` times as long. */
static inline void history_step(struct history *h, size_t commit, double factor)
{
	for (size_t i = commit; i < h->n_commits; i++)
		h->level[i] *= factor;
}

/* One run: lognormal, and one in twenty disturbed by up to a half. */
static inline void history_run(struct history *h, size_t commit, int64_t batch, unsigned round,
			       double machine)
{
	double value = h->noise * pe_random_normal(&h->random) + machine;

	if (h->noise > 0 && pe_random_unit(&h->random) < 0.05)
		value += 0.5 * pe_random_unit(&h->random);
	pe_vec_push(&h->readings,
		    (struct pe_reading){commit, batch, round, h->level[commit] * exp(value)});
}

/* A batch in rounds over some commits; each round the machine is slower or faster by `wander`. */
static inline void history_batch(struct history *h, const size_t *commits, size_t n, int64_t batch,
				 unsigned rounds, double machine, double wander)
{
	for (unsigned r = 0; r < rounds; r++) {
		double moment = machine + wander * pe_random_normal(&h->random);

		for (size_t i = 0; i < n; i++)
			history_run(h, commits[i], batch, r, moment);
	}
}

/* All commits in one batch. */
static inline void history_rounds(struct history *h, unsigned rounds, double wander)
{
	size_t commits[HISTORY_MAX];

	for (size_t i = 0; i < h->n_commits; i++)
		commits[i] = i;
	history_batch(h, commits, h->n_commits, 1, rounds, 0, wander);
}

static inline struct pe_readings history_readings(const struct history *h)
{
	return (struct pe_readings){h->readings.data, h->readings.n, h->n_commits};
}
