/* Unwind: which function catches what. */
#pragma once

#include "analysis/methods/code_view.h"

/** A function's language-specific data area. */
struct pe_landing {
	uint64_t pc, table; /**< addresses: of the function, of its area */
	uint64_t end;       /**< where the next area begins */
};

struct pe_landings {
	PE_VEC(struct pe_landing) list; /**< by function */
};

/** Read .eh_frame; unreadable parts are left out, and `whole` is false then. Release the list. */
void pe_landings_read(struct pe_landings *out, bool *whole, const struct pe_image *image);

/** Write the areas of the functions in [addr, addr + size): call sites, actions, types by what they name. */
void pe_landings_add(struct pe_text *out, const struct pe_landings *landings,
		     const struct pe_view *view, uint64_t addr, uint64_t size);
