/* Running an engine's cells, and their order. */
#include "app/measure/engine_internal.h"

#include "app/measure/exactness.h"
#include "app/measure/trace.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

void pe_engine_shuffle(const struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		       struct pe_cell **cells, size_t n)
{
	pe_auto_free struct pe_cell **copy = pe_realloc(NULL, n + 1, sizeof(*copy));
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

/* Store the lists of benchmarks that programs reported. */
static int keep_listings(struct pe_engine *engine)
{
	struct pe_session *session = engine->session;

	for (size_t r = 0; r < engine->n_order; r++) {
		const struct pe_engine_revision *one = &engine->revisions[engine->order[r]];

		for (size_t i = 0; i < one->programs.n; i++) {
			struct pe_engine_program *suite = one->programs.data[i];

			if (suite->kept || suite->names == NULL)
				continue;
			PE_TRY(pe_session_keep_listing(session, suite->of,
						       &session->revisions[engine->order[r]],
						       suite->names, suite->n_names));
			suite->kept = true;
		}
	}
	return PE_OK;
}

/* A benchmark's simulated instructions, by its stored runs and those of this engine. */
static int load_simulation(struct pe_simulation *out, struct pe_engine *engine, size_t benchmark)
{
	return pe_session_simulation(out, engine->session,
				     engine->session->benchmarks.data[benchmark]->key,
				     &engine->own.costs[benchmark]);
}

/* Choose the counting runs that simulate instructions, by the stored counts of each benchmark. */
static int plan_simulation(struct pe_engine *engine, struct pe_cell *const *cells, size_t n)
{
	const struct pe_session *session = engine->session;
	pe_auto_free struct pe_simulation *known =
		pe_realloc(NULL, session->benchmarks.n + 1, sizeof(*known));
	pe_auto_free bool *asked = pe_realloc(NULL, session->benchmarks.n + 1, sizeof(*asked));

	memset(asked, 0, session->benchmarks.n * sizeof(*asked));
	for (size_t i = 0; i < n; i++) {
		struct pe_cell *cell = cells[i];
		const size_t w = cell->benchmark;

		if (!asked[w])
			PE_TRY(load_simulation(&known[w], engine, w));
		asked[w] = true;
		if (!pe_runner_simulates(&session->runner, pe_engine_benchmark(engine, cell)))
			continue;
		cell->simulated_rounds =
			pe_simulation_rounds(&known[w], session->revisions[cell->revision].id);
		if (cell->simulated_rounds == 0 && cell->counted_rounds > 0 && !cell->counted[0])
			cell->not_simulated = pe_simulation_refusal(&known[w]);
	}
	return PE_OK;
}

static void show(const struct pe_engine *engine)
{
	if (engine->session->look != NULL)
		engine->session->look(engine->session->look_payload);
}

/*
 * Trace benchmarks that have no trace while builds or setups leave files outside of the trees: they may read those of
 * another commit.
 */
static int see_unknown(struct pe_engine *engine, struct pe_cell *const *cells, size_t n)
{
	struct pe_session *session = engine->session;

	if (session->launcher == NULL || session->runner.alloc_library == NULL)
		return PE_OK;
	for (size_t i = 0; i < n; i++) {
		const struct pe_benchmark *benchmark = pe_engine_benchmark(engine, cells[i]);
		struct pe_traced traced = {.session = session,
					   .benchmark = benchmark,
					   .tree = pe_engine_tree(engine, cells[i])};

		if (!pe_engine_is_loaded(engine, cells[i]->revision) || benchmark->suite != NULL ||
		    !pe_outside_wants_look(&session->outside, benchmark))
			continue;
		PE_TRY(pe_traced_run(&traced, NULL));
		pe_outside_learn(&session->outside, benchmark, &traced.touched, false);
	}
	return PE_OK;
}

/* Collect the cells that a round visits: those of loaded revisions. */
static int prepare(struct pe_cell **at, size_t *loaded, struct pe_engine *engine,
		   enum pe_run_kind kind, struct pe_cell *const *cells, size_t n)
{
	PE_TRY(pe_engine_compare_builds(engine));
	PE_TRY(see_unknown(engine, cells, n));
	if (kind == PE_RUN_COUNTED && engine->session->runner.valgrind != NULL)
		PE_TRY(plan_simulation(engine, cells, n));
	*loaded = 0;
	for (size_t i = 0; i < n; i++)
		if (pe_engine_is_loaded(engine, cells[i]->revision))
			at[(*loaded)++] = cells[i];
	return PE_OK;
}

int pe_engine_round(struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		    struct pe_cell *const *cells, size_t n)
{
	struct pe_session_count *count = &engine->session->count;
	pe_auto_free struct pe_cell **at = pe_realloc(NULL, n + 1, sizeof(*at));
	size_t runs = engine->runs, done = count->done, loaded;
	int rc;

	PE_TRY(prepare(at, &loaded, engine, kind, cells, n));
	rc = pe_engine_run_cells(&engine->own, kind, round, at, loaded);
	/* A failure ends its cell's runs, so the total is too large; with pe_engine_plan() the excess is unknown here. */
	if (engine->rounds > 0)
		count->done = done + (engine->runs - runs);
	PE_TRY(rc);
	PE_TRY(keep_listings(engine));
	/* While builds are counted one after the other, results are shown when all are done. */
	if (engine->to_count == 0)
		show(engine);
	return PE_OK;
}

int pe_engine_ready_counting(struct pe_engine *engine, unsigned round, struct pe_cell *const *cells,
			     size_t n)
{
	pe_auto_free struct pe_cell **at = pe_realloc(NULL, n + 1, sizeof(*at));
	size_t loaded;

	PE_TRY(prepare(at, &loaded, engine, PE_RUN_COUNTED, cells, n));
	PE_TRY(pe_engine_ready_cells(&engine->own, PE_RUN_COUNTED, round, at, loaded));
	return keep_listings(engine);
}

/* Keep only the cells whose counts vary, by earlier sessions or by the usual runs just stored. */
static int part_noisy(struct pe_engine *engine, struct pe_cell **cells, size_t *n)
{
	struct pe_session *session = engine->session;
	size_t kept = 0, benchmark = SIZE_MAX;
	bool noisy = false;

	for (size_t i = 0; i < *n; i++) {
		struct pe_cell *cell = cells[i];

		if (cell->counted == NULL)
			continue;
		if (cell->benchmark != benchmark)
			PE_TRY(pe_exactness_counts_vary(
				&noisy, session->app->store, session->machine_key,
				session->benchmarks.data[cell->benchmark]->key, session->app->err));
		benchmark = cell->benchmark;
		if (!noisy)
			continue;
		if (cell->counted_rounds < PE_COUNTED_ROUNDS_NOISY)
			cell->counted_rounds = PE_COUNTED_ROUNDS_NOISY;
		cells[kept++] = cell;
	}
	*n = kept;
	return PE_OK;
}

PE_SORT_POINTERS_BY(compare_benchmarks, struct pe_cell, benchmark, revision);

PE_SORT_POINTERS_BY(compare_revisions, struct pe_cell, revision, benchmark);

size_t pe_engine_count_lacking(const struct pe_engine *engine, struct pe_cell *const *cells,
			       size_t n, unsigned rounds)
{
	size_t lacking = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; pe_engine_is_loaded(engine, cells[i]->revision) && k < rounds;
		     k++)
			lacking += pe_engine_wants(cells[i], PE_RUN_COUNTED, k);
	return lacking;
}

bool pe_engine_is_over(uint64_t until_ns)
{
	return until_ns != 0 && pe_clock_ns() >= until_ns;
}

/* Make the usual runs that builds lack, one build after the other. */
static int count_builds(struct pe_engine *engine, struct pe_cell *const *cells, size_t n,
			uint64_t until_ns)
{
	for (size_t i = 0, end; i < n && !pe_engine_is_over(until_ns); i = end) {
		for (end = i + 1; end < n && cells[end]->revision == cells[i]->revision;)
			end++;
		for (unsigned round = 0; round < PE_COUNTED_ROUNDS; round++)
			if (pe_engine_count_lacking(engine, &cells[i], end - i, round + 1) > 0)
				PE_TRY(pe_engine_round(engine, PE_RUN_COUNTED, round, &cells[i],
						       end - i));
	}
	return PE_OK;
}

/*
 * Sort builds first whose second run tests whether a benchmark's counts are the same in each run. *n: set to the number
 * of their cells.
 */
static int put_evidence_first(struct pe_engine *engine, struct pe_cell **cells, size_t *n)
{
	const struct pe_session *session = engine->session;
	pe_auto_free unsigned *lacks = pe_realloc(NULL, session->benchmarks.n + 1, sizeof(*lacks));
	pe_auto_free struct pe_cell **rest = pe_realloc(NULL, *n + 1, sizeof(*rest));
	const size_t all = *n;
	size_t n_rest = 0, end;

	for (size_t i = 0; i < engine->n_benchmarks; i++) {
		const size_t w = engine->benchmarks[i];
		struct pe_simulation known = {.lacks = 0};

		if (pe_runner_simulates(&session->runner, session->benchmarks.data[w]))
			PE_TRY(load_simulation(&known, engine, w));
		lacks[w] = known.useless ? 0 : known.lacks;
	}
	*n = 0;
	for (size_t i = 0; i < all; i = end) {
		bool evidence = false;

		for (end = i; end < all && cells[end]->revision == cells[i]->revision; end++)
			if (lacks[cells[end]->benchmark] > 0) {
				lacks[cells[end]->benchmark]--;
				evidence = true;
			}
		for (size_t k = i; k < end; k++)
			if (evidence)
				cells[(*n)++] = cells[k];
			else
				rest[n_rest++] = cells[k];
	}
	if (n_rest > 0)
		memcpy(cells + *n, rest, n_rest * sizeof(*rest));
	return PE_OK;
}

/*
 * Make the usual runs. The first builds of a benchmark show whether its counts are exact, or vary too much to be useful;
 * either saves simulations of the others. Their second runs are made alone, so that a disturbance by other runs would
 * show, too.
 */
static int count_usual(struct pe_engine *engine, struct pe_cell **cells, size_t n,
		       uint64_t until_ns)
{
	size_t first = n;

	PE_TRY(put_evidence_first(engine, cells, &first));
	PE_TRY(pe_engine_count_beside(engine, cells, first, 0, 1, until_ns));
	/* The first counts are shown before the second runs. */
	if (engine->rounds == 0)
		show(engine);
	PE_TRY(count_builds(engine, cells, first, until_ns));
	pe_engine_learn_beside(engine);
	PE_TRY(pe_engine_count_beside(engine, cells + first, n - first, 0, PE_COUNTED_ROUNDS,
				      until_ns));
	PE_TRY(count_builds(engine, cells + first, n - first, until_ns));
	pe_engine_learn_beside(engine);
	return PE_OK;
}

/* Make the runs that noisy counts need beyond the usual ones, in rounds, of several builds at one time. */
static int count_noisy(struct pe_engine *engine, struct pe_cell **cells, size_t n,
		       uint64_t until_ns)
{
	PE_TRY(part_noisy(engine, cells, &n));
	engine->to_count += pe_engine_count_lacking(engine, cells, n, PE_COUNTED_ROUNDS_NOISY);
	pe_sort(cells, n, compare_revisions);
	for (unsigned round = PE_COUNTED_ROUNDS;
	     n > 0 && round < PE_COUNTED_ROUNDS_NOISY && !pe_engine_is_over(until_ns); round++) {
		PE_TRY(pe_engine_count_beside(engine, cells, n, round, round + 1, until_ns));
		if (pe_engine_count_lacking(engine, cells, n, round + 1) > 0)
			PE_TRY(pe_engine_round(engine, PE_RUN_COUNTED, round, cells, n));
	}
	return PE_OK;
}

int pe_engine_count_all(struct pe_engine *engine, struct pe_cell *const *cells, size_t n,
			uint64_t until_ns)
{
	pe_auto_free struct pe_cell **sorted = pe_realloc(NULL, n + 1, sizeof(*sorted));

	if (n == 0)
		return PE_OK;
	memcpy(sorted, cells, n * sizeof(*sorted));
	pe_sort(sorted, n, compare_revisions);
	engine->counted = 0;
	engine->to_count = pe_engine_count_lacking(engine, sorted, n, PE_COUNTED_ROUNDS);
	PE_TRY(count_usual(engine, sorted, n, until_ns));
	pe_sort(sorted, n, compare_benchmarks);
	if (!pe_engine_is_over(until_ns))
		PE_TRY(count_noisy(engine, sorted, n, until_ns));
	engine->to_count = 0;
	/* While a history is explored, counts of few revisions show little. */
	if (engine->rounds == 0)
		show(engine);
	return PE_OK;
}

int pe_engine_count_round(struct pe_engine *engine, unsigned round, struct pe_cell *const *cells,
			  size_t n)
{
	pe_auto_free struct pe_cell **sorted = pe_realloc(NULL, n + 1, sizeof(*sorted));

	memcpy(sorted, cells, n * sizeof(*sorted));
	pe_sort(sorted, n, compare_revisions);
	engine->counted = 0;
	engine->to_count = pe_engine_count_lacking(engine, sorted, n, round + 1);
	if (round == 0)
		PE_TRY(pe_engine_count_beside(engine, sorted, n, 0, 1, 0));
	PE_TRY(pe_engine_round(engine, PE_RUN_COUNTED, round, cells, n));
	pe_engine_learn_beside(engine);
	engine->to_count = 0;
	return PE_OK;
}

int pe_engine_settle(struct pe_engine *engine, struct pe_cell *cell, unsigned rounds)
{
	const struct pe_session *session = engine->session;
	struct pe_session_count *count = &engine->session->count;
	size_t saved;

	if (cell->failed || cell->rounds <= rounds)
		return PE_OK;
	saved = cell->rounds - rounds;
	cell->rounds = rounds;
	count->total = count->total > count->done + saved ? count->total - saved : count->done;
	return pe_store_settle_cell(
		session->app->store, engine->batch, session->revisions[cell->revision].key,
		session->benchmarks.data[cell->benchmark]->key, rounds, session->app->err);
}
