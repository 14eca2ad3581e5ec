/* Schema: the tables of the store, how an older file becomes a newer one, and whether a file has them. */
#pragma once

#include "store/sql.h"

/** The mark of our files in their header: "pevo". */
#define PE_STORE_APPLICATION_ID 0x7065766f

/** The scripts of store/schema/. */
struct pe_schema {
	const char *tables;       /**< makes a new file */
	int64_t tables_version;   /**< of which version */
	const char *const *lifts; /**< lifts[i] makes version oldest + i + 1 of the one below it */
	size_t n_lifts;           /**< the last makes the current version */
	int64_t oldest;           /**< version that can still be lifted */
	const char *views;        /**< dropped before lifts and made anew after them */
};

/** Those that are built in. */
struct pe_schema pe_schema_current(void);

/** The version that they make. */
int64_t pe_schema_version(const struct pe_schema *schema);

/** The version and marks that a file carries. */
struct pe_schema_state {
	int64_t application_id;
	int64_t version; /**< 0: new */
	int64_t objects; /**< tables, views, indices */
};

/** Read it from the file. */
int pe_schema_read(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err);

/** PE_ESTORE for a file of another program, or of a version above the current or too old to be lifted. */
int pe_schema_check(const struct pe_store *store, const struct pe_schema_state *state,
		    const struct pe_schema *schema, struct pe_err *err);

/**
 * Lift a file to the current version, all the way or not at all, in one transaction. Two processes may do it
 * at once: the second finds it done. A file whose tables are not ours afterwards stays as it was: PE_ESTORE.
 */
int pe_schema_migrate(struct pe_store *store, const struct pe_schema *schema, struct pe_err *err);

/**
 * Compare the tables, indices, triggers and views of a file with those that the scripts make, but for space,
 * comments and quotes. PE_ESTORE names the first that differs, is missing or was added: who wrote it could have
 * put a view that never ends in a table's place.
 */
int pe_schema_compare(struct pe_store *store, const struct pe_schema *schema, struct pe_err *err);
