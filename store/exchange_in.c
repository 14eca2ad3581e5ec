/* Exchange, inwards: what other stores measured. Keys are given anew; what is known already stays. */
#include "store/exchange.h"

#include "store/sql.h"

/* The keys that the document's tables have here. */
struct unpacking {
	struct pe_store *store;
	const struct pe_results *results;
	struct pe_err *err;
	int64_t machine;
	int64_t *revisions, *benchmarks;
	struct pe_arena arena;
};

/* The version that is used here stays the newest of its name. */
static int unpack_benchmark(int64_t *key, struct unpacking *unpacking,
			    const struct pe_results_benchmark *benchmark)
{
	int rc = pe_sql_run(
		unpacking->store,
		"INSERT INTO benchmarks (name, version, generation, definition, is_test)"
		" VALUES (?1, ?2, coalesce((SELECT min(generation) FROM benchmarks"
		" WHERE name = ?1), 2) - 1, ?3, ?4) ON CONFLICT (name, version) DO NOTHING",
		ARGS(TEXT(benchmark->name), TEXT(benchmark->version), TEXT(benchmark->definition),
		     INT(benchmark->is_test)),
		unpacking->err);

	if (rc != PE_OK)
		return rc;
	return pe_sql_integer(key, unpacking->store,
			      "SELECT key FROM benchmarks WHERE name = ?1 AND version = ?2",
			      ARGS(TEXT(benchmark->name), TEXT(benchmark->version)),
			      unpacking->err);
}

static int unpack_tables(struct unpacking *unpacking)
{
	const struct pe_results *results = unpacking->results;
	int rc = pe_store_put_machine(&unpacking->machine, unpacking->store, &results->machine,
				      unpacking->err);

	unpacking->revisions = pe_arena_new(&unpacking->arena, int64_t, results->n_revisions);
	unpacking->benchmarks = pe_arena_new(&unpacking->arena, int64_t, results->n_benchmarks);
	for (size_t i = 0; rc == PE_OK && i < results->n_revisions; i++)
		rc = pe_store_put_revision(&unpacking->revisions[i], unpacking->store,
					   &results->revisions[i], unpacking->err);
	for (size_t i = 0; rc == PE_OK && i < results->n_benchmarks; i++)
		rc = unpack_benchmark(&unpacking->benchmarks[i], unpacking,
				      &results->benchmarks[i]);
	return rc;
}

static int unpack_batch(int64_t *key, struct unpacking *unpacking)
{
	const struct pe_results *results = unpacking->results;
	struct pe_batch batch = {
		.machine = unpacking->machine,
		.created_s = results->created_s,
		.seed = results->seed,
		.conditions = results->conditions,
		.cells = pe_arena_new(&unpacking->arena, struct pe_batch_cell, results->n_cells),
		.n_cells = results->n_cells,
		.aside = results->aside,
	};
	int rc;

	for (size_t i = 0; i < results->n_cells; i++) {
		const struct pe_results_cell *cell = &results->cells[i];

		batch.cells[i] =
			(struct pe_batch_cell){.revision = unpacking->revisions[cell->revision],
					       .benchmark = unpacking->benchmarks[cell->benchmark],
					       .role = (enum pe_role)cell->role,
					       .rounds = cell->rounds};
	}
	rc = pe_store_put_batch(unpacking->store, &batch, unpacking->err);
	for (size_t i = 0; rc == PE_OK && i < batch.n_cells; i++)
		if (results->cells[i].enough)
			rc = pe_store_settle_cell(unpacking->store, batch.key,
						  batch.cells[i].revision, batch.cells[i].benchmark,
						  batch.cells[i].rounds, unpacking->err);
	*key = batch.key;
	return rc == PE_OK ? pe_store_batch_left(unpacking->store, batch.key, unpacking->err) : rc;
}

static int unpack_run(struct unpacking *unpacking, int64_t batch, const struct pe_results_run *row)
{
	const struct pe_results *results = unpacking->results;
	struct pe_run run = {
		.kind = row->kind,
		.round = row->round,
		.sequence = row->sequence,
		.started_s = row->started_s,
		.outcome = row->outcome,
		.status = row->status,
		.log = row->log,
		.n_samples = row->n_samples,
	};

	for (size_t i = 0; i < row->n_samples; i++) {
		const struct pe_results_sample *sample = &results->samples[row->first + i];

		run.samples[i] =
			(struct pe_sample){&results->metrics[sample->metric], sample->value};
	}
	return pe_store_put_run(unpacking->store, batch, unpacking->revisions[row->revision],
				unpacking->benchmarks[row->benchmark], &run, unpacking->err);
}

/* The batch of this machine that was made then, with this seed. PE_ENOTFOUND, without a sentence. */
static int find_batch(int64_t *key, struct unpacking *unpacking, int64_t created_s, uint64_t seed)
{
	return pe_sql_integer(key, unpacking->store,
			      "SELECT key FROM batches WHERE machine = ?1 AND created_s = ?2"
			      " AND seed = ?3",
			      ARGS(INT(unpacking->machine), INT(created_s), INT((int64_t)seed)),
			      unpacking->err);
}

static int unpack_runs(size_t *runs, struct unpacking *unpacking)
{
	const struct pe_results *results = unpacking->results;
	int64_t batch;
	int rc = find_batch(&batch, unpacking, results->created_s, results->seed);

	if (rc != PE_ENOTFOUND)
		return rc;
	rc = unpack_batch(&batch, unpacking);
	for (size_t i = 0; rc == PE_OK && i < results->n_runs; i++)
		rc = unpack_run(unpacking, batch, &results->runs[i]);
	if (rc == PE_OK)
		*runs = results->n_runs;
	return rc;
}

/* An attempt is known when one by the same recipe began at the same time. */
static int unpack_build(struct unpacking *unpacking, const struct pe_results_build *row)
{
	int64_t revision = unpacking->revisions[row->revision], key;
	int rc = pe_sql_integer(&key, unpacking->store,
				"SELECT b.key FROM builds b JOIN recipes r ON r.key = b.recipe"
				" WHERE b.revision = ?1 AND b.machine = ?2 AND r.hash = ?3"
				" AND b.started_s = ?4",
				ARGS(INT(revision), INT(unpacking->machine), TEXT(row->recipe),
				     INT(row->build.started_s)),
				unpacking->err);

	if (rc != PE_ENOTFOUND)
		return rc;
	rc = pe_store_put_build(&key, unpacking->store, revision, unpacking->machine, row->recipe,
				&row->build, unpacking->err);
	return rc == PE_OK
		       ? pe_sql_run(unpacking->store, "UPDATE builds SET shared = 1 WHERE key = ?1",
				    ARGS(INT(key)), unpacking->err)
		       : rc;
}

static int unpack_reused(struct unpacking *unpacking, const struct pe_results_reused *row)
{
	return pe_sql_run(unpacking->store,
			  "INSERT INTO reused (machine, benchmark, revision, source, shared)"
			  " VALUES (?1, ?2, ?3, ?4, 1) ON CONFLICT DO NOTHING",
			  ARGS(INT(unpacking->machine), INT(unpacking->benchmarks[row->benchmark]),
			       INT(unpacking->revisions[row->revision]),
			       INT(unpacking->revisions[row->source])),
			  unpacking->err);
}

/* Its series may still be on the way, in another document. */
static int ensure_series(int64_t *metric, struct unpacking *unpacking,
			 const struct pe_results_confirmation *row)
{
	int64_t benchmark = unpacking->benchmarks[row->benchmark];
	int rc = pe_metric_key(metric, unpacking->store, benchmark,
			       &unpacking->results->metrics[row->metric], unpacking->err);

	if (rc != PE_OK)
		return rc;
	return pe_sql_run(unpacking->store,
			  "INSERT INTO series (machine, benchmark, metric) VALUES (?1, ?2, ?3)"
			  " ON CONFLICT DO NOTHING",
			  ARGS(INT(unpacking->machine), INT(benchmark), INT(*metric)),
			  unpacking->err);
}

static int put_confirmation(struct unpacking *unpacking, const struct pe_results_confirmation *row)
{
	const int64_t *revisions = unpacking->revisions;
	struct pe_stored_confirmation confirmation = {
		.machine = unpacking->machine,
		.benchmark = unpacking->benchmarks[row->benchmark],
		.metric = unpacking->results->metrics[row->metric].name,
		.before = revisions[row->before],
		.after = revisions[row->after],
		.first = revisions[row->first],
		.last = revisions[row->last],
		.direction = row->direction,
		.opts = row->opts,
		.begun_s = row->begun_s,
	};
	int rc = PE_ENOTFOUND;

	if (row->has_batch)
		rc = find_batch(&confirmation.batch, unpacking, row->created_s, row->seed);
	if (rc == PE_ENOTFOUND)
		rc = PE_OK;
	if (rc == PE_OK)
		rc = pe_store_put_confirmation(unpacking->store, &confirmation, unpacking->err);
	if (rc != PE_OK)
		return rc;
	confirmation.answer = row->answer;
	confirmation.told = row->told;
	confirmation.known_after = row->known_after;
	confirmation.sure = row->sure;
	confirmation.settled = true;
	confirmation.layout = row->layout;
	if (row->pinned) {
		confirmation.pinned_before = revisions[row->pinned_before];
		confirmation.pinned_after = revisions[row->pinned_after];
		confirmation.pinned_first = revisions[row->pinned_first];
		confirmation.pinned_last = revisions[row->pinned_last];
	}
	rc = pe_store_put_confirmation(unpacking->store, &confirmation, unpacking->err);
	return rc == PE_OK ? pe_sql_run(unpacking->store,
					"UPDATE confirmations SET shared = 1 WHERE key = ?1",
					ARGS(INT(confirmation.key)), unpacking->err)
			   : rc;
}

static int unpack_confirmation(struct unpacking *unpacking,
			       const struct pe_results_confirmation *row)
{
	int64_t metric, there;
	int rc = ensure_series(&metric, unpacking, row);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_integer(&there, unpacking->store,
			    "SELECT key FROM confirmations WHERE machine = ?1 AND benchmark = ?2"
			    " AND metric = ?3 AND before = ?4 AND after = ?5 AND begun_s = ?6",
			    ARGS(INT(unpacking->machine),
				 INT(unpacking->benchmarks[row->benchmark]), INT(metric),
				 INT(unpacking->revisions[row->before]),
				 INT(unpacking->revisions[row->after]), INT(row->begun_s)),
			    unpacking->err);
	return rc == PE_ENOTFOUND ? put_confirmation(unpacking, row) : rc;
}

static int unpack(size_t *runs, struct pe_store *store, const struct pe_results *results,
		  struct pe_err *err)
{
	struct unpacking unpacking = {
		.store = store, .results = results, .err = err, .arena = PE_ARENA_INIT};
	int rc = unpack_tables(&unpacking);

	if (rc == PE_OK && results->has_batch)
		rc = unpack_runs(runs, &unpacking);
	for (size_t i = 0; rc == PE_OK && i < results->n_builds; i++)
		rc = unpack_build(&unpacking, &results->builds[i]);
	for (size_t i = 0; rc == PE_OK && i < results->n_reused; i++)
		rc = unpack_reused(&unpacking, &results->reused[i]);
	for (size_t i = 0; rc == PE_OK && i < results->n_confirmations; i++)
		rc = unpack_confirmation(&unpacking, &results->confirmations[i]);
	pe_arena_release(&unpacking.arena);
	return rc;
}

int pe_store_unpack(size_t *runs, struct pe_store *store, const struct pe_results *results,
		    struct pe_err *err)
{
	int rc;

	*runs = 0;
	/* The calls that it is made of are scopes themselves, which stand inside a transaction only. */
	if (store->in_transaction) {
		rc = pe_scope_begin(store, err);
		return rc == PE_OK ? pe_scope_end(store, unpack(runs, store, results, err), err)
				   : rc;
	}
	rc = pe_store_begin(store, err);
	if (rc != PE_OK)
		return rc;
	rc = unpack(runs, store, results, err);
	if (rc == PE_OK)
		return pe_store_commit(store, err);
	pe_store_rollback(store);
	return rc;
}

/* --- Names outside --- */

int pe_store_bundle_seen(bool *out, struct pe_store *store, const char *name, struct pe_err *err)
{
	int64_t there;
	int rc = pe_sql_integer(&there, store, "SELECT 1 FROM bundles WHERE name = ?1",
				ARGS(TEXT(name)), err);

	*out = rc == PE_OK;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

int pe_store_see_bundle(struct pe_store *store, const char *name, struct pe_err *err)
{
	return pe_sql_run(store, "INSERT INTO bundles (name) VALUES (?1) ON CONFLICT DO NOTHING",
			  ARGS(TEXT(name)), err);
}
