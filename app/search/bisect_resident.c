/*
 * The builds that a bisection keeps side by side, and single runs of them: a revision is built and loaded next to the ends
 * and the latest ones, in a batch that grows, and run once in each round.
 */
#include "app/search/bisect_internal.h"

#include "core/base/clock.h"

#include <math.h>
#include <string.h>

/* Of one batch; after these another one is opened. */
enum { ROUNDS = 512 };

/* A batch over the whole line. Its runs are ordinary readings; as anchors they keep `track` off it. */
static int open_batch(struct pe_bisect_run *run)
{
	static const size_t benchmark = 0;
	struct pe_arena *arena = run->out->app->arena;
	const struct pe_engine_opts opts = {.rounds = ROUNDS, .role = PE_ROLE_ANCHOR, .lazy = true};
	struct pe_engine *before = run->engine;

	run->round = 0;
	run->taken = pe_arena_new(arena, bool, run->out->n);
	run->counted = pe_arena_new(arena, unsigned, run->out->n);
	run->engine = NULL;
	PE_TRY(pe_engine_close(PE_OK, before, true));
	return pe_engine_open(&run->engine, &run->session, NULL, 0, &benchmark, 1, &opts);
}

static bool is_resident(const struct pe_bisect_run *run, size_t revision)
{
	for (size_t s = 0; s < run->n_resident; s++)
		if (run->resident[s] == revision)
			return true;
	return false;
}

/* The new one and the ends first, then the latest ones. */
static void choose_resident(struct pe_bisect_run *run, size_t i)
{
	const size_t ends[] = {0, run->out->n - 1};
	size_t old[PE_BISECT_RUN_RESIDENT], n_old = run->n_resident;

	memcpy(old, run->resident, sizeof(old));
	run->n_resident = 0;
	run->resident[run->n_resident++] = i;
	for (size_t e = 0; e < 2; e++)
		if (run->built[ends[e]] && !is_resident(run, ends[e]))
			run->resident[run->n_resident++] = ends[e];
	for (size_t s = 0; s < n_old && run->n_resident < PE_BISECT_RUN_RESIDENT; s++)
		if (!is_resident(run, old[s]))
			run->resident[run->n_resident++] = old[s];
}

/* The first result needs both ends: they are built side by side. */
static int build_ends(struct pe_bisect_run *run, size_t i)
{
	const size_t last = run->out->n - 1, other = i == 0 ? last : 0;
	const size_t both[] = {i, other};

	if ((i != 0 && i != last) || last == 0 || run->built[other])
		return PE_OK;
	return pe_engine_build_ahead(NULL, run->engine, both, 2);
}

/* Have a revision loaded, unless it does not build. */
static int load(struct pe_bisect_run *run, size_t i)
{
	PE_TRY(run->engine == NULL ? open_batch(run) : PE_OK);
	if (pe_engine_is_loaded(run->engine, i))
		return PE_OK;
	choose_resident(run, i);
	PE_TRY(build_ends(run, i));
	PE_TRY(pe_engine_load(run->engine, run->resident, run->n_resident));
	if (!pe_engine_is_loaded(run->engine, i) && !pe_engine_is_unbuildable(run->engine, i))
		return pe_fail(run->out->app->err, PE_EFULL,
			       "no room for another build: raise 'disk:' in perfevo.yml");
	return PE_OK;
}

/* Whether a built revision executes the same as another, whose results it then has. */
static int find_same(bool *same, struct pe_bisect_run *run, size_t i)
{
	struct pe_session *session = &run->session;

	*same = false;
	if (run->reuse == NULL)
		return PE_OK;
	/* Sources are revisions with readings, the ones of this session too. */
	PE_TRY(pe_known_load(&run->known, session));
	if (pe_known_at(&run->known, session, i, 0) == NULL)
		PE_TRY(pe_reuse_try(same, run->reuse, &run->known, i, 0,
				    pe_engine_tree_of(run->engine, i)));
	PE_TRY(pe_reuse_keep(run->reuse));
	if (*same) {
		session->n_reused++;
		PE_TRY(pe_known_load(&run->known, session));
		pe_bisect_run_use_reused(run);
	}
	return PE_OK;
}

int pe_bisect_run_build(bool *fit, struct pe_bisect_run *run, size_t i)
{
	uint64_t before_ns = pe_clock_ns();
	uint64_t build_ns;
	bool same;

	*fit = false;
	PE_TRY(load(run, i));
	if (pe_engine_is_unbuildable(run->engine, i)) {
		run->out->unbuildable++;
		run->line->skipped[i] = true;
		return PE_OK;
	}
	build_ns = pe_engine_build_ns(run->engine, i);
	run->build_ns += build_ns > 0 ? pe_clock_ns() - before_ns : 0;
	run->out->builds += build_ns > 0;
	run->built[i] = true;
	PE_TRY(find_same(&same, run, i));
	*fit = !same;
	return PE_OK;
}

static struct pe_cell *cell_of(const struct pe_bisect_run *run, size_t i)
{
	return pe_engine_cell(run->engine, i, 0);
}

double pe_bisect_run_value(const struct pe_bisect_run *run, size_t i,
			   const struct pe_metric *metric)
{
	const bool counted = pe_benchmark_counts(run->benchmark, metric);

	return pe_cell_value(cell_of(run, i), counted ? run->counted[i] - 1 : run->round,
			     metric->name);
}

/* Something was replaced since the counts that are stored. */
static int look_at_epoch(struct pe_bisect_run *run)
{
	unsigned epoch;

	PE_TRY(pe_store_latest_epoch(&epoch, run->out->app->store, run->session.machine_key,
				     run->benchmark->key, run->out->app->err));
	if (epoch != run->epoch) {
		run->moved = run->epoch != 0;
		run->epoch = epoch;
		if (run->moved)
			pe_bisect_run_forget_stored(run);
	}
	return PE_OK;
}

static int run_timed(struct pe_bisect_run *run, size_t i)
{
	struct pe_cell *cell;

	if (run->engine != NULL && run->taken[i] && run->round + 1 == ROUNDS)
		PE_TRY(open_batch(run));
	PE_TRY(load(run, i));
	if (run->taken[i]) {
		run->round++;
		memset(run->taken, 0, run->out->n * sizeof(*run->taken));
	}
	run->taken[i] = true;
	cell = cell_of(run, i);
	return pe_engine_round(run->engine, PE_RUN_TIMED, run->round, &cell, 1);
}

/*
 * Counting runs are numbered by revision: the engine simulates instructions in the first ones of each cell, and in
 * no later one.
 */
static int run_counted(struct pe_bisect_run *run, size_t i)
{
	struct pe_cell *cell;

	PE_TRY(load(run, i));
	cell = cell_of(run, i);
	PE_TRY(pe_engine_round(run->engine, PE_RUN_COUNTED, run->counted[i]++, &cell, 1));
	return look_at_epoch(run);
}

int pe_bisect_run_once(double *value, struct pe_bisect_run *run, size_t i,
		       const struct pe_metric *metric)
{
	const bool counted = pe_benchmark_counts(run->benchmark, metric);

	PE_TRY(counted ? run_counted(run, i) : run_timed(run, i));
	*value = pe_bisect_run_value(run, i, metric);
	if (!counted || isfinite(*value) || run->counted[i] < 2)
		return PE_OK;
	/* Its first runs had the count: those of another batch have it again. */
	PE_TRY(open_batch(run));
	PE_TRY(run_counted(run, i));
	*value = pe_bisect_run_value(run, i, metric);
	return PE_OK;
}
