/* Exclude: a tree without the nodes of some methods, as if they had been inlined into their callers. */
#ifndef PE_PROFILE_EXCLUDE_H
#define PE_PROFILE_EXCLUDE_H

#include "analysis/profile/cct.h"

#include <stdbool.h>

/**
 * The same execution without some methods: their children are called by who called them, from where that
 * called them, and what they did themselves belongs to it, but for their calls. Siblings that come to have one
 * method and call site are one node. Deviations are lost where anything is left out. Near-linear.
 *
 * @param excluded  by number of the frame, n of them; later frames stay. The root always does
 * @return          the tree itself when it has no such node, else one in the arena
 */
const struct pe_cct *pe_cct_exclude(const struct pe_cct *cct, const bool *excluded, uint32_t n,
				    struct pe_arena *arena);

#endif
