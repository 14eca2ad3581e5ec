/* Random numbers of a test: a sequence from a seed. */
#ifndef PE_TESTS_RANDOM_H
#define PE_TESTS_RANDOM_H

#include "core/base/random.h"

static inline struct pe_random random_of(uint64_t seed)
{
	struct pe_random random;

	pe_random_seed(&random, seed);
	return random;
}

#endif
