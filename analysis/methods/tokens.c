#include "analysis/methods/tokens.h"

#include "core/base/search.h"

#include <string.h>

#define MULTIPLIER_A 0x9E3779B97F4A7C15u /* odd numbers without pattern: splitmix64's */
#define MULTIPLIER_B 0xBF58476D1CE4E5B9u
#define MULTIPLIER_C 0x94D049BB133111EBu

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * MULTIPLIER_B;
	x = (x ^ (x >> 27)) * MULTIPLIER_C;
	return x ^ (x >> 31);
}

/* Keep the smallest values, ascending, each once. */
static void add_to_sketch(struct pe_tokens *tokens, uint32_t value)
{
	uint32_t *sketch = tokens->sketch;
	uint32_t n = tokens->n_sketch;
	size_t at = 0;

	if (n == PE_SKETCH_MAX && value >= sketch[n - 1])
		return;
	pe_search(at, n, i, sketch[i] < value);
	if (at < n && sketch[at] == value)
		return;
	if (n < PE_SKETCH_MAX)
		tokens->n_sketch = ++n;
	memmove(sketch + at + 1, sketch + at, (n - 1 - at) * sizeof(*sketch));
	sketch[at] = value;
}

/* Two lanes that see the same tokens in different ways: 128 bits together. */
void pe_tokens_add_shape(struct pe_tokens *tokens, uint64_t hash)
{
	tokens->high = rotate(tokens->high ^ hash, 27) * MULTIPLIER_A + MULTIPLIER_C;
	tokens->low = (rotate(tokens->low, 31) + hash) * MULTIPLIER_C;
}

void pe_tokens_add(struct pe_tokens *tokens, uint64_t hash)
{
	pe_tokens_add_shape(tokens, hash);
	if (tokens->n >= 2)
		add_to_sketch(tokens, (uint32_t)(mix(rotate(tokens->last[0], 21) +
						     rotate(tokens->last[1], 42) + hash) >>
						 32));
	tokens->last[0] = tokens->last[1];
	tokens->last[1] = hash;
	tokens->n++;
}

struct pe_hash pe_tokens_fingerprint(const struct pe_tokens *tokens)
{
	return (struct pe_hash){mix(tokens->high ^ tokens->n), mix(tokens->low + tokens->n)};
}

double pe_method_likeness(const struct pe_method *a, const struct pe_method *b)
{
	uint32_t i = 0, j = 0, both = 0, all = 0;
	bool exact = a->n_sketch < PE_SKETCH_MAX && b->n_sketch < PE_SKETCH_MAX;

	if (a->n_sketch == 0 || b->n_sketch == 0)
		return 0;
	while ((i < a->n_sketch || j < b->n_sketch) && (exact || all < PE_SKETCH_MAX)) {
		if (j == b->n_sketch || (i < a->n_sketch && a->sketch[i] < b->sketch[j])) {
			i++;
		} else if (i == a->n_sketch || b->sketch[j] < a->sketch[i]) {
			j++;
		} else {
			both++;
			i++;
			j++;
		}
		all++;
	}
	return (double)both / (double)all;
}
