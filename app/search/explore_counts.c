/*
 * Following counts while a range is explored: where two measured revisions differ by an exact count, the count is bisected
 * by counting alone, which needs no quiet machine and no run of the budget. Times are likelier to have moved at the places
 * where it moved: so these are timed before others.
 *
 * Where builds count the same, none of this is done. A run that counts here is not counted again in a timed batch.
 */
#include "app/search/explore_internal.h"

#include "core/base/sort.h"
#include "core/stats/bisect.h"
#include "core/stats/explore.h"

#include <math.h>
#include <stdlib.h>

/* Two revisions next to each other among those with a count, by which they differ. */
struct step {
	size_t line, left, right;
	size_t ask; /* between them; SIZE_MAX: there is none */
	double size;
};

typedef PE_VEC(struct step) step_vec;

/* The value of each revision, its own or that of one that executes the same; NaN: none. */
static double *values_of(const struct pe_exploring *all, const struct pe_explore_line *line,
			 struct pe_arena *arena)
{
	double *values = pe_arena_new(arena, double, all->n);
	int64_t newest = INT64_MIN;

	for (size_t i = 0; i < all->n; i++)
		values[i] = NAN;
	/* Counts before and after a library was replaced cannot be compared. */
	for (size_t k = 0; k < line->readings.n; k++)
		if (line->readings.data[k].batch > newest)
			newest = line->readings.data[k].batch;
	for (size_t k = 0; k < line->readings.n; k++)
		if (line->readings.data[k].batch == newest)
			values[line->readings.data[k].commit] = line->readings.data[k].value;
	for (size_t i = 0; i < all->n; i++)
		if (isnan(values[i]))
			values[i] = values[all->at[i].same];
	return values;
}

static bool is_step(const struct pe_metric *metric, double from, double to)
{
	double size = fabs(to - from);

	return size > 0 && size >= metric->min_absolute &&
	       size >= metric->min_relative * fabs(from);
}

static void add_steps(step_vec *out, const struct pe_exploring *all, size_t line,
		      struct pe_arena *arena)
{
	const struct pe_metric *metric = all->lines.data[line].metric;
	double *values;
	size_t left = SIZE_MAX;

	if (metric->kind != PE_METRIC_DETERMINISTIC || !pe_metric_is_counted(metric))
		return;
	values = values_of(all, &all->lines.data[line], arena);
	for (size_t i = 0; i < all->n; i++) {
		if (isnan(values[i]))
			continue;
		if (left != SIZE_MAX && is_step(metric, values[left], values[i]))
			pe_vec_push(out, ((struct step){line, left, i, SIZE_MAX,
							fabs(values[i] - values[left]) /
								fmax(fabs(values[left]),
								     fabs(values[i]))}));
		left = i;
	}
}

static step_vec find_steps(const struct pe_exploring *all, struct pe_arena *arena)
{
	step_vec out = {NULL, 0, 0};

	for (size_t line = 0; line < all->lines.n; line++)
		add_steps(&out, all, line, arena);
	return out;
}

/* --- Weights of the places --- */

void pe_exploring_suppose(struct pe_exploring *all)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_free step_vec steps = find_steps(all, &arena);
	double *weights = pe_arena_new(&arena, double, all->n);
	double sum = 0;

	for (size_t i = 0; i < all->n; i++)
		weights[i] = all->prior[i];
	for (size_t i = 1; i < all->n; i++)
		sum += weights[i];
	/* Each place is believed as the only one would be, and none for another's sake less. */
	for (size_t k = 0; k < steps.n; k++)
		for (size_t i = steps.data[k].left + 1; i <= steps.data[k].right; i++)
			weights[i] += PE_BISECT_TRUST / (1 - PE_BISECT_TRUST) * sum /
				      (double)steps.n /
				      (double)(steps.data[k].right - steps.data[k].left);
	for (size_t i = 0; i < all->n; i++)
		all->at[i].weight = weights[i];
	all->supposes = steps.n > 0;
}

/* --- Counting alone --- */

/* Revisions that may still be counted: at most a part of all, since each has to save others their timed runs. */
static size_t count_left(const struct pe_exploring *all)
{
	size_t most = (size_t)(PE_EXPLORE_SHARE * (double)all->n), counted = 0;

	for (size_t i = 0; i < all->n; i++) {
		bool some = false, timed = false;

		for (size_t w = 0; w < all->width; w++) {
			const struct pe_coverage *have = pe_exploring_cell(all, i, w);

			some |= have != NULL && have->counted > 0;
			timed |= have != NULL && have->timed > 0;
		}
		counted += some && !timed;
	}
	return most > counted ? most - counted : 0;
}

PE_SORT_DOWN_BY(by_size, struct step, size, left);

/* What halves the steps that are open, the largest first; they come first in *steps. *which: wanted revisions. */
static size_t choose(size_t *which, const struct pe_exploring *all, step_vec *steps,
		     struct pe_arena *arena)
{
	struct pe_explore_revision *at = pe_arena_new(arena, struct pe_explore_revision, all->n);
	bool *taken = pe_arena_new(arena, bool, all->n);
	size_t left = count_left(all), most = left < all->slots ? left : all->slots, n = 0;

	for (size_t i = 0; i < all->n; i++) {
		at[i] = all->at[i];
		at[i].weight = all->prior[i];
		at[i].lost |= all->asked[i];
	}
	pe_sort(steps->data, steps->n, by_size);
	for (size_t k = 0; k < steps->n; k++) {
		struct step *step = &steps->data[k];

		step->ask = pe_explore_halve(at, all->n, step->left, step->right);
		if (step->ask == SIZE_MAX || taken[step->ask])
			continue;
		if (n == most) {
			step->ask = SIZE_MAX;
			continue;
		}
		taken[step->ask] = true;
		which[n++] = step->ask;
	}
	return n;
}

/* Count what was loaded, of the benchmarks whose counts differ around it; what executes the same as another has its results. */
static int count_steps(struct pe_exploring *all, const step_vec *steps)
{
	struct pe_cell **cells = pe_arena_new(&all->scratch, struct pe_cell *, steps->n);
	size_t n = 0;

	for (size_t k = 0; k < steps->n; k++) {
		const size_t i = steps->data[k].ask;
		const size_t w = all->lines.data[steps->data[k].line].benchmark;
		struct pe_cell *cell;
		bool reused = false, twice = false;

		if (i == SIZE_MAX || !pe_engine_is_loaded(all->engine, all->first + i))
			continue;
		cell = pe_engine_cell(all->engine, all->first + i, w);
		for (size_t c = 0; c < n; c++)
			twice |= cells[c] == cell;
		if (twice || pe_exploring_cell(all, i, w) != NULL)
			continue;
		if (all->reuse != NULL)
			PE_TRY(pe_reuse_try(&reused, all->reuse, &all->known, cell->revision, w,
					    pe_engine_tree_of(all->engine, cell->revision)));
		all->session->n_reused += reused;
		if (!reused)
			cells[n++] = cell;
	}
	PE_TRY(pe_reuse_keep(all->reuse));
	return pe_engine_count_all(all->engine, cells, n, pe_exploring_ends_ns(all));
}

int pe_exploring_follow(bool *counted, struct pe_exploring *all)
{
	pe_auto_free size_t *which = pe_realloc(NULL, all->n + 1, sizeof(*which));

	*counted = false;
	while (!pe_exploring_is_out_of_time(all)) {
		pe_auto_arena arena = PE_ARENA_INIT;
		pe_auto_free step_vec steps = find_steps(all, &arena);
		const size_t n = choose(which, all, &steps, &arena);

		if (n == 0)
			break;
		for (size_t i = 0; i < n; i++) {
			all->asked[which[i]] = true;
			which[i] += all->first;
		}
		PE_TRY(pe_engine_load(all->engine, which, n));
		PE_TRY(count_steps(all, &steps));
		*counted = true;
		PE_TRY(pe_exploring_look(all));
		PE_TRY(pe_exploring_load_lines(all));
	}
	return PE_OK;
}
