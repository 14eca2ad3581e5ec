/* What is measured and where: machines and revisions. Each is found by what identifies it, or added. */
#include "store/sql.h"

#include <string.h>

int pe_store_put_machine(int64_t *key, struct pe_store *store, const struct pe_machine *machine,
			 struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(store,
			"INSERT INTO machines (fingerprint, hostname, cpu, cores, memory_bytes, "
			"kernel, compilers)"
			" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (fingerprint) DO NOTHING",
			ARGS(TEXT(machine->fingerprint), TEXT(machine->hostname),
			     TEXT(machine->cpu), INT(machine->cores),
			     INT((int64_t)machine->memory_bytes), TEXT(machine->kernel),
			     TEXT(machine->compilers)),
			err);
	if (rc == PE_OK)
		rc = pe_sql_integer(key, store, "SELECT key FROM machines WHERE fingerprint = ?1",
				    ARGS(TEXT(machine->fingerprint)), err);
	return pe_scope_end(store, rc, err);
}

/* The row of the latest run of a machine: a benchmark's runs are walked from its newest key backwards. */
#define LAST_RUN                                                                                   \
	"(SELECT r.started_s FROM runs r JOIN batches w ON w.key = r.batch"                        \
	" WHERE r.key BETWEEN b.key << 32 AND (b.key << 32) + 4294967295 AND w.machine = m.key"    \
	" ORDER BY r.key DESC LIMIT 1)"

int pe_store_machines(struct pe_stored_machine **out, size_t *n, struct pe_store *store,
		      struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_machine) machines = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT m.key, m.hostname, m.cpu, m.cores, m.memory_bytes, m.kernel, m.compilers,"
		" m.fingerprint, m.origin, m.remote, m.public_key, (SELECT max(" LAST_RUN
		") FROM benchmarks b), m.farm FROM machines m ORDER BY m.key",
		NULL, err);

	while (pe_sql_next(&rc, stmt, store, err)) {
		struct pe_stored_machine row = {
			.key = sqlite3_column_int64(stmt, 0),
			.machine = {.hostname = pe_sql_text_or_null(stmt, 1, arena),
				    .cpu = pe_sql_text_or_null(stmt, 2, arena),
				    .cores = (unsigned)sqlite3_column_int64(stmt, 3),
				    .memory_bytes = (uint64_t)sqlite3_column_int64(stmt, 4),
				    .kernel = pe_sql_text_or_null(stmt, 5, arena),
				    .compilers = pe_sql_text_or_null(stmt, 6, arena)},
			.origin = pe_sql_text(stmt, 8, arena),
			.remote = pe_sql_text_or_null(stmt, 9, arena),
			.public_key = pe_sql_text_or_null(stmt, 10, arena),
			.last_run_s = sqlite3_column_int64(stmt, 11),
			.has_runs = sqlite3_column_type(stmt, 11) != SQLITE_NULL,
			.farm = sqlite3_column_int(stmt, 12) != 0,
		};

		pe_sql_hex(row.machine.fingerprint, sizeof(row.machine.fingerprint), stmt, 7);
		pe_vec_push(&machines, row);
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &machines, arena);
	return rc;
}

/* A commit never changes, but what is known of its parents does when a shallow clone is deepened. */
static int put_parents(struct pe_store *store, int64_t key, const struct pe_revision *revision,
		       struct pe_err *err)
{
	int rc = pe_sql_run(store, "DELETE FROM parents WHERE revision = ?1 AND position >= ?2",
			    ARGS(INT(key), INT((int64_t)revision->n_parents)), err);

	for (size_t i = 0; rc == PE_OK && i < revision->n_parents; i++)
		rc = pe_sql_run(
			store,
			"INSERT INTO parents (revision, position, id) VALUES (?1, ?2, ?3)"
			" ON CONFLICT DO UPDATE SET id = excluded.id WHERE id <> excluded.id",
			ARGS(INT(key), INT((int64_t)i), TEXT(revision->parents[i])), err);
	return rc;
}

int pe_store_put_revision(int64_t *key, struct pe_store *store, const struct pe_revision *revision,
			  struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(
		store,
		"INSERT INTO revisions (id, time_s, author, subject) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (id) DO NOTHING",
		ARGS(TEXT(revision->id), INT(revision->time_s), TEXT(revision->author),
		     TEXT(revision->subject)),
		err);
	if (rc == PE_OK)
		rc = pe_sql_integer(key, store, "SELECT key FROM revisions WHERE id = ?1",
				    ARGS(TEXT(revision->id)), err);
	if (rc == PE_OK)
		rc = put_parents(store, *key, revision, err);
	return pe_scope_end(store, rc, err);
}

struct parent {
	int64_t revision;
	char id[PE_OID_HEX];
};

/* All parents by (revision, position), in one pass. */
static int read_parents(struct parent **out, size_t *n, struct pe_store *store,
			struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct parent) parents = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT revision, id FROM parents ORDER BY revision, position", NULL,
			     err);

	while (pe_sql_next(&rc, stmt, store, err)) {
		struct parent row = {.revision = sqlite3_column_int64(stmt, 0)};

		pe_sql_hex(row.id, sizeof(row.id), stmt, 1);
		pe_vec_push(&parents, row);
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &parents, arena);
	return rc;
}

static int read_revisions(struct pe_stored_revision **out, size_t *n, struct pe_store *store,
			  struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_revision) revisions = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT key, id, time_s, author, subject FROM revisions ORDER BY key",
			     NULL, err);

	while (pe_sql_next(&rc, stmt, store, err)) {
		struct pe_stored_revision row = {
			.key = sqlite3_column_int64(stmt, 0),
			.revision = {.time_s = sqlite3_column_int64(stmt, 2),
				     .author = pe_sql_text_or_null(stmt, 3, arena),
				     .subject = pe_sql_text_or_null(stmt, 4, arena)},
		};

		pe_sql_hex(row.revision.id, sizeof(row.revision.id), stmt, 1);
		pe_vec_push(&revisions, row);
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &revisions, arena);
	return rc;
}

/* Both lists ascend by revision key: one merge hands every revision its parents. */
static void join_parents(struct pe_stored_revision *revisions, size_t n,
			 const struct parent *parents, size_t n_parents, struct pe_arena *arena)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		struct pe_revision *revision = &revisions[i].revision;
		char(*ids)[PE_OID_HEX];
		size_t first;

		while (at < n_parents && parents[at].revision < revisions[i].key)
			at++;
		first = at;
		while (at < n_parents && parents[at].revision == revisions[i].key)
			at++;
		ids = pe_arena_alloc(arena, at - first, sizeof(*ids));
		for (size_t k = first; k < at; k++)
			memcpy(ids[k - first], parents[k].id, PE_OID_HEX);
		revision->parents = (const char(*)[PE_OID_HEX])ids;
		revision->n_parents = at - first;
	}
}

int pe_store_revisions(struct pe_stored_revision **out, size_t *n, struct pe_store *store,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct parent *parents;
	size_t n_parents;
	int rc = read_revisions(out, n, store, arena, err);

	if (rc == PE_OK)
		rc = read_parents(&parents, &n_parents, store, arena, err);
	if (rc == PE_OK)
		join_parents(*out, *n, parents, n_parents, arena);
	return rc;
}
