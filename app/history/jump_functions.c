#include "app/history/jump_functions.h"

#include "analysis/compare/functions.h"
#include "core/base/vec.h"
#include "report/commit_blocks.h"
#include "report/gate.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_PAIRS = 400,   /* that are read, the worst first: a second's worth */
	MOST_FUNCTIONS = 20 /* of a jump */
};

/* Of the largest amount: smaller ones are not listed. */
#define LEAST_SHARE 0.01

/* What varies of the benchmarks that were asked for, each read once. */
struct varying {
	int64_t benchmark;
	struct pe_function_ranges ranges;
};

struct filling {
	struct pe_evolution *evolution;
	struct pe_app *app;
	PE_VEC(struct varying) varying;
};

/* The jump of a benchmark that has the functions: smaller stands first. */
static int rank_of(const struct pe_metric *metric)
{
	const enum pe_measures measures = pe_metric_measures(metric);

	return measures == PE_MEASURES_INSTRUCTIONS ? -1 : (int)measures;
}

static const struct pe_ranked_jump *choose(const struct pe_ranked_jump *jumps, size_t n)
{
	const struct pe_ranked_jump *best = &jumps[0];

	for (size_t i = 1; i < n; i++)
		if (rank_of(jumps[i].line->metric) < rank_of(best->line->metric))
			best = &jumps[i];
	return best;
}

static int varying_of(const struct pe_function_ranges **out, struct filling *filling,
		      int64_t benchmark)
{
	struct pe_app *app = filling->app;
	struct varying one = {.benchmark = benchmark};
	int rc;

	for (size_t i = 0; i < filling->varying.n; i++)
		if (filling->varying.data[i].benchmark == benchmark) {
			*out = &filling->varying.data[i].ranges;
			return PE_OK;
		}
	rc = pe_store_functions_varying(&one.ranges, app->store, filling->evolution->machine_key,
					benchmark, app->arena, app->err);
	pe_vec_push(&filling->varying, one);
	*out = &filling->varying.data[filling->varying.n - 1].ranges;
	return rc;
}

/* Whether amounts are worth a line beside a change of such a metric. */
static bool is_enough(const struct pe_function_changes *changes, const struct pe_metric *metric)
{
	const enum pe_measures measures = pe_metric_measures(metric);

	if (changes->n == 0)
		return false;
	return (measures != PE_MEASURES_TIME && measures != PE_MEASURES_MEMORY) ||
	       (double)llabs(changes->at[0].amount) >=
		       PE_FUNCTIONS_LEAST * (double)changes->old_whole;
}

static void keep(struct pe_jump *jump, const struct pe_function_changes *changes,
		 struct pe_arena *arena)
{
	const double least = LEAST_SHARE * (double)llabs(changes->at[0].amount);
	struct pe_function_share *shares =
		pe_arena_new(arena, struct pe_function_share, MOST_FUNCTIONS);
	size_t n = 0;

	for (size_t i = 0; i < changes->n && n < MOST_FUNCTIONS; i++)
		if ((double)llabs(changes->at[i].amount) >= least)
			shares[n++] = (struct pe_function_share){
				pe_arena_strdup(arena, changes->at[i].name), changes->at[i].amount};
	jump->functions = shares;
	jump->n_functions = n;
}

static int fill_jump(struct filling *filling, const struct pe_ranked_jump *ranked)
{
	const struct pe_line *line = ranked->line;
	struct pe_evolution *evolution = filling->evolution;
	struct pe_jump *jump =
		&evolution->lines[line - evolution->lines].jumps[ranked->jump - line->jumps];
	struct pe_app *app = filling->app;
	pe_auto_arena scratch = PE_ARENA_INIT;
	const struct pe_function_ranges *varying;
	struct pe_function_ranges sides[2] = {{.runs = 0}};
	struct pe_function_changes changes;
	const size_t revisions[] = {jump->before, jump->after};
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < 2 && (i == 0 || sides[0].runs > 0); i++)
		rc = pe_store_functions(&sides[i], app->store, evolution->machine_key,
					evolution->keys[revisions[i]], line->benchmark_key,
					&scratch, app->err);
	if (rc != PE_OK || sides[0].runs == 0 || sides[1].runs == 0)
		return rc;
	rc = varying_of(&varying, filling, line->benchmark_key);
	if (rc != PE_OK)
		return rc;
	pe_functions_compare(&changes, &sides[0], &sides[1], varying, &scratch);
	if (is_enough(&changes, line->metric))
		keep(jump, &changes, app->arena);
	return PE_OK;
}

/* --- Counts of the generic code --- */

static const struct pe_chosen *find_chosen(const struct pe_chosen *chosen, size_t n,
					   int64_t revision)
{
	for (size_t i = 0; i < n; i++)
		if (chosen[i].revision == revision)
			return &chosen[i];
	return NULL;
}

/* What is known at the nearest revision at or before one, else behind it: other revisions execute the same, most often. */
static const char *chosen_at(const struct pe_evolution *evolution, size_t revision,
			     const struct pe_chosen *chosen, size_t n)
{
	const struct pe_chosen *found = NULL;

	for (size_t r = revision + 1; r-- > 0 && found == NULL;)
		found = find_chosen(chosen, n, evolution->keys[r]);
	for (size_t r = revision + 1; r < evolution->n_revisions && found == NULL; r++)
		found = find_chosen(chosen, n, evolution->keys[r]);
	return found != NULL ? found->function : "";
}

static int mark_generic(struct pe_evolution *evolution, struct pe_line *line, struct pe_app *app)
{
	struct pe_chosen *chosen;
	size_t n;
	int rc = pe_store_chosen(&chosen, &n, app->store, evolution->machine_key,
				 line->benchmark_key, app->arena, app->err);

	for (size_t i = 0; rc == PE_OK && n > 0 && i < line->n_jumps; i++) {
		struct pe_jump *jump = &line->jumps[i];
		const char *function = chosen_at(evolution, jump->after, chosen, n);

		if (*function == '\0')
			function = chosen_at(evolution, jump->before, chosen, n);
		if (*function != '\0')
			jump->generic = pe_arena_printf(app->arena, PE_COUNTS_GENERIC, function);
	}
	return rc;
}

int pe_jump_functions_fill(struct pe_evolution *evolution, struct pe_app *app)
{
	struct filling filling = {.evolution = evolution, .app = app};
	size_t n, pairs = 0;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, app->arena);
	int rc = PE_OK;

	for (size_t b = 0; b < n && evolution->keys != NULL; b++)
		for (size_t i = 0, run; i < blocks[b].n; i += run) {
			const struct pe_ranked_jump *chosen;

			run = pe_commit_block_run(&blocks[b], i);
			chosen = choose(&blocks[b].jumps[i], run);
			if (rc == PE_OK && chosen->jump->layout != PE_LAYOUT_ONLY &&
			    chosen->line->benchmark_key != 0 && pairs++ < MOST_PAIRS)
				rc = fill_jump(&filling, chosen);
		}
	for (size_t i = 0; rc == PE_OK && evolution->keys != NULL && i < evolution->n_lines; i++) {
		struct pe_line *line = &evolution->lines[i];

		if (line->n_jumps > 0 && line->benchmark_key != 0 &&
		    strcmp(line->metric->name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
			rc = mark_generic(evolution, line, app);
	}
	pe_vec_release(&filling.varying);
	return rc;
}
