/*
 * Functions: joins the counts of functions with the changes of frames. The attribution requires more evidence for a method
 * with exactly as many instructions as before, and less for one that executes more.
 */
#include "app/explain/compare.h"

#include <string.h>

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
