/* One batch of adaptive measuring: rounds over its revisions, each until it is known well enough. */
#include "app/search/explore_internal.h"

#include "app/measure/stop_rule.h"
#include "app/measure/exactness.h"

#include "core/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 2 /* runs of a revision in a batch, before anything is enough */ };

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
static int choose_cells(struct pe_exploring *all, struct batch *batch, size_t i)
{
	const struct pe_explore_pick *pick = &batch->picks->at[i];
	size_t width = all->session->workloads.n, r = pick->revision;
	const struct pe_build *build;
	const struct pe_slot *slot = pe_remeasure_slot(all->fresh, r, &build);
	int rc = PE_OK;

	for (size_t w = 0; rc == PE_OK && slot != NULL && w < width; w++) {
		const struct pe_coverage *have = pe_exploring_cell(all, r, w);
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

static size_t gather(struct pe_remeasure_cell *cells, const struct pe_exploring *all,
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
static size_t readings_of(struct pe_reading *out, const struct pe_exploring *all,
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

static void leave_out_enough(const struct pe_exploring *all, struct batch *batch)
{
	const struct pe_explore_enough_opts opts = {LEAST, all->repeats};
	size_t width = all->session->workloads.n;
	struct pe_reading *readings =
		pe_realloc(NULL, batch->picks->n * PE_EXPLORING_REPEATS + 1, sizeof(*readings));

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

static int run_round(struct pe_exploring *all, const struct pe_remeasure_cell *cells, size_t n)
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

/* Leave those whose counts vary, which is known once the usual runs are in the store. */
static int part_noisy(struct pe_remeasure_cell *cells, size_t *n, struct pe_exploring *all)
{
	struct pe_session *session = all->session;
	bool *noisy = pe_arena_new(&all->scratch, bool, session->workloads.n);
	size_t kept = 0;
	int rc = PE_OK;

	for (size_t w = 0; rc == PE_OK && w < session->workloads.n; w++)
		rc = pe_kept_counts_vary(&noisy[w], session->app->store, session->machine_key,
					 session->workloads.data[w].key, session->app->err);
	for (size_t i = 0; rc == PE_OK && i < *n; i++)
		if (noisy[cells[i].workload])
			cells[kept++] = cells[i];
	*n = kept;
	return rc;
}

/* The counting runs of new cells: two, and more of those whose counts vary. */
static int count_cells(struct pe_exploring *all, struct pe_remeasure_cell *cells, size_t n)
{
	int rc = PE_OK;

	for (unsigned round = 0; rc == PE_OK && n > 0 && round < PE_ALLOCATION_ROUNDS_NOISY;
	     round++) {
		if (round == PE_ALLOCATION_ROUNDS)
			rc = part_noisy(cells, &n, all);
		if (rc == PE_OK && n > 0)
			rc = pe_remeasure_count(all->fresh, round, cells, n);
	}
	return rc;
}

static int run_batch(struct pe_exploring *all, struct batch *batch)
{
	size_t width = all->session->workloads.n;
	struct pe_remeasure_cell *cells =
		pe_arena_new(&all->scratch, struct pe_remeasure_cell, batch->picks->n * width);
	struct pe_remeasure_cell *fresh_cells =
		pe_arena_new(&all->scratch, struct pe_remeasure_cell, batch->picks->n * width);
	size_t n_fresh = 0, n = gather(cells, all, batch), runs = pe_remeasure_runs(all->fresh);
	int rc = PE_OK;

	for (size_t i = 0; i < n; i++)
		if (pe_exploring_cell(all, cells[i].revision, cells[i].workload) == NULL)
			fresh_cells[n_fresh++] = cells[i];
	for (size_t time = 0;
	     rc == PE_OK && time < all->repeats && n > 0 && !pe_exploring_is_out_of_time(all);
	     time++) {
		rc = run_round(all, cells, n);
		leave_out_enough(all, batch);
		n = gather(cells, all, batch);
	}
	/* Those that count allocations are no timed runs, and no part of the budget. */
	all->outcome->runs += pe_remeasure_runs(all->fresh) - runs;
	return rc == PE_OK ? count_cells(all, fresh_cells, n_fresh) : rc;
}

int pe_exploring_measure(struct pe_exploring *all, const struct pe_explore_batch *picks,
			 bool *moved)
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
