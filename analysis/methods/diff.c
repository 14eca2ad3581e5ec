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
#include "core/base/xxh.h"
#include "analysis/methods/tokens.h"

#include <string.h>

#define LIKENESS_MIN 0.5  /* below it two bodies have less in common than not */
#define MARGIN       0.08 /* a standard error of the sketch, and a little */
#define NAME_BONUS   0.15 /* likeness of names decides between bodies that are alike */
#define FILE_BONUS   0.05

enum {
	MIN_TOKENS_BOTH =
		24, /* equal bodies of another name in another file are alike by chance below it */
	MIN_TOKENS = 16,      /* shorter bodies are alike by chance */
	MOST_PAIRS = 1 << 22, /* with more, methods are compared within their files alone */
};

/* A method of either side on its way through the rounds. */
struct item {
	const struct pe_method *method;
	size_t order;      /* in its side's list */
	struct pe_xxh key; /* of its group in the round at hand */
	uint64_t name_key; /* likeness of names: bits of its pairs of letters */
	struct item *pair;
	double best, second;
	struct item *candidate;
};

struct diff_side {
	struct item *items;
	size_t n;
	struct item **open; /* what no round has paired yet */
	size_t n_open;
};

/* Make a pair of two methods. */
static void join(struct item *before, struct item *after)
{
	before->pair = after;
	after->pair = before;
}

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

PE_SORT_BY(compare_keys, struct item, key.high, key.low);

PE_SORT_POINTERS_BY(by_key, struct item, key.high, key.low, order);

/* Leave the paired ones out of what is open. */
static void keep_open(struct diff_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n_open; i++)
		if (side->open[i]->pair == NULL)
			side->open[n++] = side->open[i];
	side->n_open = n;
}

/* Methods of one group on one side, in the order of the source. */
struct group {
	struct item **at;
	size_t n;
};

typedef void pair_fn(struct group before, struct group after);

/* One after the other; what is left over on a side stays. */
static void pair_in_order(struct group before, struct group after)
{
	for (size_t i = 0; i < before.n && i < after.n; i++)
		join(before.at[i], after.at[i]);
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
		join(before.at[0], after.at[0]);
}

static void pair_single_and_long(struct group before, struct group after)
{
	if (before.at[0]->method->tokens >= MIN_TOKENS_BOTH)
		pair_single(before, after);
}

static void sort_open(struct diff_side *side, key_fn *add_key)
{
	for (size_t i = 0; i < side->n_open; i++) {
		pe_xxh_init(&side->open[i]->key);
		add_key(&side->open[i]->key, side->open[i]->method);
	}
	pe_sort(side->open, side->n_open, by_key);
}

static struct group group_at(const struct diff_side *side, size_t from)
{
	size_t end = from + 1;

	while (end < side->n_open && compare_keys(side->open[from], side->open[end]) == 0)
		end++;
	return (struct group){side->open + from, end - from};
}

/* Give each group that both sides have to a function that pairs within it. */
static void pair_groups(struct diff_side *before, struct diff_side *after, key_fn *add_key,
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
	keep_open(before);
	keep_open(after);
}

/* ---- alike bodies ---- */

/* Bits of a name's pairs of letters, for the likeness of names. */
static uint64_t name_key(const char *name)
{
	uint64_t key = 0;

	for (; name[0] != '\0' && name[1] != '\0'; name++)
		key |= (uint64_t)1
		       << (((unsigned char)name[0] * 31u + (unsigned char)name[1]) % 61u);
	return key;
}

static double name_likeness(const struct item *a, const struct item *b)
{
	const int all = __builtin_popcountll(a->name_key | b->name_key);

	return all == 0 ? 0 : (double)__builtin_popcountll(a->name_key & b->name_key) / all;
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
	if (score > item->best) {
		item->second = item->best;
		item->best = score;
		item->candidate = other;
	} else if (score > item->second) {
		item->second = score;
	}
}

/* Compare what is open on a side with all methods of the other. */
static void compare_open(struct diff_side *side, const struct diff_side *other)
{
	const bool files = side->n_open > MOST_PAIRS / (other->n + 1);

	for (size_t i = 0; i < side->n_open; i++) {
		struct item *item = side->open[i];

		for (size_t k = 0; k < other->n && item->method->tokens >= MIN_TOKENS; k++) {
			struct item *one = &other->items[k];

			if (one->method->tokens >= MIN_TOKENS &&
			    (!files ||
			     strcmp(one->method->component, item->method->component) == 0))
				consider(item, one, fit(item, one));
		}
	}
}

/* Round (4): pair what is alike. What is open is compared with all of the other side. */
static void pair_alike(struct diff_side *before, struct diff_side *after)
{
	if (before->n_open == 0 || after->n_open == 0)
		return;
	compare_open(before, after);
	compare_open(after, before);
	for (size_t i = 0; i < before->n_open; i++) {
		struct item *item = before->open[i], *other = item->candidate;

		if (other != NULL && other->pair == NULL && other->candidate == item &&
		    item->best >= item->second + MARGIN && other->best >= other->second + MARGIN)
			join(item, other);
	}
	keep_open(before);
	keep_open(after);
}

/* ---- the answer ---- */

static struct diff_side make_side(const struct pe_methods *methods, struct pe_arena *arena)
{
	struct diff_side side = {
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
		order = pe_sort_unsigned(p->first_line, q->first_line);
	if (order == 0)
		order = (int)x->kind - (int)y->kind;
	if (order == 0)
		order = strcmp(p->name, q->name);
	return order != 0 ? order : strcmp(p->signature, q->signature);
}

void pe_methods_diff(struct pe_method_changes *out, const struct pe_methods *before,
		     const struct pe_methods *after, struct pe_arena *arena)
{
	struct diff_side old = make_side(before, arena), new = make_side(after, arena);

	*out = (struct pe_method_changes){
		.at = pe_arena_new(arena, struct pe_method_change, before->n + after->n)};
	pair_groups(&old, &new, add_identity_and_body, pair_in_order);
	pair_groups(&old, &new, add_identity, pair_in_order);
	pair_groups(&old, &new, add_name, pair_single);
	pair_groups(&old, &new, add_body_and_name, pair_equally_many);
	pair_groups(&old, &new, add_body_and_file, pair_equally_many);
	pair_groups(&old, &new, add_body, pair_single_and_long);
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
	pe_sort(out->at, out->n, by_place);
}

/* ---- kinds ---- */

const char *pe_method_change_name(enum pe_method_change_kind kind)
{
	static const char *const names[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = "added",       [PE_METHOD_DELETED] = "deleted",
		[PE_METHOD_MODIFIED] = "modified", [PE_METHOD_RENAMED] = "renamed",
		[PE_METHOD_MOVED] = "moved",
	};

	return (unsigned)kind < PE_N_METHOD_CHANGES ? names[kind] : "unknown";
}

size_t pe_method_changes_mc(const struct pe_method_changes *changes)
{
	return changes->count[PE_METHOD_ADDED] + changes->count[PE_METHOD_DELETED] +
	       changes->count[PE_METHOD_MODIFIED];
}
