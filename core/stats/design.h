/*
 * Design: which reading met which. Readings are sorted into blocks (the commits of a batch that met each
 * other in rounds, directly or through others), rounds and cells (a commit in a block), and commits into
 * the components that chains of blocks tie together. The groundwork of rounds.h; nothing is estimated here.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/reading.h"

#include <stdbool.h>

/** Readings by key: those of key k are item[start[k]] up to item[start[k + 1]]. */
struct pe_index {
	size_t n; /**< keys */
	size_t *start, *item;
};

static inline size_t pe_index_count(const struct pe_index *index, size_t key)
{
	return index->start[key + 1] - index->start[key];
}

/** Numbers are dense and begin at 0. Cells are numbered block by block. */
struct pe_design {
	const struct pe_readings *readings;
	/** the finite readings by (batch, round, commit, value): the order of every index */
	size_t *order;
	size_t n;                     /**< of them */
	size_t *block, *round, *cell; /**< one a reading; of finite ones only */
	struct pe_index blocks, rounds, cells;
	size_t *block_of;  /**< one a cell */
	size_t *commit_of; /**< one a cell */
	bool *alone;       /**< one a block: it holds a single commit */
	bool *in;          /**< one a cell: its block ties its commit to others, or nothing does */
	size_t *component; /**< one a commit: by oldest commit, or PE_NO_COMPONENT */
	size_t n_components;
};

/** Build an index from one key a reading, keeping the order in which the readings are given. */
void pe_index_build(struct pe_index *index, const size_t *key, const size_t *order, size_t n,
		    size_t n_keys, struct pe_arena *arena);

/** Find the design of readings, which it borrows; all else lives in the arena. */
struct pe_design pe_design_of(const struct pe_readings *readings, struct pe_arena *arena);
