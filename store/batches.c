/* Batches: plans of cells, fixed when they are put, so that a killed session goes on with the same plan. */
#include "store/sql.h"

#include <string.h>

static int put_batch_row(struct pe_store *store, struct pe_batch *batch, struct pe_err *err)
{
	const struct pe_conditions *conditions = &batch->conditions;

	PE_TRY(pe_sql_run(
		store,
		"INSERT INTO batches (machine, created_s, seed, is_open, governor, turbo, load,"
		" env_bytes, cpu, nice, fixed_layout, aside)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
		ARGS(INT(batch->machine), INT(batch->created_s), INT((int64_t)batch->seed),
		     INT(batch->open), TEXT(conditions->governor), TEXT(conditions->turbo),
		     REAL(conditions->load), INT(conditions->env_bytes), INT(conditions->cpu),
		     INT(conditions->nice), INT(conditions->fixed_layout), INT(batch->aside)),
		err));
	batch->key = sqlite3_last_insert_rowid(store->db);
	return PE_OK;
}

/* @param from  position in the plan of the first of them */
static int put_cells(struct pe_store *store, int64_t batch, const struct pe_coverage *cells,
		     size_t n, int64_t from, struct pe_err *err)
{
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_sql_run(store,
				  "INSERT INTO batch_cells (batch, revision, benchmark, position,"
				  " role, rounds) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
				  " ON CONFLICT DO NOTHING",
				  ARGS(INT(batch), INT(cells[i].revision), INT(cells[i].benchmark),
				       INT(from + (int64_t)i), INT(cells[i].role),
				       INT(cells[i].timed)),
				  err));
	return PE_OK;
}

int pe_store_put_batch(struct pe_store *store, struct pe_batch *batch, struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(put_batch_row(store, batch, err));
	PE_TRY(put_cells(store, batch->key, batch->cells, batch->n_cells, 0, err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_extend_batch(struct pe_store *store, int64_t batch, const struct pe_coverage *cells,
			  size_t n, struct pe_err *err)
{
	int64_t from;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_integer(&from, store,
			      "SELECT coalesce(max(position), -1) + 1 FROM batch_cells"
			      " WHERE batch = ?1",
			      ARGS(INT(batch)), err));
	PE_TRY(put_cells(store, batch, cells, n, from, err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_explored(int64_t **out, size_t *n, struct pe_store *store, int64_t machine,
		      struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(out, n, store,
			       "SELECT DISTINCT c.revision FROM batch_cells c JOIN batches w"
			       " ON w.key = c.batch WHERE w.machine = ?1 AND c.role = 4 ORDER BY 1",
			       ARGS(INT(machine)), arena, err);
}

static int read_cells(struct pe_batch *batch, struct pe_store *store, struct pe_arena *arena,
		      struct pe_err *err)
{
	return pe_sql_rows(
		&batch->cells, &batch->n_cells, store,
		"SELECT revision, benchmark, role, rounds FROM batch_cells WHERE batch = ?1"
		" ORDER BY position",
		ARGS(INT(batch->key)), PE_ROW(struct pe_coverage, revision, benchmark, role, timed),
		arena, err);
}

#define BATCH                                                                                      \
	"SELECT key, machine, created_s, seed, is_open, aside, governor, turbo, load, env_bytes,"  \
	" cpu, nice, fixed_layout FROM batches"

#define BATCH_ROW                                                                                  \
	PE_ROW_OF(struct pe_batch,                                                                 \
		  PE_MEMBERS(struct pe_batch, key, machine, created_s, seed, open, aside),         \
		  PE_MAYBE(struct pe_batch, conditions.governor),                                  \
		  PE_MAYBE(struct pe_batch, conditions.turbo),                                     \
		  PE_MEMBERS(struct pe_batch, conditions.load, conditions.env_bytes,               \
			     conditions.cpu, conditions.nice, conditions.fixed_layout))

int pe_store_get_batch(struct pe_batch *out, struct pe_store *store, int64_t batch,
		       struct pe_arena *arena, struct pe_err *err)
{
	PE_TRY(pe_sql_one(out, store, BATCH " WHERE key = ?1", ARGS(INT(batch)), BATCH_ROW, arena,
			  err));
	return read_cells(out, store, arena, err);
}

int pe_store_open_batches(struct pe_batch **out, size_t *n, struct pe_store *store, int64_t machine,
			  struct pe_arena *arena, struct pe_err *err)
{
	PE_TRY(pe_sql_rows(out, n, store,
			   BATCH " WHERE machine = ?1 AND is_open AND NOT aside ORDER BY key",
			   ARGS(INT(machine)), BATCH_ROW, arena, err));
	for (size_t i = 0; i < *n; i++)
		PE_TRY(read_cells(&(*out)[i], store, arena, err));
	return PE_OK;
}

int pe_store_settle_cell(struct pe_store *store, int64_t batch, int64_t revision, int64_t benchmark,
			 unsigned rounds, struct pe_err *err)
{
	return pe_sql_run(store,
			  "UPDATE batch_cells SET rounds = ?4, enough = 1"
			  " WHERE batch = ?1 AND revision = ?2 AND benchmark = ?3",
			  ARGS(INT(batch), INT(revision), INT(benchmark), INT(rounds)), err);
}

int pe_store_close_batch(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	PE_TRY(pe_sql_run(store, "UPDATE batches SET is_open = 0 WHERE key = ?1", ARGS(INT(batch)),
			  err));
	if (sqlite3_changes(store->db) == 0)
		return pe_fail(err, PE_ENOTFOUND, "%s: there is no batch with key %lld",
			       store->path, (long long)batch);
	return PE_OK;
}
