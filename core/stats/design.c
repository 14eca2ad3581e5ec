#include "core/stats/design.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

void pe_index_build(struct pe_index *index, const size_t *key, const size_t *order, size_t n,
		    size_t n_keys, struct pe_arena *arena)
{
	index->n = n_keys;
	index->start = pe_arena_new(arena, size_t, n_keys + 2);
	index->item = pe_arena_new(arena, size_t, n);
	for (size_t i = 0; i < n; i++)
		index->start[key[order[i]] + 2]++;
	for (size_t k = 2; k < n_keys + 2; k++)
		index->start[k] += index->start[k - 1];
	/* start[k + 1] is the next free place of key k while filling, and its end afterwards. */
	for (size_t i = 0; i < n; i++)
		index->item[index->start[key[order[i]] + 1]++] = order[i];
}

struct sortable {
	struct pe_reading reading;
	size_t at;
};

/* By value in the end: then the order in which equal readings are given leaves no trace in a sum. */
PE_SORT_BY(by_place, struct sortable, reading.batch, reading.round, reading.commit, reading.value);

static void sort_readings(struct pe_design *d, struct pe_arena *arena)
{
	const struct pe_readings *readings = d->readings;
	struct sortable *sorted = pe_arena_new(arena, struct sortable, readings->n);

	for (size_t i = 0; i < readings->n; i++)
		if (isfinite(readings->at[i].value))
			sorted[d->n++] = (struct sortable){readings->at[i], i};
	pe_sort(sorted, d->n, by_place);
	d->order = pe_arena_new(arena, size_t, d->n);
	for (size_t i = 0; i < d->n; i++)
		d->order[i] = sorted[i].at;
}

static size_t root_of(size_t *parent, size_t x)
{
	while (parent[x] != x)
		x = parent[x] = parent[parent[x]];
	return x;
}

/* The smaller root wins, so that the numbering does not depend on the order of joining. */
static void join(size_t *parent, size_t a, size_t b)
{
	a = root_of(parent, a);
	b = root_of(parent, b);
	if (a < b)
		parent[b] = a;
	else
		parent[a] = b;
}

/* Number the rounds, and within each batch the sets of commits that met in rounds: its blocks. */
static void find_blocks(struct pe_design *d, struct pe_arena *arena)
{
	const struct pe_reading *at = d->readings->at;
	size_t n_commits = d->readings->n_commits, n_blocks = 0, n_rounds = 0;
	size_t *parent = pe_arena_new(arena, size_t, n_commits);
	size_t *number = pe_arena_new(arena, size_t, n_commits);

	for (size_t from = 0, to; from < d->n; from = to) {
		int64_t batch = at[d->order[from]].batch;

		for (to = from; to < d->n && at[d->order[to]].batch == batch; to++) {
			size_t commit = at[d->order[to]].commit;

			parent[commit] = commit;
			number[commit] = SIZE_MAX;
		}
		for (size_t i = from; i < to; i++) {
			const struct pe_reading *r = &at[d->order[i]];
			const struct pe_reading *was = i > from ? &at[d->order[i - 1]] : NULL;

			if (was != NULL && was->round == r->round)
				join(parent, was->commit, r->commit);
			else
				n_rounds++;
			d->round[d->order[i]] = n_rounds - 1;
		}
		for (size_t i = from; i < to; i++) {
			size_t *block = &number[root_of(parent, at[d->order[i]].commit)];

			if (*block == SIZE_MAX)
				*block = n_blocks++;
			d->block[d->order[i]] = *block;
		}
	}
	pe_index_build(&d->blocks, d->block, d->order, d->n, n_blocks, arena);
	pe_index_build(&d->rounds, d->round, d->order, d->n, n_rounds, arena);
}

/* Number the cells: a commit in a block. */
static void find_cells(struct pe_design *d, struct pe_arena *arena)
{
	const struct pe_reading *at = d->readings->at;
	size_t *number = pe_arena_new(arena, size_t, d->readings->n_commits);
	size_t n_cells = 0;

	for (size_t i = 0; i < d->readings->n_commits; i++)
		number[i] = SIZE_MAX;
	d->block_of = pe_arena_new(arena, size_t, d->n);
	d->commit_of = pe_arena_new(arena, size_t, d->n);
	d->alone = pe_arena_new(arena, bool, d->blocks.n);
	for (size_t b = 0; b < d->blocks.n; b++) {
		size_t first = n_cells;

		for (size_t i = d->blocks.start[b]; i < d->blocks.start[b + 1]; i++) {
			size_t o = d->blocks.item[i], commit = at[o].commit;

			/* A number from an earlier block is below `first`. */
			if (number[commit] == SIZE_MAX || number[commit] < first) {
				number[commit] = n_cells;
				d->block_of[n_cells] = b;
				d->commit_of[n_cells++] = commit;
			}
			d->cell[o] = number[commit];
		}
		d->alone[b] = n_cells - first == 1;
	}
	pe_index_build(&d->cells, d->cell, d->order, d->n, n_cells, arena);
}

/* Components over commits, and which cells count. */
static void find_components(struct pe_design *d, struct pe_arena *arena)
{
	size_t n_commits = d->readings->n_commits;
	size_t *parent = pe_arena_new(arena, size_t, n_commits);
	bool *measured = pe_arena_new(arena, bool, n_commits);
	bool *met_others = pe_arena_new(arena, bool, n_commits);

	d->component = pe_arena_new(arena, size_t, n_commits);
	for (size_t i = 0; i < n_commits; i++)
		parent[i] = i;
	for (size_t c = 0; c < d->cells.n; c++) {
		measured[d->commit_of[c]] = true;
		if (!d->alone[d->block_of[c]])
			met_others[d->commit_of[c]] = true;
		/* Cells are numbered block by block. */
		if (c > 0 && d->block_of[c] == d->block_of[c - 1])
			join(parent, d->commit_of[c - 1], d->commit_of[c]);
	}
	for (size_t i = 0; i < n_commits; i++) {
		size_t root = root_of(parent, i);

		d->component[i] = !measured[i] ? PE_NO_COMPONENT
				  : root == i  ? d->n_components++
					       : d->component[root];
	}
	d->in = pe_arena_new(arena, bool, d->cells.n);
	for (size_t c = 0; c < d->cells.n; c++)
		d->in[c] = !d->alone[d->block_of[c]] || !met_others[d->commit_of[c]];
}

struct pe_design pe_design_of(const struct pe_readings *readings, struct pe_arena *arena)
{
	struct pe_design d = {.readings = readings};

	d.block = pe_arena_new(arena, size_t, readings->n);
	d.round = pe_arena_new(arena, size_t, readings->n);
	d.cell = pe_arena_new(arena, size_t, readings->n);
	sort_readings(&d, arena);
	find_blocks(&d, arena);
	find_cells(&d, arena);
	find_components(&d, arena);
	return d;
}
