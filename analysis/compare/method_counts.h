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
#include "analysis/compare/tree.h"

/** What methods execute on both sides. */
struct pe_method_counts {
	/** by frame, of old and new; a method that was renamed is at its frame in new on both */
	uint64_t *by_frame[2];
	uint64_t whole[2];       /**< of all functions, in the trees or not */
	const uint32_t *renamed; /**< borrowed: of struct pe_match_opts */
	uint32_t n_frames;
};

/**
 * What methods execute on both sides: what they are charged with where that was counted, else what their functions execute. New is
 * old and what differs for sure (struct pe_frame_count), so that what varies by itself is no difference.
 *
 * @param functions  joined with the frames of the trees
 * @param renamed    by frame; NULL: none was
 * @param arena      owns what is by frame
 */
void pe_method_counts_find(struct pe_method_counts *out,
			   const struct pe_function_changes *functions, const uint32_t *renamed,
			   struct pe_arena *arena);

/**
 * Lay them on the contexts of both sides: on several of one method in proportion to their calls where all of these were counted
 * on both sides, else to their own times, else in equal shares. Shares are whole numbers that sum to what their method executes.
 * A method that executes something on a side whose tree lacks it stays outside on both. Where nothing is laid, the runs stay
 * without instructions. Linear.
 *
 * @param sides  old and new, over the table of frames that was joined
 * @param arena  owns the columns
 */
void pe_method_counts_lay(struct pe_runs sides[2], const struct pe_method_counts *counts,
			  struct pe_arena *arena);

#endif
