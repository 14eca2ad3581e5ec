/* Items: the methods of both sides on their way through the rounds of diff.c; inside this room alone. */
#ifndef PE_METHODS_DIFF_ITEMS_H
#define PE_METHODS_DIFF_ITEMS_H

#include "core/base/xxh.h"
#include "analysis/methods/method.h"

/** A method of either side on its way through the rounds. */
struct pe_diff_item {
	const struct pe_method *method;
	size_t order;      /* in its side's list */
	struct pe_xxh key; /* of its group in the round at hand */
	uint64_t name_key; /* likeness of names: bits of its pairs of letters */
	struct pe_diff_item *pair;
	double best, second;
	struct pe_diff_item *candidate;
};

struct pe_diff_side {
	struct pe_diff_item *items;
	size_t n;
	struct pe_diff_item **open; /* what no round has paired yet */
	size_t n_open;
};

/** As qsort() wants it. */
static inline int pe_diff_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/** Make a pair of two methods. */
static inline void pe_diff_join(struct pe_diff_item *before, struct pe_diff_item *after)
{
	before->pair = after;
	after->pair = before;
}

/** Leave the paired ones out of what is open. */
void pe_diff_keep_open(struct pe_diff_side *side);

/** Bits of a name's pairs of letters, for the likeness of names. */
uint64_t pe_diff_name_key(const char *name);

/** Round (4): pair what is alike. */
void pe_diff_pair_alike(struct pe_diff_side *before, struct pe_diff_side *after);

#endif
