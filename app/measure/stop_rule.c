#include "app/measure/stop_rule.h"

#include "app/measure/thresholds.h"
#include "core/stats/compare.h"
#include "core/stats/explore.h"

#include <math.h>

enum { LEAST = 5, LEAST_OF_NEWEST = 15 };

/* Pairs at which a comparison may end; without a decision there it ends with its last round. */
static const unsigned looks[] = {PE_COMPARE_SEPARATE_PAIRS, PE_COMPARE_DECIDING_PAIRS, 21};

/* Of the interval within which nothing changed, at a look: it is taken up to four times. */
#define UNCHANGED_CONFIDENCE 0.995

/* The next judged metric that varies, of a benchmark's own and then of all; *at begins with 0. NULL: there is none. */
static const struct pe_metric *next_metric(size_t *at, const struct pe_session *session,
					   const struct pe_benchmark *benchmark)
{
	const struct pe_metric *found = NULL;

	for (; found == NULL && *at < benchmark->n_customs + PE_N_METRICS; ++*at) {
		const struct pe_metric *metric = *at < benchmark->n_customs
							 ? &benchmark->customs[*at].metric
							 : &pe_metrics[*at - benchmark->n_customs];

		if (metric->kind != PE_METRIC_DETERMINISTIC &&
		    pe_thresholds_wants(session->app, metric, session->metrics))
			found = metric;
	}
	return found;
}

const struct pe_metric *pe_stop_rule_metric(const struct pe_session *session,
					    const struct pe_benchmark *benchmark)
{
	size_t at = 0;

	return next_metric(&at, session, benchmark);
}

/* Find the revisions at which a benchmark's value is precise enough; NULL: none. */
static bool *find_known(const struct pe_engine *engine, const struct pe_session *session,
			size_t benchmark, struct pe_arena *arena)
{
	const struct pe_explore_enough_opts opts = {LEAST, SIZE_MAX};
	const struct pe_metric *metric =
		pe_stop_rule_metric(session, session->benchmarks.data[benchmark]);
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

/* The cells of the two wanted revisions; false: there are not two. */
static bool find_sides(struct pe_cell *sides[2], const struct pe_session *session,
		       struct pe_cell *const *cells, size_t n, size_t benchmark)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (cells[i]->benchmark != benchmark || !session->wanted[cells[i]->revision])
			continue;
		if (found < 2)
			sides[found] = cells[i];
		found++;
	}
	return found == 2;
}

/* Whether the pairs so far decide a metric; a metric without values is decided. */
static bool is_decided(const struct pe_session *session, struct pe_cell *const sides[2],
		       const struct pe_metric *metric, unsigned rounds, struct pe_arena *arena)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
	double *values[] = {pe_arena_new(arena, double, rounds),
			    pe_arena_new(arena, double, rounds)};
	enum pe_verdict verdict;
	size_t n = 0;
	bool judged;

	opts.better = metric->better;
	opts.min_relative = pe_thresholds_metric(&judged, session->app, metric)->min_relative;
	for (unsigned round = 0; round < rounds; round++) {
		for (int side = 0; side < 2; side++)
			values[side][n] = pe_cell_value(sides[side], round, metric->name);
		n += isfinite(values[0][n]) && isfinite(values[1][n]);
	}
	if (n == 0)
		return true;
	verdict = pe_compare_paired(values[0], values[1], n, &opts).verdict;
	if (verdict == PE_UNCHANGED) {
		opts.confidence = UNCHANGED_CONFIDENCE;
		verdict = pe_compare_paired(values[0], values[1], n, &opts).verdict;
	}
	return verdict != PE_UNDECIDED;
}

static bool is_look(unsigned rounds)
{
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++)
		if (rounds == looks[i])
			return true;
	return false;
}

/* Whether the pairs of a benchmark's two sides decide all of its metrics. */
static bool are_decided(const struct pe_session *session, struct pe_cell *const *cells, size_t n,
			unsigned rounds, size_t benchmark, struct pe_arena *arena)
{
	const struct pe_benchmark *one = session->benchmarks.data[benchmark];
	const struct pe_metric *metric;
	struct pe_cell *sides[2];
	size_t at = 0;

	if (!find_sides(sides, session, cells, n, benchmark))
		return false;
	while ((metric = next_metric(&at, session, one)) != NULL)
		if (!is_decided(session, sides, metric, rounds, arena))
			return false;
	return true;
}

static int end_decided(struct pe_engine *engine, struct pe_session *session,
		       struct pe_cell *const *cells, size_t n, unsigned rounds)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	for (size_t w = 0; is_look(rounds) && w < session->benchmarks.n; w++) {
		if (!are_decided(session, cells, n, rounds, w, &arena))
			continue;
		for (size_t i = 0; i < n; i++)
			if (cells[i]->benchmark == w)
				PE_TRY(pe_engine_settle(engine, cells[i], rounds));
	}
	return PE_OK;
}

int pe_stop_rule_apply(struct pe_engine *engine, struct pe_session *session,
		       struct pe_cell *const *cells, size_t n, unsigned rounds, size_t newest)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	if (session->compares)
		return end_decided(engine, session, cells, n, rounds);
	for (size_t w = 0; rounds >= LEAST && w < session->benchmarks.n; w++) {
		const bool *known = find_known(engine, session, w, &arena);

		for (size_t i = 0; known != NULL && i < n; i++)
			if (cells[i]->benchmark == w && known[cells[i]->revision] &&
			    (cells[i]->revision != newest || rounds >= LEAST_OF_NEWEST))
				PE_TRY(pe_engine_settle(engine, cells[i], rounds));
	}
	return PE_OK;
}
