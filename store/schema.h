/* Schema: the tables of the store, and how an older file becomes a newer one. */
#ifndef PE_STORE_SCHEMA_H
#define PE_STORE_SCHEMA_H

#include "store/sql.h"

/** The mark of our files in their header: "pevo". */
#define PE_STORE_APPLICATION_ID 0x7065766f

/** SQL that lifts a file by one schema version: store/schema/, in order. The first creates the file. Append only. */
extern const char *const pe_migrations[];
extern const size_t pe_n_migrations;

/** What a file says of itself. */
struct pe_schema_state {
	int64_t application_id;
	int64_t version; /**< 0: new */
	int64_t objects; /**< tables, views, indices */
};

int pe_schema_read(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err);

/** PE_ESTORE for a file of another program, or of a version above `known`. */
int pe_schema_check(const struct pe_store *store, const struct pe_schema_state *state, size_t known,
		    struct pe_err *err);

/**
 * Lift a file to version n, all the way or not at all, in one transaction. Two processes may do it at once:
 * the second finds it done.
 *
 * @param migrations  n of them; migrations[i] lifts version i to i + 1
 */
int pe_schema_migrate(struct pe_store *store, const char *const *migrations, size_t n,
		      struct pe_err *err);

#endif
