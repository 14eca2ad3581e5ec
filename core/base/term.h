/* Term: what a terminal can show. */
#ifndef PE_CORE_BASE_TERM_H
#define PE_CORE_BASE_TERM_H

#include <stdbool.h>

/** How the terminal takes it. */
struct pe_term {
	unsigned width; /**< columns; of what is no terminal COLUMNS, or else 120; 0: do not cut */
	bool interactive; /**< it is a terminal */
	bool colour;
	bool unicode;
	unsigned colours; /**< where there is colour: 16, 256 or 1 << 24; 0: 16 */
};

#endif
