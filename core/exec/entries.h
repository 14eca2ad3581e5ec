/* Entries: which functions of a program a run entered (probe/formats/entries.h). */
#ifndef PE_CORE_EXEC_ENTRIES_H
#define PE_CORE_EXEC_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A module of the program, and what was seen of it. */
struct pe_entered_module {
	const char *path;          /**< of its file */
	const uint64_t *addresses; /**< of its functions as the file is linked, ascending */
	size_t n;
	bool watched;  /**< out: in every process that loaded it at its start */
	bool opened;   /**< out: the program read the file */
	bool *entered; /**< out: by function; the caller's array */
};

/** What a run is to be watched for. */
struct pe_entries {
	struct pe_entered_module *modules;
	size_t n;
};

#endif
