/* Batches: plans of cells, fixed when they are put, so that a killed session goes on with the same plan. */
#include "store/sql.h"

#include <string.h>

static int put_batch_row(struct pe_store *store, struct pe_batch *batch, struct pe_err *err)
{
	const struct pe_conditions *conditions = &batch->conditions;
	int rc = pe_sql_run(
		store,
		"INSERT INTO batches (machine, created_s, seed, is_open, governor, turbo, load,"
		" env_bytes, cpu, nice, fixed_layout, aside)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
		ARGS(INT(batch->machine), INT(batch->created_s), INT((int64_t)batch->seed),
		     INT(batch->open), TEXT(conditions->governor), TEXT(conditions->turbo),
		     REAL(conditions->load), INT(conditions->env_bytes), INT(conditions->cpu),
		     INT(conditions->nice), INT(conditions->fixed_layout), INT(batch->aside)),
		err);

	if (rc == PE_OK)
		batch->key = sqlite3_last_insert_rowid(store->db);
	return rc;
}

static int put_cells(struct pe_store *store, int64_t batch, const struct pe_batch_cell *cells,
		     size_t n, struct pe_err *err)
{
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = pe_sql_run(store,
				"INSERT INTO batch_cells (batch, revision, benchmark, position, "
				"role, rounds)"
				" SELECT ?1, ?2, ?3, coalesce(max(position), -1) + 1, ?4, ?5"
				" FROM batch_cells WHERE batch = ?1"
				" ON CONFLICT DO NOTHING",
				ARGS(INT(batch), INT(cells[i].revision), INT(cells[i].benchmark),
				     INT(cells[i].role), INT(cells[i].rounds)),
				err);
	return rc;
}

int pe_store_put_batch(struct pe_store *store, struct pe_batch *batch, struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = put_batch_row(store, batch, err);
	for (size_t i = 0; rc == PE_OK && i < batch->n_cells; i++) {
		const struct pe_batch_cell *cell = &batch->cells[i];

		rc = pe_sql_run(store,
				"INSERT INTO batch_cells (batch, revision, benchmark, position, "
				"role, rounds)"
				" VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
				ARGS(INT(batch->key), INT(cell->revision), INT(cell->benchmark),
				     INT((int64_t)i), INT(cell->role), INT(cell->rounds)),
				err);
	}
	return pe_scope_end(store, rc, err);
}

int pe_store_extend_batch(struct pe_store *store, int64_t batch, const struct pe_batch_cell *cells,
			  size_t n, struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	return rc == PE_OK ? pe_scope_end(store, put_cells(store, batch, cells, n, err), err) : rc;
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
	PE_VEC(struct pe_batch_cell) cells = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT revision, benchmark, role, rounds FROM batch_cells WHERE batch = ?1"
		" ORDER BY position",
		ARGS(INT(batch->key)), err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&cells, (struct pe_batch_cell){
					    .revision = sqlite3_column_int64(stmt, 0),
					    .benchmark = sqlite3_column_int64(stmt, 1),
					    .role = (enum pe_role)sqlite3_column_int(stmt, 2),
					    .rounds = (unsigned)sqlite3_column_int64(stmt, 3),
				    });
	pe_sql_close(stmt);
	pe_vec_into_arena(&batch->cells, &batch->n_cells, &cells, arena);
	return rc;
}

#define BATCH                                                                                      \
	"SELECT key, created_s, seed, governor, turbo, load, env_bytes, cpu, nice, fixed_layout,"  \
	" is_open, aside, machine FROM batches"

static struct pe_batch read_batch(sqlite3_stmt *stmt, struct pe_arena *arena)
{
	return (struct pe_batch){
		.key = sqlite3_column_int64(stmt, 0),
		.machine = sqlite3_column_int64(stmt, 12),
		.created_s = sqlite3_column_int64(stmt, 1),
		.seed = (uint64_t)sqlite3_column_int64(stmt, 2),
		.open = sqlite3_column_int(stmt, 10) != 0,
		.aside = sqlite3_column_int(stmt, 11) != 0,
		.conditions = {.governor = pe_sql_text_or_null(stmt, 3, arena),
			       .turbo = pe_sql_text_or_null(stmt, 4, arena),
			       .load = sqlite3_column_double(stmt, 5),
			       .env_bytes = (unsigned)sqlite3_column_int64(stmt, 6),
			       .cpu = sqlite3_column_int(stmt, 7),
			       .nice = sqlite3_column_int(stmt, 8),
			       .fixed_layout = sqlite3_column_int(stmt, 9) != 0},
	};
}

int pe_store_get_batch(struct pe_batch *out, struct pe_store *store, int64_t batch,
		       struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, BATCH " WHERE key = ?1", ARGS(INT(batch)), err);

	if (pe_sql_next(&rc, stmt, store, err))
		*out = read_batch(stmt, arena);
	else if (rc == PE_OK)
		rc = PE_ENOTFOUND;
	pe_sql_close(stmt);
	return rc != PE_OK ? rc : read_cells(out, store, arena, err);
}

int pe_store_open_batches(struct pe_batch **out, size_t *n, struct pe_store *store, int64_t machine,
			  struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_batch) batches = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     BATCH " WHERE machine = ?1 AND is_open AND NOT aside ORDER BY key",
			     ARGS(INT(machine)), err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&batches, read_batch(stmt, arena));
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &batches, arena);
	for (size_t i = 0; rc == PE_OK && i < *n; i++)
		rc = read_cells(&(*out)[i], store, arena, err);
	return rc;
}

int pe_store_newest_batch(int64_t *out, struct pe_store *store, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, "SELECT coalesce(max(key), 0) FROM batches", NULL, err);

	*out = 0;
	if (pe_sql_next(&rc, stmt, store, err))
		*out = sqlite3_column_int64(stmt, 0);
	pe_sql_close(stmt);
	return rc;
}

int pe_store_settle_cell(struct pe_store *store, int64_t batch, int64_t revision, int64_t benchmark,
			 unsigned rounds, struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(store,
			"UPDATE batch_cells SET rounds = ?4, enough = 1"
			" WHERE batch = ?1 AND revision = ?2 AND benchmark = ?3",
			ARGS(INT(batch), INT(revision), INT(benchmark), INT(rounds)), err);
	return pe_scope_end(store, rc, err);
}

int pe_store_close_batch(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(store, "UPDATE batches SET is_open = 0 WHERE key = ?1", ARGS(INT(batch)),
			err);
	if (rc == PE_OK && sqlite3_changes(store->db) == 0)
		rc = pe_fail(err, PE_ENOTFOUND, "%s: there is no batch with key %lld", store->path,
			     (long long)batch);
	return pe_scope_end(store, rc, err);
}
