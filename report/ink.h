/* Ink: one colour on any terminal: true colour, 256 colours, 16, or none. */
#pragma once

#include "report/evolution.h"

struct pe_ink {
	uint32_t rgb; /**< 0xrrggbb */
	unsigned sgr; /**< foreground of a terminal with 16 colours: 30 to 37, 90 to 97 */
};

/** Colours of methods, allocations and time: by enum pe_spark_metric. */
extern const struct pe_ink pe_ink_sparks[3];
extern const struct pe_ink pe_ink_noise; /**< a difference that is no change */

/** Colours that the colour-blind can distinguish, for the branches of a graph. */
extern const struct pe_ink pe_ink_branches[];
extern const size_t pe_n_ink_branches;

/** Append the code that begins a colour; nothing where there are no colours. */
void pe_ink_begin(struct pe_text *out, const struct pe_term *term, const struct pe_ink *ink);
/** Append the code that ends all colours; nothing where there are no colours. */
void pe_ink_end(struct pe_text *out, const struct pe_term *term);
