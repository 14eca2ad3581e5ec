#include "app/history/jump_functions.h"

#include "analysis/compare/functions.h"
#include "app/changes/bare_names.h"
#include "app/changes/changed_methods.h"
#include "core/base/vec.h"
#include "report/commit_blocks.h"
#include "report/gate.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_PAIRS = 400,    /* that are read, the worst first: they take a second */
	MOST_FUNCTIONS = 20, /* of a jump */
	MOST_INLINED = 2     /* changed methods that are no functions */
};

/* Of the largest amount: smaller ones are not listed. */
#define LEAST_SHARE 0.01

/* Functions whose counts vary, of the benchmarks so far; each is read once. */
struct varying {
	int64_t benchmark;
	struct pe_function_ranges ranges;
};

struct filling {
	struct pe_evolution *evolution;
	struct pe_app *app;
	PE_VEC(struct varying) varying;
	struct pe_comparer *comparer;
	size_t commit; /* whose methods `changed` has */
	struct pe_revision_changes changed;
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
	const struct pe_counts_query query = {PE_COUNTS_OF_FUNCTIONS,
					      filling->evolution->machine_key, benchmark, 0};
	struct varying one = {.benchmark = benchmark};

	for (size_t i = 0; i < filling->varying.n; i++)
		if (filling->varying.data[i].benchmark == benchmark) {
			*out = &filling->varying.data[i].ranges;
			return PE_OK;
		}
	PE_TRY(pe_store_counts_varying(&one.ranges, app->store, &query, app->arena, app->err));
	pe_vec_push(&filling->varying, one);
	*out = &filling->varying.data[filling->varying.n - 1].ranges;
	return PE_OK;
}

/* Whether amounts are large enough for a line next to a change of such a metric. */
static bool is_enough(const struct pe_function_changes *changes, const struct pe_metric *metric)
{
	const enum pe_measures measures = pe_metric_measures(metric);

	if (changes->n == 0)
		return false;
	return (measures != PE_MEASURES_TIME && measures != PE_MEASURES_MEMORY) ||
	       (double)llabs(changes->at[0].amount) >=
		       PE_FUNCTIONS_LEAST * (double)changes->old_whole;
}

/* Whether a function is a method of the source: of the same last name, and in the same file where both are known. */
static bool is_method(const struct pe_function_change *function, const struct pe_method *method,
		      struct pe_arena *arena)
{
	return method != NULL &&
	       (function->component[0] == '\0' ||
		strcmp(function->component, method->component) == 0) &&
	       strcmp(pe_bare_name(function->name, arena), pe_bare_name(method->name, arena)) == 0;
}

/* What the commit did to the source of a function; NULL: unknown. */
static const char *change_of(const struct pe_function_change *function,
			     const struct pe_revision_changes *changed, struct pe_arena *arena)
{
	for (size_t i = 0; i < changed->methods.n; i++) {
		const struct pe_method_change *one = &changed->methods.at[i];

		if (one->kind != PE_METHOD_MOVED && (is_method(function, one->after, arena) ||
						     is_method(function, one->before, arena)))
			return pe_method_change_name(one->kind);
	}
	return NULL;
}

/* Read a commit's changed methods if they are stored: nothing is parsed here. */
static int read_changed(struct filling *filling, size_t commit)
{
	const int64_t *mc = filling->evolution->mc;
	struct pe_app *app = filling->app;
	int rc = PE_OK;

	if (filling->commit == commit)
		return PE_OK;
	filling->commit = commit;
	filling->changed = (struct pe_revision_changes){.files = 0};
	if (mc == NULL || mc[commit] <= 0)
		return PE_OK;
	if (filling->comparer == NULL)
		filling->comparer = pe_comparer_new(app, false);
	rc = pe_changes_of(&filling->changed, filling->comparer,
			   &filling->evolution->revisions[commit], NULL, app->arena);
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* Whether a method may be inlined into a function that executes more or fewer: one of its file, or of a file not known. */
static bool may_be_inlined(const struct pe_method *method,
			   const struct pe_function_changes *changes)
{
	for (size_t i = 0; i < changes->n; i++)
		if (changes->at[i].component[0] == '\0' ||
		    strcmp(changes->at[i].component, method->component) == 0)
			return true;
	return false;
}

/* No function is a method that the commit changed: the methods are inlined, and named where they are few. */
static size_t take_inlined(struct pe_function_share *shares,
			   const struct pe_function_changes *changes,
			   const struct pe_revision_changes *changed, struct pe_arena *arena)
{
	size_t n = 0;

	for (size_t i = 0; i < changed->methods.n; i++) {
		const struct pe_method_change *one = &changed->methods.at[i];
		const struct pe_method *method = one->after != NULL ? one->after : one->before;

		if (one->kind == PE_METHOD_MOVED || one->kind == PE_METHOD_RENAMED ||
		    !may_be_inlined(method, changes))
			continue;
		if (n == MOST_INLINED)
			return 0;
		shares[n++] = (struct pe_function_share){
			.name = pe_arena_strdup(arena, method->name),
			.change = pe_method_change_name(one->kind),
		};
	}
	return n;
}

static void keep(struct pe_jump *jump, const struct pe_function_changes *changes,
		 const struct pe_revision_changes *changed, struct pe_arena *arena)
{
	const size_t all = changes->n + changes->n_varying + changes->n_same;
	const double least = LEAST_SHARE * (double)llabs(changes->at[0].amount);
	struct pe_function_share *shares =
		pe_arena_new(arena, struct pe_function_share, MOST_FUNCTIONS);
	size_t n = 0;

	for (int others = 0; others < 2; others++) {
		for (size_t i = 0; i < (others ? changes->n : all) && n < MOST_FUNCTIONS; i++) {
			const struct pe_function_change *one = &changes->at[i];
			const char *change = change_of(one, changed, arena);

			/* Code without a symbol, such as the stubs of calls into libraries, is no help to a reader. */
			if (strcmp(one->name, "???") == 0)
				continue;
			if (others ? change == NULL && (double)llabs(one->amount) >= least
				   : change != NULL)
				shares[n++] = (struct pe_function_share){
					pe_arena_strdup(arena, one->name), one->amount, change};
		}
		n = n == 0 ? take_inlined(shares, changes, changed, arena) : n;
	}
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
	struct pe_counts_query query = {PE_COUNTS_OF_FUNCTIONS, evolution->machine_key,
					line->benchmark_key, 0};

	for (size_t i = 0; i < 2 && (i == 0 || sides[0].runs > 0); i++) {
		query.revision = evolution->revisions[revisions[i]].key;
		PE_TRY(pe_store_counts(&sides[i], app->store, &query, &scratch, app->err));
	}
	if (sides[0].runs == 0 || sides[1].runs == 0)
		return PE_OK;
	PE_TRY(varying_of(&varying, filling, line->benchmark_key));
	pe_functions_compare(&changes, &sides[0], &sides[1], varying, &scratch);
	if (!is_enough(&changes, line->metric))
		return PE_OK;
	PE_TRY(read_changed(filling, jump->after));
	keep(jump, &changes, &filling->changed, app->arena);
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

/* The stored answer of the nearest revision at or before one, else after it: neighbours most often execute the same. */
static const char *chosen_at(const struct pe_evolution *evolution, size_t revision,
			     const struct pe_chosen *chosen, size_t n)
{
	const struct pe_chosen *found = NULL;

	for (size_t r = revision + 1; r-- > 0 && found == NULL;)
		found = find_chosen(chosen, n, evolution->revisions[r].key);
	for (size_t r = revision + 1; r < evolution->n_revisions && found == NULL; r++)
		found = find_chosen(chosen, n, evolution->revisions[r].key);
	return found != NULL ? found->function : "";
}

static int mark_generic(struct pe_evolution *evolution, struct pe_line *line, struct pe_app *app)
{
	struct pe_chosen *chosen;
	size_t n;

	PE_TRY(pe_store_chosen(&chosen, &n, app->store, evolution->machine_key, line->benchmark_key,
			       app->arena, app->err));
	/* Where nothing was timed, counts without a jump say nothing of this processor, either. */
	if (evolution->counts_only && line->n_jumps == 0 && n > 0) {
		const char *function = chosen_at(evolution, evolution->n_revisions - 1, chosen, n);

		if (*function != '\0')
			pe_app_note(app, "%s: " PE_COUNTS_GENERIC, line->benchmark, function);
	}
	for (size_t i = 0; n > 0 && i < line->n_jumps; i++) {
		struct pe_jump *jump = &line->jumps[i];
		const char *function = chosen_at(evolution, jump->after, chosen, n);

		if (*function == '\0')
			function = chosen_at(evolution, jump->before, chosen, n);
		if (*function != '\0')
			jump->generic = pe_arena_printf(app->arena, PE_COUNTS_GENERIC, function);
	}
	return PE_OK;
}

int pe_jump_functions_fill(struct pe_evolution *evolution, struct pe_app *app)
{
	struct filling filling = {.evolution = evolution, .app = app, .commit = SIZE_MAX};
	size_t n, pairs = 0;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, app->arena);
	int rc = PE_OK;

	for (size_t b = 0; b < n; b++)
		for (size_t i = 0, run; i < blocks[b].n; i += run) {
			const struct pe_ranked_jump *chosen;

			run = pe_commit_block_run(&blocks[b], i);
			chosen = choose(&blocks[b].jumps[i], run);
			if (rc == PE_OK && chosen->jump->layout != PE_LAYOUT_ONLY &&
			    chosen->line->benchmark_key != 0 && pairs++ < MOST_PAIRS)
				rc = fill_jump(&filling, chosen);
		}
	for (size_t i = 0; rc == PE_OK && i < evolution->n_lines; i++) {
		struct pe_line *line = &evolution->lines[i];

		if (line->benchmark_key != 0 &&
		    strcmp(line->metric->name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
			rc = mark_generic(evolution, line, app);
	}
	pe_comparer_free(filling.comparer);
	pe_vec_release(&filling.varying);
	return rc;
}
