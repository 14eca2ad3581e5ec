/* Exclude: a tree without the nodes of some methods, as if they had been inlined into their callers. */
#ifndef PE_PROFILE_EXCLUDE_H
#define PE_PROFILE_EXCLUDE_H

#include "analysis/profile/cct.h"

#include <stdbool.h>

/**
 * Remove some methods from a tree: their children become those of their callers, called from where the removed
 * method was, and their own values except calls are added to the caller's. Siblings that then have the same
 * method and call site are one node. Near-linear.
 *
 * @param excluded  by number of the frame, n of them; later frames stay, and so does the root
 * @return          the tree itself when it has no such node, else one in the arena
 */
const struct pe_cct *pe_cct_exclude(const struct pe_cct *cct, const bool *excluded, uint32_t n,
				    struct pe_arena *arena);

#endif
