/* Table: the functions that a file's symbol tables name, for where there is no debug information. */
#pragma once

#include "analysis/symbols/file.h"

struct pe_table_symbol {
	uint64_t start, end;
	const char *name; /**< as in the file, borrowed from it */
	unsigned rank;    /**< of several at one address the lowest is kept */
};

struct pe_symbol_table {
	struct pe_table_symbol *at; /**< by address; no two begin at the same */
	size_t n;
	bool has_symbols; /**< more than stubs */
};

/** Read .symtab of the module or of its separate file, else .dynsym. Owned by the caller. */
void pe_symbol_table_read(struct pe_symbol_table *out, const struct pe_symbols_file *file);

/** Free what pe_symbol_table_read() filled in. */
void pe_symbol_table_release(struct pe_symbol_table *table);

/** The function at an address; NULL: none. */
const struct pe_table_symbol *pe_symbol_table_find(const struct pe_symbol_table *table,
						   uint64_t address);
