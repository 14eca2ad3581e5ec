/*
 * The jump of the history between old and new. Where fresh pairs of runs of these two confirmed one, its size is the size of
 * the change: it rests on more pairs than a comparison runs, and the same change has the same size everywhere.
 */
#include "app/history/cells.h"
#include "app/history/detect.h"
#include "app/history/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions of old and new in the evolution. */
struct ends {
	size_t old, new;
};

/*
 * The jump between old and new, where it was confirmed by fresh pairs of runs. Commits that lie between were not paired
 * with each other, and levels of a series come from other sessions, too: neither stands for runs of these two.
 */
static const struct pe_jump *find_jump(const struct pe_line *line, struct ends ends)
{
	for (size_t i = 0; i < line->n_jumps; i++) {
		const struct pe_jump *jump = &line->jumps[i];

		if (jump->before == ends.old && jump->after == ends.new)
			return jump->estimate == PE_ESTIMATE_PAIRS &&
					       (jump->state == PE_JUMP_CONFIRMED ||
						jump->state == PE_JUMP_ACCEPTED)
				       ? jump
				       : NULL;
	}
	return NULL;
}

/* More pairs than were run for the comparison say more. The change and both levels are theirs. */
static void take_jump(struct pe_compare_value *value, const struct pe_jump *jump,
		      const struct pe_evolution *evolution)
{
	value->layout = jump->layout == PE_LAYOUT_ONLY;
	if (value->contradicted || jump->pairs <= value->old_n || !isfinite(jump->relative))
		return;
	value->jump = jump;
	value->jump_id = evolution->revisions[jump->after].id;
	value->relative = jump->relative;
	value->low = jump->low;
	value->high = jump->high;
	value->verdict = jump->regression ? PE_REGRESSED : PE_IMPROVED;
	value->old_value = jump->old_level;
	value->new_value = jump->new_level;
}

static void take_jumps(struct pe_compare_pair *pair, const struct pe_evolution *evolution,
		       struct ends ends)
{
	for (size_t f = 0; f < pair->n_values; f++) {
		struct pe_compare_value *value = &pair->values[f];

		for (size_t l = 0; l < evolution->n_lines && !value->exact; l++) {
			const struct pe_line *line = &evolution->lines[l];
			const struct pe_jump *jump;

			if (strcmp(line->benchmark, pair->name) != 0 ||
			    strcmp(line->metric->name, value->metric->name) != 0)
				continue;
			jump = find_jump(line, ends);
			if (jump != NULL)
				take_jump(value, jump, evolution);
		}
	}
}

int pe_cells_take_jumps(const struct pe_cells_jumps *jumps, struct pe_app *app)
{
	struct pe_evolution *evolution = pe_arena_new(app->arena, struct pe_evolution, 1);
	struct pe_detect_opts opts = {0};
	struct pe_revisions revisions;
	struct ends ends;
	int rc;

	/* A tree that was not committed is on no line. */
	if (pe_values_line(&revisions, app, jumps->ids[1]) != PE_OK) {
		*app->err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	opts.revisions = &revisions;
	opts.benchmarks = jumps->benchmarks;
	opts.n_benchmarks = jumps->n;
	opts.machine = jumps->machine;
	opts.silent = true;
	rc = pe_detect_load(evolution, app, &opts);
	if (rc == PE_ENOTFOUND) {
		*app->err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	PE_TRY(rc);
	ends = (struct ends){
		pe_revision_find(evolution->revisions, evolution->n_revisions, jumps->ids[0]),
		pe_revision_find(evolution->revisions, evolution->n_revisions, jumps->ids[1])};
	for (size_t p = 0; ends.old < ends.new &&ends.new < evolution->n_revisions &&p < jumps->n;
	     p++)
		take_jumps(&jumps->pairs[p], evolution, ends);
	return PE_OK;
}
