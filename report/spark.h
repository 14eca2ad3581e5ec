/* Spark: a line of the chart in one row of text. */
#pragma once

#include "report/evolution.h"

/**
 * Append a line as small bars (U+2581 to U+2588), or in ASCII as "_.-=+*%#".
 *
 * Bars are scaled between the line's own extremes, but over at least 5 % of its largest value and two of the smallest
 * changes that would have been detected, so that noise stays flat; where none would have been, all are the lowest. Where
 * nothing was measured stands a space, and where the level jumped a triangle that points up for a regression and down for
 * an improvement ("^" and "v"), given eight cells or more.
 *
 * @param n_revisions  the width of the whole history; a cell is the mean over its share of it
 * @param cells        characters to append, 1 or more
 */
void pe_spark_add(struct pe_text *out, const struct pe_line *line, size_t n_revisions, size_t cells,
		  bool unicode);
