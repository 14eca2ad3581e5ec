/*
 * Method counts: the methods' own instructions, counted exactly on both sides, distributed over the contexts of their trees.
 *
 * Counts have no callers (analysis/compare/functions.h). A method with one context has all of its count there. With several,
 * each has an estimated share, by calls where these are counted; their sum is exact. Instructions outside the methods of the
 * trees, such as of libraries and functions in no profile, count for the whole alone.
 */
#pragma once

#include "analysis/compare/functions.h"
#include "analysis/compare/runs.h"

/**
 * Distribute the methods' instructions over the contexts of both sides: their charges where these were counted, else the
 * counts of their functions. New is old plus the certain difference, so that variation between runs makes no difference.
 *
 * The contexts of one method share its count in proportion to their calls where all of these were counted on both sides, else
 * to their own times, else equally. Shares are whole numbers that add up to the method's count. What a method executes on a
 * side whose tree lacks it is taken from the other side's count, too. Where no method has any, the runs stay without
 * instructions. Linear.
 *
 * @param sides      old and new, over the table of frames that was joined
 * @param functions  joined with the frames of the trees
 * @param renamed    by frame, as in struct pe_match_opts: one method has the counts of both its frames; NULL: none was
 * @param arena      owns the columns
 */
void pe_method_counts_lay(struct pe_runs sides[2], const struct pe_function_changes *functions,
			  const uint32_t *renamed, struct pe_arena *arena);
