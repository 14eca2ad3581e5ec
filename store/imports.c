/*
 * Imports: results that other tools measured, read from their files. They stand apart as those of other stores do: each
 * name of a machine is a machine of its own, whose fingerprint no machine has.
 */
#include "store/sql.h"

int pe_store_put_imported_machine(int64_t *key, struct pe_store *store, const char *name,
				  struct pe_err *err)
{
	PE_TRY(pe_sql_run(
		store,
		"INSERT INTO machines (fingerprint, hostname, cpu, cores, memory_bytes, kernel,"
		" compilers, origin, claimed, remote) SELECT"
		" 'x' || substr(lower(hex(randomblob(16))), 2), ?1, '', 0, 0, '', '', ?2, ?1, ''"
		" WHERE NOT EXISTS (SELECT 1 FROM machines WHERE origin = ?2 AND claimed = ?1)",
		ARGS(TEXT(name), TEXT(PE_IMPORTED)), err));
	return pe_sql_integer(key, store,
			      "SELECT key FROM machines WHERE origin = ?2 AND claimed = ?1",
			      ARGS(TEXT(name), TEXT(PE_IMPORTED)), err);
}

int pe_store_put_imported_benchmark(int64_t *key, struct pe_store *store,
				    const struct pe_benchmark *benchmark, struct pe_err *err)
{
	PE_TRY(pe_store_put_benchmark(key, store, benchmark, err));
	/* The version that is measured here stays the newest of its name. */
	return pe_sql_run(store,
			  "UPDATE benchmarks SET generation = coalesce((SELECT"
			  " min(n.generation) FROM benchmarks n WHERE n.name ="
			  " benchmarks.name AND n.key <> benchmarks.key), 2) - 1"
			  " WHERE key = ?1",
			  ARGS(INT(*key)), err);
}

/* Files do not give the time of measuring: the results of one machine are one batch, whose revisions are compared. */
int pe_store_import_batch(int64_t *key, struct pe_store *store, int64_t machine, int64_t created_s,
			  struct pe_err *err)
{
	struct pe_batch batch = {
		.machine = machine,
		.created_s = created_s,
		.conditions = {.governor = "unknown", .turbo = "unknown", .cpu = -1},
	};
	int rc = pe_sql_integer(key, store,
				"SELECT key FROM batches WHERE machine = ?1 AND NOT aside"
				" ORDER BY key LIMIT 1",
				ARGS(INT(machine)), err);

	if (rc == PE_ENOTFOUND) {
		rc = pe_store_put_batch(store, &batch, err);
		*key = batch.key;
	}
	return rc;
}

int pe_store_import_round(unsigned *out, struct pe_store *store, int64_t batch, int64_t revision,
			  struct pe_err *err)
{
	int64_t next = 0;
	int rc = pe_sql_integer(&next, store,
				"SELECT coalesce(max(round) + 1, 0) FROM runs"
				" WHERE batch = ?1 AND revision = ?2",
				ARGS(INT(batch), INT(revision)), err);

	*out = (unsigned)next;
	return rc;
}

/* The mark is a batch of its own that holds nothing. */
int pe_store_mark_import(bool *known, struct pe_store *store, int64_t machine, uint64_t mark,
			 int64_t created_s, struct pe_err *err)
{
	struct pe_batch batch = {
		.machine = machine,
		.created_s = created_s,
		.seed = mark,
		.aside = true,
		.conditions = {.governor = "unknown", .turbo = "unknown", .cpu = -1},
	};

	PE_TRY(pe_sql_exists(known, store,
			     "SELECT 1 FROM batches WHERE machine = ?1 AND seed = ?2 AND aside",
			     ARGS(INT(machine), INT((int64_t)mark)), err));
	return *known ? PE_OK : pe_store_put_batch(store, &batch, err);
}
