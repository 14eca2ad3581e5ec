/* Schema: an older file becomes a newer one by the scripts in store/schema/, one a version. */
#include "store/schema.h"

#include <inttypes.h>
#include <stdio.h>

static int read_state(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	int rc = pe_sql_integer(&out->application_id, store, "PRAGMA application_id", NULL, err);

	if (rc == PE_OK)
		rc = pe_sql_integer(&out->version, store, "PRAGMA user_version", NULL, err);
	if (rc == PE_OK)
		rc = pe_sql_integer(&out->objects, store, "SELECT count(*) FROM sqlite_schema",
				    NULL, err);
	return rc;
}

/* As one snapshot: another process may be creating the file between one question and the next. */
int pe_schema_read(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	int rc = pe_sql_run(store, "SAVEPOINT state", NULL, err);

	if (rc != PE_OK)
		return rc;
	rc = read_state(out, store, err);
	if (rc == PE_OK)
		return pe_sql_run(store, "RELEASE state", NULL, err);
	sqlite3_exec(store->db, "ROLLBACK TO state; RELEASE state", NULL, NULL, NULL);
	return rc;
}

int pe_schema_check(const struct pe_store *store, const struct pe_schema_state *state, size_t known,
		    struct pe_err *err)
{
	if (state->application_id == 0 && state->version == 0 && state->objects == 0)
		return PE_OK;
	if (state->application_id != PE_STORE_APPLICATION_ID)
		return pe_fail(
			err, PE_ESTORE,
			"%s is the database of another program: use --store FILE for another file",
			store->path);
	if (state->version > (int64_t)known)
		return pe_fail(
			err, PE_ESTORE,
			"%s was written by a newer perfevo (schema %" PRId64
			", this one knows %zu): upgrade perfevo, or use --store FILE for another",
			store->path, state->version, known);
	return PE_OK;
}

static int migrate_from(struct pe_store *store, size_t version, const char *const *migrations,
			size_t n, struct pe_err *err)
{
	char stamp[96];
	int rc = PE_OK;

	for (size_t i = version; rc == PE_OK && i < n; i++)
		rc = pe_sql_script(store, migrations[i], err);
	if (rc != PE_OK)
		return rc;
	snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %zu",
		 PE_STORE_APPLICATION_ID, n);
	return pe_sql_script(store, stamp, err);
}

int pe_schema_migrate(struct pe_store *store, const char *const *migrations, size_t n,
		      struct pe_err *err)
{
	struct pe_schema_state state;
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_schema_read(&state, store, err); /* again: another process may have been faster */
	if (rc == PE_OK)
		rc = pe_schema_check(store, &state, n, err);
	if (rc == PE_OK && state.version < (int64_t)n)
		rc = migrate_from(store, (size_t)state.version, migrations, n, err);
	return pe_scope_end(store, rc, err);
}
