/* History graph: the lanes of one row of the commit graph as characters of a terminal. */
#ifndef PE_REPORT_HISTORY_GRAPH_H
#define PE_REPORT_HISTORY_GRAPH_H

#include "report/history.h"

/**
 * Append a row's dot and the lines through it: two columns a lane. A branch that a commit opens turns in the
 * commit's row, one that ends in a commit turns in that commit's row, so that a row needs one line of text.
 *
 * @param columns  to fill with the lanes that have room, and blanks behind; the last one is a sign where more
 *                 lanes were cut off
 */
void pe_history_graph(struct pe_text *out, const struct pe_history *history, size_t row,
		      size_t columns, const struct pe_term *term);

#endif
