/*
 * Import of results that other stores measured. All rows hang off a machine, and each origin has machines of its own here,
 * found by the fingerprint that it claims: results of one origin reach no row of another's, least of all of this store's
 * own. Revisions are those of this store's own repository. Rows that exist stay as they are.
 */
#include "store/exchange_profiles.h"

#include "core/base/sort.h"
#include "core/model/batch.h"
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>

/* Each is compared with others of its revision. */
enum { COUNTED_ROUNDS = 256 };

/* Confirmations of a bundle that their runs refute: those after them are left out untested. */
enum { MOST_MISSES = 64 };

struct taking {
	struct pe_store *store;
	const struct pe_results *results;
	const struct pe_results_source *source;
	struct pe_results_sum *sum;
	struct pe_err *err;
	int64_t machine, batch;
	int64_t *benchmarks; /* keys; 0, in pe_store_weigh(): not here */
	struct pe_module_set *modules;
	struct pe_weighed
		*weighed; /* one a confirmation; NULL: they are tested as they are taken in */
	size_t misses;
	struct pe_arena arena;
};

/* PE_ESTOPPED once the user asked for it, between rows. */
static int listen(const struct taking *taking)
{
	const volatile sig_atomic_t *interrupts = taking->source->interrupts;

	return interrupts != NULL && *interrupts > 0
		       ? pe_fail(taking->err, PE_ESTOPPED,
				 "interrupted: run 'perfevo pull' again for the rest")
		       : PE_OK;
}

static int64_t revision_of(const struct taking *taking, size_t revision)
{
	return taking->source->revisions[revision];
}

/* --- Machines and benchmarks --- */

int pe_store_is_own(bool *out, struct pe_store *store, const char *fingerprint, struct pe_err *err)
{
	int64_t there;
	int rc = pe_sql_integer(&there, store,
				"SELECT 1 FROM machines WHERE origin = '' AND fingerprint = ?1",
				ARGS(TEXT(fingerprint)), err);

	*out = rc == PE_OK;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int find_machine(struct taking *taking)
{
	const struct pe_machine *machine = &taking->results->machine;
	const struct pe_results_source *source = taking->source;

	if (source->node != NULL)
		return pe_sql_integer(
			&taking->machine, taking->store,
			"SELECT key FROM machines WHERE origin = '' AND fingerprint = ?1",
			ARGS(TEXT(machine->fingerprint)), taking->err);
	return pe_sql_integer(&taking->machine, taking->store,
			      "SELECT key FROM machines WHERE origin = ?1 AND claimed = ?2",
			      ARGS(TEXT(source->origin), TEXT(machine->fingerprint)), taking->err);
}

/* A fingerprint that is none: no machine that is identified here is ever found by it. */
static int take_machine(struct taking *taking)
{
	const struct pe_machine *machine = &taking->results->machine;
	const struct pe_results_source *source = taking->source;
	int rc = find_machine(taking);

	if (rc != PE_ENOTFOUND || source->node != NULL)
		return rc;
	rc = pe_sql_run(taking->store,
			"INSERT INTO machines (fingerprint, hostname, cpu, cores, memory_bytes,"
			" kernel, compilers, origin, claimed, remote, public_key) VALUES"
			" ('x' || substr(lower(hex(randomblob(16))), 2), ?1, ?2, ?3, ?4, ?5, ?6,"
			" ?7, ?8, ?9, ?10)",
			ARGS(TEXT(machine->hostname), TEXT(machine->cpu), INT(machine->cores),
			     INT((int64_t)machine->memory_bytes), TEXT(machine->kernel),
			     TEXT(machine->compilers), TEXT(source->origin),
			     TEXT(machine->fingerprint), TEXT(source->remote),
			     TEXT(source->public_key)),
			taking->err);
	taking->machine = sqlite3_last_insert_rowid(taking->store->db);
	return rc;
}

static int find_benchmark(int64_t *key, struct taking *taking,
			  const struct pe_results_benchmark *benchmark)
{
	return pe_sql_integer(key, taking->store,
			      "SELECT key FROM benchmarks WHERE name = ?1 AND version = ?2",
			      ARGS(TEXT(benchmark->name), TEXT(benchmark->version)), taking->err);
}

/* The version that is used here stays the newest of its name, and its row stays as it is. */
static int take_benchmark(int64_t *key, struct taking *taking,
			  const struct pe_results_benchmark *benchmark)
{
	PE_TRY(pe_sql_run(
		taking->store,
		"INSERT INTO benchmarks (name, version, generation, definition, is_test, suite)"
		" VALUES (?1, ?2, coalesce((SELECT min(generation) FROM benchmarks"
		" WHERE name = ?1), 2) - 1, ?3, ?4,"
		" CASE WHEN json_valid(?3) THEN json_extract(?3, '$.suite') END) ON CONFLICT (name, version) DO NOTHING",
		ARGS(TEXT(benchmark->name), TEXT(benchmark->version), TEXT(benchmark->definition),
		     INT(benchmark->is_test)),
		taking->err));
	return find_benchmark(key, taking, benchmark);
}

/* --- A batch --- */

static int find_batch(int64_t *key, struct taking *taking, int64_t created_s, uint64_t seed)
{
	return pe_sql_integer(
		key, taking->store,
		"SELECT key FROM batches WHERE machine = ?1 AND created_s = ?2 AND seed = ?3",
		ARGS(INT(taking->machine), INT(created_s), INT((int64_t)seed)), taking->err);
}

/* A batch may come in several documents, or again, once a commit of it is here. */
static int take_batch(struct taking *taking)
{
	const struct pe_results *results = taking->results;
	struct pe_batch batch = {
		.machine = taking->machine,
		.created_s = results->created_s,
		.seed = results->seed,
		.conditions = results->conditions,
		.aside = results->aside,
	};
	bool any = false;
	int rc;

	for (size_t i = 0; !any && i < results->n_cells; i++)
		any = revision_of(taking, results->cells[i].revision) != 0;
	if (!any)
		return PE_OK;
	rc = find_batch(&taking->batch, taking, results->created_s, results->seed);
	if (rc == PE_ENOTFOUND) {
		rc = pe_store_put_batch(taking->store, &batch, taking->err);
		taking->batch = batch.key;
		taking->sum->batches++;
	}
	/* A part of it may have left for others already: it leaves again. */
	if (rc == PE_OK && taking->source->node != NULL)
		rc = pe_sql_run(taking->store,
				"UPDATE batches SET node = ?2, shared = 0 WHERE key = ?1",
				ARGS(INT(taking->batch), TEXT(taking->source->node)), taking->err);
	for (size_t i = 0; rc == PE_OK && i < results->n_cells; i++) {
		const struct pe_results_cell *cell = &results->cells[i];

		if (revision_of(taking, cell->revision) != 0)
			rc = pe_sql_run(
				taking->store,
				"INSERT INTO batch_cells (batch, revision, benchmark, position,"
				" role, rounds, enough) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
				" ON CONFLICT DO UPDATE SET rounds = excluded.rounds, enough = 1"
				" WHERE excluded.enough AND NOT enough",
				ARGS(INT(taking->batch), INT(revision_of(taking, cell->revision)),
				     INT(taking->benchmarks[cell->benchmark]), INT((int64_t)i),
				     INT(cell->role), INT(cell->rounds), INT(cell->enough)),
				taking->err);
	}
	return rc;
}

/* Whether a run's modules show its epoch: no batch counts as often. */
static bool shows_epoch(const struct pe_results_run *row)
{
	return row->has_modules && row->kind == PE_RUN_COUNTED && row->round < COUNTED_ROUNDS;
}

static int put_run(struct taking *taking, const struct pe_results_run *row)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_module_set modules;
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
		const struct pe_results_sample *sample = &row->samples[i];

		run.samples[i] =
			(struct pe_sample){.metric = &taking->results->metrics[sample->metric],
					   .value = sample->value};
	}
	if (row->calls != NULL)
		(void)pe_system_calls_unpack(&run.calls, row->calls, &work);
	if (shows_epoch(row)) {
		modules = taking->modules[row->modules];
		modules.since_s = row->since_s;
		run.modules = &modules;
	}
	taking->sum->runs++;
	return pe_store_put_run(taking->store, taking->batch, revision_of(taking, row->revision),
				taking->benchmarks[row->benchmark], &run, taking->err);
}

static int take_run(struct taking *taking, const struct pe_results_run *row)
{
	const struct pe_sql_arg *const args =
		ARGS(INT(taking->batch), INT(revision_of(taking, row->revision)),
		     INT(taking->benchmarks[row->benchmark]), INT(row->kind), INT(row->round));
	int64_t there;
	int rc;

	rc = listen(taking);
	if (rc != PE_OK)
		return rc;
	if (!taking->results->has_batch)
		return pe_fail(taking->err, PE_EINVALID, "it has runs without a batch");
	if (revision_of(taking, row->revision) == 0)
		return PE_OK;
	rc = pe_sql_integer(&there, taking->store,
			    "SELECT 1 FROM runs WHERE batch = ?1 AND revision = ?2"
			    " AND benchmark = ?3 AND kind = ?4 AND round = ?5",
			    args, taking->err);
	if (rc != PE_ENOTFOUND)
		return rc;
	rc = pe_sql_integer(&there, taking->store,
			    "SELECT 1 FROM batch_cells WHERE batch = ?1 AND revision = ?2"
			    " AND benchmark = ?3",
			    args, taking->err);
	if (rc == PE_ENOTFOUND)
		return pe_fail(taking->err, PE_EINVALID, "it has a run outside of its batch");
	return rc == PE_OK ? put_run(taking, row) : rc;
}

PE_SORT_POINTERS_BY(compare_runs, struct pe_results_run, sequence);

/* In the order in which they were made: what was replaced, was so from one of them on. */
static int take_runs(struct taking *taking)
{
	const struct pe_results *results = taking->results;
	const struct pe_results_run **runs =
		pe_arena_new(&taking->arena, const struct pe_results_run *, results->n_runs);
	int rc = PE_OK;

	taking->modules =
		pe_arena_new(&taking->arena, struct pe_module_set, results->n_module_sets);
	for (size_t i = 0; i < results->n_module_sets; i++)
		taking->modules[i] =
			pe_modules_unpack(results->module_sets[i].lines, &taking->arena);
	for (size_t i = 0; i < results->n_runs; i++)
		runs[i] = &results->runs[i];
	pe_sort(runs, results->n_runs, compare_runs);
	for (size_t i = 0; rc == PE_OK && i < results->n_runs; i++)
		rc = take_run(taking, runs[i]);
	for (size_t i = 0; rc == PE_OK && results->n_module_sets > 0 && i < results->n_benchmarks;
	     i++)
		rc = pe_modules_number(taking->store, taking->machine, taking->benchmarks[i],
				       taking->err);
	return rc;
}

/* --- Failed builds and reused cells --- */

/* The store has an attempt when it has one by the same recipe that began at the same time. */
static int take_build(struct taking *taking, const struct pe_results_build *row)
{
	int64_t revision = revision_of(taking, row->revision), key;
	int rc;

	/* Others' programs are not here; of a worker's good build only the duration matters. */
	if (revision == 0 || (row->build.outcome == PE_MEASURED && taking->source->node == NULL))
		return PE_OK;
	rc = pe_sql_integer(&key, taking->store,
			    "SELECT b.key FROM builds b JOIN recipes r ON r.key = b.recipe"
			    " WHERE b.revision = ?1 AND b.machine = ?2 AND r.hash = ?3"
			    " AND b.started_s = ?4",
			    ARGS(INT(revision), INT(taking->machine), TEXT(row->recipe),
				 INT(row->build.started_s)),
			    taking->err);
	if (rc != PE_ENOTFOUND)
		return rc;
	taking->sum->builds++;
	return pe_store_put_build(&key, taking->store, revision, taking->machine, row->recipe,
				  &row->build, taking->err);
}

static int take_reused(struct taking *taking, const struct pe_results_reused *row)
{
	const int64_t revision = revision_of(taking, row->revision),
		      source = revision_of(taking, row->source);
	int rc;

	if (revision == 0 || source == 0)
		return PE_OK;
	rc = pe_sql_run(taking->store,
			"INSERT INTO reused (machine, benchmark, revision, source)"
			" VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
			ARGS(INT(taking->machine), INT(taking->benchmarks[row->benchmark]),
			     INT(revision), INT(source)),
			taking->err);
	taking->sum->reused += rc == PE_OK && sqlite3_changes(taking->store->db) > 0;
	return rc;
}

/* --- Confirmations: tested again on their runs, never believed --- */

struct pairing {
	struct taking *taking;
	int64_t batch, benchmark, metric;
	int64_t revisions[6];
	struct pe_confirm_sides sides; /* positions in revisions */
	uint64_t seed;
};

static int read_sides(struct pairing *pairing)
{
	struct taking *taking = pairing->taking;
	struct pe_confirm_sides *sides = &pairing->sides;
	size_t n = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, taking->store,
			     "SELECT revision, role FROM batch_cells WHERE batch = ?1"
			     " AND benchmark = ?2 AND role IN (2, 3) ORDER BY position LIMIT 6",
			     ARGS(INT(pairing->batch), INT(pairing->benchmark)), taking->err);

	while (pe_sql_next(&rc, stmt, taking->store, taking->err)) {
		const bool left = sqlite3_column_int(stmt, 1) == PE_ROLE_LEFT;
		size_t *const count = left ? &sides->n_left : &sides->n_right;

		pairing->revisions[n] = sqlite3_column_int64(stmt, 0);
		if (*count < 3)
			(left ? sides->left : sides->right)[(*count)++] = n++;
	}
	pe_sql_close(stmt);
	return rc;
}

/* Of all rounds and sides at once; NaN: there is none. */
static int read_values(double (*out)[6], const struct pairing *pairing)
{
	struct taking *taking = pairing->taking;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, taking->store,
		"SELECT r.revision, r.round, s.value FROM batch_cells c JOIN runs r ON"
		" r.benchmark = c.benchmark AND r.revision = c.revision AND r.batch = c.batch"
		" AND r.kind IN (0, 1) AND r.round < ?3 JOIN samples s ON s.run = r.key"
		" AND s.metric = ?4 WHERE c.benchmark = ?1 AND c.batch = ?2 AND c.role IN (2, 3)"
		" ORDER BY r.kind DESC",
		ARGS(INT(pairing->benchmark), INT(pairing->batch), INT(PE_CONFIRM_ROUNDS),
		     INT(pairing->metric)),
		taking->err);

	for (size_t i = 0; i < PE_CONFIRM_ROUNDS * (size_t)6; i++)
		out[i / 6][i % 6] = NAN;
	while (pe_sql_next(&rc, stmt, taking->store, taking->err)) {
		const int64_t round = sqlite3_column_int64(stmt, 1);

		for (size_t side = 0; round >= 0 && side < 6; side++)
			if (pairing->revisions[side] == sqlite3_column_int64(stmt, 0))
				out[round][side] = sqlite3_column_double(stmt, 2);
	}
	pe_sql_close(stmt);
	return rc;
}

/* Feed the pairs in the order in which they were planned, as the session did that measured them. */
static int confirm_again(struct pe_confirm *out, struct pairing *pairing,
			 const struct pe_results_confirmation *row)
{
	double values[PE_CONFIRM_ROUNDS][6];
	int rc = read_sides(pairing);

	pe_confirm_begin(out, row->direction, &row->opts);
	if (rc != PE_OK || pairing->sides.n_left == 0 || pairing->sides.n_right == 0)
		return rc;
	rc = read_values(values, pairing);
	for (unsigned k = 0; rc == PE_OK && k < PE_CONFIRM_ROUNDS && pe_confirm_needed(out) > 0;
	     k++) {
		const struct pe_confirm_pair pair =
			pe_confirm_pair(&pairing->sides, k, pairing->seed);

		pe_confirm_feed(out, values[k][pair.left], values[k][pair.right]);
	}
	if (out->answer == PE_CONFIRM_GO_ON && out->n > 0)
		out->answer = PE_CONFIRM_UNDECIDED;
	return rc;
}

static int put_confirmation(struct taking *taking, const struct pairing *pairing,
			    const struct pe_results_confirmation *row,
			    const struct pe_weighed *found)
{
	struct pe_stored_confirmation confirmation = {
		.machine = taking->machine,
		.benchmark = pairing->benchmark,
		.metric = taking->results->metrics[row->metric].name,
		.before = revision_of(taking, row->before),
		.after = revision_of(taking, row->after),
		.first = revision_of(taking, row->first),
		.last = revision_of(taking, row->last),
		.batch = pairing->batch,
		.direction = row->direction,
		.opts = row->opts,
		.begun_s = row->begun_s,
	};

	PE_TRY(pe_store_put_confirmation(taking->store, &confirmation, taking->err));
	confirmation.answer = row->answer;
	confirmation.result = found->result;
	confirmation.known_after = row->known_after;
	confirmation.sure = row->pinned ? row->sure : NAN;
	confirmation.settled = true;
	confirmation.layout = row->layout;
	if (row->pinned) {
		confirmation.pinned_before = revision_of(taking, row->pinned_before);
		confirmation.pinned_after = revision_of(taking, row->pinned_after);
		confirmation.pinned_first = revision_of(taking, row->pinned_first);
		confirmation.pinned_last = revision_of(taking, row->pinned_last);
	}
	taking->sum->confirmations++;
	return pe_store_put_confirmation(taking->store, &confirmation, taking->err);
}

static bool is_here(const struct taking *taking, const struct pe_results_confirmation *row)
{
	const size_t of[] = {row->before,       row->after,         row->first,
			     row->last,         row->pinned_before, row->pinned_after,
			     row->pinned_first, row->pinned_last};

	for (size_t i = 0; i < (row->pinned ? 8 : 4); i++)
		if (revision_of(taking, of[i]) == 0)
			return false;
	return row->has_batch;
}

/* The batch of a confirmation, if it has no confirmation of that metric yet. PE_ENOTFOUND: its runs are not here. */
static int find_pairing(struct pairing *out, bool *known, struct taking *taking,
			const struct pe_results_confirmation *row)
{
	const char *metric = taking->results->metrics[row->metric].name;
	const struct pe_series_query series = {taking->machine, taking->benchmarks[row->benchmark],
					       metric};
	int64_t there;
	int rc;

	*known = false;
	*out = (struct pairing){.taking = taking, .benchmark = series.benchmark, .seed = row->seed};
	rc = find_batch(&out->batch, taking, row->created_s, row->seed);
	if (rc == PE_OK)
		rc = pe_series_metric(&out->metric, taking->store, &series, taking->err);
	if (rc != PE_OK)
		return rc;
	rc = pe_sql_integer(&there, taking->store,
			    "SELECT 1 FROM confirmations WHERE batch = ?1"
			    " AND benchmark = ?2 AND metric = ?3 LIMIT 1",
			    ARGS(INT(out->batch), INT(out->benchmark), INT(out->metric)),
			    taking->err);
	*known = rc == PE_OK;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int weigh(struct pe_weighed *out, struct pairing *pairing,
		 const struct pe_results_confirmation *row)
{
	struct taking *taking = pairing->taking;
	struct pe_confirm found;
	int rc = confirm_again(&found, pairing, row);

	out->is_borne_out = rc == PE_OK && found.answer == row->answer;
	if (out->is_borne_out)
		out->result = pe_confirm_result(&found);
	else if (rc == PE_OK)
		taking->misses++;
	return rc;
}

/* One confirmation a metric and batch, since the same runs give one result. PE_ENOTFOUND: they are not here. */
static int weigh_one(struct pe_weighed *out, struct pairing *pairing, struct taking *taking,
		     const struct pe_results_confirmation *row)
{
	int rc;

	*out = (struct pe_weighed){.is_known = false};
	if (taking->misses >= MOST_MISSES)
		return PE_OK;
	rc = find_pairing(pairing, &out->is_known, taking, row);
	return rc == PE_OK && !out->is_known ? weigh(out, pairing, row) : rc;
}

static int take_confirmation(struct taking *taking, size_t i)
{
	const struct pe_results_confirmation *row = &taking->results->confirmations[i];
	struct pe_weighed found;
	struct pairing pairing;
	int rc = PE_OK;

	if (!is_here(taking, row))
		return PE_OK;
	if (taking->weighed == NULL)
		rc = weigh_one(&found, &pairing, taking, row);
	else
		found = taking->weighed[i];
	if (taking->weighed != NULL && found.is_borne_out)
		rc = find_pairing(&pairing, &found.is_known, taking, row);
	if (rc == PE_OK && found.is_known)
		return PE_OK;
	if (rc == PE_OK && found.is_borne_out)
		return put_confirmation(taking, &pairing, row, &found);
	taking->sum->unproved += rc == PE_OK || rc == PE_ENOTFOUND;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int weigh_all(struct taking *taking)
{
	const struct pe_results *results = taking->results;
	int rc = find_machine(taking);

	taking->benchmarks = pe_arena_new(&taking->arena, int64_t, results->n_benchmarks);
	for (size_t i = 0; rc == PE_OK && i < results->n_benchmarks; i++) {
		taking->benchmarks[i] = 0;
		rc = find_benchmark(&taking->benchmarks[i], taking, &results->benchmarks[i]);
		if (rc == PE_ENOTFOUND)
			rc = PE_OK;
	}
	for (size_t i = 0; rc == PE_OK && i < results->n_confirmations; i++) {
		const struct pe_results_confirmation *row = &results->confirmations[i];
		struct pairing pairing;

		rc = listen(taking);
		if (rc == PE_OK && is_here(taking, row))
			rc = weigh_one(&taking->weighed[i], &pairing, taking, row);
		if (rc == PE_ENOTFOUND)
			rc = PE_OK;
	}
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

int pe_store_weigh(struct pe_weighed **out, size_t *misses, struct pe_store *store,
		   const struct pe_results *results, const struct pe_results_source *source,
		   struct pe_arena *arena, struct pe_err *err)
{
	struct pe_results_sum unused = {0};
	struct taking taking = {
		.store = store,
		.results = results,
		.source = source,
		.sum = &unused,
		.err = err,
		.weighed = pe_arena_new(arena, struct pe_weighed, results->n_confirmations),
		.misses = *misses,
		.arena = PE_ARENA_INIT};
	int rc = weigh_all(&taking);

	*out = taking.weighed;
	*misses = taking.misses;
	pe_arena_release(&taking.arena);
	return rc;
}

/* --- A document --- */

static int take_rows(struct taking *taking)
{
	const struct pe_results *results = taking->results;

	if (results->has_batch)
		PE_TRY(take_batch(taking));
	PE_TRY(take_runs(taking));
	for (size_t i = 0; i < results->n_builds; i++)
		PE_TRY(take_build(taking, &results->builds[i]));
	for (size_t i = 0; i < results->n_reused; i++)
		PE_TRY(take_reused(taking, &results->reused[i]));
	for (size_t i = 0; i < results->n_confirmations; i++)
		PE_TRY(take_confirmation(taking, i));
	return pe_take_profiles(taking->sum, taking->store, results, taking->source,
				taking->machine, taking->benchmarks, taking->err);
}

static int take_in(struct taking *taking)
{
	const struct pe_results *results = taking->results;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, taking->store, taking->err));
	PE_TRY(take_machine(taking));
	taking->benchmarks = pe_arena_new(&taking->arena, int64_t, results->n_benchmarks);
	for (size_t i = 0; i < results->n_benchmarks; i++)
		PE_TRY(take_benchmark(&taking->benchmarks[i], taking, &results->benchmarks[i]));
	PE_TRY(take_rows(taking));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_take_in(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results *results, const struct pe_results_source *source,
		     struct pe_err *err)
{
	struct taking taking = {.store = store,
				.results = results,
				.source = source,
				.sum = sum,
				.err = err,
				.weighed = source->weighed,
				.arena = PE_ARENA_INIT};
	bool own, alone = !store->in_transaction;
	int rc;

	PE_TRY(pe_store_is_own(&own, store, results->machine.fingerprint, err));
	if (source->node != NULL && !own)
		return pe_fail(err, PE_EINVALID,
			       "the results are of a machine that is not of this farm");
	if (source->node == NULL && (own || source->origin[0] == '\0'))
		return pe_fail(err, PE_EINVALID,
			       "the results are of a machine that was measured here");
	/* The calls that it is made of are scopes themselves, which stand inside a transaction only. */
	if (alone)
		PE_TRY(pe_store_begin(store, err));
	rc = take_in(&taking);
	pe_arena_release(&taking.arena);
	if (alone && rc == PE_OK)
		rc = pe_store_commit(store, err);
	else if (alone)
		pe_store_rollback(store);
	return rc;
}
