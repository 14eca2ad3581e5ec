/*
 * Round (4) of diff.c: alike bodies, one-to-one. Candidates are those that share a shingle which few methods have;
 * all pairs are never looked at.
 */
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "analysis/methods/diff_items.h"
#include "analysis/methods/tokens.h"

#include <stdlib.h>
#include <string.h>

#define LIKENESS_MIN 0.5  /* below it two bodies have less in common than not */
#define MARGIN       0.08 /* a standard error of the sketch, and a little */
#define NAME_BONUS   0.15 /* likeness of names decides between bodies that are alike */
#define FILE_BONUS   0.05

enum {
	MIN_TOKENS = 16,     /* shorter bodies are alike by chance */
	COMMON_SHINGLE = 24, /* a shingle in more methods than this is everybody's */
	FEW = 4,             /* methods that meet over such a one */
};

uint64_t pe_diff_name_key(const char *name)
{
	uint64_t key = 0;

	for (; name[0] != '\0' && name[1] != '\0'; name++)
		key |= (uint64_t)1
		       << (((unsigned char)name[0] * 31u + (unsigned char)name[1]) % 61u);
	return key;
}

static unsigned ones(uint64_t bits)
{
	unsigned n = 0;

	for (; bits != 0; bits &= bits - 1)
		n++;
	return n;
}

static double name_likeness(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	unsigned all = ones(a->name_key | b->name_key);

	return all == 0 ? 0 : (double)ones(a->name_key & b->name_key) / all;
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
	if (item->candidate == other || score <= 0)
		return;
	if (score > item->best) {
		item->second = item->best;
		item->best = score;
		item->candidate = other;
	} else if (score > item->second) {
		item->second = score;
	}
}

/* A shingle and the method that has it. */
struct posting {
	uint32_t shingle;
	struct pe_diff_item *item;
	bool after;
};

static int by_shingle(const void *a, const void *b)
{
	const struct posting *x = a, *y = b;
	int order = pe_diff_order(x->shingle, y->shingle);

	if (order == 0)
		order = (int)x->after - (int)y->after;
	return order != 0 ? order : pe_diff_order(x->item->order, y->item->order);
}

/* Two methods that share a shingle. */
struct meeting {
	struct pe_diff_item *before, *after;
};

static int by_meeting(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	int order = pe_diff_order(x->before->order, y->before->order);

	return order != 0 ? order : pe_diff_order(x->after->order, y->after->order);
}

typedef PE_VEC(struct posting) postings;
typedef PE_VEC(struct meeting) meetings;

static void post(postings *out, struct pe_diff_side *side, bool after)
{
	for (size_t i = 0; i < side->n; i++) {
		const struct pe_method *method = side->items[i].method;

		if (method->tokens < MIN_TOKENS)
			continue;
		for (uint32_t k = 0; k < method->n_sketch; k++)
			pe_vec_push(out,
				    (struct posting){method->sketch[k], &side->items[i], after});
	}
}

static void add_meeting(meetings *out, struct pe_diff_item *before, struct pe_diff_item *after)
{
	if (before->pair == NULL || after->pair == NULL)
		pe_vec_push(out, (struct meeting){before, after});
}

/*
 * Who meets whom over a shingle of n methods, the first `middle` of them from before. Where it is everybody's,
 * each meets only a few: enough to see that it has near-copies, few enough to stay linear.
 */
static void meet_over(meetings *out, const struct posting *at, size_t middle, size_t n)
{
	size_t n_after = n - middle, most = n <= COMMON_SHINGLE ? n_after : FEW;

	if (n_after == 0)
		return;
	for (size_t i = 0; i < middle; i++)
		for (size_t j = 0; j < most && j < n_after; j++)
			add_meeting(out, at[i].item, at[middle + (i + j) % n_after].item);
	for (size_t j = 0; j < n_after && n > COMMON_SHINGLE && middle > 0; j++)
		for (size_t i = 0; i < FEW && i < middle; i++)
			add_meeting(out, at[(i + j) % middle].item, at[middle + j].item);
}

/* Who meets whom; at least one of the two is still open. */
static void meet(meetings *out, const postings *all)
{
	for (size_t from = 0, end; from < all->n; from = end) {
		size_t n_before = 0;

		for (end = from; end < all->n && all->data[end].shingle == all->data[from].shingle;
		     end++)
			n_before += !all->data[end].after;
		meet_over(out, all->data + from, n_before, end - from);
	}
}

void pe_diff_pair_alike(struct pe_diff_side *before, struct pe_diff_side *after)
{
	pe_auto_free postings all = {0};
	pe_auto_free meetings met = {0};

	if (before->n_open == 0 || after->n_open == 0)
		return;
	post(&all, before, false);
	post(&all, after, true);
	pe_sort(all.data, all.n, by_shingle);
	meet(&met, &all);
	pe_sort(met.data, met.n, by_meeting);
	for (size_t i = 0; i < met.n; i++) {
		struct meeting *m = &met.data[i];
		double score;

		if (i > 0 && by_meeting(m, m - 1) == 0)
			continue;
		score = fit(m->before, m->after);
		consider(m->before, m->after, score);
		consider(m->after, m->before, score);
	}
	for (size_t i = 0; i < before->n_open; i++) {
		struct pe_diff_item *item = before->open[i], *other = item->candidate;

		if (other != NULL && other->pair == NULL && other->candidate == item &&
		    item->best >= item->second + MARGIN && other->best >= other->second + MARGIN)
			pe_diff_join(item, other);
	}
	pe_diff_keep_open(before);
	pe_diff_keep_open(after);
}
