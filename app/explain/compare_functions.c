/*
 * What functions execute on both sides, from stored counts: those of this comparison are among them. What is exact there
 * is told to all that explains times: the verdict and the critical graph ask more of a method that executes exactly as
 * many instructions as it did, and less of one that is known to execute more.
 */
#include "app/explain/compare.h"
#include "app/measure/session.h"

#include <string.h>

int pe_comparing_functions(struct pe_compare_pair *pair, struct pe_comparing *comparing,
			   const struct pe_session *session, struct pe_calls_cell old_cell,
			   struct pe_calls_cell new_cell)
{
	struct pe_app *app = comparing->app;
	struct pe_function_ranges ranges[2], varying = {NULL, 0, 0};
	struct pe_function_changes *changes;
	int rc = pe_store_functions(&ranges[0], app->store, session->machine_key, old_cell.revision,
				    old_cell.benchmark, app->arena, app->err);

	pair->functions = NULL;
	if (rc == PE_OK)
		rc = pe_calls_compare(&pair->calls, app, session->machine_key, old_cell, new_cell);
	if (rc == PE_OK)
		rc = pe_store_functions(&ranges[1], app->store, session->machine_key,
					new_cell.revision, new_cell.benchmark, app->arena,
					app->err);
	if (rc != PE_OK || ranges[0].runs == 0 || ranges[1].runs == 0)
		return rc;
	rc = pe_store_functions_varying(&varying, app->store, session->machine_key,
					new_cell.benchmark, app->arena, app->err);
	if (rc != PE_OK)
		return rc;
	changes = pe_arena_new(app->arena, struct pe_function_changes, 1);
	pe_functions_compare(changes, &ranges[0], &ranges[1], &varying, app->arena);
	pair->functions = changes;
	return PE_OK;
}

void pe_comparing_join_functions(struct pe_compare_pair *pair, struct pe_comparing *comparing)
{
	const struct pe_frames *frames = &comparing->frames;
	struct pe_function_changes *functions = pair->functions;
	struct pe_arena *arena = comparing->app->arena;
	struct pe_changes *changes;
	struct pe_frame_change *at;

	if (functions == NULL || pair->changes == NULL)
		return;
	pe_functions_join(functions, frames, pair->charges, pe_comparing_renamed(comparing), arena);
	changes = pe_arena_new(arena, struct pe_changes, 1);
	at = pe_arena_new(arena, struct pe_frame_change, frames->n);
	memcpy(at, pair->changes->at, pair->changes->n * sizeof(*at));
	for (uint32_t f = 0; f < frames->n; f++)
		at[f].executed = (uint8_t)functions->by_frame[f].executed;
	for (size_t i = 0; i < functions->n + functions->n_varying + functions->n_same; i++)
		if (functions->at[i].frame != PE_FRAME_NONE)
			functions->at[i].change = at[functions->at[i].frame];
	*changes = (struct pe_changes){at, frames->n};
	pair->changes = changes;
}
