/* Crossing: the changed methods of the source beside the changed functions of the programs. */
#pragma once

#include "app/changes/code.h"
#include "analysis/methods/code.h"

/**
 * Fill in the effect of each changed method, the functions that were recompiled although their source is the same, each
 * with its reason, and the counts.
 *
 * A function is matched to the method of its file whose lines contain its own; without debug information to the method
 * of its name. A method that was inlined everywhere has no function: it has the effect of its hosts.
 *
 * @param out  in the context's arena; programs, identical and exact are the caller's
 */
int pe_crossing_fill(struct pe_crossing *out, struct pe_app *app,
		     const struct pe_revision_changes *changes, const struct pe_program *before,
		     const struct pe_program *after);

/**
 * The unqualified name in the source of a linkage name: C's without what the compiler appended (".cold"), C++'s
 * as the Itanium ABI writes it; operators and lambdas have none.
 *
 * @return  in the arena; "": none
 */
const char *pe_source_name(const char *linkage, struct pe_arena *arena);

/** Whether a linkage name is of Rust, of either scheme. */
bool pe_source_is_rust(const char *linkage);
