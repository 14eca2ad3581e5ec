#include "app/measure/engine.h"

#include "app/measure/exactness.h"
#include "app/measure/functions.h"
#include "core/base/clock.h"
#include "core/base/random.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One value of a run; the name is the store's or the metric's own. */
struct value {
	unsigned round;
	const char *metric;
	double value;
};

struct cell {
	struct pe_grid_cell at;
	PE_VEC(struct value) values; /* in the order in which they came */
};

/* A suite at a revision. */
struct suite {
	const struct pe_suite *of;
	struct pe_grid_suite *at;
	bool kept; /* what its program has is in the store */
};

struct revision {
	const struct pe_session_revision *of;
	struct pe_slot *slot; /* NULL: not loaded */
	struct pe_build build;
	enum pe_role role;
	bool unbuildable, planned;
	struct cell *cells; /* by benchmark; NULL: nothing of them is planned */
	PE_VEC(struct suite) suites;
};

struct pe_engine {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_batch_pass pass;
	struct pe_sink sink;
	int64_t batch; /* 0: not put yet */
	uint64_t seed;
	bool aside;
	unsigned rounds; /* of every cell; 0: as planned */
	struct revision *revisions;
	struct pe_grid_revision *trees; /* by revision */
	size_t n_revisions;
	const struct pe_benchmark **benchmarks;
	int64_t *benchmark_keys;
	struct pe_spending *costs; /* by benchmark: what its runs took */
	size_t n_benchmarks;
	struct pe_key_index revision_index, benchmark_index;
	size_t runs, expected;
};

static struct cell *cell_of(const struct pe_engine *engine, struct pe_engine_cell cell)
{
	struct cell *cells = engine->revisions[cell.revision].cells;

	return cells != NULL ? &cells[cell.benchmark] : NULL;
}

/* The cell of stored keys; NULL: it is not asked about. */
static struct cell *find_cell(const struct pe_engine *engine, int64_t revision, int64_t benchmark)
{
	size_t r = pe_key_index_find(&engine->revision_index, revision);
	size_t w = pe_key_index_find(&engine->benchmark_index, benchmark);

	return r != SIZE_MAX && w != SIZE_MAX ? cell_of(engine, (struct pe_engine_cell){r, w})
					      : NULL;
}

/* --- Builds --- */

/* Progress numbers those that stand side by side. */
static void number_places(struct pe_engine *engine)
{
	engine->pass.n_places = 0;
	for (size_t r = 0; r < engine->n_revisions; r++)
		if (engine->revisions[r].slot != NULL)
			engine->trees[r].place = ++engine->pass.n_places;
}

int pe_engine_build_ahead(size_t *done, struct pe_engine *engine, const size_t *which, size_t n)
{
	struct pe_session *session = engine->session;
	pe_auto_free struct pe_wish *wishes = pe_realloc(NULL, n + 1, sizeof(*wishes));
	pe_auto_free size_t *at = pe_realloc(NULL, n + 1, sizeof(*at));
	size_t m = 0, had;
	int rc;

	for (size_t i = 0; i < n; i++) {
		const struct revision *one = &engine->revisions[which[i]];

		if (one->slot != NULL || one->unbuildable)
			continue;
		at[m] = i;
		wishes[m++] = pe_session_wish(session, one->of);
	}
	rc = pe_session_build_ahead(&had, session, wishes, m);
	if (done != NULL)
		*done = had < m ? at[had] : n;
	return rc;
}

int pe_engine_build(struct pe_engine *engine, size_t i)
{
	struct pe_session *session = engine->session;
	struct revision *one = &engine->revisions[i];
	struct pe_slot *slot;
	int rc;

	if (one->slot != NULL || one->unbuildable)
		return PE_OK;
	if (*session->app->interrupts > 0)
		return pe_fail(session->app->err, PE_ESTOPPED, "stopped while building");
	rc = pe_session_build(&slot, &one->build, session, one->of);
	if (rc != PE_OK || slot == NULL)
		return rc;
	if (one->build.outcome != PE_MEASURED) {
		one->unbuildable = true;
		pe_trouble_add_build(&session->troubles, one->of->revision, &one->build,
				     session->arena);
		return PE_OK;
	}
	one->slot = slot;
	engine->trees[i].tree = slot->tree;
	number_places(engine);
	return PE_OK;
}

static int clean_up(int rc, struct pe_engine *engine, struct revision *one)
{
	for (size_t w = 0; one->cells != NULL && w < engine->n_benchmarks; w++)
		rc = pe_batch_clean_up(rc, &engine->pass, &one->cells[w].at,
				       engine->session->app->err);
	return rc;
}

int pe_engine_evict(int rc, struct pe_engine *engine, size_t i)
{
	struct revision *one = &engine->revisions[i];

	if (one->slot == NULL)
		return rc;
	rc = clean_up(rc, engine, one);
	one->slot->held = false;
	one->slot = NULL;
	number_places(engine);
	return rc;
}

/* How many of those that are loaded were changed by what was built since, and had to be built again. */
static int rebuild_changed(size_t *rebuilt, struct pe_engine *engine)
{
	int rc = PE_OK;

	*rebuilt = 0;
	for (size_t r = 0; rc == PE_OK && r < engine->n_revisions; r++) {
		struct revision *one = &engine->revisions[r];
		bool whole = true;

		if (one->slot != NULL)
			rc = pe_session_compare(&whole, engine->session, one->slot,
						"it is built again");
		if (rc != PE_OK || whole)
			continue;
		++*rebuilt;
		rc = pe_engine_evict(rc, engine, r);
		if (rc == PE_OK)
			rc = pe_engine_build(engine, r);
	}
	return rc;
}

/*
 * Nothing is read or run that a build since may have changed. Those that change each other, too, cannot stand side by
 * side.
 */
static int compare_builds(struct pe_engine *engine)
{
	size_t rebuilt;
	int rc = rebuild_changed(&rebuilt, engine);

	if (rc == PE_OK && rebuilt > 0)
		rc = rebuild_changed(&rebuilt, engine);
	if (rc == PE_OK && rebuilt > 0)
		return pe_fail(
			engine->session->app->err, PE_EUNSUPPORTED,
			"builds of several commits change each other's files in %s: 'sandbox: auto' in the config keeps them apart",
			engine->session->slots.root);
	return rc;
}

/* --- The batch and its plan --- */

/* What the members of a suite share at a revision; NULL: it is none. */
static struct pe_grid_suite *suite_at(struct pe_engine *engine, struct revision *one,
				      const struct pe_benchmark *benchmark)
{
	struct suite suite = {.of = benchmark->suite};

	if (suite.of == NULL)
		return NULL;
	for (size_t i = 0; i < one->suites.n; i++)
		if (one->suites.data[i].of == suite.of)
			return one->suites.data[i].at;
	suite.at = pe_arena_new(&engine->arena, struct pe_grid_suite, 1);
	pe_vec_push(&one->suites, suite);
	return suite.at;
}

/* A cell that is in the batch's plan can be run in it. */
static void enable(struct pe_engine *engine, struct pe_engine_cell which, enum pe_role role,
		   unsigned rounds)
{
	struct revision *one = &engine->revisions[which.revision];
	unsigned capacity =
		rounds > PE_ALLOCATION_ROUNDS_NOISY ? rounds : PE_ALLOCATION_ROUNDS_NOISY;
	struct pe_grid_cell *cell;

	if (one->cells == NULL) {
		one->cells = pe_arena_new(&engine->arena, struct cell, engine->n_benchmarks);
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
	cell->allocation_rounds = engine->rounds > 0    ? capacity
				  : role == PE_ROLE_NEW ? PE_ALLOCATION_ROUNDS
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
	int rc;

	if (engine->batch != 0)
		return pe_store_extend_batch(session->app->store, engine->batch, cells, n,
					     session->app->err);
	rc = pe_store_put_batch(session->app->store, &batch, session->app->err);
	engine->batch = batch.key;
	return rc;
}

int pe_engine_plan(struct pe_engine *engine, const struct pe_engine_plan *cells, size_t n)
{
	pe_auto_free struct pe_batch_cell *plan = pe_realloc(NULL, n + 1, sizeof(*plan));
	int rc = PE_OK;

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
		rc = put_plan(engine, plan, n);
	return rc;
}

/* Where all cells want the same: those of revisions that are loaded for the first time. */
static int plan_loaded(struct pe_engine *engine)
{
	pe_auto_free PE_VEC(struct pe_engine_plan) plan = {NULL, 0, 0};

	for (size_t r = 0; engine->rounds > 0 && r < engine->n_revisions; r++) {
		const struct revision *one = &engine->revisions[r];

		for (size_t w = 0; one->slot != NULL && !one->planned && w < engine->n_benchmarks;
		     w++)
			pe_vec_push(&plan,
				    (struct pe_engine_plan){{r, w}, one->role, engine->rounds});
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
	if (rc == PE_OK)
		rc = pe_engine_build_ahead(NULL, engine, which, n);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = pe_engine_build(engine, which[i]);
	if (rc == PE_OK)
		rc = compare_builds(engine);
	return rc == PE_OK ? plan_loaded(engine) : rc;
}

/* --- What is in the batch already --- */

/* A run that an earlier session made in the batch. */
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
	/* More than a cell wants as a rule: it was found to vary. */
	if (cell->counted != NULL && run->round < PE_ALLOCATION_ROUNDS_NOISY &&
	    run->round >= cell->allocation_rounds && cell->allocation_rounds > 0)
		cell->allocation_rounds = PE_ALLOCATION_ROUNDS_NOISY;
	assert(cell->counted != NULL || cell->allocation_rounds == 0);
	if (run->round < cell->allocation_rounds)
		cell->counted[run->round] = true;
	cell->not_counted |= failed;
}

static void add_value(struct cell *cell, unsigned round, const char *metric, double value)
{
	pe_vec_push(&cell->values, (struct value){round, metric, value});
}

/* Cells that are not in a batch's plan cannot be run in it. */
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
			enable(engine, (struct pe_engine_cell){r, w}, one->role, one->rounds);
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
	int rc = follow_plan(engine, key);

	if (rc == PE_OK)
		rc = pe_store_batch_runs(&marks, &n, app->store, key, &engine->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		struct cell *cell = find_cell(engine, marks[i].revision, marks[i].benchmark);

		if (cell != NULL)
			mark_run(&cell->at, &marks[i]);
	}
	if (rc == PE_OK)
		rc = pe_store_batch_values(&values, &n, app->store, key, &engine->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		struct cell *cell = find_cell(engine, values[i].revision, values[i].benchmark);

		if (cell != NULL)
			add_value(cell, values[i].round, values[i].metric, values[i].value);
	}
	return rc;
}

/* --- Opening and closing --- */

static int put_run(struct pe_engine *engine, struct pe_cell at, const struct pe_run *run,
		   struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_run named = *run;

	named.functions =
		pe_functions_name(&run->functions, engine->trees[at.revision].tree, &work);
	return pe_store_put_run(engine->session->app->store, engine->batch,
				engine->revisions[at.revision].of->key,
				engine->benchmark_keys[at.benchmark], &named, err);
}

static int keep_run(struct pe_cell at, const struct pe_run *run, void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;
	struct pe_session *session = engine->session;
	const struct revision *one = &engine->revisions[at.revision];
	int rc = put_run(engine, at, run, err);

	if (rc != PE_OK)
		return rc;
	engine->runs++;
	pe_trouble_add_run(&session->troubles, one->of->revision,
			   engine->benchmarks[at.benchmark]->name, run, session->arena);
	if (run->uncounted != NULL)
		pe_trouble_add(&session->uncounted, one->of->revision,
			       pe_arena_printf(session->arena, "%s: %s",
					       engine->benchmarks[at.benchmark]->name,
					       run->uncounted),
			       false, session->arena);
	for (size_t i = 0; i < run->n_samples; i++)
		add_value(&one->cells[at.benchmark], run->round, run->samples[i].metric->name,
			  run->samples[i].value);
	return PE_OK;
}

static int begin_runs(void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;

	return pe_store_begin(engine->session->app->store, err);
}

static int end_runs(int rc, void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;

	if (rc == PE_OK)
		return pe_store_commit(engine->session->app->store, err);
	pe_store_rollback(engine->session->app->store);
	return rc;
}

static uint64_t new_seed(void)
{
	const char *fixed = getenv("PERFEVO_SEED");
	struct pe_hash hash;

	if (fixed != NULL)
		return strtoull(fixed, NULL, 10);
	/* With the machine and the second it is the batch's name: nodes that were started together have other ones. */
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
	engine->revisions = pe_arena_new(&engine->arena, struct revision, engine->n_revisions);
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
	int rc;

	for (size_t r = 0; r < engine->n_revisions; r++)
		which[r] = r;
	rc = pe_engine_build_ahead(NULL, engine, which, engine->n_revisions);
	for (size_t r = 0; rc == PE_OK && r < engine->n_revisions; r++)
		rc = pe_engine_build(engine, r);
	return rc;
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
	engine->sink = (struct pe_sink){
		.run = keep_run, .begin = begin_runs, .end = end_runs, .payload = engine};
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
	};
	pe_slots_release(&session->slots);
	if (opts->batch != 0)
		rc = take_up(engine, opts->batch);
	if (rc == PE_OK && !opts->lazy)
		rc = build_all(engine);
	if (rc == PE_OK)
		rc = compare_builds(engine);
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
}

static int keep_costs(struct pe_engine *engine, struct pe_err *err)
{
	struct pe_session *session = engine->session;
	int rc = PE_OK;

	for (size_t w = 0; rc == PE_OK && w < engine->n_benchmarks; w++)
		rc = pe_store_add_costs(session->app->store, session->machine_key,
					engine->benchmark_keys[w], &engine->costs[w], err);
	return rc;
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
		rc = clean_up(rc, engine, &engine->revisions[r]);
	rc_close = keep_costs(engine, rc == PE_OK ? session->app->err : &later);
	if (rc_close == PE_OK && finished && engine->batch != 0)
		rc_close = pe_store_close_batch(session->app->store, engine->batch,
						rc == PE_OK ? session->app->err : &later);
	/* What was expected and not needed is no part of the whole any more. */
	if (engine->runs < engine->expected && session->count.total > session->count.done)
		session->count.total -= engine->expected - engine->runs;
	if (session->count.total < session->count.done)
		session->count.total = session->count.done;
	free_engine(engine);
	return rc == PE_OK ? rc_close : rc;
}

/* --- What is known of it --- */

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

bool pe_engine_failed(const struct pe_engine *engine, struct pe_engine_cell cell)
{
	const struct cell *one = cell_of(engine, cell);

	return one != NULL && one->at.failed;
}

bool pe_engine_absent(const struct pe_engine *engine, struct pe_engine_cell cell)
{
	const struct cell *one = cell_of(engine, cell);

	return one != NULL && one->at.absent;
}

double pe_engine_value(const struct pe_engine *engine, struct pe_engine_cell cell, unsigned round,
		       const char *metric)
{
	const struct cell *one = cell_of(engine, cell);

	/* The latest first: what is asked for was most often just run. */
	for (size_t i = one != NULL ? one->values.n : 0; i-- > 0;) {
		const struct value *value = &one->values.data[i];

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
		const struct cell *one = cell_of(engine, (struct pe_engine_cell){r, benchmark});

		for (size_t i = 0; one != NULL && i < one->values.n; i++) {
			const struct value *value = &one->values.data[i];

			if (value->round >= from && strcmp(value->metric, metric) == 0)
				at[n++] = (struct pe_reading){r, 1, value->round, value->value};
		}
	}
	return (struct pe_readings){at, n, engine->n_revisions};
}

/* --- Running --- */

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
		struct revision *one = &engine->revisions[r];

		for (size_t i = 0; rc == PE_OK && i < one->suites.n; i++) {
			struct suite *suite = &one->suites.data[i];

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
		struct cell *one = cell_of(engine, cells[i]);
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
	int rc = compare_builds(engine);

	if (rc == PE_OK && kind == PE_RUN_ALLOCATIONS && engine->session->runner.valgrind != NULL)
		rc = plan_simulation(engine, cells, n);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; i < n; i++) {
		struct cell *one = cell_of(engine, cells[i]);

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
	return visit(engine, PE_RUN_ALLOCATIONS, round, cells, n);
}

/* Leave those whose counts vary, be it known from before or only since the usual ones are in the store. */
static int part_noisy(struct pe_engine *engine, struct pe_engine_cell *cells, size_t *n)
{
	struct pe_session *session = engine->session;
	size_t kept = 0, missing = 0, benchmark = SIZE_MAX;
	bool noisy = false;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < *n; i++) {
		struct cell *one = cell_of(engine, cells[i]);

		if (one == NULL || one->at.counted == NULL)
			continue;
		if (cells[i].benchmark != benchmark)
			rc = pe_exactness_counts_vary(
				&noisy, session->app->store, session->machine_key,
				engine->benchmark_keys[cells[i].benchmark], session->app->err);
		benchmark = cells[i].benchmark;
		if (!noisy)
			continue;
		if (one->at.allocation_rounds < PE_ALLOCATION_ROUNDS_NOISY)
			one->at.allocation_rounds = PE_ALLOCATION_ROUNDS_NOISY;
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
	for (unsigned round = 0; rc == PE_OK && n > 0 && round < PE_ALLOCATION_ROUNDS_NOISY;
	     round++) {
		if (round == PE_ALLOCATION_ROUNDS)
			rc = part_noisy(engine, sorted, &n);
		memcpy(order, sorted, n * sizeof(*order));
		pe_engine_shuffle(engine, PE_RUN_ALLOCATIONS, round, order, n);
		if (rc == PE_OK)
			rc = pe_engine_count(engine, round, order, n);
	}
	return rc;
}

int pe_engine_settle(struct pe_engine *engine, struct pe_engine_cell cell, unsigned rounds)
{
	struct pe_session_count *count = &engine->session->count;
	struct cell *one = cell_of(engine, cell);
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
