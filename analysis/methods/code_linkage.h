/* What of an image is read by code_symbols.c and code_linkage.c: its symbols, and what it tells the dynamic linker. */
#pragma once

#include "analysis/methods/code_image.h"

/** Fill the atoms of an image whose sections stand. PE_EINVALID: a damaged table. */
int pe_image_read_atoms(struct pe_image *image, struct pe_arena *arena, struct pe_err *err);

/** Read the words that are filled in when the image is loaded. PE_EINVALID: damaged. */
int pe_image_read_slots(struct pe_image *image, struct pe_arena *arena, struct pe_err *err);

/** Add the words that hold addresses without a relocation. Atoms and relocations are there. */
void pe_image_find_addresses(struct pe_image *image, struct pe_arena *arena);

/** Read imports, exports, needed libraries and where they are looked for. PE_EINVALID: damaged. */
int pe_image_read_linkage(struct pe_image *image, struct pe_arena *arena, struct pe_err *err);

/** "PATH: damaged WHAT", PE_EINVALID. */
int pe_image_damaged(const struct pe_image *image, const char *what, struct pe_err *err);
