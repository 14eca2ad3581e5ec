/* What an engine runs, and in which order. */
#include "app/measure/engine_internal.h"

#include "app/measure/exactness.h"
#include "core/base/random.h"

#include <stdlib.h>
#include <string.h>

void pe_engine_shuffle(const struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		       struct pe_engine_cell *cells, size_t n)
{
	pe_auto_free struct pe_engine_cell *copy = pe_realloc(NULL, n + 1, sizeof(*copy));
	pe_auto_free size_t *order = pe_realloc(NULL, n + 1, sizeof(*order));
	struct pe_random random;

	pe_random_seed(&random, engine->seed ^ ((uint64_t)kind << 32 | (round + 1u)));
	for (size_t i = 0; i < n; i++) {
		copy[i] = cells[i];
		order[i] = i;
	}
	pe_random_shuffle(&random, order, n);
	for (size_t i = 0; i < n; i++)
		cells[i] = copy[order[i]];
}

/* What programs said that they have. */
static int keep_listings(struct pe_engine *engine)
{
	int rc = PE_OK;

	for (size_t r = 0; r < engine->n_revisions; r++) {
		struct pe_measured_revision *one = &engine->revisions[r];

		for (size_t i = 0; rc == PE_OK && i < one->suites.n; i++) {
			struct pe_measured_suite *suite = &one->suites.data[i];

			if (suite->kept || suite->at->names == NULL)
				continue;
			rc = pe_session_keep_listing(engine->session, suite->of, one->of,
						     suite->at->names, suite->at->n_names);
			suite->kept = true;
		}
	}
	return rc;
}

/* In which counting runs instructions are counted, by what the store knows of each benchmark by now. */
static int plan_simulation(struct pe_engine *engine, const struct pe_engine_cell *cells, size_t n)
{
	pe_auto_free struct pe_simulation *known =
		pe_realloc(NULL, engine->n_benchmarks + 1, sizeof(*known));
	pe_auto_free bool *asked = pe_realloc(NULL, engine->n_benchmarks + 1, sizeof(*asked));
	int rc = PE_OK;

	memset(asked, 0, engine->n_benchmarks * sizeof(*asked));
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		struct pe_measured_cell *one = pe_engine_cell_of(engine, cells[i]);
		size_t w = cells[i].benchmark;

		if (one == NULL)
			continue;
		if (!asked[w])
			rc = pe_session_simulation(&known[w], engine->session,
						   engine->benchmark_keys[w]);
		asked[w] = true;
		if (rc == PE_OK)
			one->at.simulated_rounds = pe_simulation_rounds(
				&known[w], engine->revisions[cells[i].revision].of->revision->id);
	}
	return rc;
}

static int visit(struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		 const struct pe_engine_cell *cells, size_t n)
{
	struct pe_session_count *count = &engine->session->count;
	pe_auto_free struct pe_grid_cell **at =
		pe_realloc(NULL, n + 1, sizeof(struct pe_grid_cell *));
	size_t runs = engine->runs, done = count->done, loaded = 0;
	int rc = pe_engine_compare_builds(engine);

	if (rc == PE_OK && kind == PE_RUN_COUNTED && engine->session->runner.valgrind != NULL)
		rc = plan_simulation(engine, cells, n);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; i < n; i++) {
		struct pe_measured_cell *one = pe_engine_cell_of(engine, cells[i]);

		if (one != NULL && pe_engine_is_loaded(engine, cells[i].revision))
			at[loaded++] = &one->at;
	}
	if (engine->rounds > 0 && count->total < count->done + n)
		count->total = count->done + n;
	rc = pe_batch_round(&engine->pass, kind, round, at, loaded, engine->session->app->err);
	/* A failure takes what its cell still wanted off a plan to the run; here nobody knows how much that was. */
	if (engine->rounds > 0)
		count->done = done + (engine->runs - runs);
	if (rc == PE_OK)
		rc = keep_listings(engine);
	if (rc == PE_OK && engine->session->look != NULL)
		engine->session->look(engine->session->look_payload);
	return rc;
}

int pe_engine_round(struct pe_engine *engine, unsigned round, const struct pe_engine_cell *cells,
		    size_t n)
{
	return visit(engine, PE_RUN_TIMED, round, cells, n);
}

int pe_engine_count(struct pe_engine *engine, unsigned round, const struct pe_engine_cell *cells,
		    size_t n)
{
	return visit(engine, PE_RUN_COUNTED, round, cells, n);
}

/* Leave those whose counts vary, be it known from before or only since the usual ones are in the store. */
static int part_noisy(struct pe_engine *engine, struct pe_engine_cell *cells, size_t *n)
{
	struct pe_session *session = engine->session;
	size_t kept = 0, missing = 0, benchmark = SIZE_MAX;
	bool noisy = false;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < *n; i++) {
		struct pe_measured_cell *one = pe_engine_cell_of(engine, cells[i]);

		if (one == NULL || one->at.counted == NULL)
			continue;
		if (cells[i].benchmark != benchmark)
			rc = pe_exactness_counts_vary(
				&noisy, session->app->store, session->machine_key,
				engine->benchmark_keys[cells[i].benchmark], session->app->err);
		benchmark = cells[i].benchmark;
		if (!noisy)
			continue;
		if (one->at.counted_rounds < PE_COUNTED_ROUNDS_NOISY)
			one->at.counted_rounds = PE_COUNTED_ROUNDS_NOISY;
		missing += pe_grid_cell_missing(&one->at);
		cells[kept++] = cells[i];
	}
	if (session->count.total < session->count.done + missing && engine->rounds == 0)
		session->count.total = session->count.done + missing;
	*n = kept;
	return rc;
}

static int compare_benchmarks(const void *a, const void *b)
{
	const struct pe_engine_cell *x = a, *y = b;

	if (x->benchmark != y->benchmark)
		return x->benchmark < y->benchmark ? -1 : 1;
	return (x->revision > y->revision) - (x->revision < y->revision);
}

int pe_engine_count_all(struct pe_engine *engine, const struct pe_engine_cell *cells, size_t n)
{
	pe_auto_free struct pe_engine_cell *sorted = pe_realloc(NULL, n + 1, sizeof(*sorted));
	pe_auto_free struct pe_engine_cell *order = pe_realloc(NULL, n + 1, sizeof(*order));
	int rc = PE_OK;

	if (n > 0)
		memcpy(sorted, cells, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_benchmarks);
	for (unsigned round = 0; rc == PE_OK && n > 0 && round < PE_COUNTED_ROUNDS_NOISY; round++) {
		if (round == PE_COUNTED_ROUNDS)
			rc = part_noisy(engine, sorted, &n);
		memcpy(order, sorted, n * sizeof(*order));
		pe_engine_shuffle(engine, PE_RUN_COUNTED, round, order, n);
		if (rc == PE_OK)
			rc = pe_engine_count(engine, round, order, n);
	}
	return rc;
}

int pe_engine_settle(struct pe_engine *engine, struct pe_engine_cell cell, unsigned rounds)
{
	struct pe_session_count *count = &engine->session->count;
	struct pe_measured_cell *one = pe_engine_cell_of(engine, cell);
	size_t saved;

	if (one == NULL || one->at.failed || one->at.rounds <= rounds)
		return PE_OK;
	saved = one->at.rounds - rounds;
	one->at.rounds = rounds;
	count->total = count->total > count->done + saved ? count->total - saved : count->done;
	return pe_store_settle_cell(engine->session->app->store, engine->batch,
				    engine->revisions[cell.revision].of->key,
				    engine->benchmark_keys[cell.benchmark], rounds,
				    engine->session->app->err);
}
