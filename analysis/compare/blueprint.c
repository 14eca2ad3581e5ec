#include "analysis/compare/blueprint.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

const char *pe_colour_name(enum pe_box_colour colour)
{
	static const char *const names[PE_N_COLOURS] = {
		[PE_COLOUR_NEUTRAL] = "neutral",
		[PE_COLOUR_RED] = "red",
		[PE_COLOUR_LIGHT_RED] = "light red",
		[PE_COLOUR_GREEN] = "green",
		[PE_COLOUR_LIGHT_GREEN] = "light green",
		[PE_COLOUR_YELLOW] = "yellow",
		[PE_COLOUR_GRAY] = "gray",
	};

	return names[colour];
}

const char *pe_basis_name(enum pe_basis basis)
{
	static const char *const names[PE_N_BASES] = {
		[PE_BASIS_OWN] = "own",
		[PE_BASIS_TIME] = "time",
		[PE_BASIS_SHARE] = "share",
	};

	return names[basis];
}

enum pe_cost pe_blueprint_cost(const struct pe_delta *delta)
{
	struct pe_delta_values allocations = pe_delta_values(delta, 0, PE_DELTA_TOTAL_ALLOCATIONS);

	if (pe_delta_knows(delta, PE_COST_TIME))
		return PE_COST_TIME;
	return allocations.known && (allocations.old_value != allocations.new_value ||
				     !pe_delta_knows(delta, PE_COST_CALLS))
		       ? PE_COST_ALLOCATIONS
		       : PE_COST_CALLS;
}

/* Where a cause shows: somewhere below a node, or at the node itself. */
enum { BELOW = 1, ITSELF };

/* The cost of every node, its own and inclusive. */
struct spent {
	const struct pe_delta *delta;
	const uint8_t *shows;      /* by node; NULL: each difference counts */
	double *own[2], *total[2]; /* by side, by node */
	double whole[2];           /* of the executions */
};

/* The cost of the whole execution, with the part outside all contexts where that is known. */
static double whole_of(const struct pe_runs *runs, enum pe_cost cost, double total)
{
	if (cost == PE_COST_TIME)
		return fmax(total, (double)runs->cct->facts.duration_ns);
	if (cost == PE_COST_INSTRUCTIONS)
		return fmax(total, (double)runs->whole_instructions);
	return total;
}

static void find_spent(struct spent *out, const struct pe_delta *delta, enum pe_cost cost,
		       struct pe_arena *arena)
{
	*out = (struct spent){.delta = delta};
	for (int side = 0; side < 2; side++) {
		out->own[side] = pe_arena_new(arena, double, delta->n);
		out->total[side] = pe_arena_new(arena, double, delta->n);
	}
	for (uint32_t i = delta->n; i-- > 0;) {
		struct pe_delta_values own = pe_delta_values(delta, i, pe_cost_own(cost));
		const double values[2] = {(double)own.old_value, (double)own.new_value};

		for (int side = 0; side < 2; side++) {
			out->own[side][i] = values[side];
			out->total[side][i] += values[side];
			if (i > 0)
				out->total[side][delta->nodes[i].parent] += out->total[side][i];
		}
	}
	/* On a side that lacks a node, the cost below it counts for the callers that this side has. */
	for (uint32_t i = 0; i < delta->n; i++) {
		if (delta->nodes[i].old_node == PE_CCT_NONE)
			out->total[0][i] = 0;
		if (delta->nodes[i].new_node == PE_CCT_NONE)
			out->total[1][i] = 0;
	}
	out->whole[0] = whole_of(delta->old_runs, cost, out->total[0][0]);
	out->whole[1] = whole_of(delta->new_runs, cost, out->total[1][0]);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* Difference of two shares: of each side's own execution, else of old's, or of new's where old's is 0. */
static double height_by(const struct spent *spent, enum pe_basis basis, double before, double after)
{
	double old_whole = spent->whole[0], new_whole = spent->whole[1];

	if (basis != PE_BASIS_SHARE && old_whole > 0)
		new_whole = old_whole;
	else if (basis != PE_BASIS_SHARE)
		old_whole = new_whole;
	return share(after, new_whole) - share(before, old_whole);
}

/* Signed height of a node. A node of one side is compared with the sum of its children on the other side. */
static double height(const struct spent *spent, uint32_t node, enum pe_basis basis)
{
	const struct pe_delta *delta = spent->delta;
	enum pe_delta_state state = pe_delta_state(delta, node);
	double before = spent->total[0][node], after = spent->total[1][node];

	if (basis == PE_BASIS_OWN)
		return height_by(spent, basis, spent->own[0][node], spent->own[1][node]);
	if (state == PE_DELTA_BOTH)
		return height_by(spent, basis, before, after);
	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end) {
		if (state == PE_DELTA_ADDED)
			before += spent->total[0][c];
		else
			after += spent->total[1][c];
	}
	return height_by(spent, basis, before, after);
}

/*
 * Width of a node. A node of one side is compared with its parent on the other side, or with its parent on its own side
 * where the other side lacks that, too.
 */
static double width(const struct pe_delta *delta, uint32_t node)
{
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	enum pe_delta_state state = pe_delta_state(delta, node);
	uint32_t parent = delta->nodes[node].parent;

	if (!calls.known)
		return 0;
	if (state != PE_DELTA_BOTH && parent != PE_CCT_NONE) {
		struct pe_delta_values above = pe_delta_values(delta, parent, PE_DELTA_CALLS);

		bool alone = pe_delta_state(delta, parent) == state;

		if (state == PE_DELTA_ADDED)
			calls.old_value = alone ? above.new_value : above.old_value;
		else
			calls.new_value = alone ? above.old_value : above.new_value;
	}
	return log(fabs((double)pe_delta_difference(calls)) + 1);
}

static const uint8_t *find_shows(const struct pe_delta *delta, const uint32_t *cause_of,
				 struct pe_arena *arena)
{
	uint8_t *shows = pe_arena_new(arena, uint8_t, delta->n);

	for (uint32_t i = delta->n; i-- > 0;) {
		if (cause_of[i] != 0)
			shows[i] = ITSELF;
		if (i > 0 && shows[i] != 0 && shows[delta->nodes[i].parent] == 0)
			shows[delta->nodes[i].parent] = BELOW;
	}
	return shows;
}

/* Whether a node's own or inclusive cost differs beyond noise. */
static bool stands_out(const struct spent *spent, uint32_t node, bool inclusive)
{
	double *const *of = inclusive ? spent->total : spent->own;

	return of[1][node] != of[0][node] &&
	       (spent->shows == NULL || spent->shows[node] >= (inclusive ? BELOW : ITSELF));
}

static enum pe_box_colour colour(const struct spent *spent, uint32_t node,
				 const struct pe_blueprint_opts *opts, double signed_height)
{
	bool own = opts->basis == PE_BASIS_OWN;
	bool touched;

	if (pe_delta_state(spent->delta, node) == PE_DELTA_ADDED)
		return PE_COLOUR_YELLOW;
	if (pe_delta_state(spent->delta, node) == PE_DELTA_REMOVED)
		return PE_COLOUR_GRAY;
	if (!stands_out(spent, node, !own)) {
		if (!own || !stands_out(spent, node, true))
			return PE_COLOUR_NEUTRAL;
		signed_height = spent->total[1][node] - spent->total[0][node];
	}
	if (signed_height == 0)
		return PE_COLOUR_NEUTRAL;
	touched = pe_changes_touched(opts->changes, spent->delta->nodes[node].frame);
	if (signed_height > 0)
		return touched ? PE_COLOUR_RED : PE_COLOUR_LIGHT_RED;
	return touched ? PE_COLOUR_GREEN : PE_COLOUR_LIGHT_GREEN;
}

/* The child with the greatest variation, the first of equal ones; PE_CCT_NONE for a leaf. */
static uint32_t hottest_child(const struct pe_delta *delta, uint32_t node,
			      enum pe_delta_metric metric)
{
	uint32_t best = PE_CCT_NONE;
	int64_t most = -1;

	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end) {
		int64_t size = llabs(pe_delta_difference(pe_delta_values(delta, c, metric)));

		if (size > most) {
			most = size;
			best = c;
		}
	}
	return best;
}

/* --- Boxes shown at first --- */

struct candidate {
	double size; /* as a share of the greatest */
	uint32_t node;
};

PE_SORT_DOWN_BY(by_size, struct candidate, size, node);

/* Own variation as a share of the greatest one; for boxes beside the hot path, the inclusive one if it is larger. */
static double part_of_greatest(const struct spent *spent, const struct pe_blueprint_box *boxes,
			       uint32_t node, const double greatest[2])
{
	uint32_t parent = spent->delta->nodes[node].parent;
	double own = fabs(spent->own[1][node] - spent->own[0][node]);
	double total = fabs(spent->total[1][node] - spent->total[0][node]);

	own = share(own, greatest[0]);
	if (parent == PE_CCT_NONE || !boxes[parent].hot)
		return own;
	return fmax(own, share(total, greatest[1]));
}

static void show_first(struct pe_blueprint *out, const struct spent *spent, struct pe_arena *arena)
{
	const struct pe_delta *delta = spent->delta;
	struct candidate *found = pe_arena_new(arena, struct candidate, delta->n);
	double greatest[2] = {0, 0}; /* own, inclusive */
	uint32_t n = 0;

	for (uint32_t i = 0; i < delta->n; i++) {
		greatest[0] = fmax(greatest[0], fabs(spent->own[1][i] - spent->own[0][i]));
		greatest[1] = fmax(greatest[1], fabs(spent->total[1][i] - spent->total[0][i]));
	}
	for (uint32_t i = 0; i < delta->n; i++) {
		double size = part_of_greatest(spent, out->boxes, i, greatest);
		bool both = pe_delta_state(delta, i) == PE_DELTA_BOTH;

		out->boxes[i].first = out->boxes[i].hot;
		if (size < PE_BLUEPRINT_LEAST || out->boxes[i].hot)
			continue;
		if (!both || stands_out(spent, i, false) || stands_out(spent, i, true))
			found[n++] = (struct candidate){size, i};
	}
	pe_sort(found, n, by_size);
	for (uint32_t k = 0; k < n && k < PE_BLUEPRINT_FIRST; k++)
		for (uint32_t at = found[k].node; !out->boxes[at].first;
		     at = delta->nodes[at].parent)
			out->boxes[at].first = true;
}

void pe_blueprint_make(struct pe_blueprint *out, const struct pe_delta *delta,
		       const struct pe_blueprint_opts *opts, struct pe_arena *arena)
{
	static const struct pe_blueprint_opts defaults = {.basis = PE_BASIS_OWN};

	pe_blueprint_make_of(out, delta, pe_blueprint_cost(delta), opts != NULL ? opts : &defaults,
			     arena);
}

void pe_blueprint_make_of(struct pe_blueprint *out, const struct pe_delta *delta, enum pe_cost cost,
			  const struct pe_blueprint_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct spent spent;

	find_spent(&spent, delta, cost, &scratch);
	if (cost == PE_COST_TIME && opts->cause_of != NULL)
		spent.shows = find_shows(delta, opts->cause_of, &scratch);
	out->old_whole = spent.whole[0];
	out->boxes = pe_arena_new(arena, struct pe_blueprint_box, delta->n);
	for (uint32_t i = 0; i < delta->n; i++) {
		struct pe_blueprint_box *box = &out->boxes[i];

		box->signed_height = height(&spent, i, opts->basis);
		box->height = fabs(box->signed_height);
		box->width = width(delta, i);
		box->colour = (uint8_t)colour(&spent, i, opts, box->signed_height);
	}
	out->n_hot = 0;
	for (uint32_t i = 0; i != PE_CCT_NONE; i = hottest_child(delta, i, pe_cost_total(cost))) {
		out->boxes[i].hot = true;
		out->n_hot++;
	}
	/* Preorder has the nodes of a path in its order. */
	out->hot_path = pe_arena_new(arena, uint32_t, out->n_hot);
	for (uint32_t i = 0, n = 0; i < delta->n; i++)
		if (out->boxes[i].hot)
			out->hot_path[n++] = i;
	show_first(out, &spent, &scratch);
}
