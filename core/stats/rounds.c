#include "core/stats/rounds.h"

#include "core/stats/link.h"
#include "core/stats/order.h"

#include <math.h>

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
static void shrink(double *shift, double noise, const struct pe_design *d, const struct block *b)
{
	double between, typical = (double)b->n / (double)b->n_rounds;

	for (size_t i = 0; i < b->n_rounds; i++)
		b->scratch[i] = shift[b->rounds[i]];
	between = pe_order_scale(b->scratch, b->n_rounds);
	/* A median of more than two has pi / 2 times the variance of their mean. */
	between = between * between - noise * (typical > 2 ? 1.5708 : 1) / typical;
	for (size_t i = 0; i < b->n_rounds; i++) {
		double *at = &shift[b->rounds[i]];
		size_t k = pe_index_count(&d->rounds, b->rounds[i]);
		double chance = noise * (k > 2 ? 1.5708 : 1) / (double)k;
		double share = between > 0 ? between / (between + chance) : 0;
		double z2 = chance > 0 ? *at * *at / chance : INFINITY;

		*at *= k < 2 ? 0 : fmax(share, 1 - 2 / fmax(z2, 2));
	}
}

/* Variance of the readings about their levels and unshrunk shifts, lost degrees of freedom
 * restored. */
static double block_noise(const struct pe_design *d, const struct block *b, const double *value,
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

/* Readings of a key, each less its shift or its level. @return  how many */
static size_t rest_of(double *out, const struct pe_index *index, size_t key, const double *value,
		      const double *less, const size_t *of)
{
	size_t n = 0;

	for (size_t i = index->start[key]; i < index->start[key + 1]; i++) {
		size_t o = index->item[i];

		out[n++] = value[o] - less[of[o]];
	}
	return n;
}

/*
 * The median of a round's deviations; of two what both agree on, and 0 where they lie on either side of it: with two
 * commits in a round, half of one's outlier must not pass for the machine and become an outlier of the other.
 */
static double agreed_median(double *values, size_t n)
{
	double less, more;

	if (n != 2)
		return pe_order_median(values, n);
	less = fmin(values[0], values[1]);
	more = fmax(values[0], values[1]);
	return less > 0 ? less : fmin(more, 0);
}

/* Median polish of one block: a shift for each round, a level for each cell. */
static void polish_block(double *shift, double *level, const struct pe_design *d, struct block *b,
			 const double *value)
{
	enum { PASSES = 4 };

	for (int pass = 0; pass <= PASSES; pass++) {
		for (size_t c = b->first_cell; c < b->first_cell + b->n_cells; c++)
			level[c] = pe_order_median(b->scratch, rest_of(b->scratch, &d->cells, c,
								       value, shift, d->round));
		if (pass == PASSES || b->n_cells < 2)
			break;
		for (size_t i = 0; i < b->n_rounds; i++)
			shift[b->rounds[i]] = agreed_median(
				b->scratch, rest_of(b->scratch, &d->rounds, b->rounds[i], value,
						    level, d->cell));
		centre(shift, b);
		shrink(shift, block_noise(d, b, value, level, shift), d, b);
	}
}

/* A component keeps its level: the median of its readings' offsets is 0. */
static void centre_components(double *w, const struct pe_design *d, struct pe_arena *arena)
{
	size_t n_cells = d->cells.n;
	size_t *key = pe_arena_new(arena, size_t, d->readings->n);
	double *scratch = pe_arena_new(arena, double, d->n);
	double *middle = pe_arena_new(arena, double, d->n_components);
	struct pe_index members;

	for (size_t i = 0; i < d->n; i++)
		key[d->order[i]] = d->component[d->readings->at[d->order[i]].commit];
	pe_index_build(&members, key, d->order, d->n, d->n_components, arena);
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
			w[b] -= middle[d->component[d->commit_of[c]]];
	}
}

/*
 * An offset is known from the commits that its block shares with others; its variance is about that
 * of a median of their readings. A commit carries the offsets of its blocks by its share of
 * readings in each.
 */
static void block_variances(struct pe_rounds *out, const struct pe_design *d, const double *spread,
			    struct pe_arena *arena)
{
	size_t *blocks_of = pe_arena_new(arena, size_t, d->readings->n_commits);
	double *readings_of = pe_arena_new(arena, double, d->readings->n_commits);
	double *ties = pe_arena_new(arena, double, d->blocks.n);

	for (size_t c = 0; c < d->cells.n; c++) {
		if (!d->in[c])
			continue;
		blocks_of[d->commit_of[c]]++;
		readings_of[d->commit_of[c]] += (double)pe_index_count(&d->cells, c);
	}
	for (size_t c = 0; c < d->cells.n; c++)
		if (d->in[c] && blocks_of[d->commit_of[c]] > 1)
			ties[d->block_of[c]] += (double)pe_index_count(&d->cells, c);
	for (size_t c = 0; c < d->cells.n; c++) {
		size_t i = d->commit_of[c], b = d->block_of[c];
		double share = (double)pe_index_count(&d->cells, c) / fmax(1, readings_of[i]);

		if (d->in[c] && ties[b] > 0)
			out->block_variance[i] +=
				share * share * 1.5708 * spread[b] * spread[b] / ties[b];
	}
}

/* Shifts and levels of all blocks, and the spread of the readings that is left in each. */
static void polish(double *shift, double *level, double *spread, const struct pe_design *d,
		   const double *value, struct pe_arena *arena)
{
	struct block b = {.rounds = pe_arena_new(arena, size_t, d->n),
			  .scratch = pe_arena_new(arena, double, d->n)};

	for (size_t k = 0; k < d->blocks.n; k++) {
		b.reading = d->blocks.item + d->blocks.start[k];
		b.n = pe_index_count(&d->blocks, k);
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

/* The result before anything is taken away. */
static struct pe_rounds result_for(const struct pe_design *d, struct pe_arena *arena)
{
	size_t n = d->readings->n, n_commits = d->readings->n_commits;
	struct pe_rounds out = {pe_arena_new(arena, double, n), pe_arena_new(arena, bool, n),
				pe_arena_new(arena, size_t, n_commits), d->n_components,
				pe_arena_new(arena, double, n_commits)};

	for (size_t i = 0; i < n; i++)
		out.value[i] = d->readings->at[i].value;
	for (size_t i = 0; i < n_commits; i++)
		out.component[i] = d->component[i];
	return out;
}

struct pe_rounds pe_rounds_remove(const struct pe_readings *readings, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_design d = pe_design_of(readings, &work);
	struct pe_rounds out = result_for(&d, arena);
	double *shift = pe_arena_new(&work, double, d.rounds.n);
	double *level = pe_arena_new(&work, double, d.cells.n);
	double *spread = pe_arena_new(&work, double, d.blocks.n);
	double *offset = pe_arena_new(&work, double, d.blocks.n);

	polish(shift, level, spread, &d, out.value, &work);
	pe_link_blocks(offset, &d, level, &work);
	centre_components(offset, &d, &work);
	block_variances(&out, &d, spread, &work);
	for (size_t i = 0; i < d.n; i++) {
		size_t o = d.order[i];

		out.value[o] -= offset[d.block[o]] + shift[d.round[o]];
		out.used[o] = d.in[d.cell[o]];
	}
	return out;
}
