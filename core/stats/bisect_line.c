/* The line that searches share, and what is likely before anything is measured. */
#include "core/stats/bisect_inner.h"

#include <assert.h>

struct pe_bisect_line *pe_bisect_line_new(size_t n, struct pe_arena *arena)
{
	struct pe_bisect_line *line = pe_arena_new(arena, struct pe_bisect_line, 1);

	assert(n >= 2);
	*line = (struct pe_bisect_line){.n = n,
					.weight = pe_arena_new(arena, double, n),
					.build = pe_arena_new(arena, size_t, n),
					.skipped = pe_arena_new(arena, bool, n),
					.run_cost = pe_arena_new(arena, double, n),
					.build_cost = pe_arena_new(arena, double, n)};
	for (size_t i = 0; i < n; i++) {
		line->weight[i] = line->run_cost[i] = 1;
		line->build[i] = i;
	}
	return line;
}

void pe_bisect_line_same(struct pe_bisect_line *line, size_t i)
{
	const size_t was = line->build[i];

	assert(i > 0 && i < line->n);
	for (size_t k = i; k < line->n && line->build[k] == was; k++)
		line->build[k] = line->build[i - 1];
}

size_t pe_bisect_line_cheapest(const struct pe_bisect_line *line, size_t from, size_t end)
{
	size_t best = SIZE_MAX;

	for (size_t i = from; i < end && line->build[i] == line->build[from]; i++)
		if (!line->skipped[i] &&
		    (best == SIZE_MAX || line->run_cost[i] + line->build_cost[i] <
						 line->run_cost[best] + line->build_cost[best]))
			best = i;
	return best;
}

size_t pe_bisect_member(const struct pe_bisect *b, size_t build)
{
	const size_t first = b->first,
		     i = pe_bisect_line_cheapest(b->line, first + build, first + b->n);

	return i != SIZE_MAX ? i - first : SIZE_MAX;
}

void pe_bisect_temper(double *weights, size_t n, double trust)
{
	double sum = 0;

	for (size_t k = 1; k < n; k++)
		sum += weights[k];
	for (size_t k = 1; k < n; k++)
		weights[k] = sum > 0 ? trust * weights[k] / sum + (1 - trust) / (double)(n - 1)
				     : 1 / (double)(n - 1);
}

void pe_bisect_suppose(double *weights, size_t n, size_t first, size_t last, double trust)
{
	for (size_t k = 1; k < n; k++)
		weights[k] *= 1 - trust;
	for (size_t k = first; k <= last; k++)
		weights[k] += trust / (double)(last - first + 1);
}
