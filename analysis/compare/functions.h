/*
 * Functions: finds functions that execute more or fewer instructions, by counts of both sides. Counts are exact: one run a
 * side decides more than any number of timed ones. Functions whose counts differ between runs of one build are marked one by
 * one, so that the others stay exact.
 *
 * Counts of functions have no callers: the caller for which a function executes more is unknown.
 */
#pragma once

#include "analysis/compare/changes.h"
#include "core/base/arena.h"
#include "core/model/functions.h"

#include <stdbool.h>

/** Share of the old execution from which a difference of instructions matters: it is certain. */
#define PE_FUNCTIONS_LEAST 0.001

/** A function on both sides. Strings are borrowed: of new, or of old where new does not execute it. */
struct pe_function_change {
	const char *name, *signature, *component;
	uint64_t old_least, old_most, new_least, new_most; /**< 0: not executed */
	/** new - old; for one that varies, the least difference of any runs of both sides, 0 where they overlap */
	int64_t amount;
	uint64_t spread; /**< largest difference of runs of one build */
	bool exact;      /**< it does not vary */
	uint32_t frame;  /**< in the trees that it was joined with; PE_FRAME_NONE: none */
	/** of its source and machine code; set by the caller */
	struct pe_frame_change change;
};

/** The instructions of a method on both sides, over all its functions. */
struct pe_frame_count {
	int64_t amount;            /**< new - old, certain part; 0: none or unknown */
	uint64_t old_instructions; /**< of old, at most */
	/** of old; its charge, if there is one, also within variation, so that no instruction counts for two methods */
	uint64_t before;
	enum pe_executed_change executed;
	int64_t with_inlined; /**< new - old of its functions, with the code that was inlined into them */
	bool is_function;               /**< both sides execute it as a function of its own */
	const struct pe_charge *charge; /**< that its amount is of; NULL: none */
};

struct pe_function_changes {
	/** changed functions, largest amount first; then varying ones; then equal ones */
	struct pe_function_change *at;
	size_t n;                      /**< changed */
	size_t n_varying;              /**< the next ones: undecided */
	size_t n_same;                 /**< the next ones: with exactly as many instructions */
	uint64_t old_whole, new_whole; /**< instructions of all functions, at most */
	/** By pe_functions_join(). */
	const struct pe_frame_count *by_frame; /**< NULL: they were not joined */
	uint32_t n_frames;
	bool charged; /**< by_frame has the charges of the source's methods, where these are known */
	int64_t amount; /**< of all functions, certain part */
};

/**
 * Compare the instructions of functions. A function that moved to another file is matched where each side has only one
 * unmatched function of that name and signature.
 *
 * @param varying  functions of the benchmark whose counts varied within a build, with their ranges
 * @param arena    owns the list
 */
void pe_functions_compare(struct pe_function_changes *out,
			  const struct pe_function_ranges *old_ranges,
			  const struct pe_function_ranges *new_ranges,
			  const struct pe_function_ranges *varying, struct pe_arena *arena);

/**
 * Find the frame of a function. For counts without a file, it is the only one of its name and signature.
 *
 * @return  PE_FRAME_NONE: there is none, or several without a file
 */
uint32_t pe_functions_find_frame(const struct pe_frames *frames, const char *name,
				 const char *signature, const char *component);

/**
 * Join functions with the methods of trees. A method has its charge, if that was counted and differs by more than it
 * varies (charges are of one run a side); else the count of its function. Without charges, a method without
 * a function executes the same where all functions together differ by less than PE_FUNCTIONS_LEAST. A renamed method has its
 * old instructions at its new frame.
 *
 * @param charges  by new's names; NULL: not counted
 * @param renamed  by old frame, as in struct pe_match_opts; NULL: none was
 * @param arena    owns the arrays by frame
 */
void pe_functions_join(struct pe_function_changes *changes, const struct pe_frames *frames,
		       const struct pe_charges *charges, const uint32_t *renamed,
		       struct pe_arena *arena);

/**
 * Find the methods' own instructions, by frame: the most of all counting runs, 0 where unknown.
 *
 * @return  in the arena, as long as the table; NULL: not counted
 */
const uint64_t *pe_functions_by_frame(const struct pe_function_ranges *ranges,
				      const struct pe_frames *frames, struct pe_arena *arena);
