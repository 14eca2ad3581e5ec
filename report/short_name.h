/* Short name: names of functions cut to a width at their least informative parts, so that those of one table or tree stay distinct. */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stddef.h>

struct pe_short_name {
	const char *name; /**< with its parameters; control characters are dropped */
	size_t columns;   /**< that it may take */
	const char *
		shown; /**< set by pe_short_names_fit(): the name itself, or a string of the arena */
};

/**
 * Shorten the names of one table or tree. Of a name that is too wide parameters and return type go first, then template
 * arguments, then qualifiers from the left. Its last component stays with the suffix of a clone (".isra.0"), in part
 * where it alone is wider. Different names stay different: those that would look alike show the part in which they differ.
 *
 * @param gap  stands where something was left out: "…", or "~" on a terminal without it
 */
void pe_short_names_fit(struct pe_short_name *names, size_t n, const char *gap,
			struct pe_arena *arena);

/** Append one name, shortened with "…" as pe_short_names_fit() does. */
void pe_short_name_add(struct pe_text *out, const char *name, size_t columns);
