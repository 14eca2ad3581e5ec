#include "app/measure/costs.h"

#include "core/base/search.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Builds --- */

/*
 * Number of neighbours whose median is used for a revision without a build: with five, one that took a hundred times as
 * long, or was interrupted, has no effect.
 */
enum { NEIGHBOURS = 5 };

/* Seconds of a stored build; NaN: it was not built. */
static double *own_builds(const struct pe_session *session, const struct pe_known *known)
{
	double *own = pe_arena_new(session->arena, double, session->n_revisions);

	for (size_t r = 0; r < session->n_revisions; r++)
		own[r] = NAN;
	for (size_t i = 0; i < known->n_builds; i++) {
		const struct pe_stored_build *one = &known->builds[i];
		size_t r = pe_session_revision_of(session, one->revision);

		if (r != SIZE_MAX && one->build.outcome == PE_MEASURED)
			own[r] = (double)one->build.duration_ns / 1e9;
	}
	return own;
}

/* The median of the nearest builds, by distance in history; NaN: there are none. */
static double from_neighbours(const double *own, size_t n, size_t r)
{
	double near[NEIGHBOURS];
	size_t found = 0;

	for (size_t away = 1; found < NEIGHBOURS && (away <= r || r + away < n); away++) {
		if (away <= r && !isnan(own[r - away]))
			near[found++] = own[r - away];
		if (found < NEIGHBOURS && r + away < n && !isnan(own[r + away]))
			near[found++] = own[r + away];
	}
	return pe_order_median(near, found);
}

/* The median of this recipe's builds of other revisions, in the store and in the cache: for ranges without any build. */
static double build_elsewhere(const struct pe_session *session, const struct pe_known *known)
{
	const struct pe_slots *slots = &session->slots;
	pe_auto_free double *all = pe_realloc(NULL, known->n_builds + slots->n + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].build_ns > 0 &&
		    strcmp(slots->at[i].recipe, session->recipe_hash) == 0)
			all[n++] = (double)slots->at[i].build_ns / 1e9;

	for (size_t i = 0; i < known->n_builds; i++)
		if (known->builds[i].build.outcome == PE_MEASURED)
			all[n++] = (double)known->builds[i].build.duration_ns / 1e9;
	return pe_order_median(all, n);
}

static void load_builds(struct pe_session_costs *out, struct pe_session *session,
			const struct pe_known *known)
{
	pe_auto_free bool *kept = pe_realloc(NULL, session->n_revisions + 1, sizeof(*kept));
	double *own = own_builds(session, known), usual = build_elsewhere(session, known);

	/* A restored cache has builds without a row in the store. */
	for (size_t r = 0; r < session->n_revisions; r++) {
		const struct pe_slot *slot = pe_slots_find(
			&session->slots, session->revisions[r].id, session->recipe_hash);

		kept[r] = slot != NULL;
		if (kept[r] && slot->build_ns > 0 && isnan(own[r]))
			own[r] = (double)slot->build_ns / 1e9;
	}
	out->build_s = pe_arena_new(session->arena, double, session->n_revisions);
	for (size_t r = 0; r < session->n_revisions; r++) {
		double *build_s = &out->build_s[r];

		if (kept[r])
			continue;
		*build_s = !isnan(own[r]) ? own[r] : from_neighbours(own, session->n_revisions, r);
		if (isnan(*build_s))
			*build_s = usual;
	}
}

/* --- Cells --- */

/* Estimate a run from stored wall times, in a store without costs. They leave out the time around runs. */
static int seconds_of_run(double *out, struct pe_session *session,
			  const struct pe_benchmark *benchmark)
{
	struct pe_app *app = session->app;
	struct pe_series_query query = {session->machine_key, benchmark->key, "wall"};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_observation *at;
	double *values;
	size_t n;

	*out = NAN;
	/* Values of a suite's member are for one iteration, and the number of iterations is not stored. */
	if (benchmark->suite != NULL)
		return PE_OK;
	PE_TRY(pe_store_get_series(&at, &n, app->store, &query, &arena, app->err));
	values = pe_arena_new(&arena, double, n);
	for (size_t i = 0; i < n; i++)
		values[i] = at[i].value / 1e9;
	*out = pe_order_median(values, n);
	return PE_OK;
}

/* The share of its repeats that a cell needed so far: some stopped early. */
static double part_needed(const struct pe_known *known, int64_t benchmark, unsigned repeats)
{
	double made = 0, n = 0;

	for (size_t i = 0; i < known->n_stored; i++) {
		const struct pe_coverage *one = &known->stored[i];

		if (one->benchmark != benchmark || !one->tried || one->failure != PE_MEASURED ||
		    (!one->enough && one->timed < repeats))
			continue;
		made += fmin(one->timed, repeats);
		n++;
	}
	return n > 0 && repeats > 0 ? fmax(made / n / repeats, 1.0 / repeats) : 1;
}

static bool was_built(const struct pe_known *known, int64_t revision)
{
	size_t at = 0;

	pe_search(at, known->n_builds, i, known->builds[i].revision < revision);
	return at < known->n_builds && known->builds[at].revision == revision;
}

/*
 * The share of cells without runs of their own, of those whose revision was built. One more measured cell is
 * added as a prior.
 */
static double part_reused(const struct pe_known *known, int64_t benchmark)
{
	double reused = 0, measured = 1;

	for (size_t i = 0; i < known->n_stored; i++) {
		const struct pe_coverage *one = &known->stored[i];

		if (one->benchmark != benchmark)
			continue;
		measured += one->tried;
		/* Cells that were carried over without a build do not count. */
		reused += one->source != 0 && was_built(known, one->revision);
	}
	return reused / (reused + measured);
}

/*
 * The cost of a counting run, as the average over those of a build. Simulating instructions takes many times as long, and
 * most builds need it once.
 */
static int load_counted(double *out, struct pe_session *session, const struct pe_spending *costs,
			const struct pe_benchmark *one, double otherwise)
{
	const struct pe_spent counts = pe_spending_of_counts(costs);
	const struct pe_spent *simulated = &costs->of[PE_SPENT_SIMULATED];
	struct pe_simulation known;
	double n, rounds, plain_s;

	*out = pe_spent_mean(&counts, otherwise);
	if (!(simulated->n > 0) || !pe_runner_simulates(&session->runner, one))
		return PE_OK;
	PE_TRY(pe_session_simulation(&known, session, one->key, &(struct pe_spending){0}));
	rounds = known.useless ? 0 : known.varies ? known.paid : 1;
	n = known.varies ? PE_COUNTED_ROUNDS_NOISY : PE_COUNTED_ROUNDS;
	plain_s = pe_spent_mean(&costs->of[PE_SPENT_COUNTED], otherwise);
	*out = (rounds * pe_spent_mean(simulated, 0) + (n - rounds) * plain_s) / n;
	return PE_OK;
}

static int load_cell(struct pe_cell_cost *out, struct pe_session *session,
		     const struct pe_known *known, const struct pe_benchmark *one)
{
	struct pe_spending costs;
	double wall_s = NAN;

	PE_TRY(pe_store_get_costs(&costs, session->app->store, session->machine_key, one->key,
				  session->app->err));
	if (!(costs.of[PE_SPENT_TIMED].n > 0))
		PE_TRY(seconds_of_run(&wall_s, session, one));
	out->timed_s = pe_spent_mean(&costs.of[PE_SPENT_TIMED], wall_s);
	PE_TRY(load_counted(&out->counted_s, session, &costs, one, out->timed_s));
	out->ready_s = pe_spent_mean(&costs.of[PE_SPENT_READY], 0);
	out->warmup_s = pe_spent_mean(&costs.of[PE_SPENT_WARMUP], out->timed_s);
	out->probe_s = pe_spent_mean(&costs.of[PE_SPENT_PROBE], out->counted_s);
	out->needed =
		session->whole || session->again ? 1 : part_needed(known, one->key, one->repeats);
	out->reused = session->again ? 0 : part_reused(known, one->key);
	return PE_OK;
}

int pe_session_costs_load(struct pe_session_costs *out, struct pe_session *session,
			  const struct pe_known *known)
{
	load_builds(out, session, known);
	out->cell = pe_arena_new(session->arena, struct pe_cell_cost, session->benchmarks.n);
	for (size_t w = 0; w < session->benchmarks.n; w++)
		PE_TRY(load_cell(&out->cell[w], session, known, session->benchmarks.data[w]));
	return PE_OK;
}

double pe_cell_cost_of(const struct pe_cell_cost *cost, const struct pe_benchmark *benchmark,
		       double timed, double counted, bool fresh)
{
	/* A suite's program warms up itself. */
	double warmups = timed > 0 && benchmark->suite == NULL ? benchmark->warmup : 0;
	double runs_s = cost->ready_s;

	if (timed > 0)
		runs_s += timed * cost->timed_s;
	if (warmups > 0)
		runs_s += warmups * cost->warmup_s;
	if (counted > 0)
		runs_s += counted * cost->counted_s;
	return fresh ? cost->probe_s + (1 - cost->reused) * runs_s : runs_s;
}
