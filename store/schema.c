/* Schema: a new file is made by one script; an older one becomes a newer one by the lifts, one a version. */
#include "store/schema.h"

#include <inttypes.h>
#include <stdio.h>

extern const char pe_schema_tables[], pe_schema_views[];
extern const char *const pe_schema_lifts[];
extern const size_t pe_n_schema_lifts;

struct pe_schema pe_schema_current(void)
{
	return (struct pe_schema){
		.tables = pe_schema_tables,
		.tables_version = 10,
		.lifts = pe_schema_lifts,
		.n_lifts = pe_n_schema_lifts,
		.oldest = 9,
		.views = pe_schema_views,
	};
}

int64_t pe_schema_version(const struct pe_schema *schema)
{
	return schema->oldest + (int64_t)schema->n_lifts;
}

static int read_state(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	PE_TRY(pe_sql_integer(&out->application_id, store, "PRAGMA application_id", NULL, err));
	PE_TRY(pe_sql_integer(&out->version, store, "PRAGMA user_version", NULL, err));
	return pe_sql_integer(&out->objects, store, "SELECT count(*) FROM sqlite_schema", NULL,
			      err);
}

/* As one snapshot: another process may be creating the file between one question and the next. */
int pe_schema_read(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	int rc;

	PE_TRY(pe_sql_run(store, "SAVEPOINT state", NULL, err));
	rc = read_state(out, store, err);
	if (rc == PE_OK)
		return pe_sql_run(store, "RELEASE state", NULL, err);
	sqlite3_exec(store->db, "ROLLBACK TO state; RELEASE state", NULL, NULL, NULL);
	return rc;
}

static bool is_new(const struct pe_schema_state *state)
{
	return state->application_id == 0 && state->version == 0 && state->objects == 0;
}

int pe_schema_check(const struct pe_store *store, const struct pe_schema_state *state,
		    const struct pe_schema *schema, struct pe_err *err)
{
	int64_t current = pe_schema_version(schema);

	if (is_new(state))
		return PE_OK;
	if (state->application_id != PE_STORE_APPLICATION_ID)
		return pe_fail(
			err, PE_ESTORE,
			"%s is the database of another program: use --store FILE for another file",
			store->path);
	if (state->version > current)
		return pe_fail(err, PE_ESTORE,
			       "%s was written by a newer perfevo (schema %" PRId64
			       ", this one knows %" PRId64
			       "): upgrade perfevo, or use --store FILE for another",
			       store->path, state->version, current);
	if (state->version < schema->oldest)
		return pe_fail(
			err, PE_ESTORE,
			"%s was written by a perfevo before its first release (schema %" PRId64
			", the oldest that this one reads is %" PRId64
			"): move it away and measure again, or use --store FILE for another",
			store->path, state->version, schema->oldest);
	return PE_OK;
}

/* They may name what a lift renames. */
static int drop_views(struct pe_store *store, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char **drops;
	size_t n;

	PE_TRY(pe_sql_texts(&drops, &n, store,
			    "SELECT printf('DROP VIEW \"%w\"', name) FROM sqlite_schema"
			    " WHERE type = 'view'",
			    NULL, &arena, err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_sql_script(store, drops[i], err));
	return PE_OK;
}

static int lift_from(struct pe_store *store, int64_t version, const struct pe_schema *schema,
		     struct pe_err *err)
{
	char stamp[96];

	PE_TRY(version == 0 ? pe_sql_script(store, schema->tables, err) : drop_views(store, err));
	if (version == 0)
		version = schema->tables_version;
	for (int64_t i = version - schema->oldest; i < (int64_t)schema->n_lifts; i++)
		PE_TRY(pe_sql_script(store, schema->lifts[i], err));
	PE_TRY(pe_sql_script(store, schema->views, err));
	snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %" PRId64,
		 PE_STORE_APPLICATION_ID, pe_schema_version(schema));
	return pe_sql_script(store, stamp, err);
}

int pe_schema_migrate(struct pe_store *store, const struct pe_schema *schema, struct pe_err *err)
{
	struct pe_schema_state state;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	/* Again: another process may have been faster. */
	PE_TRY(pe_schema_read(&state, store, err));
	PE_TRY(pe_schema_check(store, &state, schema, err));
	if (state.version < pe_schema_version(schema)) {
		PE_TRY(lift_from(store, state.version, schema, err));
		if (state.version != 0)
			PE_TRY(pe_schema_compare(store, schema, err));
	}
	return pe_savepoint_keep(&savepoint);
}
