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
#include "analysis/methods/method.h"

#include "core/base/sort.h"
#include "analysis/methods/diff_items.h"
#include "analysis/methods/tokens.h"

#include <string.h>

enum {
	MIN_TOKENS_BOTH = 24
}; /* equal bodies of another name in another file are alike by chance below it */

/* What the methods of a group have in common in a round. */
typedef void key_fn(struct pe_xxh *key, const struct pe_method *method);

static void add_body(struct pe_xxh *key, const struct pe_method *method)
{
	pe_xxh_number(key, method->body.high);
	pe_xxh_number(key, method->body.low);
}

static void add_name(struct pe_xxh *key, const struct pe_method *method)
{
	pe_xxh_string(key, method->component);
	pe_xxh_string(key, method->name);
}

static void add_identity(struct pe_xxh *key, const struct pe_method *method)
{
	add_name(key, method);
	pe_xxh_string(key, method->signature);
}

static void add_identity_and_body(struct pe_xxh *key, const struct pe_method *method)
{
	add_identity(key, method);
	add_body(key, method);
}

static void add_body_and_name(struct pe_xxh *key, const struct pe_method *method)
{
	add_body(key, method);
	pe_xxh_string(key, method->name);
}

static void add_body_and_file(struct pe_xxh *key, const struct pe_method *method)
{
	add_body(key, method);
	pe_xxh_string(key, method->component);
}

static int compare_keys(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = pe_diff_order(a->key.high, b->key.high);

	return order != 0 ? order : pe_diff_order(a->key.low, b->key.low);
}

static int by_key(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;
	int order = compare_keys(x, y);

	return order != 0 ? order : pe_diff_order(x->order, y->order);
}

void pe_diff_keep_open(struct pe_diff_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n_open; i++)
		if (side->open[i]->pair == NULL)
			side->open[n++] = side->open[i];
	side->n_open = n;
}

/* Methods of one group on one side, in the order of the source. */
struct group {
	struct pe_diff_item **at;
	size_t n;
};

typedef void pair_fn(struct group before, struct group after);

/* One after the other; what is left over on a side stays. */
static void pair_in_order(struct group before, struct group after)
{
	for (size_t i = 0; i < before.n && i < after.n; i++)
		pe_diff_join(before.at[i], after.at[i]);
}

/* Where as many were deleted as were added; else they cannot be matched. */
static void pair_equally_many(struct group before, struct group after)
{
	if (before.n == after.n)
		pair_in_order(before, after);
}

static void pair_single(struct group before, struct group after)
{
	if (before.n == 1 && after.n == 1)
		pe_diff_join(before.at[0], after.at[0]);
}

static void pair_single_and_long(struct group before, struct group after)
{
	if (before.at[0]->method->tokens >= MIN_TOKENS_BOTH)
		pair_single(before, after);
}

static void sort_open(struct pe_diff_side *side, key_fn *add_key)
{
	for (size_t i = 0; i < side->n_open; i++) {
		pe_xxh_init(&side->open[i]->key);
		add_key(&side->open[i]->key, side->open[i]->method);
	}
	pe_sort(side->open, side->n_open, by_key);
}

static struct group group_at(const struct pe_diff_side *side, size_t from)
{
	size_t end = from + 1;

	while (end < side->n_open && compare_keys(side->open[from], side->open[end]) == 0)
		end++;
	return (struct group){side->open + from, end - from};
}

/* Give each group that both sides have to a function that pairs within it. */
static void pair_groups(struct pe_diff_side *before, struct pe_diff_side *after, key_fn *add_key,
			pair_fn *pair)
{
	size_t i = 0, j = 0;

	sort_open(before, add_key);
	sort_open(after, add_key);
	while (i < before->n_open && j < after->n_open) {
		const struct group left = group_at(before, i), right = group_at(after, j);
		const int order = compare_keys(left.at[0], right.at[0]);

		if (order == 0)
			pair(left, right);
		i += order <= 0 ? left.n : 0;
		j += order >= 0 ? right.n : 0;
	}
	pe_diff_keep_open(before);
	pe_diff_keep_open(after);
}

/* ---- the answer ---- */

static struct pe_diff_side make_side(const struct pe_methods *methods, struct pe_arena *arena)
{
	struct pe_diff_side side = {
		.items = pe_arena_new(arena, struct pe_diff_item, methods->n),
		.n = methods->n,
		.open = pe_arena_new(arena, struct pe_diff_item *, methods->n),
		.n_open = methods->n,
	};

	for (size_t i = 0; i < methods->n; i++) {
		side.items[i].method = &methods->at[i];
		side.items[i].order = i;
		side.items[i].name_key = pe_diff_name_key(methods->at[i].name);
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
		order = pe_diff_order(p->first_line, q->first_line);
	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	if (order == 0)
		order = strcmp(p->name, q->name);
	return order != 0 ? order : strcmp(p->signature, q->signature);
}

void pe_methods_diff(struct pe_method_changes *out, const struct pe_methods *before,
		     const struct pe_methods *after, struct pe_arena *arena)
{
	struct pe_diff_side old = make_side(before, arena), new = make_side(after, arena);

	*out = (struct pe_method_changes){
		.at = pe_arena_new(arena, struct pe_method_change, before->n + after->n)};
	pair_groups(&old, &new, add_identity_and_body, pair_in_order);
	pair_groups(&old, &new, add_identity, pair_in_order);
	pair_groups(&old, &new, add_name, pair_single);
	pair_groups(&old, &new, add_body_and_name, pair_equally_many);
	pair_groups(&old, &new, add_body_and_file, pair_equally_many);
	pair_groups(&old, &new, add_body, pair_single_and_long);
	pe_diff_pair_alike(&old, &new);
	for (size_t i = 0; i < old.n; i++) {
		if (old.items[i].pair == NULL)
			add_change(out, PE_METHOD_DELETED, old.items[i].method, NULL);
		else
			add_pair(out, old.items[i].method, old.items[i].pair->method);
	}
	for (size_t i = 0; i < new.n; i++)
		if (new.items[i].pair == NULL)
			add_change(out, PE_METHOD_ADDED, NULL, new.items[i].method);
	pe_sort(out->at, out->n, by_place);
}
