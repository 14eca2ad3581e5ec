#include "core/stats/link.h"

#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* The system for the blocks' offsets once the commits' levels are eliminated: S w = rhs. */
struct link {
	const struct pe_design *d;
	const double *level;   /* one a cell */
	double *weight;        /* one a cell; 0: does not count */
	double *commit_weight; /* one a commit: sum over its cells */
	double *commit_sum;    /* one a commit: scratch */
	size_t n_commits;
};

/* out = S w, with S = diag(block weights) - W' diag(1 / commit weights) W. */
static void link_apply(double *out, const struct link *link, const double *w)
{
	const struct pe_design *d = link->d;

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
	const struct pe_design *d = link->d;

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
 * together) but the right side is in its range, where the method converges all the same.
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
	const struct pe_design *d = link->d;
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
		residual[c] = sqrt((double)pe_index_count(&d->cells, c)) *
			      (link->level[c] - w[d->block_of[c]] -
			       link->commit_sum[i] / link->commit_weight[i]);
		/* A commit in one block only always fits, and is no evidence of the fit. */
		if (link->weight[c] < link->commit_weight[i])
			scratch[n++] = residual[c];
	}
	scale = pe_order_scale(scratch, n);
	for (size_t c = 0; c < d->cells.n; c++) {
		double bound = 1.345 * scale; /* 95 % efficient under normal noise */

		if (link->weight[c] > 0)
			link->weight[c] = (double)pe_index_count(&d->cells, c) *
					  (fabs(residual[c]) <= bound || scale <= 0
						   ? 1
						   : bound / fabs(residual[c]));
	}
}

void pe_link_blocks(double *offset, const struct pe_design *d, const double *level,
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
			link.weight[c] = (double)pe_index_count(&d->cells, c);
	if (d->blocks.n < 2)
		return;
	for (int pass = 0; pass < 6; pass++) {
		link_solve(offset, &link, arena);
		link_reweigh(&link, offset, residual, scratch);
	}
}
