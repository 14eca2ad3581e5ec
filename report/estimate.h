/*
 * Estimate: the size of a change, the runs that it is from, and how both are written. A jump has one size, which is in
 * struct pe_jump and is printed wherever the jump is; any other printed difference is marked as such.
 */
#pragma once

#include "report/query.h"
#include "report/terminal.h"

/** Append what a jump's size rests on: "18 fresh pairs", "exact", or "stored runs" (of the levels around it). */
void pe_jump_add_runs(struct pe_text *out, const struct pe_jump *jump);

/** Append "; about 90 more would decide": pairs that an undecided jump lacks; nothing where that is unknown. */
void pe_jump_add_more(struct pe_text *out, const struct pe_jump *jump);

/**
 * Append a jump's state and what its size rests on: "confirmed, 40 fresh pairs", "undecided, 135 fresh pairs",
 * "suspect, stored runs", "confirmed, exact".
 */
void pe_jump_add_basis(struct pe_text *out, const struct pe_jump *jump);

/**
 * Append where the size of a comparison's value is from when it is that of a jump: "062e5f4e (confirmed, 40 fresh
 * pairs); the runs of these two alone: +37.4 %".
 */
void pe_estimate_add_compared(struct pe_text *out, const struct pe_jump *jump, const char *id,
			      double measured);

/** How a value differs from the one that it is compared with, and whether that is a change. */
struct pe_change {
	bool known; /**< false: there is nothing to compare */
	/**
	 * At a jump its size, as everywhere. Else the difference of the two values, which is
	 * no estimate of a change: noise, or below the metric's threshold.
	 */
	double relative;            /**< 0.05 is +5 %; NaN from nothing to something */
	const struct pe_jump *jump; /**< NULL: there is none */
	bool judged;                /**< whether one was looked for here */
};

/**
 * Compare a point with the one before it.
 *
 * @param before  the point that it is compared with; NULL: there is none
 */
struct pe_change pe_line_change(const struct pe_line *line, const struct pe_point *before,
				const struct pe_point *point);

/** Whether a change is a difference that was measured and is no jump: "~" stands before it. */
bool pe_change_is_noise(const struct pe_change *change);

/** Append "+33.6 %", or "~+1.8 %" where it is no jump; nothing where it is unknown. */
void pe_change_add(struct pe_text *out, const struct pe_change *change);

/** How a change is painted in a table: a jump by its direction, noise dim. */
enum pe_paint pe_change_paint(const struct pe_change *change);
