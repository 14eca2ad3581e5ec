/*
 * Bare names: methods by the last part of their names, on which sources, symbols and profiles agree. To take one method
 * for another of the same name only asks for a look.
 */
#pragma once

#include "app/app.h"
#include "analysis/methods/method.h"

/** The bare name in the arena: "probe" of "ns::table::probe(int)" and of "(Table).probe". */
const char *pe_bare_name(const char *name, struct pe_arena *arena);

/** The names that changed methods had and have, without those that were renamed or moved alone; each once, ascending. */
struct pe_strings pe_bare_names_changed(const struct pe_method_changes *changes,
					struct pe_arena *arena);

/**
 * The names of the methods in the newest of some stored profiles of a benchmark, each once, ascending.
 *
 * @param profiled  false: it has none
 */
int pe_bare_names_executed(struct pe_strings *out, bool *profiled, struct pe_app *app,
			   const struct pe_stored_profile *profiles, size_t n, int64_t benchmark,
			   struct pe_arena *arena);
