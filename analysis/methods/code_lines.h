/* Lines: where functions are defined and what was inlined into them, by the debug information. */
#pragma once

#include "analysis/methods/code_image.h"

struct pe_code_line {
	uint64_t addr;
	const char *file;           /**< relative to the tree if it is below it; NULL: unknown */
	uint32_t line;              /**< 0: unknown */
	const char *const *inlined; /**< linkage names, sorted, no two alike */
	size_t n_inlined;
};

struct pe_code_lines {
	struct pe_code_line *at; /**< by address */
	size_t n;
};

/** Walk the debug information once; none gives none. Everything lives in the arena. */
void pe_code_lines_read(struct pe_code_lines *out, const struct pe_image *image,
			struct pe_arena *arena);

/** The entry of exactly this address; NULL. */
const struct pe_code_line *pe_code_lines_find(const struct pe_code_lines *lines, uint64_t addr);
