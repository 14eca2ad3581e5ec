/* Exchange, outwards: batches, failed builds, reused cells and confirmations as parcels. */
#include "store/exchange.h"

#include "store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Tables of a parcel, and the keys that their rows have here --- */

typedef PE_VEC(int64_t) key_vec;

struct packing {
	struct pe_store *store;
	struct pe_arena *arena;
	struct pe_err *err;
	struct pe_parcel *out;
	key_vec revisions, benchmarks, metrics; /* keys */
};

static int compare_keys(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort keys and drop those that are there twice: then a key's index is found by searching. */
static void settle(key_vec *keys)
{
	size_t kept = 0;

	if (keys->n != 0)
		qsort(keys->data, keys->n, sizeof(*keys->data), compare_keys);
	for (size_t i = 0; i < keys->n; i++)
		if (kept == 0 || keys->data[kept - 1] != keys->data[i])
			keys->data[kept++] = keys->data[i];
	keys->n = kept;
}

static size_t index_in(const key_vec *keys, int64_t key)
{
	const int64_t *found =
		bsearch(&key, keys->data, keys->n, sizeof(*keys->data), compare_keys);

	return found != NULL ? (size_t)(found - keys->data) : 0;
}

static int pack_machine(struct packing *packing, int64_t machine)
{
	struct pe_machine *out = &packing->out->machine;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, packing->store,
		"SELECT fingerprint, hostname, cpu, cores, memory_bytes, kernel, compilers"
		" FROM machines WHERE key = ?1",
		ARGS(INT(machine)), packing->err);

	if (rc == PE_OK)
		rc = pe_sql_row(stmt, packing->store, packing->err);
	if (rc > 0) {
		pe_sql_hex(out->fingerprint, sizeof(out->fingerprint), stmt, 0);
		out->hostname = pe_sql_text(stmt, 1, packing->arena);
		out->cpu = pe_sql_text(stmt, 2, packing->arena);
		out->cores = (unsigned)sqlite3_column_int64(stmt, 3);
		out->memory_bytes = (uint64_t)sqlite3_column_int64(stmt, 4);
		out->kernel = pe_sql_text(stmt, 5, packing->arena);
		out->compilers = pe_sql_text(stmt, 6, packing->arena);
	}
	pe_sql_close(stmt);
	if (rc == 0)
		return pe_fail(packing->err, PE_ENOTFOUND, "%s: there is no machine with key %lld",
			       packing->store->path, (long long)machine);
	return rc < 0 ? rc : PE_OK;
}

static int pack_parents(struct pe_revision *out, struct packing *packing, int64_t key)
{
	PE_VEC(struct { char id[PE_OID_HEX]; }) ids = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	char(*copy)[PE_OID_HEX];
	int rc = pe_sql_open(&stmt, packing->store,
			     "SELECT id FROM parents WHERE revision = ?1 ORDER BY position",
			     ARGS(INT(key)), packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		pe_vec_push(&ids, (__typeof__(*ids.data)){""});
		pe_sql_hex(ids.data[ids.n - 1].id, PE_OID_HEX, stmt, 0);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	copy = pe_arena_alloc(packing->arena, ids.n, sizeof(*copy));
	if (ids.n != 0)
		memcpy(copy, ids.data, ids.n * sizeof(*copy));
	out->parents = (const char(*)[PE_OID_HEX])copy;
	out->n_parents = ids.n;
	pe_vec_release(&ids);
	return rc;
}

static int pack_revision(struct pe_revision *out, struct packing *packing, int64_t key)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store,
			     "SELECT id, time_s, author, subject FROM revisions WHERE key = ?1",
			     ARGS(INT(key)), packing->err);

	if (rc == PE_OK)
		rc = pe_sql_row(stmt, packing->store, packing->err);
	if (rc > 0) {
		pe_sql_hex(out->id, sizeof(out->id), stmt, 0);
		out->time_s = sqlite3_column_int64(stmt, 1);
		out->author = pe_sql_text(stmt, 2, packing->arena);
		out->subject = pe_sql_text(stmt, 3, packing->arena);
	}
	pe_sql_close(stmt);
	return rc < 0 ? rc : pack_parents(out, packing, key);
}

static int pack_benchmark(struct pe_parcel_benchmark *out, struct packing *packing, int64_t key)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, packing->store,
		"SELECT name, version, definition, is_test FROM benchmarks WHERE key = ?1",
		ARGS(INT(key)), packing->err);

	if (rc == PE_OK)
		rc = pe_sql_row(stmt, packing->store, packing->err);
	if (rc > 0) {
		out->name = pe_sql_text(stmt, 0, packing->arena);
		out->version = pe_sql_text(stmt, 1, packing->arena);
		out->definition = pe_sql_text(stmt, 2, packing->arena);
		out->is_test = sqlite3_column_int(stmt, 3) != 0;
	}
	pe_sql_close(stmt);
	return rc < 0 ? rc : PE_OK;
}

static int pack_metric(struct pe_metric *out, struct packing *packing, int64_t key)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store,
			     "SELECT name, unit, label, better, kind, min_relative, min_absolute"
			     " FROM metrics WHERE key = ?1",
			     ARGS(INT(key)), packing->err);

	if (rc == PE_OK)
		rc = pe_sql_row(stmt, packing->store, packing->err);
	if (rc > 0)
		*out = (struct pe_metric){
			.name = pe_sql_text(stmt, 0, packing->arena),
			.unit = pe_sql_text(stmt, 1, packing->arena),
			.label = pe_sql_text(stmt, 2, packing->arena),
			.better = (enum pe_better)sqlite3_column_int(stmt, 3),
			.kind = (enum pe_metric_kind)sqlite3_column_int(stmt, 4),
			.min_relative = sqlite3_column_double(stmt, 5),
			.min_absolute = sqlite3_column_double(stmt, 6),
		};
	pe_sql_close(stmt);
	return rc < 0 ? rc : PE_OK;
}

/* The tables, of the keys that were collected. */
static int pack_tables(struct packing *packing)
{
	struct pe_parcel *out = packing->out;
	int rc = PE_OK;

	out->n_revisions = packing->revisions.n;
	out->revisions = pe_arena_new(packing->arena, struct pe_revision, out->n_revisions);
	out->n_benchmarks = packing->benchmarks.n;
	out->benchmarks =
		pe_arena_new(packing->arena, struct pe_parcel_benchmark, out->n_benchmarks);
	out->n_metrics = packing->metrics.n;
	out->metrics = pe_arena_new(packing->arena, struct pe_metric, out->n_metrics);
	for (size_t i = 0; rc == PE_OK && i < out->n_revisions; i++)
		rc = pack_revision(&out->revisions[i], packing, packing->revisions.data[i]);
	for (size_t i = 0; rc == PE_OK && i < out->n_benchmarks; i++)
		rc = pack_benchmark(&out->benchmarks[i], packing, packing->benchmarks.data[i]);
	for (size_t i = 0; rc == PE_OK && i < out->n_metrics; i++)
		rc = pack_metric(&out->metrics[i], packing, packing->metrics.data[i]);
	return rc;
}

static void release_packing(struct packing *packing)
{
	pe_vec_release(&packing->revisions);
	pe_vec_release(&packing->benchmarks);
	pe_vec_release(&packing->metrics);
}

/* --- A batch goes out --- */

int pe_store_batches_to_share(int64_t **out, size_t *n, struct pe_store *store,
			      struct pe_arena *arena, struct pe_err *err)
{
	key_vec keys = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT w.key FROM batches w WHERE NOT w.is_open AND NOT w.shared"
			     " AND EXISTS (SELECT 1 FROM batch_cells c JOIN runs r"
			     " ON r.benchmark = c.benchmark AND r.revision = c.revision"
			     " AND r.batch = c.batch WHERE c.batch = w.key) ORDER BY w.key",
			     NULL, err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, store, err)) > 0) {
		pe_vec_push(&keys, sqlite3_column_int64(stmt, 0));
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &keys, arena);
	return rc;
}

static int pack_batch_row(int64_t *machine, struct packing *packing, int64_t batch)
{
	struct pe_parcel *out = packing->out;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, packing->store,
		"SELECT machine, created_s, seed, governor, turbo, load, env_bytes, cpu, nice,"
		" fixed_layout, aside FROM batches WHERE key = ?1",
		ARGS(INT(batch)), packing->err);

	if (rc == PE_OK)
		rc = pe_sql_row(stmt, packing->store, packing->err);
	if (rc > 0) {
		*machine = sqlite3_column_int64(stmt, 0);
		out->has_batch = true;
		out->created_s = sqlite3_column_int64(stmt, 1);
		out->seed = (uint64_t)sqlite3_column_int64(stmt, 2);
		out->conditions = (struct pe_conditions){
			.governor = pe_sql_text(stmt, 3, packing->arena),
			.turbo = pe_sql_text(stmt, 4, packing->arena),
			.load = sqlite3_column_double(stmt, 5),
			.env_bytes = (unsigned)sqlite3_column_int64(stmt, 6),
			.cpu = sqlite3_column_int(stmt, 7),
			.nice = sqlite3_column_int(stmt, 8),
			.fixed_layout = sqlite3_column_int(stmt, 9) != 0,
		};
		out->aside = sqlite3_column_int(stmt, 10) != 0;
	}
	pe_sql_close(stmt);
	if (rc == 0)
		return pe_fail(packing->err, PE_ENOTFOUND, "%s: there is no batch with key %lld",
			       packing->store->path, (long long)batch);
	return rc < 0 ? rc : PE_OK;
}

/* Cells with keys in place of indices; index_rows() turns them. */
static int pack_cells(struct packing *packing, int64_t batch)
{
	PE_VEC(struct pe_parcel_cell) cells = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store,
			     "SELECT revision, benchmark, role, rounds, enough FROM batch_cells"
			     " WHERE batch = ?1 ORDER BY position",
			     ARGS(INT(batch)), packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		struct pe_parcel_cell cell = {
			.revision = (size_t)sqlite3_column_int64(stmt, 0),
			.benchmark = (size_t)sqlite3_column_int64(stmt, 1),
			.role = (unsigned)sqlite3_column_int(stmt, 2),
			.rounds = (unsigned)sqlite3_column_int64(stmt, 3),
			.enough = sqlite3_column_int(stmt, 4) != 0,
		};

		pe_vec_push(&cells, cell);
		pe_vec_push(&packing->revisions, (int64_t)cell.revision);
		pe_vec_push(&packing->benchmarks, (int64_t)cell.benchmark);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(&packing->out->cells, &packing->out->n_cells, &cells, packing->arena);
	return rc;
}

/* Metrics are few: a search through all of them costs less than a place for every sample's. */
static void remember(struct packing *packing, int64_t metric)
{
	for (size_t i = packing->metrics.n; i-- > 0;)
		if (packing->metrics.data[i] == metric)
			return;
	pe_vec_push(&packing->metrics, metric);
}

#define SAMPLES_OF_BATCH                                                                           \
	"SELECT r.key, r.revision, r.benchmark, r.kind, r.round, r.sequence, r.started_s,"         \
	" r.outcome, r.status, r.log, s.metric, s.value"                                           \
	" FROM batch_cells c CROSS JOIN runs r ON r.benchmark = c.benchmark"                       \
	" AND r.revision = c.revision AND r.batch = c.batch"                                       \
	" LEFT JOIN samples s ON s.run = r.key"                                                    \
	" WHERE c.batch = ?1 ORDER BY c.position, r.kind, r.round, s.metric"

static int pack_runs(struct packing *packing, int64_t batch)
{
	struct pe_parcel *out = packing->out;
	PE_VEC(struct pe_parcel_run) runs = {NULL, 0, 0};
	PE_VEC(struct pe_parcel_sample) samples = {NULL, 0, 0};
	int64_t last = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, SAMPLES_OF_BATCH, ARGS(INT(batch)),
			     packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		rc = PE_OK;
		if (runs.n == 0 || sqlite3_column_int64(stmt, 0) != last)
			pe_vec_push(&runs,
				    (struct pe_parcel_run){
					    .revision = (size_t)sqlite3_column_int64(stmt, 1),
					    .benchmark = (size_t)sqlite3_column_int64(stmt, 2),
					    .kind = (enum pe_run_kind)sqlite3_column_int(stmt, 3),
					    .round = (unsigned)sqlite3_column_int64(stmt, 4),
					    .sequence = (uint64_t)sqlite3_column_int64(stmt, 5),
					    .started_s = sqlite3_column_int64(stmt, 6),
					    .outcome = (enum pe_outcome)sqlite3_column_int(stmt, 7),
					    .status = sqlite3_column_int(stmt, 8),
					    .log = pe_sql_text(stmt, 9, packing->arena),
					    .first = samples.n,
				    });
		last = sqlite3_column_int64(stmt, 0);
		if (sqlite3_column_type(stmt, 10) == SQLITE_NULL)
			continue;
		pe_vec_push(&samples,
			    (struct pe_parcel_sample){(size_t)sqlite3_column_int64(stmt, 10),
						      sqlite3_column_double(stmt, 11)});
		runs.data[runs.n - 1].n_samples++;
		remember(packing, (int64_t)samples.data[samples.n - 1].metric);
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(&out->runs, &out->n_runs, &runs, packing->arena);
	pe_vec_into_arena(&out->samples, &out->n_samples, &samples, packing->arena);
	return rc;
}

/* Keys become indices. */
static void index_rows(struct packing *packing)
{
	struct pe_parcel *out = packing->out;

	for (size_t i = 0; i < out->n_cells; i++) {
		struct pe_parcel_cell *cell = &out->cells[i];

		cell->revision = index_in(&packing->revisions, (int64_t)cell->revision);
		cell->benchmark = index_in(&packing->benchmarks, (int64_t)cell->benchmark);
	}
	for (size_t i = 0; i < out->n_runs; i++) {
		struct pe_parcel_run *run = &out->runs[i];

		run->revision = index_in(&packing->revisions, (int64_t)run->revision);
		run->benchmark = index_in(&packing->benchmarks, (int64_t)run->benchmark);
	}
	for (size_t i = 0; i < out->n_samples; i++)
		out->samples[i].metric =
			index_in(&packing->metrics, (int64_t)out->samples[i].metric);
	for (size_t i = 0; i < out->n_builds; i++)
		out->builds[i].revision =
			index_in(&packing->revisions, (int64_t)out->builds[i].revision);
	for (size_t i = 0; i < out->n_reused; i++) {
		struct pe_parcel_reused *row = &out->reused[i];

		row->revision = index_in(&packing->revisions, (int64_t)row->revision);
		row->benchmark = index_in(&packing->benchmarks, (int64_t)row->benchmark);
		row->source = index_in(&packing->revisions, (int64_t)row->source);
	}
	for (size_t i = 0; i < out->n_confirmations; i++) {
		struct pe_parcel_confirmation *row = &out->confirmations[i];
		size_t *const revisions[] = {&row->before,        &row->after,
					     &row->first,         &row->last,
					     &row->pinned_before, &row->pinned_after,
					     &row->pinned_first,  &row->pinned_last};

		row->benchmark = index_in(&packing->benchmarks, (int64_t)row->benchmark);
		row->metric = index_in(&packing->metrics, (int64_t)row->metric);
		for (size_t r = 0; r < sizeof(revisions) / sizeof(*revisions); r++)
			*revisions[r] = index_in(&packing->revisions, (int64_t)*revisions[r]);
	}
}

static int finish_packing(struct packing *packing, int rc)
{
	settle(&packing->revisions);
	settle(&packing->benchmarks);
	settle(&packing->metrics);
	if (rc == PE_OK)
		rc = pack_tables(packing);
	if (rc == PE_OK)
		index_rows(packing);
	release_packing(packing);
	return rc;
}

int pe_store_pack_batch(struct pe_parcel *out, struct pe_store *store, int64_t batch,
			struct pe_arena *arena, struct pe_err *err)
{
	struct packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	int64_t machine = 0;
	int rc;

	*out = (struct pe_parcel){0};
	rc = pack_batch_row(&machine, &packing, batch);
	if (rc == PE_OK)
		rc = pack_machine(&packing, machine);
	if (rc == PE_OK)
		rc = pack_cells(&packing, batch);
	if (rc == PE_OK)
		rc = pack_runs(&packing, batch);
	return finish_packing(&packing, rc);
}

int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE batches SET shared = 1 WHERE key = ?1", ARGS(INT(batch)),
			  err);
}

/* --- Failed builds and reused cells go out --- */

static int pack_builds(struct packing *packing, int64_t machine, size_t most)
{
	PE_VEC(struct pe_parcel_build) builds = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, packing->store,
		"SELECT b.revision, r.hash, b.outcome, b.status, b.started_s, b.duration_ns, "
		"b.step,"
		" b.log FROM builds b JOIN recipes r ON r.key = b.recipe"
		" WHERE b.machine = ?1 AND b.outcome <> 0 AND NOT b.shared ORDER BY b.key LIMIT ?2",
		ARGS(INT(machine), INT((int64_t)most)), packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		struct pe_parcel_build row = {
			.revision = (size_t)sqlite3_column_int64(stmt, 0),
			.recipe = pe_sql_text(stmt, 1, packing->arena),
			.build = {.outcome = (enum pe_outcome)sqlite3_column_int(stmt, 2),
				  .status = sqlite3_column_int(stmt, 3),
				  .started_s = sqlite3_column_int64(stmt, 4),
				  .duration_ns = (uint64_t)sqlite3_column_int64(stmt, 5),
				  .step = pe_sql_text(stmt, 6, packing->arena),
				  .log = pe_sql_text(stmt, 7, packing->arena)},
		};

		pe_vec_push(&builds, row);
		pe_vec_push(&packing->revisions, (int64_t)row.revision);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(&packing->out->builds, &packing->out->n_builds, &builds, packing->arena);
	return rc;
}

static int pack_reused(struct packing *packing, int64_t machine, size_t most)
{
	PE_VEC(struct pe_parcel_reused) rows = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store,
			     "SELECT revision, benchmark, source FROM reused WHERE machine = ?1"
			     " AND NOT shared ORDER BY benchmark, revision LIMIT ?2",
			     ARGS(INT(machine), INT((int64_t)most)), packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		struct pe_parcel_reused row = {
			.revision = (size_t)sqlite3_column_int64(stmt, 0),
			.benchmark = (size_t)sqlite3_column_int64(stmt, 1),
			.source = (size_t)sqlite3_column_int64(stmt, 2),
		};

		pe_vec_push(&rows, row);
		pe_vec_push(&packing->revisions, (int64_t)row.revision);
		pe_vec_push(&packing->revisions, (int64_t)row.source);
		pe_vec_push(&packing->benchmarks, (int64_t)row.benchmark);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(&packing->out->reused, &packing->out->n_reused, &rows, packing->arena);
	return rc;
}

/* Nothing more is measured for a settled one: it will not change. */
#define CONFIRMATIONS_TO_SHARE                                                                     \
	"SELECT c.benchmark, c.metric, c.before, c.after, c.first, c.last, w.created_s, w.seed,"   \
	" c.direction, c.begun_s, c.answer, c.accept, c.give_up, c.suspected, c.min_effect,"       \
	" c.margin, c.unit, c.pairs, c.relative, c.low, c.high, c.confidence, c.p, c.least,"       \
	" c.more, c.known_after, c.pinned_before, c.pinned_after, c.pinned_first, c.pinned_last,"  \
	" c.sure, c.layout FROM confirmations c LEFT JOIN batches w ON w.key = c.batch"            \
	" WHERE c.machine = ?1 AND c.settled AND c.answer <> 0 AND NOT c.shared"                   \
	" ORDER BY c.key LIMIT ?2"

static double real_or_nan(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(stmt, column);
}

static struct pe_parcel_confirmation confirmation_of(sqlite3_stmt *stmt)
{
	return (struct pe_parcel_confirmation){
		.benchmark = (size_t)sqlite3_column_int64(stmt, 0),
		.metric = (size_t)sqlite3_column_int64(stmt, 1),
		.before = (size_t)sqlite3_column_int64(stmt, 2),
		.after = (size_t)sqlite3_column_int64(stmt, 3),
		.first = (size_t)sqlite3_column_int64(stmt, 4),
		.last = (size_t)sqlite3_column_int64(stmt, 5),
		.has_batch = sqlite3_column_type(stmt, 6) != SQLITE_NULL,
		.created_s = sqlite3_column_int64(stmt, 6),
		.seed = (uint64_t)sqlite3_column_int64(stmt, 7),
		.direction = sqlite3_column_int(stmt, 8),
		.begun_s = sqlite3_column_int64(stmt, 9),
		.answer = (enum pe_confirm_answer)sqlite3_column_int(stmt, 10),
		.opts = {.accept = sqlite3_column_double(stmt, 11),
			 .give_up = sqlite3_column_double(stmt, 12),
			 .suspected = sqlite3_column_double(stmt, 13),
			 .min_effect = sqlite3_column_double(stmt, 14),
			 .margin = sqlite3_column_double(stmt, 15),
			 .unit = sqlite3_column_double(stmt, 16)},
		.told = {.pairs = (size_t)sqlite3_column_int64(stmt, 17),
			 .relative = real_or_nan(stmt, 18),
			 .low = real_or_nan(stmt, 19),
			 .high = real_or_nan(stmt, 20),
			 .confidence = real_or_nan(stmt, 21),
			 .p = real_or_nan(stmt, 22),
			 .least = real_or_nan(stmt, 23),
			 .more = (size_t)sqlite3_column_int64(stmt, 24)},
		.known_after = (size_t)sqlite3_column_int64(stmt, 25),
		.pinned = sqlite3_column_type(stmt, 26) != SQLITE_NULL &&
			  sqlite3_column_type(stmt, 27) != SQLITE_NULL &&
			  sqlite3_column_type(stmt, 28) != SQLITE_NULL &&
			  sqlite3_column_type(stmt, 29) != SQLITE_NULL,
		.pinned_before = (size_t)sqlite3_column_int64(stmt, 26),
		.pinned_after = (size_t)sqlite3_column_int64(stmt, 27),
		.pinned_first = (size_t)sqlite3_column_int64(stmt, 28),
		.pinned_last = (size_t)sqlite3_column_int64(stmt, 29),
		.sure = real_or_nan(stmt, 30),
		.layout = (enum pe_layout)sqlite3_column_int(stmt, 31),
	};
}

static int pack_confirmations(struct packing *packing, int64_t machine, size_t most)
{
	PE_VEC(struct pe_parcel_confirmation) rows = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, CONFIRMATIONS_TO_SHARE,
			     ARGS(INT(machine), INT((int64_t)most)), packing->err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, packing->store, packing->err)) > 0) {
		struct pe_parcel_confirmation row = confirmation_of(stmt);
		const size_t revisions[] = {row.before,       row.after,         row.first,
					    row.last,         row.pinned_before, row.pinned_after,
					    row.pinned_first, row.pinned_last};

		pe_vec_push(&rows, row);
		pe_vec_push(&packing->benchmarks, (int64_t)row.benchmark);
		remember(packing, (int64_t)row.metric);
		for (size_t i = 0; i < (row.pinned ? 8 : 4); i++)
			pe_vec_push(&packing->revisions, (int64_t)revisions[i]);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(&packing->out->confirmations, &packing->out->n_confirmations, &rows,
			  packing->arena);
	return rc;
}

int pe_store_pack_findings(struct pe_parcel *out, struct pe_store *store, int64_t machine,
			   size_t most, struct pe_arena *arena, struct pe_err *err)
{
	struct packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	int rc;

	*out = (struct pe_parcel){0};
	rc = pack_machine(&packing, machine);
	if (rc == PE_OK)
		rc = pack_builds(&packing, machine, most);
	if (rc == PE_OK)
		rc = pack_reused(&packing, machine, most);
	if (rc == PE_OK)
		rc = pack_confirmations(&packing, machine, most);
	return finish_packing(&packing, rc);
}

int pe_store_findings_left(struct pe_store *store, int64_t machine, size_t most, struct pe_err *err)
{
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(
		store,
		"UPDATE builds SET shared = 1 WHERE key IN (SELECT key FROM builds"
		" WHERE machine = ?1 AND outcome <> 0 AND NOT shared ORDER BY key LIMIT ?2)",
		ARGS(INT(machine), INT((int64_t)most)), err);
	if (rc == PE_OK)
		rc = pe_sql_run(
			store,
			"UPDATE reused SET shared = 1 WHERE (machine, benchmark, revision) IN"
			" (SELECT machine, benchmark, revision FROM reused WHERE machine = ?1"
			" AND NOT shared ORDER BY benchmark, revision LIMIT ?2)",
			ARGS(INT(machine), INT((int64_t)most)), err);
	if (rc == PE_OK)
		rc = pe_sql_run(store,
				"UPDATE confirmations SET shared = 1 WHERE key IN (SELECT key FROM"
				" confirmations WHERE machine = ?1 AND settled AND answer <> 0"
				" AND NOT shared ORDER BY key LIMIT ?2)",
				ARGS(INT(machine), INT((int64_t)most)), err);
	return pe_scope_end(store, rc, err);
}
