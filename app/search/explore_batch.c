/* One batch of adaptive measuring: rounds over its revisions, each until its level is known well enough. */
#include "app/search/explore_internal.h"

#include "app/measure/stop_rule.h"
#include "core/base/clock.h"

#include <string.h>

enum { LEAST = 2 /* runs of a revision in a batch, before anything is enough */ };

struct batch {
	const struct pe_explore_batch *picks;
	bool *runs;    /* by pick and benchmark: is to be run */
	double *want;  /* by revision of the session */
	bool *known;   /* by revision of the session, scratch */
	unsigned from; /* first round */
};

static bool is_company(const struct pe_explore_pick *pick)
{
	return pick->why == PE_EXPLORE_COMPANY || pick->why == PE_EXPLORE_LEVEL;
}

/* A pick's index in the session. */
static size_t revision_of(const struct pe_exploring *all, const struct pe_explore_pick *pick)
{
	return all->first + pick->revision;
}

/* Two that link the batch to earlier ones, then the new ones, then the other company. */
static size_t *order_of_loading(struct pe_exploring *all, const struct pe_explore_batch *picks)
{
	enum { TIES = 2 };
	size_t *order = pe_arena_new(&all->scratch, size_t, picks->n), n = 0;

	for (int pass = 0; pass < 3; pass++) {
		size_t company = 0;

		for (size_t i = 0; i < picks->n; i++) {
			const int turn = !is_company(&picks->at[i]) ? 1 : company++ < TIES ? 0 : 2;

			if (turn == pass)
				order[n++] = revision_of(all, &picks->at[i]);
		}
	}
	return order;
}

/* Results of a new revision that executes the same as another one are reused. */
static int choose_cells(struct pe_exploring *all, struct batch *batch, size_t i)
{
	const struct pe_explore_pick *pick = &batch->picks->at[i];
	size_t width = all->session->benchmarks.n, r = revision_of(all, pick);
	const char *tree = pe_engine_tree_of(all->engine, r);

	for (size_t w = 0; tree != NULL && w < width; w++) {
		const struct pe_coverage *have = pe_exploring_cell(all, pick->revision, w);
		bool reused = false;

		if (have != NULL && have->failure != PE_MEASURED && have->timed == 0)
			continue;
		/* It is new for the sake of other benchmarks. */
		if (have != NULL && have->timed > 0 && !is_company(pick))
			continue;
		if (have == NULL && all->reuse != NULL)
			PE_TRY(pe_reuse_try(&reused, all->reuse, &all->known, r, w, tree));
		all->session->n_reused += reused;
		batch->runs[i * width + w] = !reused;
	}
	return pe_reuse_keep(all->reuse);
}

static size_t gather(struct pe_cell **cells, const struct pe_exploring *all,
		     const struct batch *batch)
{
	size_t width = all->session->benchmarks.n, n = 0;

	for (size_t i = 0; i < batch->picks->n; i++)
		for (size_t w = 0; w < width; w++)
			if (batch->runs[i * width + w])
				cells[n++] = pe_engine_cell(
					all->engine, revision_of(all, &batch->picks->at[i]), w);
	return n;
}

static void leave_out_known(struct pe_exploring *all, struct batch *batch)
{
	const struct pe_explore_enough_opts opts = {LEAST, all->repeats};
	size_t width = all->session->benchmarks.n;
	pe_auto_arena arena = PE_ARENA_INIT;

	for (size_t w = 0; w < width; w++) {
		const struct pe_metric *metric =
			pe_stop_rule_metric(all->session, all->session->benchmarks.data[w]);
		struct pe_readings readings = {.n = 0};

		memset(batch->known, metric == NULL,
		       all->session->n_revisions * sizeof(*batch->known));
		if (metric != NULL)
			readings = pe_engine_readings(all->engine, w, metric->name, batch->from,
						      &arena);
		if (readings.n > 0)
			pe_explore_enough(batch->known, &readings, batch->want, &opts);
		for (size_t i = 0; i < batch->picks->n; i++)
			if (batch->known[revision_of(all, &batch->picks->at[i])])
				batch->runs[i * width + w] = false;
	}
}

/* Half of the time that is left: what was built is to have its times, too. */
static uint64_t counting_ends_ns(const struct pe_exploring *all)
{
	uint64_t now_ns = pe_clock_ns(), end_ns = pe_exploring_ends_ns(all);

	return end_ns > now_ns ? now_ns + (end_ns - now_ns) / 2 : end_ns;
}

static int run_batch(struct pe_exploring *all, struct batch *batch)
{
	size_t width = all->session->benchmarks.n;
	struct pe_cell **cells =
		pe_arena_new(&all->scratch, struct pe_cell *, batch->picks->n * width);
	struct pe_cell **new_cells =
		pe_arena_new(&all->scratch, struct pe_cell *, batch->picks->n * width);
	size_t n_new = 0, n = gather(cells, all, batch), runs;

	for (size_t i = 0; i < n; i++)
		if (pe_plan_wants(all->session, &all->known, cells[i]->revision,
				  cells[i]->benchmark)
			    .counted > 0)
			new_cells[n_new++] = cells[i];
	PE_TRY(pe_engine_count_all(all->engine, new_cells, n_new, counting_ends_ns(all)));
	/* Those that count are no timed runs, and no part of the budget in runs. */
	runs = pe_engine_runs(all->engine);
	for (size_t time = 0; time < all->repeats && n > 0 && !pe_exploring_is_out_of_time(all);
	     time++) {
		pe_engine_shuffle(all->engine, PE_RUN_TIMED, all->round, cells, n);
		PE_TRY(pe_engine_round(all->engine, PE_RUN_TIMED, all->round++, cells, n));
		leave_out_known(all, batch);
		n = gather(cells, all, batch);
	}
	all->outcome->runs += pe_engine_runs(all->engine) - runs;
	return PE_OK;
}

int pe_exploring_measure(struct pe_exploring *all, const struct pe_explore_batch *picks,
			 bool *moved)
{
	size_t width = all->session->benchmarks.n, loaded = 0;
	struct batch batch = {
		.picks = picks,
		.runs = pe_arena_new(&all->scratch, bool, picks->n *width),
		.want = pe_arena_new(&all->scratch, double, all->session->n_revisions),
		.known = pe_arena_new(&all->scratch, bool, all->session->n_revisions),
		.from = all->round,
	};
	size_t runs = pe_engine_runs(all->engine), reused = all->session->n_reused;

	PE_TRY(pe_engine_load(all->engine, order_of_loading(all, picks), picks->n));
	for (size_t r = 0; r < all->session->n_revisions; r++)
		batch.want[r] = 1; /* those without a pick are not asked about */
	for (size_t i = 0; i < picks->n; i++) {
		batch.want[revision_of(all, &picks->at[i])] = picks->at[i].want;
		loaded += pe_engine_is_loaded(all->engine, revision_of(all, &picks->at[i]));
		PE_TRY(choose_cells(all, &batch, i));
	}
	PE_TRY(run_batch(all, &batch));
	*moved = pe_engine_runs(all->engine) > runs || all->session->n_reused > reused;
	for (size_t i = 0; i < picks->n; i++)
		*moved |= pe_engine_is_unbuildable(all->engine, revision_of(all, &picks->at[i]));
	/* What has no room now has none later. */
	if (loaded < picks->n && loaded >= 4 && *moved)
		all->slots = loaded;
	return PE_OK;
}
