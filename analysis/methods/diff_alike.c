/* Round (4) of diff.c: alike bodies, one-to-one. What is open is compared with all of the other side. */
#include "analysis/methods/diff_items.h"
#include "analysis/methods/tokens.h"

#include <string.h>

#define LIKENESS_MIN 0.5  /* below it two bodies have less in common than not */
#define MARGIN       0.08 /* a standard error of the sketch, and a little */
#define NAME_BONUS   0.15 /* likeness of names decides between bodies that are alike */
#define FILE_BONUS   0.05

enum {
	MIN_TOKENS = 16,      /* shorter bodies are alike by chance */
	MOST_PAIRS = 1 << 22, /* with more, methods are compared within their files alone */
};

uint64_t pe_diff_name_key(const char *name)
{
	uint64_t key = 0;

	for (; name[0] != '\0' && name[1] != '\0'; name++)
		key |= (uint64_t)1
		       << (((unsigned char)name[0] * 31u + (unsigned char)name[1]) % 61u);
	return key;
}

static double name_likeness(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	const int all = __builtin_popcountll(a->name_key | b->name_key);

	return all == 0 ? 0 : (double)__builtin_popcountll(a->name_key & b->name_key) / all;
}

/* How well two methods fit: of the bodies, and of names and place where these are alike. */
static double fit(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	double likeness = pe_method_likeness(a->method, b->method);

	if (likeness < LIKENESS_MIN)
		return 0;
	if (strcmp(a->method->component, b->method->component) == 0)
		likeness += FILE_BONUS;
	return likeness + NAME_BONUS * name_likeness(a, b);
}

static void consider(struct pe_diff_item *item, struct pe_diff_item *other, double score)
{
	if (score > item->best) {
		item->second = item->best;
		item->best = score;
		item->candidate = other;
	} else if (score > item->second) {
		item->second = score;
	}
}

/* Compare what is open on a side with all methods of the other. */
static void compare_open(struct pe_diff_side *side, const struct pe_diff_side *other)
{
	const bool files = side->n_open > MOST_PAIRS / (other->n + 1);

	for (size_t i = 0; i < side->n_open; i++) {
		struct pe_diff_item *item = side->open[i];

		for (size_t k = 0; k < other->n && item->method->tokens >= MIN_TOKENS; k++) {
			struct pe_diff_item *one = &other->items[k];

			if (one->method->tokens >= MIN_TOKENS &&
			    (!files ||
			     strcmp(one->method->component, item->method->component) == 0))
				consider(item, one, fit(item, one));
		}
	}
}

void pe_diff_pair_alike(struct pe_diff_side *before, struct pe_diff_side *after)
{
	if (before->n_open == 0 || after->n_open == 0)
		return;
	compare_open(before, after);
	compare_open(after, before);
	for (size_t i = 0; i < before->n_open; i++) {
		struct pe_diff_item *item = before->open[i], *other = item->candidate;

		if (other != NULL && other->pair == NULL && other->candidate == item &&
		    item->best >= item->second + MARGIN && other->best >= other->second + MARGIN)
			pe_diff_join(item, other);
	}
	pe_diff_keep_open(before);
	pe_diff_keep_open(after);
}
