#include "app/measure/engine_internal.h"

#include "core/base/array.h"
#include "core/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Cells --- */

static struct pe_engine_program *
program_at(struct pe_engine *engine, struct pe_engine_revision *one, const struct pe_suite *suite)
{
	struct pe_engine_program *at;

	for (size_t i = 0; suite != NULL && i < one->programs.n; i++)
		if (one->programs.data[i]->of == suite)
			return one->programs.data[i];
	at = pe_arena_new(&engine->arena, struct pe_engine_program, 1);
	at->of = suite;
	pe_vec_push(&one->programs, at);
	return at;
}

struct pe_cell *pe_engine_cell(struct pe_engine *engine, size_t revision, size_t benchmark)
{
	struct pe_engine_revision *one = &engine->revisions[revision];
	const size_t n = engine->session->benchmarks.n;

	if (one->cells != NULL)
		return &one->cells[benchmark];
	one->cells = pe_arena_new(&engine->arena, struct pe_cell, n);
	for (size_t w = 0; w < n; w++) {
		struct pe_cell *cell = &one->cells[w];

		cell->revision = revision;
		cell->benchmark = w;
		cell->program = program_at(engine, one, pe_engine_benchmark(engine, cell)->suite);
	}
	return &one->cells[benchmark];
}

/* The cell of stored keys; NULL: the session does not have it. */
static struct pe_cell *find_cell(struct pe_engine *engine, int64_t revision, int64_t benchmark)
{
	size_t r = pe_session_revision_of(engine->session, revision);
	size_t w = pe_session_benchmark_of(engine->session, benchmark);

	return r != SIZE_MAX && w != SIZE_MAX ? pe_engine_cell(engine, r, w) : NULL;
}

/* --- The batch and its plan --- */

/* Let a cell of the batch's plan be run. */
static void enable(struct pe_engine *engine, struct pe_cell *cell)
{
	unsigned capacity =
		cell->rounds > PE_COUNTED_ROUNDS_NOISY ? cell->rounds : PE_COUNTED_ROUNDS_NOISY;

	engine->revisions[cell->revision].planned = true;
	if (cell->timed != NULL)
		return;
	cell->timed = pe_arena_new(&engine->arena, bool, cell->rounds);
	if (!pe_runner_counts(&engine->session->runner, pe_engine_benchmark(engine, cell)))
		return;
	cell->counted = pe_arena_new(&engine->arena, bool, capacity);
	cell->counted_rounds = engine->rounds > 0          ? capacity
			       : cell->role == PE_ROLE_NEW ? PE_COUNTED_ROUNDS
							   : 0;
}

static int put_plan(struct pe_engine *engine, struct pe_coverage *cells, size_t n)
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

int pe_engine_plan(struct pe_engine *engine, struct pe_cell *const *cells, size_t n)
{
	const struct pe_session *session = engine->session;
	pe_auto_free struct pe_coverage *plan = pe_realloc(NULL, n + 1, sizeof(*plan));

	for (size_t i = 0; i < n; i++) {
		plan[i] = (struct pe_coverage){
			.revision = session->revisions[cells[i]->revision].key,
			.benchmark = session->benchmarks.data[cells[i]->benchmark]->key,
			.role = cells[i]->role,
			.timed = cells[i]->rounds,
		};
		enable(engine, cells[i]);
	}
	return n > 0 ? put_plan(engine, plan, n) : PE_OK;
}

/* Plan equal rounds for all cells of revisions that are loaded for the first time. */
static int plan_loaded(struct pe_engine *engine)
{
	pe_auto_free PE_VEC(struct pe_cell *) plan = {NULL, 0, 0};

	for (size_t i = 0; engine->rounds > 0 && i < engine->n_order; i++) {
		const struct pe_engine_revision *one = &engine->revisions[engine->order[i]];

		for (size_t w = 0; one->slot != NULL && !one->planned && w < engine->n_benchmarks;
		     w++) {
			struct pe_cell *cell =
				pe_engine_cell(engine, engine->order[i], engine->benchmarks[w]);

			cell->role = one->role;
			cell->rounds = engine->rounds;
			pe_vec_push(&plan, cell);
		}
	}
	return pe_engine_plan(engine, plan.data, plan.n);
}

int pe_engine_load(struct pe_engine *engine, const size_t *which, size_t n)
{
	const size_t n_revisions = engine->session->n_revisions;
	pe_auto_free bool *stays = pe_realloc(NULL, n_revisions + 1, sizeof(*stays));
	int rc = PE_OK;

	memset(stays, 0, n_revisions * sizeof(*stays));
	for (size_t i = 0; i < n; i++)
		stays[which[i]] = true;
	for (size_t i = 0; i < engine->n_order; i++)
		if (!stays[engine->order[i]])
			rc = pe_engine_evict(rc, engine, engine->order[i]);
	PE_TRY(rc);
	PE_TRY(pe_engine_build_ahead(NULL, engine, which, n));
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_engine_build(engine, which[i]));
	PE_TRY(pe_engine_compare_builds(engine));
	return plan_loaded(engine);
}

/* --- Stored runs of the batch --- */

/* Enable the cells of a batch's plan; all others cannot be run in it. */
static int follow_plan(struct pe_engine *engine, int64_t key)
{
	struct pe_app *app = engine->session->app;
	struct pe_batch batch;
	int rc = pe_store_get_batch(&batch, app->store, key, &engine->arena, app->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ENOTFOUND, "there is no batch with key %lld",
			       (long long)key);
	PE_TRY(rc);
	for (size_t i = 0; i < batch.n_cells; i++) {
		const struct pe_coverage *one = &batch.cells[i];
		struct pe_cell *cell = find_cell(engine, one->revision, one->benchmark);

		if (cell == NULL)
			continue;
		cell->role = one->role;
		cell->rounds = one->timed;
		enable(engine, cell);
	}
	engine->batch = key;
	engine->seed = batch.seed;
	return PE_OK;
}

static int take_up(struct pe_engine *engine, int64_t key)
{
	struct pe_app *app = engine->session->app;
	struct pe_observation *values;
	size_t n;

	PE_TRY(follow_plan(engine, key));
	PE_TRY(pe_store_batch_values(&values, &n, app->store, key, &engine->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		struct pe_cell *cell = find_cell(engine, values[i].revision, values[i].benchmark);

		if (cell == NULL)
			continue;
		pe_engine_mark(cell, values[i].kind, values[i].round, values[i].outcome);
		if (values[i].metric != NULL)
			pe_vec_push(&cell->values, values[i]);
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

/* Copy a list of indices; NULL: those of all n. */
static size_t *take_list(const size_t *list, size_t n, struct pe_arena *arena)
{
	size_t *out = pe_arena_new(arena, size_t, n);

	for (size_t i = 0; i < n; i++)
		out[i] = list != NULL ? list[i] : i;
	return out;
}

static void free_engine(struct pe_engine *engine)
{
	pe_slots_release(&engine->session->slots);
	for (size_t r = 0; r < engine->session->n_revisions; r++) {
		struct pe_engine_revision *one = &engine->revisions[r];

		pe_vec_release(&one->programs);
		for (size_t w = 0; one->cells != NULL && w < engine->session->benchmarks.n; w++)
			pe_vec_release(&one->cells[w].values);
	}
	pe_arena_release(&engine->own.scratch);
	pe_arena_release(&engine->arena);
	free(engine);
}

static int build_all(struct pe_engine *engine)
{
	PE_TRY(pe_engine_build_ahead(NULL, engine, engine->order, engine->n_order));
	for (size_t i = 0; i < engine->n_order; i++)
		PE_TRY(pe_engine_build(engine, engine->order[i]));
	return PE_OK;
}

/* Follow the plan of a batch, if there is one, and build. */
static int begin(struct pe_engine *engine, const struct pe_engine_opts *opts)
{
	if (opts->batch != 0)
		PE_TRY(take_up(engine, opts->batch));
	if (!opts->lazy)
		PE_TRY(build_all(engine));
	PE_TRY(pe_engine_compare_builds(engine));
	return plan_loaded(engine);
}

int pe_engine_open(struct pe_engine **out, struct pe_session *session, const size_t *revisions,
		   size_t n_revisions, const size_t *benchmarks, size_t n_benchmarks,
		   const struct pe_engine_opts *opts)
{
	struct pe_engine *engine = pe_realloc(NULL, 1, sizeof(*engine));
	int rc;

	*out = NULL;
	*engine = (struct pe_engine){
		.session = session,
		.own = {.engine = engine,
			.runner = &session->runner,
			.count = &session->count,
			.scratch = PE_ARENA_INIT,
			.err = session->app->err},
		.seed = new_seed(),
		.aside = opts->aside,
		.rounds = opts->rounds,
		.n_order = revisions != NULL ? n_revisions : session->n_revisions,
		.n_benchmarks = benchmarks != NULL ? n_benchmarks : session->benchmarks.n,
	};
	engine->order = take_list(revisions, engine->n_order, &engine->arena);
	engine->benchmarks = take_list(benchmarks, engine->n_benchmarks, &engine->arena);
	engine->own.costs = pe_arena_new(&engine->arena, struct pe_spending, session->benchmarks.n);
	engine->revisions =
		pe_arena_new(&engine->arena, struct pe_engine_revision, session->n_revisions);
	for (size_t i = 0; i < engine->n_order; i++)
		engine->revisions[engine->order[i]].role =
			opts->roles != NULL ? opts->roles[i] : opts->role;
	pe_slots_release(&session->slots);
	rc = begin(engine, opts);
	if (rc != PE_OK) {
		free_engine(engine);
		return rc;
	}
	if (opts->expected > 0)
		session->count.total = session->count.done + opts->expected;
	*out = engine;
	return PE_OK;
}

static int keep_costs(struct pe_engine *engine, struct pe_err *err)
{
	struct pe_session *session = engine->session;

	for (size_t i = 0; i < engine->n_benchmarks; i++) {
		const size_t w = engine->benchmarks[i];

		PE_TRY(pe_store_add_costs(session->app->store, session->machine_key,
					  session->benchmarks.data[w]->key, &engine->own.costs[w],
					  err));
	}
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
	for (size_t i = 0; i < engine->n_order; i++)
		rc = pe_engine_clean_up(rc, engine, &engine->revisions[engine->order[i]]);
	rc_close = keep_costs(engine, rc == PE_OK ? session->app->err : &later);
	if (rc_close == PE_OK && finished && engine->batch != 0)
		rc_close = pe_store_close_batch(session->app->store, engine->batch,
						rc == PE_OK ? session->app->err : &later);
	pe_engine_tell_uncounted(engine);
	free_engine(engine);
	return rc == PE_OK ? rc_close : rc;
}

/* --- Queries --- */

bool pe_engine_is_loaded(const struct pe_engine *engine, size_t revision)
{
	return engine->revisions[revision].slot != NULL;
}

bool pe_engine_is_unbuildable(const struct pe_engine *engine, size_t revision)
{
	return engine->revisions[revision].unbuildable;
}

const char *pe_engine_tree_of(const struct pe_engine *engine, size_t revision)
{
	const struct pe_slot *slot = engine->revisions[revision].slot;

	return slot != NULL ? slot->tree : NULL;
}

uint64_t pe_engine_build_ns(const struct pe_engine *engine, size_t revision)
{
	return engine->revisions[revision].build.duration_ns;
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

double pe_cell_value(const struct pe_cell *cell, unsigned round, const char *metric)
{
	/* Search from the latest value: callers mostly want the run just made. */
	for (size_t i = cell->values.n; i-- > 0;) {
		const struct pe_observation *value = &cell->values.data[i];

		if (value->round == round && strcmp(value->metric, metric) == 0)
			return value->value;
	}
	return NAN;
}

struct pe_readings pe_engine_readings(const struct pe_engine *engine, size_t benchmark,
				      const char *metric, unsigned from, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(struct pe_reading) at = {NULL, 0, 0};

	for (size_t i = 0; i < engine->n_order; i++) {
		const size_t r = engine->order[i];
		const struct pe_cell *cells = engine->revisions[r].cells;

		for (size_t k = 0; cells != NULL && k < cells[benchmark].values.n; k++) {
			const struct pe_observation *value = &cells[benchmark].values.data[k];

			if (value->round >= from && strcmp(value->metric, metric) == 0)
				pe_vec_push(&at, ((struct pe_reading){r, 1, value->round,
								      value->value}));
		}
	}
	return (struct pe_readings){pe_vec_copy(arena, &at), at.n, engine->session->n_revisions};
}
