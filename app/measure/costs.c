#include "app/measure/costs.h"

#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* --- Builds --- */

/* By revision; where it was not built, what most builds took, by the store and the cache; NaN: there are none. */
static int load_builds(struct pe_session_costs *out, struct pe_session *session)
{
	const struct pe_slots *slots = &session->slots;
	struct pe_app *app = session->app;
	struct pe_stored_build_time *times;
	double *all, usual;
	size_t n, n_all = 0;

	PE_TRY(pe_store_build_times(&times, &n, app->store, session->machine_key, session->arena,
				    app->err));
	all = pe_arena_new(session->arena, double, n + slots->n + 1);
	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].build_ns > 0 &&
		    strcmp(slots->at[i].recipe, session->recipe_hash) == 0)
			all[n_all++] = (double)slots->at[i].build_ns / 1e9;
	for (size_t i = 0; i < n; i++)
		all[n_all++] = (double)times[i].duration_ns / 1e9;
	usual = pe_order_median(all, n_all);
	out->build_s = pe_arena_new(session->arena, double, session->n_revisions);
	for (size_t r = 0; r < session->n_revisions; r++)
		out->build_s[r] = usual;
	for (size_t i = 0; i < n; i++) {
		const size_t r = pe_session_revision_of(session, times[i].revision);

		if (r != SIZE_MAX)
			out->build_s[r] = (double)times[i].duration_ns / 1e9;
	}
	for (size_t r = 0; r < session->n_revisions; r++)
		if (pe_slots_find(&session->slots, session->revisions[r].id,
				  session->recipe_hash) != NULL)
			out->build_s[r] = 0;
	return PE_OK;
}

/* --- Cells --- */

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
		reused += one->source != 0 && !one->unbuilt;
	}
	return reused / (reused + measured);
}

static int load_cell(struct pe_cell_cost *out, struct pe_session *session,
		     const struct pe_known *known, const struct pe_benchmark *one)
{
	struct pe_spending costs;
	struct pe_spent counts;

	PE_TRY(pe_store_get_costs(&costs, session->app->store, session->machine_key, one->key,
				  session->app->err));
	out->timed_s = pe_spent_mean(&costs.of[PE_SPENT_TIMED], NAN);
	counts = pe_spending_of_counts(&costs);
	out->counted_s = pe_spent_mean(&counts, out->timed_s);
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
	PE_TRY(load_builds(out, session));
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
