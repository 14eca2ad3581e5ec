#include "app/measure/stop_rule.h"

#include "app/measure/thresholds.h"
#include "core/stats/explore.h"

enum { LEAST = 5, LEAST_OF_NEWEST = 15 };

const struct pe_metric *pe_stop_rule_metric(const struct pe_session *session,
					    const struct pe_benchmark *benchmark)
{
	for (size_t i = 0; i < benchmark->n_customs; i++)
		if (benchmark->customs[i].metric.kind != PE_METRIC_DETERMINISTIC &&
		    pe_thresholds_wants(session->app, &benchmark->customs[i].metric,
					session->metrics))
			return &benchmark->customs[i].metric;
	for (size_t i = 0; i < PE_N_METRICS; i++)
		if (pe_metrics[i].kind != PE_METRIC_DETERMINISTIC &&
		    pe_thresholds_wants(session->app, &pe_metrics[i], session->metrics))
			return &pe_metrics[i];
	return NULL;
}

/* Find the revisions at which a benchmark's value is precise enough; NULL: none. */
static bool *find_known(const struct pe_engine *engine, const struct pe_session *session,
			size_t benchmark, struct pe_arena *arena)
{
	const struct pe_explore_enough_opts opts = {LEAST, SIZE_MAX};
	const struct pe_metric *metric =
		pe_stop_rule_metric(session, session->benchmarks.data[benchmark].benchmark);
	struct pe_readings readings;
	double interest, *want;
	bool *known, judged;

	if (metric == NULL)
		return NULL;
	readings = pe_engine_readings(engine, benchmark, metric->name, 0, arena);
	if (readings.n == 0)
		return NULL;
	interest = pe_thresholds_metric(&judged, session->app, metric)->min_relative;
	known = pe_arena_new(arena, bool, readings.n_commits);
	want = pe_arena_new(arena, double, readings.n_commits);
	for (size_t r = 0; r < readings.n_commits; r++)
		want[r] = interest > 0 ? interest : 0.005;
	pe_explore_enough(known, &readings, want, &opts);
	return known;
}

int pe_stop_rule_apply(struct pe_engine *engine, struct pe_session *session,
		       struct pe_cell *const *cells, size_t n, unsigned rounds, size_t newest)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	for (size_t w = 0; rounds >= LEAST && w < session->benchmarks.n; w++) {
		const bool *known = find_known(engine, session, w, &arena);

		for (size_t i = 0; known != NULL && i < n; i++)
			if (cells[i]->benchmark == w && known[cells[i]->revision] &&
			    (cells[i]->revision != newest || rounds >= LEAST_OF_NEWEST))
				PE_TRY(pe_engine_settle(engine, cells[i], rounds));
	}
	return PE_OK;
}
