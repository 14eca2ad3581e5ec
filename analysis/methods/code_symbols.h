/* Symbols: the atoms of an image, from its symbol table. */
#ifndef PE_METHODS_CODE_SYMBOLS_H
#define PE_METHODS_CODE_SYMBOLS_H

#include "analysis/methods/code_image.h"

/** Fill the atoms of an image whose sections stand. PE_EINVALID: a damaged table. */
int pe_image_read_atoms(struct pe_image *image, struct pe_arena *arena, struct pe_err *err);

#endif
