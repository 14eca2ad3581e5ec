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

#define NO_LANE UINT32_MAX

struct strand {
	uint32_t lane;
	uint32_t from;   /* lane in the row above: another one where it has just been opened */
	uint32_t awaits; /* row that it ends at */
	uint16_t colour;
	bool first; /* leads to its commit as the first parent of another */
};

typedef PE_VEC(struct strand) strands;

/* The lanes of a row before it comes. */
struct target {
	uint32_t lane; /* of the first strand that leads to it, NO_LANE */
	uint32_t
		child; /* the last row that was seen to be a child of it, plus 1; git allows a parent twice */
	uint16_t colour; /* of that strand */
};

struct making {
	const struct pe_lane_commit *commits;
	size_t n;
	struct pe_lane_row *rows;
	PE_VEC(struct pe_lane_edge) edges;
	strands now, next;
	strands branchings;     /* from the row above into strands that were there */
	strands opened;         /* of the row at hand, to be put among the strands */
	struct target *targets; /* by row */
	uint16_t colours;       /* given out */
	uint32_t dot;           /* its lane, of the row at hand */
};

/* Lanes beyond the sixteenth bit are drawn upon each other. */
static uint16_t narrow(uint32_t lane)
{
	return lane < UINT16_MAX ? (uint16_t)lane : UINT16_MAX - 1;
}

static void widen(struct pe_lane_row *row, uint32_t lane)
{
	if (narrow(lane) + 1 > row->width)
		row->width = (uint16_t)(narrow(lane) + 1);
}

/* The row of a parent; UINT32_MAX where it is not shown, or not after its child as it should be. */
static uint32_t parent_of(const struct making *making, size_t row, size_t parent)
{
	uint32_t at = making->commits[row].parents[parent];

	return at > row && at < making->n ? at : UINT32_MAX;
}

static uint32_t first_free(const strands *lines)
{
	uint32_t lane = 0;

	for (size_t i = 0; i < lines->n && lines->data[i].lane <= lane; i++)
		lane = lines->data[i].lane + 1;
	return lane;
}

/* Choose the lane and the colour of a row's dot. */
static void place_dot(struct making *making, uint32_t row)
{
	const struct strand *best = NULL;

	for (size_t i = 0; i < making->now.n; i++) {
		const struct strand *one = &making->now.data[i];

		if (one->awaits == row && (best == NULL || (one->first && !best->first)))
			best = one;
	}
	making->dot = best != NULL ? best->lane : first_free(&making->now);
	making->rows[row].lane = narrow(making->dot);
	making->rows[row].colour = best != NULL ? best->colour : making->colours++;
}

static void add_edge(struct making *making, uint32_t row, const struct strand *one)
{
	uint32_t to = one->awaits == row ? making->dot : one->lane;

	pe_vec_push(&making->edges,
		    (struct pe_lane_edge){narrow(one->from), narrow(to), one->colour});
	widen(&making->rows[row - 1], one->from);
	widen(&making->rows[row - 1], to);
	widen(&making->rows[row], to);
}

/* Draw everything between the row above and this one. */
static void draw(struct making *making, uint32_t row)
{
	struct pe_lane_row *above = &making->rows[row - 1];

	above->first_edge = (uint32_t)making->edges.n;
	for (size_t i = 0; i < making->now.n; i++)
		add_edge(making, row, &making->now.data[i]);
	for (size_t i = 0; i < making->branchings.n; i++)
		add_edge(making, row, &making->branchings.data[i]);
	above->n_edges = (uint32_t)(making->edges.n - above->first_edge);
}

/* A parent beside the first: into the strand that leads there, or by one of its own. */
static void lead_to(struct making *making, uint32_t parent)
{
	const struct target *target = &making->targets[parent];
	struct strand one = {.from = making->dot, .awaits = parent};

	if (target->lane == NO_LANE) {
		one.colour = making->colours++;
		pe_vec_push(&making->opened, one);
	} else {
		one.lane = target->lane;
		one.colour = target->colour;
		pe_vec_push(&making->branchings, one);
	}
}

/*
 * The strands below the row: those that go on, the first parent's in the dot's lane, and those just opened in
 * the nearest free lanes to the right of the dot.
 */
static void rearrange(struct making *making, uint32_t row, uint32_t first)
{
	const strands *now = &making->now;
	size_t opened = 0, i = 0;
	uint32_t lane = making->dot;

	making->next.n = 0;
	for (; i < now->n && now->data[i].lane < making->dot; i++)
		if (now->data[i].awaits != row)
			pe_vec_push(&making->next, now->data[i]);
	if (first != UINT32_MAX) {
		pe_vec_push(&making->next, (struct strand){making->dot, making->dot, first,
							   making->rows[row].colour, true});
		lane++;
	}
	for (; i < now->n; i++) {
		if (now->data[i].awaits == row)
			continue;
		for (; opened < making->opened.n && lane < now->data[i].lane; lane++) {
			making->opened.data[opened].lane = lane;
			pe_vec_push(&making->next, making->opened.data[opened++]);
		}
		pe_vec_push(&making->next, now->data[i]);
		lane = now->data[i].lane + 1;
	}
	for (; opened < making->opened.n; lane++) {
		making->opened.data[opened].lane = lane;
		pe_vec_push(&making->next, making->opened.data[opened++]);
	}
}

static void note_lanes(struct making *making)
{
	strands was = making->now;

	making->now = making->next;
	making->next = was;
	for (size_t i = 0; i < making->now.n; i++) {
		const struct strand *one = &making->now.data[i];
		struct target *target = &making->targets[one->awaits];

		if (target->lane == NO_LANE) {
			target->lane = one->lane;
			target->colour = one->colour;
		}
	}
}

/* Lead on to the parents of a row's commit. */
static void go_on(struct making *making, uint32_t row)
{
	const struct pe_lane_commit *commit = &making->commits[row];
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < making->now.n; i++)
		making->now.data[i].from = making->now.data[i].lane;
	making->branchings.n = making->opened.n = 0;
	for (size_t i = 0; i < commit->n_parents; i++) {
		uint32_t parent = parent_of(making, row, i);

		if (parent == UINT32_MAX || making->targets[parent].child == row + 1)
			continue;
		making->targets[parent].child = row + 1;
		if (i == 0)
			first = parent;
		else
			lead_to(making, parent);
	}
	rearrange(making, row, first);
	note_lanes(making);
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
	pe_vec_release(&making->now);
	pe_vec_release(&making->next);
	pe_vec_release(&making->branchings);
	pe_vec_release(&making->opened);
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
		making.targets[i] = (struct target){.lane = NO_LANE};
	for (uint32_t row = 0; row < n; row++) {
		place_dot(&making, row);
		widen(&making.rows[row], making.dot);
		if (row > 0)
			draw(&making, row);
		go_on(&making, row);
	}
	give_out(out, &making, arena);
}
