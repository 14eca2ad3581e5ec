/*
 * Overlap: the common share of the weights of two trees, and the pairs that reduce it.
 *
 * Raising the share of a node lowers the shares of all others of its tree (in the paper's example, A's weight becomes 8.25,
 * which is 20 % of the new sum), so the overlap is summed again after each step.
 */
#include "analysis/compare/parcs.h"

#include "core/base/sort.h"
#include "analysis/compare/steady.h"

#include <math.h>

struct weighed {
	uint32_t old_node, new_node;
	double old_weight, new_weight;
};

struct overlap {
	struct weighed *pairs;
	uint32_t n;
	double old_whole, new_whole;
};

static const uint64_t *weights_of(const struct pe_cct *cct, enum pe_parcs_weight weight)
{
	switch (weight) {
	case PE_PARCS_TIME:
		return cct->total_ns;
	case PE_PARCS_CALLS:
		return cct->calls;
	default:
		return cct->total_allocations;
	}
}

/* Tolerance within which a sum counts as 1. */
static const double ROUNDING = 1e-12;

static double sum_overlap(const struct overlap *o)
{
	double sum = 0;

	for (uint32_t i = 0; i < o->n; i++)
		sum += fmin(o->pairs[i].old_weight / o->old_whole,
			    o->pairs[i].new_weight / o->new_whole);
	return sum < 1 - ROUNDING ? sum : 1;
}

/* Raise a weight until its share of the whole, which grows with it, is `to`. */
static void raise(double *weight, double *whole, double to)
{
	double others = *whole - *weight;

	if (to >= 1)
		return; /* all weight of the other tree: no weight here can have that share */
	*weight = to / (1 - to) * others;
	*whole = others + *weight;
}

static void adjust(struct overlap *o, struct weighed *pair)
{
	double old_share = pair->old_weight / o->old_whole;
	double new_share = pair->new_weight / o->new_whole;

	if (old_share < new_share)
		raise(&pair->old_weight, &o->old_whole, new_share);
	else
		raise(&pair->new_weight, &o->new_whole, old_share);
}

static struct overlap collect(const struct pe_match *match, enum pe_parcs_weight weight,
			      struct pe_arena *work)
{
	const uint64_t *old_weights = weights_of(match->old_cct, weight);
	const uint64_t *new_weights = weights_of(match->new_cct, weight);
	struct overlap o = {.pairs = pe_arena_new(work, struct weighed, match->pairs)};

	for (uint32_t i = 0; i < match->old_cct->n; i++) {
		uint32_t j = match->to_new[i];

		if (j == PE_CCT_NONE)
			continue;
		o.pairs[o.n++] =
			(struct weighed){i, j, (double)old_weights[i], (double)new_weights[j]};
		o.old_whole += (double)old_weights[i];
		o.new_whole += (double)new_weights[j];
	}
	return o;
}

/* A pair and the difference of its shares. */
struct apart {
	double apart;
	uint32_t pair; /* in the order of old nodes */
};

/* The pairs to leave out: those that differ no more than runs of one revision, and for time unchanged ones. */
struct own_doing {
	const struct pe_match *match;
	enum pe_parcs_weight weight;
	struct pe_steady_sums sums[2]; /* by side, of allocations, which are inclusive */
	/* by side, of time, by node: the node or one below it may have changed; NULL: undecided */
	const uint8_t *may[2];
};

static bool is_own_doing(const struct own_doing *own, const struct weighed *pair)
{
	const uint32_t i = pair->old_node, j = pair->new_node;
	const struct pe_steady_sums *olds = &own->sums[0], *news = &own->sums[1];

	if (own->weight == PE_PARCS_CALLS)
		return pe_steady_own_doing(own->match->old_cct, i, own->match->new_cct, j,
					   PE_CCT_COUNT_CALLS);
	return own->weight == PE_PARCS_ALLOCATIONS &&
	       (olds->less[i] > 0 || olds->more[i] > 0 || news->less[j] > 0 || news->more[j] > 0) &&
	       pair->old_weight - (double)olds->less[i] <=
		       pair->new_weight + (double)news->more[j] &&
	       pair->new_weight - (double)news->less[j] <= pair->old_weight + (double)olds->more[i];
}

/* Whether a new node's own time may have changed: it has no partner, its calls differ, or a cause shows in its method. */
static bool may_have_changed(const struct pe_match *match, const bool *shows, uint32_t j)
{
	const uint64_t *olds = match->old_cct->calls, *news = match->new_cct->calls;
	const uint32_t i = match->to_old[j];

	return i == PE_CCT_NONE || olds == NULL || news == NULL || olds[i] != news[j] ||
	       shows[match->new_cct->nodes[j].frame];
}

static const uint8_t *find_changed(const struct pe_match *match, const bool *shows, bool in_new,
				   struct pe_arena *work)
{
	const struct pe_cct *cct = in_new ? match->new_cct : match->old_cct;
	uint8_t *may = pe_arena_new(work, uint8_t, cct->n);

	for (uint32_t i = cct->n; i-- > 0;) {
		if (in_new ? may_have_changed(match, shows, i) : match->to_new[i] == PE_CCT_NONE)
			may[i] = 1;
		if (i > 0 && may[i] != 0)
			may[cct->nodes[i].parent] = 1;
	}
	return may;
}

/* Whether a pair is unchanged: its shares differ by changes elsewhere, or by chance. */
static bool is_unchanged(const struct own_doing *own, const struct weighed *pair)
{
	return own->may[0] != NULL && own->may[0][pair->old_node] == 0 &&
	       own->may[1][pair->new_node] == 0;
}

static struct own_doing find_own_doing(const struct pe_match *match, enum pe_parcs_weight weight,
				       const bool *shows, struct pe_arena *work)
{
	struct own_doing own = {.match = match, .weight = weight};

	for (int side = 0; side < 2; side++) {
		if (weight == PE_PARCS_ALLOCATIONS)
			own.sums[side] = pe_steady_sum(side == 0 ? match->old_cct : match->new_cct,
						       PE_CCT_COUNT_ALLOCATIONS, work);
		if (weight == PE_PARCS_TIME && shows != NULL)
			own.may[side] = find_changed(match, shows, side == 1, work);
	}
	return own;
}

PE_SORT_DOWN_BY(by_distance, struct apart, apart, pair);

/*
 * Rank the pairs by the difference of their shares. Pairs that differ no more than runs of one revision are left out and
 * counted; they change the shares of all others, too, so shares are of the remaining weight. Unchanged pairs are left out as
 * well.
 *
 * @param lost  the overlap that unchanged pairs cost is added
 */
static struct apart *rank(const struct overlap *o, const struct own_doing *own, uint32_t *n,
			  double *lost, struct pe_parcs_overlap *out, struct pe_arena *work)
{
	struct apart *order = pe_arena_new(work, struct apart, o->n);
	double old_left = o->old_whole, new_left = o->new_whole;

	*n = 0;
	for (uint32_t i = 0; i < o->n; i++) {
		const struct weighed *pair = &o->pairs[i];

		if (pair->old_weight != pair->new_weight && is_own_doing(own, pair)) {
			old_left -= pair->old_weight;
			new_left -= pair->new_weight;
			out->own_doing++;
		} else if (is_unchanged(own, pair)) {
			out->unchanged++;
			*lost += fabs(pair->old_weight / o->old_whole -
				      pair->new_weight / o->new_whole) /
				 2;
		} else {
			order[(*n)++] = (struct apart){0, i};
		}
	}
	for (uint32_t k = 0; fmin(old_left, new_left) > 0 && k < *n; k++) {
		const struct weighed *pair = &o->pairs[order[k].pair];

		order[k].apart = fabs(pair->old_weight / old_left - pair->new_weight / new_left);
	}
	pe_sort(order, *n, by_distance);
	return order;
}

void pe_parcs_overlap(struct pe_parcs_overlap *out, const struct pe_match *match,
		      enum pe_parcs_weight weight, const bool *shows, double threshold,
		      uint32_t top, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct own_doing own;
	double old_whole, new_whole, lost = 0;
	struct apart *order;
	struct overlap o;
	uint32_t n;

	*out = (struct pe_parcs_overlap){.threshold = threshold};
	if (weights_of(match->old_cct, weight) == NULL ||
	    weights_of(match->new_cct, weight) == NULL)
		return;
	o = collect(match, weight, &work);
	if (o.old_whole <= 0 || o.new_whole <= 0)
		return;
	old_whole = o.old_whole;
	new_whole = o.new_whole;
	out->known = true;
	out->initial = out->adjusted = sum_overlap(&o);
	own = find_own_doing(match, weight, shows, &work);
	order = rank(&o, &own, &n, &lost, out, &work);
	top = top < n ? top : n;
	out->pairs = pe_arena_new(arena, struct pe_parcs_pair, top);
	while (out->n_pairs < top && out->adjusted + lost < threshold &&
	       order[out->n_pairs].apart > 0) {
		struct weighed *pair = &o.pairs[order[out->n_pairs].pair];
		struct pe_parcs_pair *report = &out->pairs[out->n_pairs++];

		*report = (struct pe_parcs_pair){
			.old_node = pair->old_node,
			.new_node = pair->new_node,
			.old_share = pair->old_weight / old_whole,
			.new_share = pair->new_weight / new_whole,
		};
		adjust(&o, pair);
		out->adjusted = report->overlap = sum_overlap(&o);
	}
}

static double sum_of(const uint64_t *weights, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; weights != NULL && i < n; i++)
		sum += (double)weights[i];
	return sum;
}

double pe_parcs_own_overlap(const struct pe_match *match, enum pe_parcs_weight weight, bool *known)
{
	const struct pe_cct *one = match->old_cct, *other = match->new_cct;
	const uint64_t *a = weights_of(one, weight), *b = weights_of(other, weight);
	const double whole_a = sum_of(a, one->n), whole_b = sum_of(b, other->n);
	double overlap = 0;

	*known = whole_a > 0 && whole_b > 0;
	if (!*known)
		return 1;
	for (uint32_t i = 0; i < one->n; i++)
		if (match->to_new[i] != PE_CCT_NONE)
			overlap +=
				fmin((double)a[i] / whole_a, (double)b[match->to_new[i]] / whole_b);
	return fmin(overlap, 1);
}
