#include "app/measure/stop_rule.h"
#include "app/measure/thresholds.h"

#include "core/stats/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 5, LEAST_OF_NEWEST = 15 };

struct pe_enough {
	struct pe_session *session;
	struct pe_grid *grid;
	int64_t window;
	const int64_t *revisions, *workloads;
	size_t newest;
	const struct pe_metric **metrics;     /* by workload */
	PE_VEC(struct pe_reading) * readings; /* by workload */
	struct pe_arena *arena;
};

const struct pe_metric *pe_enough_metric(const struct pe_session *session,
					 const struct pe_workload *workload)
{
	for (size_t i = 0; i < workload->n_customs; i++)
		if (workload->customs[i].metric.kind != PE_METRIC_DETERMINISTIC &&
		    pe_thresholds_wants(session->app, &workload->customs[i].metric,
					session->metrics))
			return &workload->customs[i].metric;
	for (size_t i = 0; i < PE_N_METRICS; i++)
		if (pe_metrics[i].kind != PE_METRIC_DETERMINISTIC &&
		    pe_thresholds_wants(session->app, &pe_metrics[i], session->metrics))
			return &pe_metrics[i];
	return NULL;
}

void pe_enough_take(struct pe_enough *enough, struct pe_cell cell, const struct pe_run *run)
{
	const struct pe_metric *metric;

	if (enough == NULL || run->kind != PE_RUN_TIMED)
		return;
	metric = enough->metrics[cell.workload];
	for (size_t i = 0; metric != NULL && i < run->n_samples; i++)
		if (strcmp(run->samples[i].metric->name, metric->name) == 0)
			pe_vec_push(&enough->readings[cell.workload],
				    ((struct pe_reading){cell.revision, 1, run->round,
							 run->samples[i].value}));
}

/* What an earlier session ran in this window. */
static int recall(struct pe_enough *enough)
{
	struct pe_app *app = enough->session->app;
	struct pe_window_value *values;
	size_t n;
	int rc = pe_store_window_values(&values, &n, app->store, enough->window, enough->arena,
					app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t r = 0, w = 0;

		while (r < enough->grid->n_revisions && enough->revisions[r] != values[i].revision)
			r++;
		while (w < enough->grid->n_workloads && enough->workloads[w] != values[i].workload)
			w++;
		if (r < enough->grid->n_revisions && w < enough->grid->n_workloads &&
		    enough->metrics[w] != NULL &&
		    strcmp(enough->metrics[w]->name, values[i].metric) == 0)
			pe_vec_push(&enough->readings[w],
				    ((struct pe_reading){r, 1, values[i].round, values[i].value}));
	}
	return rc;
}

static int settle(struct pe_enough *enough, struct pe_grid_cell *cell, unsigned rounds,
		  struct pe_err *err)
{
	struct pe_session_count *count = &enough->session->count;
	unsigned saved = cell->rounds - rounds;

	cell->rounds = rounds;
	count->total = count->total > count->done + saved ? count->total - saved : count->done;
	return pe_store_settle_cell(enough->session->app->store, enough->window,
				    enough->revisions[cell->revision],
				    enough->workloads[cell->workload], rounds, err);
}

static int settle_workload(struct pe_enough *enough, size_t w, unsigned rounds, struct pe_err *err)
{
	struct pe_grid *grid = enough->grid;
	const struct pe_explore_enough_opts opts = {LEAST, SIZE_MAX};
	const struct pe_readings readings = {enough->readings[w].data, enough->readings[w].n,
					     grid->n_revisions};
	bool *known = pe_realloc(NULL, grid->n_revisions + 1, sizeof(*known)), judged;
	double *want = pe_realloc(NULL, grid->n_revisions + 1, sizeof(*want));
	double interest = pe_thresholds_metric(&judged, enough->session->app, enough->metrics[w])
				  ->min_relative;
	int rc = PE_OK;

	for (size_t r = 0; r < grid->n_revisions; r++) {
		known[r] = false;
		want[r] = interest > 0 ? interest : 0.005;
	}
	pe_explore_enough(known, &readings, want, &opts);
	for (size_t i = 0; rc == PE_OK && i < grid->n_cells; i++) {
		struct pe_grid_cell *cell = &grid->cells[i];

		if (cell->workload == w && known[cell->revision] && cell->rounds > rounds &&
		    !cell->failed &&
		    (cell->revision != enough->newest || rounds >= LEAST_OF_NEWEST))
			rc = settle(enough, cell, rounds, err);
	}
	free(known);
	free(want);
	return rc;
}

static int between(unsigned round, void *payload, struct pe_err *err)
{
	struct pe_enough *enough = payload;
	int rc = PE_OK;

	if (round + 1 < LEAST)
		return PE_OK;
	for (size_t w = 0; rc == PE_OK && w < enough->grid->n_workloads; w++)
		if (enough->metrics[w] != NULL && enough->readings[w].n > 0)
			rc = settle_workload(enough, w, round + 1, err);
	return rc;
}

int pe_enough_watch(struct pe_enough **out, struct pe_session *session, struct pe_grid *grid,
		    int64_t window, const int64_t *revisions, const int64_t *workloads,
		    size_t newest, struct pe_arena *arena)
{
	struct pe_enough *enough = pe_arena_new(arena, struct pe_enough, 1);

	*enough = (struct pe_enough){.session = session,
				     .grid = grid,
				     .window = window,
				     .revisions = revisions,
				     .workloads = workloads,
				     .newest = newest,
				     .arena = arena};
	enough->metrics = pe_arena_new(arena, const struct pe_metric *, grid->n_workloads);
	enough->readings = pe_arena_alloc(arena, grid->n_workloads, sizeof(*enough->readings));
	memset(enough->readings, 0, grid->n_workloads * sizeof(*enough->readings));
	for (size_t w = 0; w < grid->n_workloads; w++)
		enough->metrics[w] = pe_enough_metric(session, grid->workloads[w]);
	grid->between = between;
	grid->payload = enough;
	*out = enough;
	return recall(enough);
}

void pe_enough_end(struct pe_enough *enough)
{
	for (size_t w = 0; enough != NULL && w < enough->grid->n_workloads; w++)
		pe_vec_release(&enough->readings[w]);
}
