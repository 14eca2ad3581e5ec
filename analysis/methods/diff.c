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

typedef int compare_fn(const void *a, const void *b);

static int compare_bodies(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = pe_diff_order(a->method->body.high, b->method->body.high);

	return order != 0 ? order : pe_diff_order(a->method->body.low, b->method->body.low);
}

static int compare_names(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = strcmp(a->method->component, b->method->component);

	return order != 0 ? order : strcmp(a->method->name, b->method->name);
}

static int compare_identities(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = compare_names(a, b);

	return order != 0 ? order : strcmp(a->method->signature, b->method->signature);
}

static int by_identity(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;
	int order = compare_identities(x, y);

	return order != 0 ? order : pe_diff_order(x->order, y->order);
}

static int by_body(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;
	int order = compare_bodies(x, y);

	return order != 0 ? order : by_identity(a, b);
}

static int by_body_and_name(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;
	int order = compare_bodies(x, y);

	if (order == 0)
		order = strcmp(x->method->name, y->method->name);
	return order != 0 ? order : by_identity(a, b);
}

static int by_body_and_file(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;
	int order = compare_bodies(x, y);

	if (order == 0)
		order = strcmp(x->method->component, y->method->component);
	return order != 0 ? order : pe_diff_order(x->order, y->order);
}

/* Of two sorted lists, whether two items belong into one group: negative, 0, positive. */
typedef int group_fn(const struct pe_diff_item *a, const struct pe_diff_item *b);

static int group_body_and_name(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = compare_bodies(a, b);

	return order != 0 ? order : strcmp(a->method->name, b->method->name);
}

static int group_body_and_file(const struct pe_diff_item *a, const struct pe_diff_item *b)
{
	int order = compare_bodies(a, b);

	return order != 0 ? order : strcmp(a->method->component, b->method->component);
}

void pe_diff_keep_open(struct pe_diff_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n_open; i++)
		if (side->open[i]->pair == NULL)
			side->open[n++] = side->open[i];
	side->n_open = n;
}

static size_t group_end(const struct pe_diff_side *side, size_t from, group_fn *group)
{
	size_t end = from + 1;

	while (end < side->n_open && group(side->open[from], side->open[end]) == 0)
		end++;
	return end;
}

/* A run of items of one group on one side. */
struct run {
	struct pe_diff_item **at;
	size_t n;
};

typedef void pair_fn(struct run before, struct run after);

/* Sort both sides and hand each group that both have to a function that pairs within it. */
static void each_group(struct pe_diff_side *before, struct pe_diff_side *after, compare_fn *sort,
		       group_fn *group, pair_fn *pair)
{
	size_t i = 0, j = 0;

	pe_sort(before->open, before->n_open, sort);
	pe_sort(after->open, after->n_open, sort);
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
	pe_diff_keep_open(before);
	pe_diff_keep_open(after);
}

static int by_order(const void *a, const void *b)
{
	const struct pe_diff_item *x = *(struct pe_diff_item *const *)a,
				  *y = *(struct pe_diff_item *const *)b;

	return pe_diff_order(x->order, y->order);
}

/* (1) Equal bodies first, the rest in order. */
static void pair_identity(struct run before, struct run after)
{
	size_t i = 0, j = 0;

	if (before.n == 1 && after.n == 1) {
		pe_diff_join(before.at[0], after.at[0]);
		return;
	}
	pe_sort(before.at, before.n, by_body);
	pe_sort(after.at, after.n, by_body);
	while (i < before.n && j < after.n) {
		int order = compare_bodies(before.at[i], after.at[j]);

		if (order == 0)
			pe_diff_join(before.at[i], after.at[j]);
		i += order <= 0;
		j += order >= 0;
	}
	pe_sort(before.at, before.n, by_order);
	pe_sort(after.at, after.n, by_order);
	for (i = j = 0; i < before.n && j < after.n;) {
		if (before.at[i]->pair != NULL)
			i++;
		else if (after.at[j]->pair != NULL)
			j++;
		else
			pe_diff_join(before.at[i++], after.at[j++]);
	}
}

/* (3) In source order, where as many were deleted as were added; else they cannot be matched. */
static void pair_equal(struct run before, struct run after)
{
	if (before.n != after.n)
		return;
	for (size_t i = 0; i < before.n; i++)
		pe_diff_join(before.at[i], after.at[i]);
}

static void pair_equal_elsewhere(struct run before, struct run after)
{
	if (before.n == 1 && after.n == 1 && before.at[0]->method->tokens >= MIN_TOKENS_BOTH)
		pe_diff_join(before.at[0], after.at[0]);
}

/* (2) One of the name is left on each side. */
static void pair_signature(struct run before, struct run after)
{
	if (before.n != 1 || after.n != 1 || before.at[0]->pair != NULL ||
	    after.at[0]->pair != NULL)
		return;
	pe_diff_join(before.at[0], after.at[0]);
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
	each_group(&old, &new, by_identity, compare_identities, pair_identity);
	each_group(&old, &new, by_identity, compare_names, pair_signature);
	each_group(&old, &new, by_body_and_name, group_body_and_name, pair_equal);
	each_group(&old, &new, by_body_and_file, group_body_and_file, pair_equal);
	each_group(&old, &new, by_body, compare_bodies, pair_equal_elsewhere);
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
