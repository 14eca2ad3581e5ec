/* Jump functions: which functions execute more or fewer instructions after a jump, by counts that the store has. */
#pragma once

#include "app/app.h"
#include "core/model/evolution.h"

/**
 * Fill in the functions of the jumps of an evolution from the store: of each commit and benchmark those of one jump, that of
 * instructions where there is one. Nothing is built, run or profiled. A commit and benchmark without counts of both sides,
 * or of which only placement in memory differs, is left as it is. Jumps of memory and time have functions only where these
 * change the execution by PE_FUNCTIONS_LEAST at least.
 *
 * @param evolution  with keys of its revisions and `machine_key`; the arrays are in app->arena
 */
int pe_jump_functions_fill(struct pe_evolution *evolution, struct pe_app *app);
