/*
 * Which methods of two revisions are the same, in rounds, surest first. Each round takes pairs out of what the
 * rounds before left over.
 *
 * (1) Identity: component, name and signature. Several methods of one identity (alternatives under #ifdef,
 *     accessors) pair by equal bodies, then by their order.
 * (2) Where one method of a name is left in a file on both sides, its signature changed: modified. A further
 *     overload beside those that stay is added.
 * (3) Equal bodies: moved (same name) before renamed (same file) before both at once.
 * (4) Alike bodies, one-to-one: each must be the other's best, by a margin that the second-best, surviving
 *     methods among them, does not reach. So of near-copies none is taken for another.
 *
 * Everything is decided by values, never by which side comes first: swapping the sides swaps the answer.
 */
#include "methods/method.h"

#include "core/base/vec.h"
#include "methods/tokens.h"

#include <stdlib.h>
#include <string.h>

#define LIKENESS_MIN 0.5  /* below it two bodies have less in common than not */
#define MARGIN       0.08 /* a standard error of the sketch, and a little */
#define NAME_BONUS   0.15 /* likeness of names decides between bodies that are alike */
#define FILE_BONUS   0.05

enum {
	MIN_TOKENS = 16,      /* shorter bodies are alike by chance */
	MIN_TOKENS_BOTH = 24, /* equal bodies of another name in another file, likewise */
	COMMON_SHINGLE = 24,  /* a shingle in more methods than this is everybody's */
	FEW = 4,              /* methods that meet over such a one */
};

/* A method of either side on its way through the rounds. */
struct item {
	const struct pe_method *method;
	size_t order;      /* in its side's list */
	uint64_t name_key; /* likeness of names: bits of its pairs of letters */
	struct item *pair;
	double best, second;
	struct item *candidate;
};

struct side {
	struct item *items;
	size_t n;
	struct item **open; /* what no round has paired yet */
	size_t n_open;
};

typedef int compare_fn(const void *a, const void *b);

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_bodies(const struct item *a, const struct item *b)
{
	int order = compare_numbers(a->method->body.high, b->method->body.high);

	return order != 0 ? order : compare_numbers(a->method->body.low, b->method->body.low);
}

static int compare_names(const struct item *a, const struct item *b)
{
	int order = strcmp(a->method->component, b->method->component);

	return order != 0 ? order : strcmp(a->method->name, b->method->name);
}

static int compare_identities(const struct item *a, const struct item *b)
{
	int order = compare_names(a, b);

	return order != 0 ? order : strcmp(a->method->signature, b->method->signature);
}

static int by_identity(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
	int order = compare_identities(x, y);

	return order != 0 ? order : compare_numbers(x->order, y->order);
}

static int by_body(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
	int order = compare_bodies(x, y);

	return order != 0 ? order : by_identity(a, b);
}

static int by_body_and_name(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
	int order = compare_bodies(x, y);

	if (order == 0)
		order = strcmp(x->method->name, y->method->name);
	return order != 0 ? order : by_identity(a, b);
}

static int by_body_and_file(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
	int order = compare_bodies(x, y);

	if (order == 0)
		order = strcmp(x->method->component, y->method->component);
	return order != 0 ? order : compare_numbers(x->order, y->order);
}

/* Of two sorted lists, whether two items belong into one group: negative, 0, positive. */
typedef int group_fn(const struct item *a, const struct item *b);

static int group_body_and_name(const struct item *a, const struct item *b)
{
	int order = compare_bodies(a, b);

	return order != 0 ? order : strcmp(a->method->name, b->method->name);
}

static int group_body_and_file(const struct item *a, const struct item *b)
{
	int order = compare_bodies(a, b);

	return order != 0 ? order : strcmp(a->method->component, b->method->component);
}

static void join(struct item *before, struct item *after)
{
	before->pair = after;
	after->pair = before;
}

static void keep_open(struct side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n_open; i++)
		if (side->open[i]->pair == NULL)
			side->open[n++] = side->open[i];
	side->n_open = n;
}

static size_t group_end(const struct side *side, size_t from, group_fn *group)
{
	size_t end = from + 1;

	while (end < side->n_open && group(side->open[from], side->open[end]) == 0)
		end++;
	return end;
}

/* A run of items of one group on one side. */
struct run {
	struct item **at;
	size_t n;
};

typedef void pair_fn(struct run before, struct run after);

/* Sort both sides and hand each group that both have to a function that pairs within it. */
static void each_group(struct side *before, struct side *after, compare_fn *sort, group_fn *group,
		       pair_fn *pair)
{
	size_t i = 0, j = 0;

	qsort(before->open, before->n_open, sizeof(*before->open), sort);
	qsort(after->open, after->n_open, sizeof(*after->open), sort);
	while (i < before->n_open && j < after->n_open) {
		int order = group(before->open[i], after->open[j]);
		size_t i_end = group_end(before, i, group), j_end = group_end(after, j, group);

		if (order == 0)
			pair((struct run){before->open + i, i_end - i},
			     (struct run){after->open + j, j_end - j});
		if (order <= 0)
			i = i_end;
		if (order >= 0)
			j = j_end;
	}
	keep_open(before);
	keep_open(after);
}

static int by_order(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;

	return compare_numbers(x->order, y->order);
}

/* (1) Equal bodies first, the rest in order. */
static void pair_identity(struct run before, struct run after)
{
	size_t i = 0, j = 0;

	if (before.n == 1 && after.n == 1) {
		join(before.at[0], after.at[0]);
		return;
	}
	qsort(before.at, before.n, sizeof(*before.at), by_body);
	qsort(after.at, after.n, sizeof(*after.at), by_body);
	while (i < before.n && j < after.n) {
		int order = compare_bodies(before.at[i], after.at[j]);

		if (order == 0)
			join(before.at[i], after.at[j]);
		i += order <= 0;
		j += order >= 0;
	}
	qsort(before.at, before.n, sizeof(*before.at), by_order);
	qsort(after.at, after.n, sizeof(*after.at), by_order);
	for (i = j = 0; i < before.n && j < after.n;) {
		if (before.at[i]->pair != NULL)
			i++;
		else if (after.at[j]->pair != NULL)
			j++;
		else
			join(before.at[i++], after.at[j++]);
	}
}

/* (3) In the order in which they stand, where as many are left as have come; else they can't be told apart. */
static void pair_equal(struct run before, struct run after)
{
	if (before.n != after.n)
		return;
	for (size_t i = 0; i < before.n; i++)
		join(before.at[i], after.at[i]);
}

static void pair_equal_elsewhere(struct run before, struct run after)
{
	if (before.n == 1 && after.n == 1 && before.at[0]->method->tokens >= MIN_TOKENS_BOTH)
		join(before.at[0], after.at[0]);
}

/* ---- likeness ---- */

static uint64_t name_key(const char *name)
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

static double name_likeness(const struct item *a, const struct item *b)
{
	unsigned all = ones(a->name_key | b->name_key);

	return all == 0 ? 0 : (double)ones(a->name_key & b->name_key) / all;
}

/* How well two methods fit: of the bodies, and of names and place where these are alike. */
static double fit(const struct item *a, const struct item *b)
{
	double likeness = pe_method_likeness(a->method, b->method);

	if (likeness < LIKENESS_MIN)
		return 0;
	if (strcmp(a->method->component, b->method->component) == 0)
		likeness += FILE_BONUS;
	return likeness + NAME_BONUS * name_likeness(a, b);
}

static void consider(struct item *item, struct item *other, double score)
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
	struct item *item;
	bool after;
};

static int by_shingle(const void *a, const void *b)
{
	const struct posting *x = a, *y = b;
	int order = compare_numbers(x->shingle, y->shingle);

	if (order == 0)
		order = (int)x->after - (int)y->after;
	return order != 0 ? order : compare_numbers(x->item->order, y->item->order);
}

/* Two methods that share a shingle. */
struct meeting {
	struct item *before, *after;
};

static int by_meeting(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	int order = compare_numbers(x->before->order, y->before->order);

	return order != 0 ? order : compare_numbers(x->after->order, y->after->order);
}

typedef PE_VEC(struct posting) postings;
typedef PE_VEC(struct meeting) meetings;

static void post(postings *out, struct side *side, bool after)
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

static void add_meeting(meetings *out, struct item *before, struct item *after)
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

/* (4) */
static void pair_alike(struct side *before, struct side *after)
{
	postings all = {0};
	meetings met = {0};

	if (before->n_open == 0 || after->n_open == 0)
		return;
	post(&all, before, false);
	post(&all, after, true);
	if (all.n > 0)
		qsort(all.data, all.n, sizeof(*all.data), by_shingle);
	meet(&met, &all);
	if (met.n > 0)
		qsort(met.data, met.n, sizeof(*met.data), by_meeting);
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
		struct item *item = before->open[i], *other = item->candidate;

		if (other != NULL && other->pair == NULL && other->candidate == item &&
		    item->best >= item->second + MARGIN && other->best >= other->second + MARGIN)
			join(item, other);
	}
	keep_open(before);
	keep_open(after);
	pe_vec_release(&all);
	pe_vec_release(&met);
}

/* (2) One of the name is left on each side. */
static void pair_signature(struct run before, struct run after)
{
	if (before.n != 1 || after.n != 1 || before.at[0]->pair != NULL ||
	    after.at[0]->pair != NULL)
		return;
	join(before.at[0], after.at[0]);
}

/* ---- the answer ---- */

static struct side make_side(const struct pe_methods *methods, struct pe_arena *arena)
{
	struct side side = {
		.items = pe_arena_new(arena, struct item, methods->n),
		.n = methods->n,
		.open = pe_arena_new(arena, struct item *, methods->n),
		.n_open = methods->n,
	};

	for (size_t i = 0; i < methods->n; i++) {
		side.items[i].method = &methods->at[i];
		side.items[i].order = i;
		side.items[i].name_key = name_key(methods->at[i].name);
		side.open[i] = &side.items[i];
	}
	return side;
}

static bool same_body(const struct pe_method *a, const struct pe_method *b)
{
	return a->body.high == b->body.high && a->body.low == b->body.low;
}

static void add_change(struct pe_method_changes *out, enum pe_method_change_kind kind,
		       const struct pe_method *before, const struct pe_method *after)
{
	double likeness = 0;

	if (before != NULL && after != NULL)
		likeness = same_body(before, after) ? 1 : pe_method_likeness(before, after);
	out->at[out->n++] = (struct pe_method_change){kind, before, after, likeness};
	out->count[kind]++;
}

static void add_pair(struct pe_method_changes *out, const struct pe_method *before,
		     const struct pe_method *after)
{
	if (strcmp(before->name, after->name) != 0)
		add_change(out, PE_METHOD_RENAMED, before, after);
	else if (strcmp(before->component, after->component) != 0)
		add_change(out, PE_METHOD_MOVED, before, after);
	else if (!same_body(before, after))
		add_change(out, PE_METHOD_MODIFIED, before, after);
}

static int by_place(const void *a, const void *b)
{
	const struct pe_method_change *x = a, *y = b;
	const struct pe_method *p = x->after != NULL ? x->after : x->before;
	const struct pe_method *q = y->after != NULL ? y->after : y->before;
	int order = strcmp(p->component, q->component);

	if (order == 0)
		order = compare_numbers(p->first_line, q->first_line);
	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	if (order == 0)
		order = strcmp(p->name, q->name);
	return order != 0 ? order : strcmp(p->signature, q->signature);
}

void pe_methods_diff(struct pe_method_changes *out, const struct pe_methods *before,
		     const struct pe_methods *after, struct pe_arena *arena)
{
	struct side old = make_side(before, arena), new = make_side(after, arena);

	*out = (struct pe_method_changes){
		.at = pe_arena_new(arena, struct pe_method_change, before->n + after->n)};
	each_group(&old, &new, by_identity, compare_identities, pair_identity);
	each_group(&old, &new, by_identity, compare_names, pair_signature);
	each_group(&old, &new, by_body_and_name, group_body_and_name, pair_equal);
	each_group(&old, &new, by_body_and_file, group_body_and_file, pair_equal);
	each_group(&old, &new, by_body, compare_bodies, pair_equal_elsewhere);
	pair_alike(&old, &new);
	for (size_t i = 0; i < old.n; i++) {
		if (old.items[i].pair == NULL)
			add_change(out, PE_METHOD_DELETED, old.items[i].method, NULL);
		else
			add_pair(out, old.items[i].method, old.items[i].pair->method);
	}
	for (size_t i = 0; i < new.n; i++)
		if (new.items[i].pair == NULL)
			add_change(out, PE_METHOD_ADDED, NULL, new.items[i].method);
	if (out->n > 0)
		qsort(out->at, out->n, sizeof(*out->at), by_place);
}
