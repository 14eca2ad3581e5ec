#include "core/base/random.h"

void pe_random_seed(struct pe_random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		random->state[i] = z ^ z >> 31;
	}
}

static uint64_t rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t pe_random_next(struct pe_random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t pe_random_below(struct pe_random *random, uint64_t bound)
{
	/* Values under 2^64 mod bound would make the low residues likelier: draw again. */
	uint64_t reject = -bound % bound;
	uint64_t value;

	do
		value = pe_random_next(random);
	while (value < reject);
	return value % bound;
}

void pe_random_shuffle(struct pe_random *random, size_t *items, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = pe_random_below(random, i);
		size_t item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}
