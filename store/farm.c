#include "store/farm.h"

#include "store/sql.h"

#include <string.h>

/* --- The copy --- */

int pe_store_copy(struct pe_store *store, const char *path, struct pe_err *err)
{
	const int rc = pe_sql_run(store, "VACUUM INTO ?1", ARGS(TEXT(path)), err);

	if (rc != PE_OK)
		pe_err_context(err, "cannot copy %s to %s", store->path, path);
	return rc;
}

int pe_store_all_left(struct pe_store *store, struct pe_err *err)
{
	static const char *const all[] = {
		"UPDATE batches SET shared = 1, is_open = 0",
		"UPDATE builds SET shared = 1",
		"UPDATE reused SET shared = 1",
		"UPDATE confirmations SET shared = 1",
	};
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		PE_TRY(pe_sql_run(store, all[i], NULL, err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_farm_batches(int64_t **out, size_t *n, struct pe_store *store, bool open,
			  struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(out, n, store,
			       "SELECT key FROM batches WHERE is_open = ?1"
			       " AND NOT iif(is_open, aside, shared) ORDER BY key",
			       ARGS(INT(open)), arena, err);
}

/* --- The class --- */

int pe_store_set_farm(struct pe_store *store, int64_t machine, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE machines SET farm = key = ?1 WHERE farm <> (key = ?1)",
			  ARGS(INT(machine)), err);
}

int pe_store_get_farm(struct pe_machine *out, struct pe_store *store, struct pe_arena *arena,
		      struct pe_err *err)
{
	struct pe_stored_machine *machines;
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, store, arena, err));
	for (size_t i = 0; i < n; i++)
		if (machines[i].farm) {
			*out = machines[i].machine;
			return PE_OK;
		}
	return PE_ENOTFOUND;
}

/* --- Pieces --- */

int pe_store_has_piece(bool *out, struct pe_store *store, const char *name, struct pe_err *err)
{
	return pe_sql_exists(out, store, "SELECT 1 FROM farm_pieces WHERE name = ?1",
			     ARGS(TEXT(name)), err);
}

int pe_store_put_piece(struct pe_store *store, const char *name, const char *shard,
		       struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO farm_pieces (name, shard) VALUES (?1, ?2)"
			  " ON CONFLICT DO NOTHING",
			  ARGS(TEXT(name), TEXT(shard)), err);
}

int pe_store_count_pieces(size_t *out, struct pe_store *store, const char *shard,
			  struct pe_err *err)
{
	int64_t n = 0;
	int rc = pe_sql_integer(&n, store, "SELECT count(*) FROM farm_pieces WHERE shard = ?1",
				ARGS(TEXT(shard)), err);

	*out = (size_t)n;
	return rc;
}

/* --- Nodes --- */

int pe_store_node_of(const char **out, struct pe_store *store, int64_t machine, int64_t benchmark,
		     struct pe_arena *arena, struct pe_err *err)
{
	struct pe_measured_on on;
	const int rc = pe_sql_one(
		&on, store,
		"SELECT w.node FROM batches w WHERE w.machine = ?1 AND NOT w.aside"
		" AND w.node IS NOT NULL AND EXISTS (SELECT 1 FROM batch_cells c"
		" WHERE c.batch = w.key AND c.benchmark = ?2) ORDER BY w.created_s, w.key LIMIT 1",
		ARGS(INT(machine), INT(benchmark)), PE_ROW(struct pe_measured_on, node), arena,
		err);

	*out = on.node;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

int pe_store_measured_on(struct pe_measured_on **out, size_t *n, struct pe_store *store,
			 int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   "SELECT DISTINCT c.benchmark, w.node FROM batches w"
			   " JOIN batch_cells c ON c.batch = w.key"
			   " WHERE w.machine = ?1 AND w.node IS NOT NULL AND NOT w.aside"
			   " ORDER BY c.benchmark, w.node",
			   ARGS(INT(machine)), PE_ROW(struct pe_measured_on, benchmark, node),
			   arena, err);
}

int pe_store_nodes(struct pe_stored_node **out, size_t *n, struct pe_store *store, int64_t machine,
		   struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(
		out, n, store,
		"SELECT w.node, count(DISTINCT w.key), count(r.key), count(DISTINCT r.benchmark),"
		" coalesce(max(r.started_s), 0) FROM batches w"
		" LEFT JOIN batch_cells c ON c.batch = w.key LEFT JOIN runs r ON"
		" r.benchmark = c.benchmark AND r.revision = c.revision AND r.batch = c.batch"
		" WHERE w.machine = ?1 AND w.node IS NOT NULL GROUP BY w.node ORDER BY w.node",
		ARGS(INT(machine)),
		PE_ROW(struct pe_stored_node, name, batches, runs, benchmarks, last_run_s), arena,
		err);
}
