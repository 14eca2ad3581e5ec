#include "core/stats/moved.h"

#include "core/base/arena.h"
#include "core/stats/compare.h"
#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* The pairs of all cells. @return  how many they are */
static size_t pair_up(double *before, double *now, const struct pe_moved_cell *cells, size_t n)
{
	size_t pairs = 0;

	for (size_t c = 0; c < n; c++)
		for (size_t k = 0; k < cells[c].n_before && k < cells[c].n_now; k++) {
			before[pairs] = cells[c].before[k];
			now[pairs++] = cells[c].now[k];
		}
	return pairs;
}

static double median_of(const double *values, size_t n, struct pe_arena *arena)
{
	double *copy = pe_arena_new(arena, double, n);

	memcpy(copy, values, n * sizeof(*copy));
	return pe_order_median(copy, n);
}

static size_t end_of_benchmark(const struct pe_moved_cell *cells, size_t n, size_t first)
{
	size_t end = first;

	while (end < n && cells[end].benchmark == cells[first].benchmark)
		end++;
	return end;
}

/* By how much each voter moved, as a logarithm. @return  how many they are */
static size_t find_votes(double *votes, const struct pe_moved_cell *cells, size_t n,
			 struct pe_arena *arena)
{
	double *by = pe_arena_new(arena, double, n);
	size_t n_votes = 0;

	for (size_t c = 0; c < n; c++)
		by[c] = log(median_of(cells[c].now, cells[c].n_now, arena) /
			    median_of(cells[c].before, cells[c].n_before, arena));
	if (n == 0 || end_of_benchmark(cells, n, 0) == n) {
		memcpy(votes, by, n * sizeof(*votes));
		return n;
	}
	for (size_t first = 0, end; first < n; first = end) {
		end = end_of_benchmark(cells, n, first);
		votes[n_votes++] = pe_order_median(by + first, end - first);
	}
	return n_votes;
}

static bool agree(const double *votes, size_t n, double moved)
{
	size_t in_favour = 0;

	for (size_t i = 0; i < n; i++)
		in_favour += votes[i] * moved > 0 && fabs(votes[i]) >= fabs(moved) / 2;
	return in_favour >= 2 && in_favour >= 2 * (n - in_favour);
}

struct pe_moved pe_moved_find(const struct pe_moved_cell *cells, size_t n)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_comparison found;
	double *before, *now, *votes = pe_arena_new(&arena, double, n);
	size_t runs = 0, n_votes;

	for (size_t c = 0; c < n; c++)
		runs += cells[c].n_before;
	before = pe_arena_new(&arena, double, runs);
	now = pe_arena_new(&arena, double, runs);
	opts.min_relative = 0.01;
	found = pe_compare_paired(before, now, pair_up(before, now, cells, n), &opts);
	n_votes = find_votes(votes, cells, n, &arena);
	return (struct pe_moved){
		.moved = (found.verdict == PE_REGRESSED || found.verdict == PE_IMPROVED) &&
			 agree(votes, n_votes, log1p(found.relative)),
		.relative = found.relative,
		.low = found.low,
		.high = found.high,
	};
}
