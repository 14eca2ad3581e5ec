#include "cmd/explore.h"

#include "cmd/carry.h"
#include "cmd/enough.h"
#include "cmd/explore_prior.h"
#include "cmd/judge.h"
#include "cmd/plan.h"
#include "cmd/remeasure.h"

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/base/vec.h"
#include "core/stats/deterministic.h"
#include "core/stats/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 16,   /* revisions side by side, as simulated (bench/simulate_explore.c) */
	REPEATS = 3,  /* runs of a revision in a batch */
	LEAST = 2,    /* of them, before anything is enough */
	ROUNDS = 512, /* of one window: plenty for a session */
	ENDS = 6,     /* revisions that the ends of a range and their company take */
};

/* One judged series: a benchmark and a metric. */
struct line {
	size_t workload; /* index into the session's */
	const struct pe_metric *metric;
	PE_VEC(struct pe_reading) readings;
	struct pe_changepoints found;
};

/* Where a stored revision stands among the wanted ones; sorted by key. */
struct place {
	int64_t key;
	size_t position;
};

struct exploring {
	struct pe_session *session;
	const struct pe_explore_request *request;
	struct pe_explore_outcome *outcome;
	size_t n;         /* wanted revisions */
	size_t *revision; /* their indices in the session */
	struct place *places;
	struct pe_explore_revision *at;
	bool *explored; /* by wanted revision: chosen before, by this or an earlier session */
	struct pe_known known;
	PE_VEC(struct line) lines;
	struct pe_carrier *carrier;
	struct pe_remeasure *fresh;
	struct pe_arena scratch; /* of the batch at hand */
	unsigned round;          /* next of the window */
	size_t slots, repeats;
	uint64_t deadline_ns; /* 0: none */
};

/* --- What is known --- */

static const struct pe_coverage *cell_of(const struct exploring *all, size_t i, size_t w)
{
	const struct pe_session *session = all->session;

	return pe_known_cell(&all->known, session->revisions[all->revision[i]].key,
			     session->workloads.data[w].key);
}

static bool is_measured(const struct exploring *all, size_t i)
{
	for (size_t w = 0; w < all->session->workloads.n; w++) {
		const struct pe_coverage *have = cell_of(all, i, w);

		if (have != NULL && have->timed > 0)
			return true;
	}
	return false;
}

/* Nothing can be had of it: it does not build, or every benchmark failed there. */
static bool is_lost(const struct exploring *all, size_t i)
{
	int64_t key = all->session->revisions[all->revision[i]].key;

	if (pe_known_unbuildable(&all->known, key))
		return true;
	for (size_t w = 0; w < all->session->workloads.n; w++) {
		const struct pe_coverage *have = cell_of(all, i, w);

		if (have == NULL || have->failure == PE_MEASURED || have->timed > 0)
			return false;
	}
	return all->session->workloads.n > 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static size_t position_of(const struct exploring *all, int64_t revision)
{
	const struct place wanted = {revision, 0};
	const struct place *found = NULL;

	if (all->n > 0)
		found = bsearch(&wanted, all->places, all->n, sizeof(wanted), compare_places);
	return found != NULL ? found->position : SIZE_MAX;
}

static bool has_workload(const struct pe_session *session, int64_t key)
{
	for (size_t w = 0; w < session->workloads.n; w++)
		if (session->workloads.data[w].key == key)
			return true;
	return false;
}

/* The revision that all benchmarks take its results from; itself when they do not agree on one. */
static void find_same(struct exploring *all)
{
	const struct pe_session *session = all->session;
	size_t *agreeing = pe_realloc(NULL, all->n + 1, sizeof(*agreeing));
	size_t *source = pe_realloc(NULL, all->n + 1, sizeof(*source));

	for (size_t i = 0; i < all->n; i++) {
		agreeing[i] = 0;
		source[i] = SIZE_MAX;
	}
	for (size_t c = 0; c < all->known.n_carried; c++) {
		const struct pe_carried *one = &all->known.carried[c];
		size_t i = position_of(all, one->revision), from = position_of(all, one->source);

		if (i == SIZE_MAX || from == SIZE_MAX || !has_workload(session, one->workload) ||
		    (source[i] != SIZE_MAX && source[i] != from))
			continue;
		source[i] = from;
		agreeing[i]++;
	}
	for (size_t i = 0; i < all->n; i++)
		all->at[i].same = !all->at[i].measured && agreeing[i] > 0 &&
						  agreeing[i] == session->workloads.n
					  ? source[i]
					  : i;
	free(agreeing);
	free(source);
}

static int look(struct exploring *all)
{
	struct pe_session *session = all->session;
	int64_t *keys;
	size_t n;
	int rc = pe_known_load(&all->known, session);

	if (rc == PE_OK)
		rc = pe_store_explored(&keys, &n, session->ctx->store, session->machine_key,
				       session->arena, session->ctx->err);
	for (size_t k = 0; rc == PE_OK && k < n; k++) {
		size_t i = position_of(all, keys[k]);

		if (i != SIZE_MAX)
			all->explored[i] = true;
	}
	for (size_t i = 0; rc == PE_OK && i < all->n; i++) {
		all->at[i].measured = is_measured(all, i);
		all->at[i].lost = !all->at[i].measured && is_lost(all, i);
	}
	if (rc == PE_OK)
		find_same(all);
	return rc;
}

/* --- Series --- */

static bool is_judged(const struct exploring *all, const struct pe_metric *metric)
{
	const struct pe_strings *names = all->request->metrics;
	bool judged;

	pe_judge_metric(&judged, all->session->ctx, metric);
	for (size_t i = 0; names != NULL && i < names->n; i++)
		if (strcmp(names->at[i], metric->name) == 0)
			return true;
	return judged && names == NULL;
}

static int load_line(struct exploring *all, size_t workload, const struct pe_metric *metric)
{
	struct pe_session *session = all->session;
	const struct pe_series_query query = {session->machine_key,
					      session->workloads.data[workload].key, metric->name};
	struct line line = {.workload = workload, .metric = metric};
	struct pe_observation *at;
	size_t n;
	int rc = pe_store_get_series(&at, &n, session->ctx->store, &query, &all->scratch,
				     session->ctx->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t position = position_of(all, at[i].revision);

		if (position != SIZE_MAX)
			pe_vec_push(&line.readings,
				    ((struct pe_reading){position, at[i].window, at[i].round,
							 at[i].value}));
	}
	pe_vec_push(&all->lines, line);
	return rc;
}

static void drop_lines(struct exploring *all)
{
	for (size_t i = 0; i < all->lines.n; i++)
		pe_vec_release(&all->lines.data[i].readings);
	all->lines.n = 0;
}

static int load_lines(struct exploring *all)
{
	struct pe_session *session = all->session;
	int rc = PE_OK;

	drop_lines(all);
	for (size_t w = 0; rc == PE_OK && w < session->workloads.n; w++) {
		struct pe_metric *metrics;
		size_t n = 0;

		rc = pe_store_workload_metrics(&metrics, &n, session->ctx->store,
					       session->machine_key, session->workloads.data[w].key,
					       &all->scratch, session->ctx->err);
		for (size_t m = 0; rc == PE_OK && m < n; m++)
			if (is_judged(all, &metrics[m]))
				rc = load_line(all, w, &metrics[m]);
	}
	return rc;
}

static void search(struct exploring *all, struct line *line)
{
	const struct pe_readings readings = {line->readings.data, line->readings.n, all->n};
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	const struct pe_deterministic_opts exact = {line->metric->min_relative,
						    line->metric->min_absolute};

	opts.alpha = PE_EXPLORE_ALPHA;
	line->found = line->metric->kind == PE_METRIC_DETERMINISTIC
			      ? pe_deterministic_find(&readings, &exact, &all->scratch)
			      : pe_changepoints_find(&readings, &opts, &all->scratch);
}

/* --- Budget --- */

static unsigned repeats_of(const struct exploring *all, size_t workload)
{
	return all->session->workloads.data[workload].workload->repeats;
}

/* Jumps in sight. One set of fresh runs is for all metrics of a benchmark. */
static size_t jumps_in_sight(const struct exploring *all)
{
	size_t jumps = 0, most = 0;

	for (size_t i = 0; i < all->lines.n; i++) {
		const struct line *line = &all->lines.data[i];

		if (i > 0 && line->workload != all->lines.data[i - 1].workload) {
			jumps += most;
			most = 0;
		}
		most = line->found.n > most ? line->found.n : most;
	}
	return jumps + most;
}

/* Timed runs that are left: of what the user gave, or of a share of all that the range would take. */
static size_t runs_left(const struct exploring *all)
{
	const struct pe_explore_request *request = all->request;
	size_t whole = 0, spent = 0, cells = 0, budget;

	if (request->max_runs == 0 && request->seconds > 0)
		return SIZE_MAX;
	for (size_t i = 0; i < all->n; i++) {
		for (size_t w = 0; w < all->session->workloads.n; w++) {
			const struct pe_coverage *have = cell_of(all, i, w);
			unsigned repeats = repeats_of(all, w);

			/* What was measured to the full is not of this campaign. */
			if (all->at[i].lost ||
			    (have != NULL && have->timed >= repeats && !all->explored[i]))
				continue;
			cells++;
			whole += repeats;
			spent += have != NULL ? have->timed : 0;
		}
	}
	budget = (size_t)(PE_EXPLORE_SHARE * (double)whole);
	if (request->max_runs > 0) {
		budget = request->max_runs;
		spent = all->outcome->runs;
	}
	if (request->confirms)
		budget -= pe_explore_reserve(budget, cells, jumps_in_sight(all));
	return budget > spent ? budget - spent : 0;
}

static struct pe_explore_opts explore_opts(const struct exploring *all)
{
	struct pe_explore_opts opts = PE_EXPLORE_DEFAULTS;
	size_t left = runs_left(all), workloads = all->session->workloads.n;
	bool ends = (!all->at[0].measured && !all->at[0].lost) ||
		    (!all->at[all->n - 1].measured && !all->at[all->n - 1].lost &&
		     all->at[all->n - 1].same == all->n - 1);

	opts.slots = all->slots;
	opts.repeats = all->repeats;
	opts.runs_left = left == SIZE_MAX ? left : left / (workloads > 0 ? workloads : 1);
	/* A commit that was added is always looked at, whatever was spent on those before it. */
	if (ends && all->request->max_runs == 0 && opts.runs_left < ENDS * all->repeats)
		opts.runs_left = ENDS * all->repeats;
	return opts;
}

static int next_batch(struct pe_explore_batch *out, struct exploring *all)
{
	const struct pe_changepoints **found;
	struct pe_explore_opts opts;
	int rc = load_lines(all);

	if (rc != PE_OK)
		return rc;
	found = pe_arena_new(&all->scratch, const struct pe_changepoints *, all->lines.n);
	for (size_t i = 0; i < all->lines.n; i++) {
		search(all, &all->lines.data[i]);
		found[i] = &all->lines.data[i].found;
	}
	opts = explore_opts(all);
	*out = pe_explore_next(all->at, all->n, found, all->lines.n, &opts, &all->scratch);
	all->outcome->open = out->open;
	all->outcome->complete = out->answer == PE_EXPLORE_COMPLETE;
	return PE_OK;
}

/* --- One batch --- */

struct batch {
	const struct pe_explore_batch *picks;
	bool *runs;   /* by pick and workload: is to be run */
	double *want; /* by wanted revision */
	bool *enough; /* by wanted revision, scratch */
	size_t from;  /* first round */
	size_t new_ones;
};

static bool is_company(const struct pe_explore_pick *pick)
{
	return pick->why == PE_EXPLORE_COMPANY || pick->why == PE_EXPLORE_LEVEL;
}

/* Two that tie the window to what is known, then the new ones, then the other company. */
static size_t *order_of_seats(const struct pe_explore_batch *picks, struct pe_arena *arena)
{
	enum { TIES = 2 };
	size_t *order = pe_arena_new(arena, size_t, picks->n), n = 0, company = 0;

	for (size_t i = 0; i < picks->n && company < TIES; i++)
		if (is_company(&picks->at[i]) && ++company)
			order[n++] = picks->at[i].revision;
	for (size_t i = 0; i < picks->n; i++)
		if (!is_company(&picks->at[i]))
			order[n++] = picks->at[i].revision;
	company = 0;
	for (size_t i = 0; i < picks->n; i++)
		if (is_company(&picks->at[i]) && ++company > TIES)
			order[n++] = picks->at[i].revision;
	return order;
}

/* Results of a new revision whose execution is known from another one are carried over. */
static int choose_cells(struct exploring *all, struct batch *batch, size_t i)
{
	const struct pe_explore_pick *pick = &batch->picks->at[i];
	size_t width = all->session->workloads.n, r = pick->revision;
	const struct pe_build *build;
	const struct pe_slot *slot = pe_remeasure_slot(all->fresh, r, &build);
	int rc = PE_OK;

	for (size_t w = 0; rc == PE_OK && slot != NULL && w < width; w++) {
		const struct pe_coverage *have = cell_of(all, r, w);
		bool carried = false;

		if (have != NULL && have->failure != PE_MEASURED && have->timed == 0)
			continue;
		if (have == NULL && all->carrier != NULL)
			rc = pe_carrier_try(&carried, all->carrier, &all->known, all->revision[r],
					    w, slot, build);
		all->session->n_carried += carried;
		batch->runs[i * width + w] = rc == PE_OK && !carried;
	}
	return rc;
}

static size_t gather(struct pe_remeasure_cell *cells, const struct exploring *all,
		     const struct batch *batch)
{
	size_t width = all->session->workloads.n, n = 0;

	for (size_t i = 0; i < batch->picks->n; i++)
		for (size_t w = 0; w < width; w++)
			if (batch->runs[i * width + w])
				cells[n++] =
					(struct pe_remeasure_cell){batch->picks->at[i].revision, w};
	return n;
}

/* The readings of this batch of one benchmark, by the metric that says when it is enough. */
static size_t readings_of(struct pe_reading *out, const struct exploring *all,
			  const struct batch *batch, size_t workload, const char *metric)
{
	size_t n = 0;

	for (size_t i = 0; i < batch->picks->n; i++) {
		for (unsigned round = (unsigned)batch->from; round < all->round; round++) {
			struct pe_remeasure_cell cell = {batch->picks->at[i].revision, workload};
			double value = pe_remeasure_value(all->fresh, cell, round, metric);

			if (!isnan(value))
				out[n++] = (struct pe_reading){cell.revision, 1, round, value};
		}
	}
	return n;
}

static void leave_out_enough(const struct exploring *all, struct batch *batch)
{
	const struct pe_explore_enough_opts opts = {LEAST, all->repeats};
	size_t width = all->session->workloads.n;
	struct pe_reading *readings =
		pe_realloc(NULL, batch->picks->n * REPEATS + 1, sizeof(*readings));

	for (size_t w = 0; w < width; w++) {
		const struct pe_metric *telling =
			pe_enough_metric(all->session, all->session->workloads.data[w].workload);
		const char *metric = telling != NULL ? telling->name : NULL;
		size_t n = 0;

		memset(batch->enough, metric == NULL, all->n * sizeof(*batch->enough));
		if (metric != NULL)
			n = readings_of(readings, all, batch, w, metric);
		if (n > 0)
			pe_explore_enough(batch->enough, &(struct pe_readings){readings, n, all->n},
					  batch->want, &opts);
		for (size_t i = 0; i < batch->picks->n; i++)
			if (batch->enough[batch->picks->at[i].revision])
				batch->runs[i * width + w] = false;
	}
	free(readings);
}

static bool out_of_time(const struct exploring *all)
{
	return all->deadline_ns != 0 && pe_clock_ns() >= all->deadline_ns;
}

static int run_round(struct exploring *all, const struct pe_remeasure_cell *cells, size_t n)
{
	struct pe_remeasure_cell *shuffled =
		pe_arena_new(&all->scratch, struct pe_remeasure_cell, n);
	size_t *order = pe_arena_new(&all->scratch, size_t, n);
	struct pe_random random;

	pe_random_seed(&random, pe_remeasure_seed(all->fresh) ^ (all->round + 1u));
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	pe_random_shuffle(&random, order, n);
	for (size_t i = 0; i < n; i++)
		shuffled[i] = cells[order[i]];
	return pe_remeasure_round(all->fresh, all->round++, shuffled, n);
}

static int run_batch(struct exploring *all, struct batch *batch)
{
	size_t width = all->session->workloads.n;
	struct pe_remeasure_cell *cells =
		pe_arena_new(&all->scratch, struct pe_remeasure_cell, batch->picks->n * width);
	struct pe_remeasure_cell *fresh_cells =
		pe_arena_new(&all->scratch, struct pe_remeasure_cell, batch->picks->n * width);
	size_t n_fresh = 0, n = gather(cells, all, batch), runs = pe_remeasure_runs(all->fresh);
	int rc = PE_OK;

	for (size_t i = 0; i < n; i++)
		if (cell_of(all, cells[i].revision, cells[i].workload) == NULL)
			fresh_cells[n_fresh++] = cells[i];
	for (size_t time = 0; rc == PE_OK && time < all->repeats && n > 0 && !out_of_time(all);
	     time++) {
		rc = run_round(all, cells, n);
		leave_out_enough(all, batch);
		n = gather(cells, all, batch);
	}
	/* Those that count allocations are no timed runs, and no part of the budget. */
	all->outcome->runs += pe_remeasure_runs(all->fresh) - runs;
	return rc == PE_OK ? pe_remeasure_allocations(all->fresh, fresh_cells, n_fresh) : rc;
}

static int measure_batch(struct exploring *all, const struct pe_explore_batch *picks, bool *moved)
{
	size_t width = all->session->workloads.n, seated = 0;
	struct batch batch = {
		.picks = picks,
		.runs = pe_arena_new(&all->scratch, bool, picks->n *width),
		.want = pe_arena_new(&all->scratch, double, all->n),
		.enough = pe_arena_new(&all->scratch, bool, all->n),
		.from = all->round,
	};
	size_t runs = pe_remeasure_runs(all->fresh), carried = all->session->n_carried;
	int rc = pe_remeasure_seat(all->fresh, order_of_seats(picks, &all->scratch), picks->n);

	for (size_t i = 0; i < all->n; i++)
		batch.want[i] = 1; /* those without a pick are not asked about */
	for (size_t i = 0; rc == PE_OK && i < picks->n; i++) {
		batch.want[picks->at[i].revision] = picks->at[i].want;
		seated += pe_remeasure_seated(all->fresh, picks->at[i].revision);
		rc = choose_cells(all, &batch, i);
	}
	if (rc == PE_OK)
		rc = run_batch(all, &batch);
	*moved = pe_remeasure_runs(all->fresh) > runs || all->session->n_carried > carried;
	for (size_t i = 0; i < picks->n; i++)
		*moved |= pe_remeasure_unbuildable(all->fresh, picks->at[i].revision);
	/* What has no room now has none later. */
	if (seated < picks->n && seated >= 4 && *moved)
		all->slots = seated;
	return rc;
}

/* --- All of it --- */

static int begin(struct exploring *all, struct pe_session *session,
		 const struct pe_explore_request *request, struct pe_explore_outcome *outcome)
{
	int rc;

	*outcome = (struct pe_explore_outcome){0};
	*all = (struct exploring){.session = session,
				  .request = request,
				  .outcome = outcome,
				  .scratch = PE_ARENA_INIT,
				  .slots = SLOTS};
	all->revision = pe_arena_new(session->arena, size_t, session->n_revisions);
	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->revisions[r].wanted)
			all->revision[all->n++] = r;
	all->places = pe_arena_new(session->arena, struct place, all->n);
	for (size_t i = 0; i < all->n; i++)
		all->places[i] = (struct place){session->revisions[all->revision[i]].key, i};
	if (all->n > 0)
		qsort(all->places, all->n, sizeof(*all->places), compare_places);
	all->at = pe_arena_new(session->arena, struct pe_explore_revision, all->n);
	all->explored = pe_arena_new(session->arena, bool, all->n);
	all->repeats = 1;
	for (size_t w = 0; w < session->workloads.n; w++)
		if (repeats_of(all, w) > all->repeats)
			all->repeats = repeats_of(all, w);
	if (all->repeats > REPEATS)
		all->repeats = REPEATS;
	if (request->seconds > 0)
		all->deadline_ns = pe_clock_ns() + (uint64_t)(request->seconds * 1e9);
	rc = look(all);
	return rc == PE_OK ? pe_explore_weigh(all->at, session, all->revision, all->n) : rc;
}

static void tell(struct exploring *all)
{
	for (size_t i = 0; i < all->n; i++) {
		all->outcome->revisions += !all->at[i].lost;
		all->outcome->known += all->at[i].measured || all->at[i].same != i;
	}
	all->outcome->runs_left = runs_left(all);
}

static void end(struct exploring *all)
{
	drop_lines(all);
	pe_vec_release(&all->lines);
	pe_arena_release(&all->scratch);
}

int pe_explore_was(bool *out, struct pe_session *session)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	int64_t *keys;
	size_t n;
	int rc = pe_store_explored(&keys, &n, ctx->store, session->machine_key, session->arena,
				   ctx->err);

	*out = false;
	for (size_t r = 0; rc == PE_OK && r < session->n_revisions; r++)
		for (size_t i = 0; session->revisions[r].wanted && i < n; i++)
			*out |= keys[i] == session->revisions[r].key;
	return rc;
}

int pe_explore_plan(struct pe_explore_outcome *out, struct pe_session *session,
		    const struct pe_explore_request *request)
{
	struct exploring all;
	struct pe_explore_batch batch;
	int rc = begin(&all, session, request, out);

	if (rc == PE_OK && all.n > 0)
		rc = next_batch(&batch, &all);
	tell(&all);
	if (rc == PE_OK && all.n > 0 && batch.answer != PE_EXPLORE_GO_ON)
		out->runs_left = 0;
	end(&all);
	return rc;
}

static int open_window(struct exploring *all)
{
	struct pe_session *session = all->session;
	size_t *workloads = pe_arena_new(&all->scratch, size_t, session->workloads.n);
	enum pe_role *roles = pe_arena_new(&all->scratch, enum pe_role, all->n);
	size_t left = runs_left(all);
	const struct pe_remeasure_opts opts = {.rounds = ROUNDS,
					       .lazy = true,
					       .roles = roles,
					       .expected = left != SIZE_MAX ? left : 0};

	for (size_t w = 0; w < session->workloads.n; w++)
		workloads[w] = w;
	for (size_t i = 0; i < all->n; i++)
		roles[i] = PE_ROLE_EXPLORED;
	all->round = 0;
	return pe_remeasure_open(&all->fresh, session, all->revision, all->n, workloads,
				 session->workloads.n, &opts);
}

static int explore(struct exploring *all)
{
	bool moved = true;
	int rc = PE_OK;

	while (rc == PE_OK && moved && !out_of_time(all)) {
		struct pe_explore_batch batch;

		rc = next_batch(&batch, all);
		if (rc != PE_OK || batch.answer != PE_EXPLORE_GO_ON)
			break;
		if (all->fresh != NULL && all->round + REPEATS > ROUNDS) {
			rc = pe_remeasure_close(all->fresh, true);
			all->fresh = NULL;
		}
		if (rc == PE_OK && all->fresh == NULL)
			rc = open_window(all);
		if (rc == PE_OK)
			rc = measure_batch(all, &batch, &moved);
		if (rc == PE_OK)
			rc = look(all);
		pe_arena_release(&all->scratch);
	}
	all->outcome->out_of_time = out_of_time(all);
	return rc;
}

int pe_explore_measure(struct pe_explore_outcome *out, struct pe_session *session,
		       const struct pe_explore_request *request)
{
	struct exploring all;
	int rc = begin(&all, session, request, out), rc_close;

	if (rc == PE_OK)
		rc = pe_carrier_new(&all.carrier, session);
	if (rc == PE_OK && all.n > 0 && session->workloads.n > 0)
		rc = explore(&all);
	rc_close = pe_remeasure_close(all.fresh, rc == PE_OK);
	if (rc == PE_OK)
		rc = rc_close;
	pe_carrier_free(all.carrier);
	if (rc == PE_OK)
		tell(&all);
	end(&all);
	return rc;
}
