/*
 * Functions: which execute more or fewer instructions, as counts of both sides tell. Counts are exact: one run a side
 * decides what no number of timed ones would. What the program itself counts differently in each run of one build is told
 * apart function by function, so that the rest stays exact.
 *
 * Counts of functions have no callers: nothing says for whom a function executes more.
 */
#ifndef PE_COMPARE_FUNCTIONS_H
#define PE_COMPARE_FUNCTIONS_H

#include "analysis/compare/changes.h"
#include "core/base/arena.h"
#include "core/model/functions.h"

#include <stdbool.h>

/** What functions execute differently matters from this share of the old execution on: it is known for sure. */
#define PE_FUNCTIONS_LEAST 0.001

/** A function on both sides. Strings are borrowed: of new, or of old where new does not execute it. */
struct pe_function_change {
	const char *name, *signature, *component;
	uint64_t old_least, old_most, new_least, new_most; /**< 0: not executed */
	/** new - old; of one that varies, what all runs of both sides show at least, 0 where they overlap */
	int64_t amount;
	bool exact;     /**< it does not vary */
	uint32_t frame; /**< of the trees that it is joined with; PE_FRAME_NONE: of none */
	/** of its source and machine code; the caller's to fill in, who has them */
	struct pe_frame_change change;
};

/** What a method executes on both sides, in all. */
struct pe_frame_count {
	int64_t amount;            /**< new - old, for sure; 0: none, or not known */
	uint64_t old_instructions; /**< at most */
	/** Likewise: what old charges it with, also where that is within what varies, so that no instruction is of two methods. */
	uint64_t before;
	enum pe_executed_change executed;
};

struct pe_function_changes {
	/** that execute more or fewer for sure, the greatest amount first; then those that vary; then the same */
	struct pe_function_change *at;
	size_t n;                      /**< that changed */
	size_t n_varying;              /**< after these: nothing can be said of them */
	size_t n_same;                 /**< after these: that execute exactly as many */
	uint64_t old_whole, new_whole; /**< instructions of all functions, at most */
	/** By pe_functions_join(). */
	const struct pe_frame_count *by_frame; /**< NULL: they were not joined */
	uint32_t n_frames;
	bool charged; /**< by_frame is what the source's methods are charged with, as far as that is known */
	int64_t amount; /**< of all functions, more or fewer for sure */
};

/**
 * Compare what functions execute. A function that is in another file than before is the same where it is the only one of
 * its name and signature that either side has left over.
 *
 * @param varying  what is known of the benchmark: functions whose counts varied within a build, and how far
 * @param arena    owns the list
 */
void pe_functions_compare(struct pe_function_changes *out,
			  const struct pe_function_ranges *old_ranges,
			  const struct pe_function_ranges *new_ranges,
			  const struct pe_function_ranges *varying, struct pe_arena *arena);

/**
 * The frame of a function; where counts know no file, that of its name and signature, unless several have them.
 *
 * @return  PE_FRAME_NONE: there is none, or not one
 */
uint32_t pe_functions_find_frame(const struct pe_frames *frames, const char *name,
				 const char *signature, const char *component);

/**
 * Join functions with the methods of trees: what each is charged with where that was counted and is more than the functions vary
 * by together, for it is of one run a side; else what its function executes. Without charges, a method that no function is of
 * executes the same where functions together differ by less than PE_FUNCTIONS_LEAST. A method that was renamed has its old
 * instructions at its frame in new.
 *
 * @param charges  by new's names; NULL: not counted
 * @param renamed  by old frame, as struct pe_match_opts has it; NULL: none was
 * @param arena    owns what is by frame
 */
void pe_functions_join(struct pe_function_changes *changes, const struct pe_frames *frames,
		       const struct pe_charges *charges, const uint32_t *renamed,
		       struct pe_arena *arena);

/**
 * What methods execute themselves, by frame: the most of all counting runs, 0 where unknown.
 *
 * @return  in the arena, as long as the table; NULL: nobody counted
 */
const uint64_t *pe_functions_by_frame(const struct pe_function_ranges *ranges,
				      const struct pe_frames *frames, struct pe_arena *arena);

#endif
