/* Built: a program compiled on the spot, and what the symbolizer says of the places that it marked. */
#pragma once

#include "core/base/text.h"
#include "analysis/symbols/symbols.h"

/** A fresh folder for the test at hand with the programs' sources in src/; remove_root() ends it. */
void built_make_root(void);
void built_remove_root(void);

/** The folder. */
const char *built_root(void);

/** Run a line of shell in a folder below the root, which is made; fails the test unless it exits 0. */
void built_shell(const char *folder, const char *format, ...) PE_PRINTF(2, 3);

/** A place that a program marked. */
struct built_mark {
	char tag[32];
	char path[4096];
	unsigned long bias, address;
};

/** Run a program and keep what it marked: their number. */
size_t built_run(struct built_mark *marks, size_t most, const char *folder, const char *command);

/** The mark of a tag; fails the test without one. */
const struct built_mark *built_find(const struct built_mark *marks, size_t n, const char *tag);

/**
 * What a place is called, innermost first: "inner src/chain.c@inner < top src/chain.c@top": name and
 * signature, component, and the comment that marks the line ("@-": the line is unknown, "@?": it has none).
 * Unknown code reads "?name". Borrowed until the next call.
 */
const char *built_describe(struct pe_symbols_db *db, const struct built_mark *mark);
