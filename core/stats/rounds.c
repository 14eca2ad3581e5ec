/*
 * Inner structs: index (for each key, the readings that have it), design (which reading is in which
 * block, cell and round), block (one while it is polished), link (the linear system that ties
 * blocks together).
 */
#include "core/stats/rounds.h"

#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Readings by key: those of key k are item[start[k]] up to item[start[k + 1]]. */
struct index {
	size_t n;
	size_t *start, *item;
};

struct design {
	const struct pe_readings *readings;
	size_t *order;                /* finite readings by (window, round, commit, value) */
	size_t n;                     /* of them */
	size_t *block, *round, *cell; /* one a reading */
	struct index blocks, rounds, cells;
	size_t *block_of;  /* one a cell */
	size_t *commit_of; /* one a cell */
	bool *alone;       /* one a block: it holds a single commit */
	bool *in;          /* one a cell: its block ties its commit to others, or nothing does */
};

static void index_fill(struct index *index, const size_t *key, const size_t *order, size_t n,
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

static size_t index_count(const struct index *index, size_t key)
{
	return index->start[key + 1] - index->start[key];
}

struct sortable {
	struct pe_reading reading;
	size_t at;
};

/* By value in the end: then the order in which equal readings are given leaves no trace in a sum.
 */
static int by_place(const void *left, const void *right)
{
	const struct pe_reading *l = &((const struct sortable *)left)->reading;
	const struct pe_reading *r = &((const struct sortable *)right)->reading;

	if (l->window != r->window)
		return l->window < r->window ? -1 : 1;
	if (l->round != r->round)
		return l->round < r->round ? -1 : 1;
	if (l->commit != r->commit)
		return l->commit < r->commit ? -1 : 1;
	return (l->value > r->value) - (l->value < r->value);
}

static void sort_readings(struct design *d, struct pe_arena *arena)
{
	const struct pe_readings *readings = d->readings;
	struct sortable *sorted = pe_arena_new(arena, struct sortable, readings->n);

	for (size_t i = 0; i < readings->n; i++)
		if (isfinite(readings->at[i].value))
			sorted[d->n++] = (struct sortable){readings->at[i], i};
	qsort(sorted, d->n, sizeof(*sorted), by_place);
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

/* Number the rounds, and within each window the sets of commits that met in rounds: its blocks. */
static void find_blocks(struct design *d, struct pe_arena *arena)
{
	const struct pe_reading *at = d->readings->at;
	size_t n_commits = d->readings->n_commits, n_blocks = 0, n_rounds = 0;
	size_t *parent = pe_arena_new(arena, size_t, n_commits);
	size_t *number = pe_arena_new(arena, size_t, n_commits);

	for (size_t from = 0, to; from < d->n; from = to) {
		int64_t window = at[d->order[from]].window;

		for (to = from; to < d->n && at[d->order[to]].window == window; to++) {
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
	index_fill(&d->blocks, d->block, d->order, d->n, n_blocks, arena);
	index_fill(&d->rounds, d->round, d->order, d->n, n_rounds, arena);
}

/* Number the cells: a commit in a block. */
static void find_cells(struct design *d, struct pe_arena *arena)
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
	index_fill(&d->cells, d->cell, d->order, d->n, n_cells, arena);
}

/* Components over commits, and which cells count. */
static void find_components(struct pe_rounds *out, struct design *d, struct pe_arena *arena)
{
	size_t n_commits = d->readings->n_commits;
	size_t *parent = pe_arena_new(arena, size_t, n_commits);
	bool *measured = pe_arena_new(arena, bool, n_commits);

	for (size_t i = 0; i < n_commits; i++)
		parent[i] = i;
	for (size_t c = 0; c < d->cells.n; c++) {
		measured[d->commit_of[c]] = true;
		if (!d->alone[d->block_of[c]])
			out->linked[d->commit_of[c]] = true;
		/* Cells are numbered block by block. */
		if (c > 0 && d->block_of[c] == d->block_of[c - 1])
			join(parent, d->commit_of[c - 1], d->commit_of[c]);
	}
	for (size_t i = 0; i < n_commits; i++) {
		size_t root = root_of(parent, i);

		out->component[i] = !measured[i] ? PE_NO_COMPONENT
				    : root == i  ? out->n_components++
						 : out->component[root];
	}
	d->in = pe_arena_new(arena, bool, d->cells.n);
	for (size_t c = 0; c < d->cells.n; c++)
		d->in[c] = !d->alone[d->block_of[c]] || !out->linked[d->commit_of[c]];
}

/* One block while it is polished. */
struct block {
	size_t *reading, n; /* its readings, round by round */
	size_t *rounds, n_rounds;
	size_t first_cell, n_cells; /* a block's cells are numbered one after the other */
	double *scratch;
};

/*
 * How much of each round's median deviation is the machine: the rounds' variance beyond what the
 * noise of the readings explains, as a share (an empirical Bayes estimate; Efron and Morris,
 * "Stein's estimation rule and its competitors", JASA 68 (1973)), and nearly all of a deviation
 * that chance alone cannot be (1 - 2 / z^2): bursts of other load are rare and large.
 */
static void shrink(double *shift, double noise, const struct design *d, const struct block *b)
{
	double between, typical = (double)b->n / (double)b->n_rounds;

	for (size_t i = 0; i < b->n_rounds; i++)
		b->scratch[i] = shift[b->rounds[i]];
	between = pe_order_scale(b->scratch, b->n_rounds);
	/* A median of more than two has pi / 2 times the variance of their mean. */
	between = between * between - noise * (typical > 2 ? 1.5708 : 1) / typical;
	for (size_t i = 0; i < b->n_rounds; i++) {
		double *at = &shift[b->rounds[i]];
		size_t k = index_count(&d->rounds, b->rounds[i]);
		double chance = noise * (k > 2 ? 1.5708 : 1) / (double)k;
		double share = between > 0 ? between / (between + chance) : 0;
		double z2 = chance > 0 ? *at * *at / chance : INFINITY;

		*at *= k < 2 ? 0 : fmax(share, 1 - 2 / fmax(z2, 2));
	}
}

/* Variance of the readings about their levels and unshrunk shifts, lost degrees of freedom
 * restored. */
static double block_noise(const struct design *d, const struct block *b, const double *value,
			  const double *level, const double *shift)
{
	double lost = (double)(b->n_rounds + b->n_cells - 1), scale;

	for (size_t i = 0; i < b->n; i++) {
		size_t o = b->reading[i];

		b->scratch[i] = value[o] - level[d->cell[o]] - shift[d->round[o]];
	}
	scale = pe_order_scale(b->scratch, b->n);
	return scale * scale * (double)b->n / fmax(1, (double)b->n - lost);
}

/* Shifts of a block have the median 0: what they share belongs to the block. */
static void centre(double *shift, const struct block *b)
{
	double middle;

	for (size_t i = 0; i < b->n_rounds; i++)
		b->scratch[i] = shift[b->rounds[i]];
	middle = pe_order_median(b->scratch, b->n_rounds);
	for (size_t i = 0; i < b->n_rounds; i++)
		shift[b->rounds[i]] -= middle;
}

/* Median of the readings of a key, each less its shift or its level. */
static double index_median(const struct index *index, size_t key, const double *value,
			   const double *less, const size_t *of, double *scratch)
{
	size_t n = 0;

	for (size_t i = index->start[key]; i < index->start[key + 1]; i++) {
		size_t o = index->item[i];

		scratch[n++] = value[o] - less[of[o]];
	}
	return pe_order_median(scratch, n);
}

/* Median polish of one block: a shift for each round, a level for each cell. */
static void polish_block(double *shift, double *level, const struct design *d, struct block *b,
			 const double *value)
{
	enum { PASSES = 4 };

	for (int pass = 0; pass <= PASSES; pass++) {
		for (size_t c = b->first_cell; c < b->first_cell + b->n_cells; c++)
			level[c] = index_median(&d->cells, c, value, shift, d->round, b->scratch);
		if (pass == PASSES || b->n_cells < 2)
			break;
		for (size_t i = 0; i < b->n_rounds; i++)
			shift[b->rounds[i]] = index_median(&d->rounds, b->rounds[i], value, level,
							   d->cell, b->scratch);
		centre(shift, b);
		shrink(shift, block_noise(d, b, value, level, shift), d, b);
	}
}

/* The system for the blocks' offsets once the commits' levels are eliminated: S w = rhs. */
struct link {
	const struct design *d;
	const double *level;   /* one a cell */
	double *weight;        /* one a cell; 0: does not count */
	double *commit_weight; /* one a commit: sum over its cells */
	double *commit_sum;    /* one a commit: scratch */
	size_t n_commits;
};

/* out = S w, with S = diag(block weights) - W' diag(1 / commit weights) W. */
static void link_apply(double *out, const struct link *link, const double *w)
{
	const struct design *d = link->d;

	memset(link->commit_sum, 0, link->n_commits * sizeof(double));
	memset(out, 0, d->blocks.n * sizeof(double));
	for (size_t c = 0; c < d->cells.n; c++)
		link->commit_sum[d->commit_of[c]] += link->weight[c] * w[d->block_of[c]];
	for (size_t c = 0; c < d->cells.n; c++) {
		size_t i = d->commit_of[c], b = d->block_of[c];

		if (link->weight[c] > 0)
			out[b] += link->weight[c] *
				  (w[b] - link->commit_sum[i] / link->commit_weight[i]);
	}
}

/* rhs: block sums of the cells' levels less their commits' mean levels. */
static void link_rhs(double *rhs, struct link *link)
{
	const struct design *d = link->d;

	memset(link->commit_weight, 0, link->n_commits * sizeof(double));
	memset(link->commit_sum, 0, link->n_commits * sizeof(double));
	memset(rhs, 0, d->blocks.n * sizeof(double));
	for (size_t c = 0; c < d->cells.n; c++) {
		link->commit_weight[d->commit_of[c]] += link->weight[c];
		link->commit_sum[d->commit_of[c]] += link->weight[c] * link->level[c];
	}
	for (size_t c = 0; c < d->cells.n; c++) {
		size_t i = d->commit_of[c];

		if (link->weight[c] > 0)
			rhs[d->block_of[c]] +=
				link->weight[c] *
				(link->level[c] - link->commit_sum[i] / link->commit_weight[i]);
	}
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/*
 * Conjugate gradients from the offsets so far. S is singular (a component's offsets may move
 * together) but the right side lies in its range, where the method converges all the same.
 */
static void link_solve(double *w, struct link *link, struct pe_arena *arena)
{
	size_t n = link->d->blocks.n;
	double *rest = pe_arena_new(arena, double, n), *way = pe_arena_new(arena, double, n);
	double *moved = pe_arena_new(arena, double, n);
	double size, goal;

	link_rhs(rest, link);
	goal = 1e-24 * dot(rest, rest, n);
	link_apply(moved, link, w);
	for (size_t i = 0; i < n; i++)
		way[i] = rest[i] -= moved[i];
	size = dot(rest, rest, n);
	for (size_t pass = 0; pass < 2 * n + 10 && size > goal; pass++) {
		double along, step, was = size;

		link_apply(moved, link, way);
		along = dot(way, moved, n);
		if (along <= 0)
			break;
		step = size / along;
		for (size_t i = 0; i < n; i++) {
			w[i] += step * way[i];
			rest[i] -= step * moved[i];
		}
		size = dot(rest, rest, n);
		for (size_t i = 0; i < n; i++)
			way[i] = rest[i] + size / was * way[i];
	}
}

/* Huber's weights for the cells that do not fit: a build that behaved differently that day. */
static void link_reweigh(struct link *link, const double *w, double *residual, double *scratch)
{
	const struct design *d = link->d;
	double scale;
	size_t n = 0;

	memset(link->commit_sum, 0, link->n_commits * sizeof(double));
	for (size_t c = 0; c < d->cells.n; c++)
		link->commit_sum[d->commit_of[c]] +=
			link->weight[c] * (link->level[c] - w[d->block_of[c]]);
	for (size_t c = 0; c < d->cells.n; c++) {
		size_t i = d->commit_of[c];

		if (!(link->weight[c] > 0))
			continue;
		residual[c] = sqrt((double)index_count(&d->cells, c)) *
			      (link->level[c] - w[d->block_of[c]] -
			       link->commit_sum[i] / link->commit_weight[i]);
		/* A commit in one block only fits by itself and says nothing of the fit. */
		if (link->weight[c] < link->commit_weight[i])
			scratch[n++] = residual[c];
	}
	scale = pe_order_scale(scratch, n);
	for (size_t c = 0; c < d->cells.n; c++) {
		double bound = 1.345 * scale; /* 95 % efficient under normal noise */

		if (link->weight[c] > 0)
			link->weight[c] = (double)index_count(&d->cells, c) *
					  (fabs(residual[c]) <= bound || scale <= 0
						   ? 1
						   : bound / fabs(residual[c]));
	}
}

/* Offsets of all blocks, by iterated reweighting. */
static void link_blocks(double *w, const struct design *d, const double *level,
			struct pe_arena *arena)
{
	size_t n_commits = d->readings->n_commits;
	struct link link = {d,
			    level,
			    pe_arena_new(arena, double, d->cells.n),
			    pe_arena_new(arena, double, n_commits),
			    pe_arena_new(arena, double, n_commits),
			    n_commits};
	double *residual = pe_arena_new(arena, double, d->cells.n);
	double *scratch = pe_arena_new(arena, double, d->cells.n);

	for (size_t c = 0; c < d->cells.n; c++)
		if (d->in[c] && !d->alone[d->block_of[c]])
			link.weight[c] = (double)index_count(&d->cells, c);
	if (d->blocks.n < 2)
		return;
	for (int pass = 0; pass < 6; pass++) {
		link_solve(w, &link, arena);
		link_reweigh(&link, w, residual, scratch);
	}
}

/* A component keeps its level: the median of its readings' offsets is 0. */
static void centre_components(double *w, const struct pe_rounds *out, const struct design *d,
			      struct pe_arena *arena)
{
	size_t n_cells = d->cells.n;
	size_t *key = pe_arena_new(arena, size_t, d->readings->n);
	double *scratch = pe_arena_new(arena, double, d->n);
	double *middle = pe_arena_new(arena, double, out->n_components);
	struct index members;

	for (size_t i = 0; i < d->n; i++)
		key[d->order[i]] = out->component[d->readings->at[d->order[i]].commit];
	index_fill(&members, key, d->order, d->n, out->n_components, arena);
	for (size_t k = 0; k < members.n; k++) {
		size_t n = 0;

		for (size_t i = members.start[k]; i < members.start[k + 1]; i++)
			if (d->in[d->cell[members.item[i]]])
				scratch[n++] = w[d->block[members.item[i]]];
		middle[k] = pe_order_median(scratch, n);
	}
	for (size_t c = 0; c < n_cells; c++) {
		size_t b = d->block_of[c];

		/* Once a block: at its first cell. */
		if (c == 0 || d->block_of[c - 1] != b)
			w[b] -= middle[out->component[d->commit_of[c]]];
	}
}

/*
 * An offset is known from the commits that its block shares with others; its variance is about that
 * of a median of their readings. A commit carries the offsets of its blocks by its share of
 * readings in each.
 */
static void block_variances(struct pe_rounds *out, const struct design *d, const double *spread,
			    struct pe_arena *arena)
{
	size_t *blocks_of = pe_arena_new(arena, size_t, d->readings->n_commits);
	double *readings_of = pe_arena_new(arena, double, d->readings->n_commits);
	double *ties = pe_arena_new(arena, double, d->blocks.n);

	for (size_t c = 0; c < d->cells.n; c++) {
		if (!d->in[c])
			continue;
		blocks_of[d->commit_of[c]]++;
		readings_of[d->commit_of[c]] += (double)index_count(&d->cells, c);
	}
	for (size_t c = 0; c < d->cells.n; c++)
		if (d->in[c] && blocks_of[d->commit_of[c]] > 1)
			ties[d->block_of[c]] += (double)index_count(&d->cells, c);
	for (size_t c = 0; c < d->cells.n; c++) {
		size_t i = d->commit_of[c], b = d->block_of[c];
		double share = (double)index_count(&d->cells, c) / fmax(1, readings_of[i]);

		if (d->in[c] && ties[b] > 0)
			out->block_variance[i] +=
				share * share * 1.5708 * spread[b] * spread[b] / ties[b];
	}
}

static void design_build(struct design *d, struct pe_rounds *out, struct pe_arena *arena)
{
	size_t n = d->readings->n;

	d->block = pe_arena_new(arena, size_t, n);
	d->round = pe_arena_new(arena, size_t, n);
	d->cell = pe_arena_new(arena, size_t, n);
	sort_readings(d, arena);
	find_blocks(d, arena);
	find_cells(d, arena);
	find_components(out, d, arena);
}

/* Shifts and levels of all blocks, and the spread of the readings that is left in each. */
static void polish(double *shift, double *level, double *spread, const struct design *d,
		   const double *value, struct pe_arena *arena)
{
	struct block b = {.rounds = pe_arena_new(arena, size_t, d->n),
			  .scratch = pe_arena_new(arena, double, d->n)};

	for (size_t k = 0; k < d->blocks.n; k++) {
		b.reading = d->blocks.item + d->blocks.start[k];
		b.n = index_count(&d->blocks, k);
		b.n_rounds = 0;
		b.first_cell += b.n_cells;
		for (b.n_cells = 0; b.first_cell + b.n_cells < d->cells.n; b.n_cells++)
			if (d->block_of[b.first_cell + b.n_cells] != k)
				break;
		for (size_t i = 0; i < b.n; i++) {
			size_t r = d->round[b.reading[i]];

			if (b.n_rounds == 0 || b.rounds[b.n_rounds - 1] != r)
				b.rounds[b.n_rounds++] = r;
		}
		polish_block(shift, level, d, &b, value);
		spread[k] = sqrt(block_noise(d, &b, value, level, shift));
	}
}

struct pe_rounds pe_rounds_remove(const struct pe_readings *readings, struct pe_arena *arena)
{
	struct pe_arena work = PE_ARENA_INIT;
	struct pe_rounds out = {pe_arena_new(arena, double, readings->n),
				pe_arena_new(arena, bool, readings->n),
				pe_arena_new(arena, size_t, readings->n_commits),
				0,
				pe_arena_new(arena, bool, readings->n_commits),
				pe_arena_new(arena, double, readings->n_commits)};
	struct design d = {.readings = readings};
	double *value = pe_arena_new(&work, double, readings->n);
	double *shift, *level, *spread, *offset;

	for (size_t i = 0; i < readings->n; i++)
		value[i] = readings->at[i].value;
	design_build(&d, &out, &work);
	shift = pe_arena_new(&work, double, d.rounds.n);
	level = pe_arena_new(&work, double, d.cells.n);
	spread = pe_arena_new(&work, double, d.blocks.n);
	offset = pe_arena_new(&work, double, d.blocks.n);
	polish(shift, level, spread, &d, value, &work);
	link_blocks(offset, &d, level, &work);
	centre_components(offset, &out, &d, &work);
	block_variances(&out, &d, spread, &work);
	for (size_t i = 0; i < readings->n; i++)
		out.value[i] = value[i];
	for (size_t i = 0; i < d.n; i++) {
		size_t o = d.order[i];

		out.value[o] -= offset[d.block[o]] + shift[d.round[o]];
		out.used[o] = d.in[d.cell[o]];
	}
	pe_arena_release(&work);
	return out;
}
