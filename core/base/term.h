/* Term: what a terminal can show. */
#pragma once

#include <stdbool.h>

/** How the terminal takes it. */
struct pe_term {
	unsigned width; /**< columns; of what is no terminal COLUMNS, or else 120; 0: do not cut */
	bool interactive; /**< it is a terminal */
	bool colour;
	bool unicode;
	unsigned colours; /**< where there is colour: 16, 256 or 1 << 24; 0: 16 */
};
