#include "compare/blueprint.h"

#include <math.h>
#include <stdlib.h>

static const char *const colour_names[PE_N_COLOURS] = {
	[PE_COLOUR_NEUTRAL] = "neutral",
	[PE_COLOUR_RED] = "red",
	[PE_COLOUR_LIGHT_RED] = "light red",
	[PE_COLOUR_GREEN] = "green",
	[PE_COLOUR_LIGHT_GREEN] = "light green",
	[PE_COLOUR_YELLOW] = "yellow",
	[PE_COLOUR_GRAY] = "gray",
};

const char *pe_colour_name(enum pe_colour colour)
{
	return colour_names[colour];
}

/* What inclusive times are divided by on both sides. */
struct scale {
	double old_ns, new_ns;
};

static double whole_ns(const struct pe_cct *cct)
{
	if (cct->total_ns == NULL)
		return 0;
	return (double)(cct->facts.duration_ns > cct->total_ns[0] ? cct->facts.duration_ns
								  : cct->total_ns[0]);
}

static struct scale scale_of(const struct pe_delta *delta, enum pe_basis basis)
{
	struct scale scale = {whole_ns(delta->old_runs->cct), whole_ns(delta->new_runs->cct)};

	/* An execution that took no time has nothing to be a share of. */
	if (basis == PE_BASIS_TIME && scale.old_ns > 0)
		scale.new_ns = scale.old_ns;
	else if (basis == PE_BASIS_TIME)
		scale.old_ns = scale.new_ns;
	return scale;
}

static double share(double ns, double whole)
{
	return whole > 0 ? ns / whole : 0;
}

/* Variation of a node; of one that only one side has, less what its children were without it. */
static double height(const struct pe_delta *delta, uint32_t node, const struct scale *scale)
{
	struct pe_delta_values total = pe_delta_values(delta, node, PE_DELTA_TOTAL_NS);
	enum pe_delta_state state = pe_delta_state(delta, node);
	double before = share((double)total.old_value, scale->old_ns);
	double after = share((double)total.new_value, scale->new_ns);

	if (state == PE_DELTA_BOTH)
		return after - before;
	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end) {
		struct pe_delta_values below = pe_delta_values(delta, c, PE_DELTA_TOTAL_NS);

		if (state == PE_DELTA_ADDED)
			before += share((double)below.old_value, scale->old_ns);
		else
			after += share((double)below.new_value, scale->new_ns);
	}
	return after - before;
}

/* Likewise of calls: one that only one side has is held against its parent on the other side. */
static double width(const struct pe_delta *delta, uint32_t node)
{
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	enum pe_delta_state state = pe_delta_state(delta, node);
	uint32_t parent = delta->nodes[node].parent;

	if (!calls.known)
		return 0;
	if (state != PE_DELTA_BOTH && parent != PE_CCT_NONE) {
		struct pe_delta_values above = pe_delta_values(delta, parent, PE_DELTA_CALLS);

		if (state == PE_DELTA_ADDED)
			calls.old_value = above.old_value;
		else
			calls.new_value = above.new_value;
	}
	return log(fabs((double)pe_delta_difference(calls)) + 1);
}

static enum pe_colour colour(const struct pe_delta *delta, uint32_t node,
			     const struct pe_blueprint_opts *opts, double signed_height)
{
	const struct pe_delta_node *at = &delta->nodes[node];
	double old_error, new_error, ns;
	bool touched;

	if (at->old_node == PE_CCT_NONE)
		return PE_COLOUR_YELLOW;
	if (at->new_node == PE_CCT_NONE)
		return PE_COLOUR_GRAY;
	ns = (double)pe_delta_difference(pe_delta_values(delta, node, PE_DELTA_TOTAL_NS));
	old_error = pe_runs_error(delta->old_runs,
				  pe_runs_variance(delta->old_runs, at->old_node, true));
	new_error = pe_runs_error(delta->new_runs,
				  pe_runs_variance(delta->new_runs, at->new_node, true));
	if (signed_height == 0 ||
	    fabs(ns) <= (opts->z > 0 ? opts->z : 1.96) * hypot(old_error, new_error))
		return PE_COLOUR_NEUTRAL;
	touched = pe_changes_touched(opts->changes, at->frame);
	if (signed_height > 0)
		return touched ? PE_COLOUR_RED : PE_COLOUR_LIGHT_RED;
	return touched ? PE_COLOUR_GREEN : PE_COLOUR_LIGHT_GREEN;
}

/* What the hot path follows: time, else allocations, else calls. */
static enum pe_delta_figure hot_figure(const struct pe_delta *delta)
{
	if (pe_delta_values(delta, 0, PE_DELTA_TOTAL_NS).known)
		return PE_DELTA_TOTAL_NS;
	return pe_delta_values(delta, 0, PE_DELTA_TOTAL_ALLOCATIONS).known
		       ? PE_DELTA_TOTAL_ALLOCATIONS
		       : PE_DELTA_CALLS;
}

/* The child with the greatest variation, the first of equal ones; PE_CCT_NONE for a leaf. */
static uint32_t hottest_child(const struct pe_delta *delta, uint32_t node,
			      enum pe_delta_figure figure)
{
	uint32_t best = PE_CCT_NONE;
	int64_t most = -1;

	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end) {
		int64_t size = llabs(pe_delta_difference(pe_delta_values(delta, c, figure)));

		if (size > most) {
			most = size;
			best = c;
		}
	}
	return best;
}

uint32_t pe_blueprint_hot_path(const struct pe_delta *delta, uint32_t node, uint32_t *out,
			       uint32_t room)
{
	enum pe_delta_figure figure = hot_figure(delta);
	uint32_t n = 0;

	for (; node != PE_CCT_NONE && n < room; node = hottest_child(delta, node, figure))
		out[n++] = node;
	return n;
}

static uint32_t longest_path(const struct pe_delta *delta)
{
	uint32_t *depth = pe_realloc(NULL, delta->n, sizeof(*depth));
	uint32_t most = 0;

	for (uint32_t i = 0; i < delta->n; i++) {
		depth[i] = i > 0 ? depth[delta->nodes[i].parent] + 1 : 1;
		most = depth[i] > most ? depth[i] : most;
	}
	free(depth);
	return most;
}

void pe_blueprint_make(struct pe_blueprint *out, const struct pe_delta *delta,
		       const struct pe_blueprint_opts *opts, struct pe_arena *arena)
{
	static const struct pe_blueprint_opts defaults = {.basis = PE_BASIS_TIME};
	struct scale scale;
	uint32_t room = longest_path(delta);

	opts = opts != NULL ? opts : &defaults;
	scale = scale_of(delta, opts->basis);
	out->boxes = pe_arena_new(arena, struct pe_blueprint_box, delta->n);
	for (uint32_t i = 0; i < delta->n; i++) {
		struct pe_blueprint_box *box = &out->boxes[i];

		box->signed_height = height(delta, i, &scale);
		box->height = fabs(box->signed_height);
		box->width = width(delta, i);
		box->colour = (uint8_t)colour(delta, i, opts, box->signed_height);
	}
	out->hot_path = pe_arena_new(arena, uint32_t, room);
	out->n_hot = pe_blueprint_hot_path(delta, 0, out->hot_path, room);
	for (uint32_t i = 0; i < out->n_hot; i++)
		out->boxes[out->hot_path[i]].hot = true;
}
