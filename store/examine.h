/*
 * Examine: what is wrong with the file of a store. It is opened to be read only, and whatever its schema is: a file that
 * pe_store_open() refuses is looked at all the same.
 */
#pragma once

#include "store/store.h"

/** What was found. Strings live in the arena. */
struct pe_store_health {
	uint64_t bytes;      /**< of the file */
	uint64_t free_bytes; /**< of it that hold nothing */
	int64_t version;     /**< of its schema; 0: it has none */
	int64_t current;     /**< of this perfevo's schema */
	const char *journal; /**< "wal", "delete" */
	const char *network; /**< network file system of the file; NULL: a local one */
	bool open_to_others; /**< people other than its owner may write to it */
	/** why it is not what this perfevo makes, with what to do; NULL: it is */
	const char *foreign;
	/** the first things that PRAGMA integrity_check names; none: it is whole */
	const char *const *damage;
	size_t n_damage;
	int64_t dangling; /**< rows that refer to what is not there */
};

/** @return  PE_ENOTFOUND: there is no such file; PE_ESTORE: it cannot be opened, or is no database */
int pe_store_examine(struct pe_store_health *out, const char *path, struct pe_arena *arena,
		     struct pe_err *err);
