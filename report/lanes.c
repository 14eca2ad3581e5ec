/*
 * Lanes, row by row from the newest commit. A *strand* is a line on its way down to a commit that has not come
 * yet; strands are kept by lane, from the left. A row
 *
 *  1. finds the strands that end at its commit. One of them gives the dot its lane: one that comes from a
 *     child as its first parent, so that a branch is straight, of these the leftmost. Without any the commit
 *     is a head and takes the leftmost free lane;
 *  2. draws every strand from the row above to this one: the ending ones to the dot, the others straight;
 *  3. continues the dot's lane to the first parent, opens a lane for every other parent that no strand leads
 *     to yet, and lets a *branching* run from the dot into the strand where there is one.
 *
 * Each step is one pass over the strands, and every strand is an edge: the whole is linear in edges drawn.
 */
#include "report/lanes.h"

#include "core/base/vec.h"

#include <string.h>

#define NONE UINT32_MAX

/* By lane; only those up to the rightmost line are kept. */
struct strand {
	uint32_t awaits; /* row that it ends at; NONE: the lane is free */
	uint32_t from;   /* lane in the row above: another one where it has just been opened */
	uint32_t colour;
	bool first; /* leads to its commit as the first parent of another */
};

/* The lanes of a row before it comes. */
struct target {
	uint32_t lane; /* of the first strand that leads to it; NONE */
	/* the last row that was seen to be a child of it, plus 1; git allows a parent twice */
	uint32_t child;
};

struct making {
	const struct pe_lane_commit *commits;
	size_t n;
	struct pe_lane_row *rows;
	PE_VEC(struct pe_lane_edge) edges;
	PE_VEC(struct strand) strands;
	PE_VEC(uint32_t)
	branchings;             /* rows that the row above leads to, by strands that were there */
	struct target *targets; /* by row */
	uint32_t colours;       /* given out */
	uint32_t dot;           /* its lane, of the row at hand */
};

static void widen(struct pe_lane_row *row, uint32_t lane)
{
	if (lane + 1 > row->width)
		row->width = lane + 1;
}

/* The row of a parent; NONE where it is not shown, or not after its child as it should be. */
static uint32_t parent_of(const struct making *making, size_t row, size_t parent)
{
	uint32_t at = making->commits[row].parents[parent];

	return at > row && at < making->n ? at : NONE;
}

/* The nearest free lane, from one on. */
static uint32_t free_from(const struct making *making, uint32_t lane)
{
	while (lane < making->strands.n && making->strands.data[lane].awaits != NONE)
		lane++;
	return lane;
}

/* Choose the lane and the colour of a row's dot. */
static void place_dot(struct making *making, uint32_t row)
{
	const struct strand *best = NULL;

	for (size_t i = 0; i < making->strands.n; i++) {
		const struct strand *one = &making->strands.data[i];

		if (one->awaits == row && (best == NULL || (one->first && !best->first)))
			best = one;
	}
	making->dot = best != NULL ? (uint32_t)(best - making->strands.data) : free_from(making, 0);
	making->rows[row].lane = making->dot;
	making->rows[row].colour = best != NULL ? best->colour : making->colours++;
}

static void add_edge(struct making *making, uint32_t row, uint32_t from, uint32_t lane)
{
	const struct strand *one = &making->strands.data[lane];
	const uint32_t to = one->awaits == row ? making->dot : lane;

	pe_vec_push(&making->edges, (struct pe_lane_edge){from, to, one->colour});
	widen(&making->rows[row - 1], from);
	widen(&making->rows[row - 1], to);
	widen(&making->rows[row], to);
}

/* Draw everything between the row above and this one. @param above  lane of the dot there */
static void draw(struct making *making, uint32_t row, uint32_t above)
{
	making->rows[row - 1].first_edge = (uint32_t)making->edges.n;
	for (uint32_t lane = 0; lane < making->strands.n; lane++)
		if (making->strands.data[lane].awaits != NONE)
			add_edge(making, row, making->strands.data[lane].from, lane);
	for (size_t i = 0; i < making->branchings.n; i++)
		add_edge(making, row, above, making->targets[making->branchings.data[i]].lane);
	making->rows[row - 1].n_edges =
		(uint32_t)(making->edges.n - making->rows[row - 1].first_edge);
}

/* End the strands of a row; the others are straight below it. */
static void end_strands(struct making *making, uint32_t row)
{
	for (uint32_t lane = 0; lane < making->strands.n; lane++) {
		making->strands.data[lane].from = lane;
		if (making->strands.data[lane].awaits == row)
			making->strands.data[lane].awaits = NONE;
	}
	while (making->strands.n > 0 && making->strands.data[making->strands.n - 1].awaits == NONE)
		making->strands.n--;
}

/* Open a strand from the dot in a free lane. */
static void open_strand(struct making *making, uint32_t lane, uint32_t parent, uint32_t colour,
			bool first)
{
	while (making->strands.n <= lane)
		pe_vec_push(&making->strands, (struct strand){.awaits = NONE});
	making->strands.data[lane] = (struct strand){parent, making->dot, colour, first};
	if (making->targets[parent].lane == NONE)
		making->targets[parent].lane = lane;
}

/*
 * Lead on to the parents of a row's commit: to the first in the dot's lane, to others into the strand that leads there, or by
 * one of its own in the nearest free lane to the right of the dot.
 */
static void go_on(struct making *making, uint32_t row)
{
	const struct pe_lane_commit *commit = &making->commits[row];
	uint32_t lane = making->dot;

	making->branchings.n = 0;
	end_strands(making, row);
	for (size_t i = 0; i < commit->n_parents; i++) {
		const uint32_t parent = parent_of(making, row, i);

		if (parent == NONE || making->targets[parent].child == row + 1)
			continue;
		making->targets[parent].child = row + 1;
		if (i > 0 && making->targets[parent].lane != NONE) {
			pe_vec_push(&making->branchings, parent);
			continue;
		}
		lane = free_from(making, lane);
		open_strand(making, lane, parent,
			    i == 0 ? making->rows[row].colour : making->colours++, i == 0);
	}
}

static void give_out(struct pe_lanes *out, struct making *making, struct pe_arena *arena)
{
	out->rows = making->rows;
	out->n_rows = making->n;
	out->n_edges = making->edges.n;
	out->edges = pe_arena_new(arena, struct pe_lane_edge, out->n_edges);
	if (out->n_edges > 0)
		memcpy(out->edges, making->edges.data, out->n_edges * sizeof(*out->edges));
	for (size_t i = 0; i < out->n_rows; i++)
		if (out->rows[i].width > out->width)
			out->width = out->rows[i].width;
	pe_vec_release(&making->edges);
	pe_vec_release(&making->strands);
	pe_vec_release(&making->branchings);
	free(making->targets);
}

void pe_lanes_make(struct pe_lanes *out, const struct pe_lane_commit *commits, size_t n,
		   struct pe_arena *arena)
{
	struct making making = {.commits = commits, .n = n};

	*out = (struct pe_lanes){0};
	making.rows = pe_arena_new(arena, struct pe_lane_row, n);
	making.targets = pe_realloc(NULL, n + 1, sizeof(*making.targets));
	for (size_t i = 0; i < n; i++)
		making.targets[i] = (struct target){.lane = NONE};
	for (uint32_t row = 0; row < n; row++) {
		const uint32_t above = making.dot;

		place_dot(&making, row);
		widen(&making.rows[row], making.dot);
		if (row > 0)
			draw(&making, row, above);
		go_on(&making, row);
	}
	give_out(out, &making, arena);
}
