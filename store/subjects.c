/* What is measured and where: machines and revisions. Each is found by what identifies it, or added. */
#include "store/sql.h"

#include <string.h>

int pe_store_put_machine(int64_t *key, struct pe_store *store, const struct pe_machine *machine,
			 struct pe_err *err)
{
	return pe_sql_once(
		key, store,
		"INSERT INTO machines (fingerprint, hostname, cpu, cores, memory_bytes, "
		"kernel, compilers)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (fingerprint) DO NOTHING",
		"SELECT key FROM machines WHERE fingerprint = ?1",
		ARGS(TEXT(machine->fingerprint), TEXT(machine->hostname), TEXT(machine->cpu),
		     INT(machine->cores), INT((int64_t)machine->memory_bytes),
		     TEXT(machine->kernel), TEXT(machine->compilers)),
		err);
}

/* The row of the latest run of a machine: a benchmark's runs are walked from its newest key backwards. */
#define LAST_RUN                                                                                   \
	"(SELECT r.started_s FROM runs r JOIN batches w ON w.key = r.batch"                        \
	" WHERE r.key BETWEEN b.key << 32 AND (b.key << 32) + 4294967295 AND w.machine = m.key"    \
	" ORDER BY r.key DESC LIMIT 1)"

int pe_store_machines(struct pe_stored_machine **out, size_t *n, struct pe_store *store,
		      struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_stored_machine row;

	return pe_sql_rows(
		out, n, store,
		"SELECT m.key, m.origin, m.farm, m.fingerprint, m.cores, m.memory_bytes, m.hostname,"
		" m.cpu, m.kernel, m.compilers, m.remote, m.public_key, t.last,"
		" t.last IS NOT NULL FROM (SELECT m.key AS key, (SELECT max(" LAST_RUN
		") FROM benchmarks b) AS last FROM machines m) t JOIN machines m ON m.key = t.key"
		" ORDER BY m.key",
		NULL,
		PE_ROW_OF(row,
			  PE_MEMBERS(row, key, origin, farm, machine.fingerprint, machine.cores,
				     machine.memory_bytes),
			  PE_MAYBE(row, machine.hostname), PE_MAYBE(row, machine.cpu),
			  PE_MAYBE(row, machine.kernel), PE_MAYBE(row, machine.compilers),
			  PE_MAYBE(row, remote), PE_MAYBE(row, public_key),
			  PE_MEMBERS(row, last_run_s, has_runs)),
		arena, err);
}

/* A commit never changes, but its known parents do when a shallow clone is deepened. */
static int put_parents(struct pe_store *store, int64_t key, const struct pe_revision *revision,
		       struct pe_err *err)
{
	PE_TRY(pe_sql_run(store, "DELETE FROM parents WHERE revision = ?1 AND position >= ?2",
			  ARGS(INT(key), INT((int64_t)revision->n_parents)), err));
	for (size_t i = 0; i < revision->n_parents; i++)
		PE_TRY(pe_sql_run(
			store,
			"INSERT INTO parents (revision, position, id) VALUES (?1, ?2, ?3)"
			" ON CONFLICT DO UPDATE SET id = excluded.id WHERE id <> excluded.id",
			ARGS(INT(key), INT((int64_t)i), TEXT(revision->parents[i])), err));
	return PE_OK;
}

int pe_store_put_revision(int64_t *key, struct pe_store *store, const struct pe_revision *revision,
			  struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_once(
		key, store,
		"INSERT INTO revisions (id, time_s, author, subject) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (id) DO NOTHING",
		"SELECT key FROM revisions WHERE id = ?1",
		ARGS(TEXT(revision->id), INT(revision->time_s), TEXT(revision->author),
		     TEXT(revision->subject)),
		err));
	PE_TRY(put_parents(store, *key, revision, err));
	return pe_savepoint_keep(&savepoint);
}

/* A stored revision, and the ids of its parents without anything between them. */
struct stored {
	struct pe_revision is;
	const char *parents;
};

static void give_parents(struct stored *stored, struct pe_arena *arena)
{
	const size_t length = PE_OID_HEX - 1, n = strlen(stored->parents) / length;
	char(*ids)[PE_OID_HEX] = pe_arena_alloc(arena, n, sizeof(*ids));

	for (size_t i = 0; i < n; i++)
		memcpy(ids[i], stored->parents + i * length, length);
	stored->is.parents = (const char(*)[PE_OID_HEX])ids;
	stored->is.n_parents = n;
}

int pe_store_revisions(struct pe_revision **out, size_t *n, struct pe_store *store,
		       struct pe_arena *arena, struct pe_err *err)
{
	typedef struct stored row;
	struct stored *all;

	PE_TRY(pe_sql_rows(&all, n, store,
			   "SELECT v.key, v.id, v.time_s, v.author, v.subject,"
			   " (SELECT group_concat(p.id, '') FROM (SELECT id FROM parents"
			   " WHERE revision = v.key ORDER BY position) p)"
			   " FROM revisions v ORDER BY v.key",
			   NULL,
			   PE_ROW_OF(row, PE_MEMBERS(row, is.key, is.id, is.time_s),
				     PE_MAYBE(row, is.author), PE_MAYBE(row, is.subject),
				     PE_MEMBERS(row, parents)),
			   arena, err));
	*out = pe_arena_new(arena, struct pe_revision, *n);
	for (size_t i = 0; i < *n; i++) {
		give_parents(&all[i], arena);
		(*out)[i] = all[i].is;
	}
	return PE_OK;
}
