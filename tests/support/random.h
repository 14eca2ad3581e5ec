/* Random numbers of a test: a sequence from a seed. */
#pragma once

#include "core/base/random.h"

#include <math.h>

static inline struct pe_random random_of(uint64_t seed)
{
	struct pe_random random;

	pe_random_seed(&random, seed);
	return random;
}

/* A uniform double in [0, 1) with 53 bits. */
static inline double pe_random_unit(struct pe_random *random)
{
	return (double)(pe_random_next(random) >> 11) * 0x1p-53;
}

/* A standard normal deviate (polar method; Marsaglia and Bray 1964). */
static inline double pe_random_normal(struct pe_random *random)
{
	double u, v, s;

	do {
		u = 2 * pe_random_unit(random) - 1;
		v = 2 * pe_random_unit(random) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}
