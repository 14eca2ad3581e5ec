/* What the views of a profile have in common: shares, intervals, marks, and the sentences below. */
#pragma once

#include "report/profile.h"
#include "report/terminal.h"

#include <math.h>

struct pe_json;

/** A profile with its totals at hand. */
struct pe_profile_view_data {
	const struct pe_profile *profile;
	const struct pe_cct *cct;
	const uint64_t *self, *total; /**< of the weight; NULL: unknown */
	const uint64_t *samples;      /**< with everything below; NULL: unknown */
	double whole;                 /**< total of the root */
	struct pe_arena arena;
	struct pe_table table;
	bool narrow;    /**< the terminal has no room for every value */
	unsigned flags; /**< of all that was shown: enum pe_cct_flag */
	bool intervals; /**< some were shown */
	bool differs;   /**< "differs in 3 of 8 runs" was shown */
};

/** A row of a table: a node, a method in all its contexts, or the sum of nodes that are not shown. */
struct pe_profile_row {
	const struct pe_frame *frame; /**< NULL: of a sum */
	const char *before;           /**< the lines of a tree; of a sum all of its text */
	const char *place;            /**< the file, with or without a line */
	enum pe_paint paint;
	uint64_t weight, samples; /**< the weight that it is ranked by */
	/** Its other weight, calls, time of a call, allocations, instructions, call paths; NaN: unknown, or not of this view. */
	double other, calls, call_ns, allocations, instructions, paths;
	uint32_t site;           /**< line that it was called from; 0: unknown */
	unsigned flags, differs; /**< as pe_profile_add_marks_of() has them */
};

/** A row without values. */
#define PE_PROFILE_ROW_INIT                                                                        \
	{                                                                                          \
		.before = "", .place = "", .other = NAN, .calls = NAN, .call_ns = NAN,             \
		.allocations = NAN, .instructions = NAN, .paths = NAN                              \
	}

/** Sum up what the views of a profile share; pe_profile_end() releases it. */
void pe_profile_begin(struct pe_profile_view_data *view, const struct pe_profile *profile);
/** Release what pe_profile_begin() summed up. */
void pe_profile_end(struct pe_profile_view_data *view);

/** The sum of two values, UINT64_MAX where it is more. */
static inline uint64_t pe_profile_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/**
 * Print the benchmark, the commit and what was collected, and begin a table.
 *
 * @param ranked, other  titles of the columns of both weights
 */
void pe_profile_begin_table(struct pe_text *out, struct pe_profile_view_data *view,
			    const char *ranked, const char *other, const struct pe_term *term);

/** Put a row into the table. */
void pe_profile_put_row(struct pe_profile_view_data *view, const struct pe_profile_row *row);

/** Print, behind the table, what the values are and what the marks mean; release the table. */
void pe_profile_end_table(struct pe_text *out, struct pe_profile_view_data *view);

/** How many of the counting runs are unlike the one shown, as members: "differs_in" and "runs". */
void pe_profile_json_differs(struct pe_json *json, const struct pe_cct *cct, uint32_t node);

/** A timeline by column (profile_json.c). @param methods  numbers by frame; NULL: those of the frames */
void pe_profile_json_timeline(struct pe_json *json, const char *key,
			      const struct pe_timeline *timeline, const uint32_t *methods);
