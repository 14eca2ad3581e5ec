/*
 * Prediction of what exploring will take: batch after batch is chosen as it will be, with readings of a program that never
 * changes in place of runs. Real changes cost more; their number is unknown.
 */
#include "app/search/explore_internal.h"

#include "core/base/random.h"

#include <math.h>
#include <string.h>

/* Noise of the readings: what a quiet benchmark has. */
#define NOISE 0.01

struct prediction {
	struct pe_exploring *all;
	struct pe_arena arena;
	struct pe_random random;
	PE_VEC(struct pe_reading) readings;
	unsigned round;
	size_t runs; /* of each benchmark */
};

static void take(struct prediction *play, size_t revision)
{
	size_t repeats = play->all->repeats;

	for (unsigned i = 0; i < repeats; i++)
		pe_vec_push(
			&play->readings,
			((struct pe_reading){revision, 1, play->round + i,
					     1e9 * exp(NOISE * pe_random_normal(&play->random))}));
}

static struct pe_explore_batch next(struct prediction *play, struct pe_explore_opts opts)
{
	const struct pe_exploring *all = play->all;
	const struct pe_readings readings = {play->readings.data, play->readings.n, all->n};
	struct pe_changepoint_opts search = PE_CHANGEPOINT_DEFAULTS;
	struct pe_changepoints found;
	const struct pe_changepoints *series = &found;

	/* That chance looks like a change is left out here. */
	search.alpha = 2 * PE_CHANGEPOINT_SUSPECT_ALPHA;
	found = pe_changepoints_find(&readings, &search, &play->arena);
	opts.runs_left -= opts.runs_left < play->runs ? opts.runs_left : play->runs;
	return pe_explore_next(all->at, all->n, &series, 1, &opts, &play->arena);
}

static double seconds_of_runs(const struct pe_exploring *all, bool fresh)
{
	const struct pe_session *session = all->session;
	double sum = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];
		double counted = fresh && one->count_allocations ? PE_COUNTED_ROUNDS : 0;

		sum += pe_cell_cost_of(&all->costs.cell[w], one, (double)all->repeats, counted,
				       fresh);
	}
	return sum;
}

static void play(struct prediction *play, const struct pe_explore_opts *opts)
{
	struct pe_exploring *all = play->all;
	struct pe_explore_outcome *out = all->outcome;
	double again_s = seconds_of_runs(all, false), fresh_s = seconds_of_runs(all, true);

	for (;;) {
		struct pe_explore_batch batch = next(play, *opts);

		if (batch.answer != PE_EXPLORE_GO_ON)
			return;
		if (all->request->budget_s > 0 &&
		    out->build_s + out->run_s >= all->request->budget_s)
			return;
		for (size_t i = 0; i < batch.n; i++) {
			size_t r = batch.at[i].revision;
			bool fresh = !all->at[r].measured;

			take(play, r);
			out->builds += fresh && all->costs.build_s[all->revision[r]] != 0;
			out->build_s += fresh ? all->costs.build_s[all->revision[r]] : 0;
			out->run_s += fresh ? fresh_s : again_s;
			all->at[r].measured = true;
		}
		play->runs += batch.n * all->repeats;
		play->round += (unsigned)all->repeats;
	}
}

void pe_exploring_predict(struct pe_exploring *all)
{
	struct prediction prediction = {.all = all, .arena = PE_ARENA_INIT};
	const struct pe_explore_opts opts = pe_exploring_opts(all);
	struct pe_explore_revision *at =
		pe_arena_new(&prediction.arena, struct pe_explore_revision, all->n);

	memcpy(at, all->at, all->n * sizeof(*at));
	pe_random_seed(&prediction.random, 1);
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].measured)
			take(&prediction, i);
	prediction.round = (unsigned)all->repeats;
	play(&prediction, &opts);
	memcpy(all->at, at, all->n * sizeof(*at));
	pe_vec_release(&prediction.readings);
	pe_arena_release(&prediction.arena);
}
