#include "app/measure/engine_internal.h"

#include "core/base/clock.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The cell of stored keys; NULL: it is not in the engine. */
static struct pe_measured_cell *find_cell(const struct pe_engine *engine, int64_t revision,
					  int64_t benchmark)
{
	size_t r = pe_key_index_find(&engine->revision_index, revision);
	size_t w = pe_key_index_find(&engine->benchmark_index, benchmark);

	return r != SIZE_MAX && w != SIZE_MAX ? pe_engine_cell_of(engine, (struct pe_cell){r, w})
					      : NULL;
}

/* --- The batch and its plan --- */

/* The state that the members of a suite share at a revision; NULL: the benchmark is in no suite. */
static struct pe_grid_suite *suite_at(struct pe_engine *engine, struct pe_measured_revision *one,
				      const struct pe_benchmark *benchmark)
{
	struct pe_measured_suite suite = {.of = benchmark->suite};

	if (suite.of == NULL)
		return NULL;
	for (size_t i = 0; i < one->suites.n; i++)
		if (one->suites.data[i].of == suite.of)
			return one->suites.data[i].at;
	suite.at = pe_arena_new(&engine->arena, struct pe_grid_suite, 1);
	pe_vec_push(&one->suites, suite);
	return suite.at;
}

/* Let a cell of the batch's plan be run. */
static void enable(struct pe_engine *engine, struct pe_cell which, enum pe_role role,
		   unsigned rounds)
{
	struct pe_measured_revision *one = &engine->revisions[which.revision];
	unsigned capacity = rounds > PE_COUNTED_ROUNDS_NOISY ? rounds : PE_COUNTED_ROUNDS_NOISY;
	struct pe_grid_cell *cell;

	if (one->cells == NULL) {
		one->cells =
			pe_arena_new(&engine->arena, struct pe_measured_cell, engine->n_benchmarks);
		for (size_t w = 0; w < engine->n_benchmarks; w++) {
			one->cells[w].at.revision = which.revision;
			one->cells[w].at.benchmark = w;
			one->cells[w].at.suite = suite_at(engine, one, engine->benchmarks[w]);
		}
	}
	one->planned = true;
	cell = &one->cells[which.benchmark].at;
	if (cell->timed != NULL)
		return;
	cell->rounds = rounds;
	cell->timed = pe_arena_new(&engine->arena, bool, rounds);
	if (!pe_runner_counts(&engine->session->runner, engine->benchmarks[which.benchmark]))
		return;
	cell->counted = pe_arena_new(&engine->arena, bool, capacity);
	cell->counted_rounds = engine->rounds > 0    ? capacity
			       : role == PE_ROLE_NEW ? PE_COUNTED_ROUNDS
						     : 0;
}

static int put_plan(struct pe_engine *engine, struct pe_batch_cell *cells, size_t n)
{
	struct pe_session *session = engine->session;
	struct pe_batch batch = {
		.machine = session->machine_key,
		.created_s = pe_clock_now_s(),
		.seed = engine->seed,
		.open = true,
		.aside = engine->aside,
		.conditions = session->conditions,
		.cells = cells,
		.n_cells = n,
	};

	if (engine->batch != 0)
		return pe_store_extend_batch(session->app->store, engine->batch, cells, n,
					     session->app->err);
	PE_TRY(pe_store_put_batch(session->app->store, &batch, session->app->err));
	engine->batch = batch.key;
	return PE_OK;
}

int pe_engine_plan(struct pe_engine *engine, const struct pe_engine_plan *cells, size_t n)
{
	pe_auto_free struct pe_batch_cell *plan = pe_realloc(NULL, n + 1, sizeof(*plan));

	for (size_t i = 0; i < n; i++) {
		plan[i] = (struct pe_batch_cell){
			.revision = engine->revisions[cells[i].cell.revision].of->key,
			.benchmark = engine->benchmark_keys[cells[i].cell.benchmark],
			.role = cells[i].role,
			.rounds = cells[i].rounds,
		};
		enable(engine, cells[i].cell, cells[i].role, cells[i].rounds);
	}
	if (n > 0)
		PE_TRY(put_plan(engine, plan, n));
	return PE_OK;
}

/* Plan equal rounds for all cells of revisions that are loaded for the first time. */
static int plan_loaded(struct pe_engine *engine)
{
	pe_auto_free PE_VEC(struct pe_engine_plan) plan = {NULL, 0, 0};

	for (size_t r = 0; engine->rounds > 0 && r < engine->n_revisions; r++) {
		const struct pe_measured_revision *one = &engine->revisions[r];

		for (size_t w = 0; one->slot != NULL && !one->planned && w < engine->n_benchmarks;
		     w++)
			pe_vec_push(&plan, ((struct pe_engine_plan){.cell = {r, w},
								    .role = one->role,
								    .rounds = engine->rounds}));
	}
	return pe_engine_plan(engine, plan.data, plan.n);
}

int pe_engine_load(struct pe_engine *engine, const size_t *which, size_t n)
{
	pe_auto_free bool *stays = pe_realloc(NULL, engine->n_revisions + 1, sizeof(*stays));
	int rc = PE_OK;

	memset(stays, 0, engine->n_revisions * sizeof(*stays));
	for (size_t i = 0; i < n; i++)
		stays[which[i]] = true;
	for (size_t r = 0; r < engine->n_revisions; r++)
		if (!stays[r])
			rc = pe_engine_evict(rc, engine, r);
	PE_TRY(rc);
	PE_TRY(pe_engine_build_ahead(NULL, engine, which, n));
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_engine_build(engine, which[i]));
	PE_TRY(pe_engine_compare_builds(engine));
	return plan_loaded(engine);
}

/* --- Stored runs of the batch --- */

/* Mark a run that an earlier session made in the batch. */
static void mark_run(struct pe_grid_cell *cell, const struct pe_run_mark *run)
{
	bool failed = run->outcome != PE_MEASURED;

	if (run->kind == PE_RUN_TIMED) {
		if (run->round < cell->rounds)
			cell->timed[run->round] = true;
		cell->failed |= failed;
		cell->absent |= run->outcome == PE_ABSENT;
		return;
	}
	/* A round beyond the usual ones: the counts were found to vary. */
	if (cell->counted != NULL && run->round < PE_COUNTED_ROUNDS_NOISY &&
	    run->round >= cell->counted_rounds && cell->counted_rounds > 0)
		cell->counted_rounds = PE_COUNTED_ROUNDS_NOISY;
	assert(cell->counted != NULL || cell->counted_rounds == 0);
	if (run->round < cell->counted_rounds)
		cell->counted[run->round] = true;
	cell->not_counted |= failed;
}

/* Enable the cells of a batch's plan; all others cannot be run in it. */
static int follow_plan(struct pe_engine *engine, int64_t key)
{
	struct pe_app *app = engine->session->app;
	struct pe_batch batch;
	int rc = pe_store_get_batch(&batch, app->store, key, &engine->arena, app->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ENOTFOUND, "there is no batch with key %lld",
			       (long long)key);
	for (size_t i = 0; rc == PE_OK && i < batch.n_cells; i++) {
		const struct pe_batch_cell *one = &batch.cells[i];
		size_t r = pe_key_index_find(&engine->revision_index, one->revision);
		size_t w = pe_key_index_find(&engine->benchmark_index, one->benchmark);

		if (r != SIZE_MAX && w != SIZE_MAX)
			enable(engine, (struct pe_cell){r, w}, one->role, one->rounds);
	}
	engine->batch = key;
	engine->seed = rc == PE_OK ? batch.seed : 0;
	return rc;
}

static int take_up(struct pe_engine *engine, int64_t key)
{
	struct pe_app *app = engine->session->app;
	struct pe_run_mark *marks;
	struct pe_batch_value *values;
	size_t n;

	PE_TRY(follow_plan(engine, key));
	PE_TRY(pe_store_batch_runs(&marks, &n, app->store, key, &engine->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		struct pe_measured_cell *cell =
			find_cell(engine, marks[i].revision, marks[i].benchmark);

		if (cell != NULL)
			mark_run(&cell->at, &marks[i]);
	}
	PE_TRY(pe_store_batch_values(&values, &n, app->store, key, &engine->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		struct pe_measured_cell *cell =
			find_cell(engine, values[i].revision, values[i].benchmark);

		if (cell != NULL)
			pe_engine_add_value(cell, values[i].round, values[i].metric,
					    values[i].value);
	}
	return PE_OK;
}

/* --- Opening and closing --- */

static uint64_t new_seed(void)
{
	const char *fixed = getenv("PERFEVO_SEED");
	struct pe_hash hash;

	if (fixed != NULL)
		return strtoull(fixed, NULL, 10);
	/*
	 * The seed is part of the batch's identity, with the machine and the second: nodes that start together must draw
	 * different ones.
	 */
	pe_hash_init(&hash);
	pe_hash_number(&hash, pe_clock_ns());
	pe_hash_number(&hash, (uint64_t)pe_clock_file_ns());
	pe_hash_number(&hash, (uint64_t)getpid());
	return hash.low;
}

static void take_revisions(struct pe_engine *engine, const size_t *which, size_t n,
			   const enum pe_role *roles)
{
	const struct pe_session *session = engine->session;

	engine->n_revisions = which != NULL ? n : session->n_revisions;
	engine->revisions =
		pe_arena_new(&engine->arena, struct pe_measured_revision, engine->n_revisions);
	engine->trees = pe_arena_new(&engine->arena, struct pe_grid_revision, engine->n_revisions);
	for (size_t i = 0; i < engine->n_revisions; i++) {
		const struct pe_session_revision *one =
			&session->revisions[which != NULL ? which[i] : i];

		engine->revisions[i].of = one;
		engine->revisions[i].role = roles != NULL ? roles[i] : PE_ROLE_NEW;
		engine->trees[i].id = one->revision->id;
		engine->trees[i].subject = one->revision->subject;
		pe_key_index_put(&engine->revision_index, one->key, i);
	}
}

static void take_benchmarks(struct pe_engine *engine, const size_t *which, size_t n)
{
	const struct pe_session *session = engine->session;

	engine->n_benchmarks = which != NULL ? n : session->benchmarks.n;
	engine->benchmarks =
		pe_arena_new(&engine->arena, const struct pe_benchmark *, engine->n_benchmarks);
	engine->benchmark_keys = pe_arena_new(&engine->arena, int64_t, engine->n_benchmarks);
	engine->costs = pe_arena_new(&engine->arena, struct pe_spending, engine->n_benchmarks);
	for (size_t i = 0; i < engine->n_benchmarks; i++) {
		const struct pe_session_benchmark *one =
			&session->benchmarks.data[which != NULL ? which[i] : i];

		engine->benchmarks[i] = one->benchmark;
		engine->benchmark_keys[i] = one->key;
		pe_key_index_put(&engine->benchmark_index, one->key, i);
	}
}

static void free_engine(struct pe_engine *engine)
{
	pe_slots_release(&engine->session->slots);
	for (size_t r = 0; r < engine->n_revisions; r++) {
		pe_vec_release(&engine->revisions[r].suites);
		for (size_t w = 0; engine->revisions[r].cells != NULL && w < engine->n_benchmarks;
		     w++)
			pe_vec_release(&engine->revisions[r].cells[w].values);
	}
	pe_key_index_release(&engine->revision_index);
	pe_key_index_release(&engine->benchmark_index);
	pe_arena_release(&engine->pass.scratch);
	pe_arena_release(&engine->arena);
	free(engine);
}

static int build_all(struct pe_engine *engine)
{
	pe_auto_free size_t *which = pe_realloc(NULL, engine->n_revisions + 1, sizeof(*which));

	for (size_t r = 0; r < engine->n_revisions; r++)
		which[r] = r;
	PE_TRY(pe_engine_build_ahead(NULL, engine, which, engine->n_revisions));
	for (size_t r = 0; r < engine->n_revisions; r++)
		PE_TRY(pe_engine_build(engine, r));
	return PE_OK;
}

int pe_engine_open(struct pe_engine **out, struct pe_session *session, const size_t *revisions,
		   size_t n_revisions, const size_t *benchmarks, size_t n_benchmarks,
		   const struct pe_engine_opts *opts)
{
	struct pe_engine *engine = pe_realloc(NULL, 1, sizeof(*engine));
	int rc = PE_OK;

	*out = NULL;
	*engine = (struct pe_engine){.session = session,
				     .seed = new_seed(),
				     .aside = opts->aside,
				     .rounds = opts->rounds};
	take_revisions(engine, revisions, n_revisions, opts->roles);
	take_benchmarks(engine, benchmarks, n_benchmarks);
	engine->sink = pe_engine_sink(engine);
	engine->pass = (struct pe_batch_pass){
		.revisions = engine->trees,
		.benchmarks = engine->benchmarks,
		.runner = &session->runner,
		.sink = &engine->sink,
		.progress = &session->app->progress,
		.count = &session->count,
		.scratch = PE_ARENA_INIT,
		.arena = &engine->arena,
		.costs = engine->costs,
		.rebuild = pe_engine_rebuild,
		.rebuild_payload = engine,
	};
	pe_slots_release(&session->slots);
	if (opts->batch != 0)
		rc = take_up(engine, opts->batch);
	if (rc == PE_OK && !opts->lazy)
		rc = build_all(engine);
	if (rc == PE_OK)
		rc = pe_engine_compare_builds(engine);
	if (rc == PE_OK)
		rc = plan_loaded(engine);
	if (rc != PE_OK) {
		free_engine(engine);
		return rc;
	}
	engine->expected = opts->expected;
	session->count.total += engine->expected;
	*out = engine;
	return PE_OK;
}

void pe_engine_expect(struct pe_engine *engine, size_t more)
{
	struct pe_session *session = engine->session;
	size_t least = session->count.done + more;

	if (session->count.total >= least)
		return;
	engine->expected += least - session->count.total;
	session->count.total = least;
	session->count.open = engine->runs > 0;
}

static int keep_costs(struct pe_engine *engine, struct pe_err *err)
{
	struct pe_session *session = engine->session;

	for (size_t w = 0; w < engine->n_benchmarks; w++)
		PE_TRY(pe_store_add_costs(session->app->store, session->machine_key,
					  engine->benchmark_keys[w], &engine->costs[w], err));
	return PE_OK;
}

int pe_engine_close(int rc, struct pe_engine *engine, bool finished)
{
	struct pe_err later = PE_ERR_INIT;
	struct pe_session *session;
	int rc_close = PE_OK;

	if (engine == NULL)
		return rc;
	session = engine->session;
	for (size_t r = 0; r < engine->n_revisions; r++)
		rc = pe_engine_clean_up(rc, engine, &engine->revisions[r]);
	rc_close = keep_costs(engine, rc == PE_OK ? session->app->err : &later);
	if (rc_close == PE_OK && finished && engine->batch != 0)
		rc_close = pe_store_close_batch(session->app->store, engine->batch,
						rc == PE_OK ? session->app->err : &later);
	/* Expected runs that were not needed are taken off the total. */
	if (engine->runs < engine->expected && session->count.total > session->count.done)
		session->count.total -= engine->expected - engine->runs;
	if (session->count.total < session->count.done)
		session->count.total = session->count.done;
	session->count.open = false;
	pe_engine_tell_uncounted(engine);
	free_engine(engine);
	return rc == PE_OK ? rc_close : rc;
}

/* --- Queries --- */

bool pe_engine_is_loaded(const struct pe_engine *engine, size_t i)
{
	return engine->revisions[i].slot != NULL;
}

bool pe_engine_is_unbuildable(const struct pe_engine *engine, size_t i)
{
	return engine->revisions[i].unbuildable;
}

const struct pe_slot *pe_engine_slot(const struct pe_engine *engine, size_t i,
				     const struct pe_build **build)
{
	*build = &engine->revisions[i].build;
	return engine->revisions[i].slot;
}

int64_t pe_engine_batch(const struct pe_engine *engine)
{
	return engine->batch;
}

uint64_t pe_engine_seed(const struct pe_engine *engine)
{
	return engine->seed;
}

size_t pe_engine_runs(const struct pe_engine *engine)
{
	return engine->runs;
}

bool pe_engine_failed(const struct pe_engine *engine, struct pe_cell cell)
{
	const struct pe_measured_cell *one = pe_engine_cell_of(engine, cell);

	return one != NULL && one->at.failed;
}

bool pe_engine_absent(const struct pe_engine *engine, struct pe_cell cell)
{
	const struct pe_measured_cell *one = pe_engine_cell_of(engine, cell);

	return one != NULL && one->at.absent;
}

double pe_engine_value(const struct pe_engine *engine, struct pe_cell cell, unsigned round,
		       const char *metric)
{
	const struct pe_measured_cell *one = pe_engine_cell_of(engine, cell);

	/* Search from the latest value: callers mostly want the run just made. */
	for (size_t i = one != NULL ? one->values.n : 0; i-- > 0;) {
		const struct pe_measured_value *value = &one->values.data[i];

		if (value->round == round && strcmp(value->metric, metric) == 0)
			return value->value;
	}
	return NAN;
}

struct pe_readings pe_engine_readings(const struct pe_engine *engine, size_t benchmark,
				      const char *metric, unsigned from, struct pe_arena *arena)
{
	struct pe_reading *at;
	size_t n = 0;

	for (size_t r = 0; r < engine->n_revisions; r++)
		if (engine->revisions[r].cells != NULL)
			n += engine->revisions[r].cells[benchmark].values.n;
	at = pe_arena_new(arena, struct pe_reading, n);
	n = 0;
	for (size_t r = 0; r < engine->n_revisions; r++) {
		const struct pe_measured_cell *one =
			pe_engine_cell_of(engine, (struct pe_cell){r, benchmark});

		for (size_t i = 0; one != NULL && i < one->values.n; i++) {
			const struct pe_measured_value *value = &one->values.data[i];

			if (value->round >= from && strcmp(value->metric, metric) == 0)
				at[n++] = (struct pe_reading){r, 1, value->round, value->value};
		}
	}
	return (struct pe_readings){at, n, engine->n_revisions};
}
