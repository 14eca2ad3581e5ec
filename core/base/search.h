/* Search: binary search, written once. */
#pragma once

#include <stddef.h>

/**
 * Move `first_` to the first number in [first_, end_) for which a condition does not hold; to end_ when there is none.
 *
 *	size_t at = 0;
 *
 *	pe_search(at, lines->n, i, lines->at[i].addr < addr);
 *
 * @param first_      a variable of an unsigned type
 * @param end_        an expression; evaluated once
 * @param i_          a name for the number that the condition asks about
 * @param is_before_  holds up to some number, and from there on no more
 */
#define pe_search(first_, end_, i_, is_before_)                                                    \
	do {                                                                                       \
		for (size_t pe_search_end = (end_); (first_) < pe_search_end;) {                   \
			const size_t i_ = (first_) + (pe_search_end - (first_)) / 2;               \
                                                                                                   \
			if (is_before_)                                                            \
				(first_) = i_ + 1;                                                 \
			else                                                                       \
				pe_search_end = i_;                                                \
		}                                                                                  \
	} while (0)
