/*
 * Random: a small generator with an explicit state (xoshiro256**, seeded by splitmix64; Blackman and Vigna,
 * "Scrambled linear pseudorandom number generators", 2021), so that a seed gives one answer everywhere.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pe_random {
	uint64_t state[4];
};

/** Start a sequence; the same seed gives the same one. */
void pe_random_seed(struct pe_random *random, uint64_t seed);

/** 64 uniform bits. */
uint64_t pe_random_next(struct pe_random *random);

/** A uniform integer in [0, bound), without bias; bound > 0. */
uint64_t pe_random_below(struct pe_random *random, uint64_t bound);

/** Shuffle n indices in place (Fisher and Yates). */
void pe_random_shuffle(struct pe_random *random, size_t *items, size_t n);
