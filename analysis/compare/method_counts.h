/*
 * Method counts: instructions that methods execute themselves, counted exactly on both sides, laid on the contexts of their
 * trees.
 *
 * Counts have no callers (analysis/compare/functions.h). A method with one context has all of its count there; one with several has
 * shares by their calls, which are an estimate: its contexts' sum is exact, not each of them. What no method of the trees
 * executes, such as libraries and functions in no profile, stays outside: it is of the whole alone.
 */
#ifndef PE_COMPARE_METHOD_COUNTS_H
#define PE_COMPARE_METHOD_COUNTS_H

#include "analysis/compare/functions.h"
#include "analysis/compare/runs.h"

/**
 * Lay what methods execute on the contexts of both sides: what they are charged with where that was counted, else what their
 * functions execute. New is old and what differs for sure, so that what varies by itself is no difference.
 *
 * Several contexts of one method share it in proportion to their calls where all of these were counted on both sides, else to
 * their own times, else equally. Shares are whole numbers that sum to what their method executes. A method that executes
 * something on a side whose tree lacks it stays outside on both. Where nothing is laid, the runs stay without instructions.
 * Linear.
 *
 * @param sides      old and new, over the table of frames that was joined
 * @param functions  joined with the frames of the trees
 * @param renamed    by frame, as struct pe_match_opts has it: one method has the counts of both its frames; NULL: none was
 * @param arena      owns the columns
 */
void pe_method_counts_lay(struct pe_runs sides[2], const struct pe_function_changes *functions,
			  const uint32_t *renamed, struct pe_arena *arena);

#endif
