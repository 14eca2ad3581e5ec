/*
 * Campaign: a simulated history and all that was measured of it, and the second stage that suspects go through:
 * confirmation by fresh pairs, and pinning by measuring the neighbourhood again.
 */
#pragma once

#include "bench/noise.h"
#include "core/base/arena.h"
#include "core/base/vec.h"
#include "core/stats/changepoint.h"

#include <stdbool.h>

struct campaign {
	PE_VEC(struct pe_reading) readings;
	PE_VEC(double)
	moments; /* of each reading: what the machine and the day are in its logarithm */
	size_t n_commits;
	size_t runs; /* made so far, of whatever kind */
	double *level;
	struct noise_machine machine; /* of this session */
	double day;                   /* what this session adds */
	int64_t batch;                /* the next free one */
};

/** Every commit at 0 but for its layout; the first session begins. The generator is borrowed. */
struct campaign campaign_begin(const struct noise_model *model, size_t n_commits, size_t slots,
			       struct pe_random *random, struct pe_arena *arena);

/** Free the readings; what is in the arena stays. */
void campaign_release(struct campaign *c);

/** A step of that relative size, up or down by chance, beginning at a commit. */
void campaign_step(struct campaign *c, size_t commit, double size);

/** A session of its own, on a machine that is by chance a few percent slower or faster that day. */
void campaign_new_day(struct campaign *c, size_t slots);

/** One run; its value is not kept. */
double campaign_run(struct campaign *c, size_t commit);

/** One run of a commit, kept as a reading of that batch and round. */
void campaign_take(struct campaign *c, size_t commit, int64_t batch, size_t round);

/** Rounds over some commits, each in random order; they are reordered. */
void campaign_take_rounds(struct campaign *c, size_t *commits, size_t n, int64_t batch,
			  size_t rounds);

/** All readings so far. Borrowed until the next run. */
struct pe_readings campaign_readings(const struct campaign *c);

/** Fresh pairs in a session of their own: is the change there? */
bool campaign_confirm(struct campaign *c, const struct pe_changepoints *found, size_t change);

/** Where a change is after its neighbourhood was measured again, or where it was. */
size_t campaign_pin(struct campaign *c, const struct pe_changepoints *found, size_t change);
