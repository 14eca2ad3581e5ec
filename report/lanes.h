/*
 * Lanes: where the commits of a history stand when it is drawn as a graph, newest on top, branches and merges
 * as lines beside each other. Positions only: what is drawn there, and with what, is the writers' affair.
 */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A line from one row's middle to the next row's middle. */
struct pe_lane_edge {
	uint32_t from, to; /**< lanes: in this row and in the next */
	uint32_t
		colour; /**< stays along a branch; writers take it modulo the colours that they have */
};

/** A row: one commit. */
struct pe_lane_row {
	uint32_t lane;                /**< of the commit's dot */
	uint32_t colour;              /**< of the branch that it is on */
	uint32_t width;               /**< lanes taken in this row or on the way to the next */
	uint32_t first_edge, n_edges; /**< in pe_lanes.edges */
};

struct pe_lanes {
	struct pe_lane_row *rows; /**< as the commits were given */
	size_t n_rows;
	struct pe_lane_edge *edges;
	size_t n_edges;
	uint32_t width; /**< of the widest row; at least 1 unless there is no row */
};

/** A commit as lanes need it. */
struct pe_lane_commit {
	const uint32_t *parents; /**< rows; UINT32_MAX: not among the commits */
	size_t n_parents;        /**< the first parent first */
};

/**
 * Assign lanes. The first parent's line keeps its lane and is drawn straight; others take the nearest free
 * lane to the right and give it back where they end. Linear in commits and edges drawn.
 *
 * @param commits  every commit before its parents
 * @param arena    owns the arrays
 */
void pe_lanes_make(struct pe_lanes *out, const struct pe_lane_commit *commits, size_t n,
		   struct pe_arena *arena);
