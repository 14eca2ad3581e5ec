/* Plt: the stubs through which a file calls others; they have no symbols, but lead to names. */
#ifndef PE_SYMBOLS_PLT_H
#define PE_SYMBOLS_PLT_H

#include "analysis/symbols/file.h"

/** Called for a stub of `size` bytes and its name, which is borrowed from the file. */
typedef void pe_plt_fn(uint64_t start, uint64_t size, const char *name, void *payload);

/** Call back for every stub of an x86-64 or arm64 file; there are none in files of other machines. */
void pe_plt_read(const struct pe_symbols_file *file, pe_plt_fn *found, void *payload);

#endif
