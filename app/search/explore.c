#include "app/search/explore.h"

#include "app/search/explore_internal.h"
#include "app/search/prior.h"

#include "core/base/clock.h"

static int weigh(struct pe_exploring *all)
{
	double *weights = pe_arena_new(all->session->arena, double, all->n);
	struct pe_prior known;

	PE_TRY(pe_prior_weigh(weights, &known, all->session, all->first));
	for (size_t i = 0; i < all->n; i++)
		all->at[i].weight = weights[i];
	all->prior = weights;
	return PE_OK;
}

static int begin(struct pe_exploring *all, struct pe_session *session,
		 const struct pe_track_request *request, struct pe_explore_outcome *outcome)
{
	*outcome = (struct pe_explore_outcome){.by_time = request->budget_s > 0 &&
							  request->max_runs == 0};
	*all = (struct pe_exploring){.session = session,
				     .request = request,
				     .outcome = outcome,
				     .scratch = PE_ARENA_INIT,
				     .slots = PE_EXPLORING_SLOTS};
	while (all->first < session->n_revisions && !session->wanted[all->first])
		all->first++;
	all->n = session->n_revisions - all->first;
	all->at = pe_arena_new(session->arena, struct pe_explore_revision, all->n);
	all->explored = pe_arena_new(session->arena, bool, all->n);
	all->settled = pe_arena_new(session->arena, bool, all->n);
	all->asked = pe_arena_new(session->arena, bool, all->n);
	all->repeats = 1;
	for (size_t w = 0; w < session->benchmarks.n; w++)
		if (session->benchmarks.data[w]->repeats > all->repeats)
			all->repeats = session->benchmarks.data[w]->repeats;
	if (all->repeats > PE_EXPLORING_REPEATS)
		all->repeats = PE_EXPLORING_REPEATS;
	all->began_ns = pe_clock_ns();
	if (request->budget_s > 0)
		all->deadline_ns = all->began_ns + (uint64_t)(request->budget_s * 1e9);
	PE_TRY(pe_exploring_look(all));
	all->plain_runs = pe_exploring_runs_wanted(all);
	return weigh(all);
}

static void report(struct pe_exploring *all)
{
	for (size_t i = 0; i < all->n; i++) {
		bool settled = all->settled[i];

		all->outcome->revisions += !all->at[i].lost || settled;
		all->outcome->known += all->at[i].measured || all->at[i].same != i || settled;
	}
	all->outcome->runs_left = pe_exploring_runs_left(all);
}

static void end(struct pe_exploring *all)
{
	pe_exploring_drop_lines(all);
	pe_vec_release(&all->lines);
	pe_arena_release(&all->scratch);
}

/* One that is ended where its block is left. */
#define auto_exploring __attribute__((cleanup(end))) struct pe_exploring

int pe_explore_was(bool *out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	int64_t *keys;
	size_t n;

	*out = false;
	PE_TRY(pe_store_explored(&keys, &n, app->store, session->machine_key, session->arena,
				 app->err));
	for (size_t r = 0; r < session->n_revisions; r++)
		for (size_t i = 0; session->wanted[r] && i < n; i++)
			*out |= keys[i] == session->revisions[r].key;
	return PE_OK;
}

/* Costs of the whole budget: each of its runs is of a revision without results, as long as there is one. */
static void add_costs(struct pe_exploring *all)
{
	const struct pe_session *session = all->session;
	struct pe_explore_outcome *out = all->outcome;
	const size_t width = session->benchmarks.n > 0 ? session->benchmarks.n : 1;
	const size_t visits = out->runs_left / (all->repeats * width);
	double build_s = 0, run_s = 0, unknown = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].measured || all->at[i].lost || all->at[i].same != i)
			continue;
		unknown++;
		out->builds += all->costs.build_s[all->first + i] != 0;
		build_s += all->costs.build_s[all->first + i];
	}
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];

		run_s += pe_cell_cost_of(&all->costs.cell[w], one, (double)all->repeats,
					 one->count_allocations ? PE_COUNTED_ROUNDS : 0, true);
	}
	out->run_s = run_s * (double)visits;
	out->build_s = (double)visits < unknown ? build_s / unknown * (double)visits : build_s;
	out->builds = out->builds < visits ? out->builds : visits;
}

int pe_explore_plan(struct pe_explore_outcome *out, struct pe_session *session,
		    const struct pe_track_request *request)
{
	auto_exploring all = {.session = session};
	struct pe_explore_batch batch = {0};

	PE_TRY(begin(&all, session, request, out));
	if (all.n > 0)
		PE_TRY(pe_exploring_next(&batch, &all));
	report(&all);
	if (all.n > 0 && batch.answer != PE_EXPLORE_GO_ON)
		out->runs_left = 0;
	else if (all.n > 0)
		add_costs(&all);
	return PE_OK;
}

/* A new batch; the one before is whole. */
static int open_batch(struct pe_exploring *all)
{
	const struct pe_engine_opts opts = {.rounds = PE_EXPLORING_ROUNDS,
					    .lazy = true,
					    .role = PE_ROLE_EXPLORED,
					    .expected = pe_exploring_runs_left(all)};
	struct pe_engine *before = all->engine;

	all->engine = NULL;
	PE_TRY(pe_engine_close(PE_OK, before, true));
	all->round = 0;
	return pe_engine_open(&all->engine, all->session, NULL, 0, NULL, 0, &opts);
}

static int explore(struct pe_exploring *all)
{
	bool moved = true;

	while (moved && !pe_exploring_is_out_of_time(all)) {
		struct pe_explore_batch batch;
		bool counted = false;

		PE_TRY(pe_exploring_next(&batch, all));
		if (batch.answer != PE_EXPLORE_GO_ON)
			break;
		if (all->engine == NULL || all->round + PE_EXPLORING_REPEATS > PE_EXPLORING_ROUNDS)
			PE_TRY(open_batch(all));
		PE_TRY(pe_exploring_follow(&counted, all));
		if (!counted)
			PE_TRY(pe_exploring_measure(all, &batch, &moved));
		PE_TRY(pe_exploring_look(all));
		pe_arena_release(&all->scratch);
	}
	all->outcome->out_of_time = pe_exploring_is_out_of_time(all);
	return PE_OK;
}

/* Explore until it is over, beginning with the results so far. */
static int explore_anew(struct pe_exploring *all)
{
	struct pe_session *session = all->session;
	bool forgot;
	int rc = pe_reuse_new(&all->reuse, session);

	if (rc == PE_OK && all->n > 0 && session->benchmarks.n > 0)
		rc = explore(all);
	rc = pe_engine_close(rc, all->engine, rc == PE_OK);
	all->engine = NULL;
	/* What is forgotten here is left to another session. */
	if (rc == PE_OK)
		rc = pe_reuse_settle(&forgot, all->reuse);
	pe_reuse_free(all->reuse);
	all->reuse = NULL;
	return rc;
}

int pe_explore_measure(struct pe_explore_outcome *out, struct pe_session *session,
		       const struct pe_track_request *request)
{
	auto_exploring all = {.session = session};
	bool more = true;

	PE_TRY(begin(&all, session, request, out));
	while (more) {
		PE_TRY(explore_anew(&all));
		/* Older revisions have benchmarks that the newest lacks: these have their turn now. */
		PE_TRY(pe_session_take_news(&more, session));
		if (more)
			PE_TRY(pe_exploring_look(&all));
	}
	report(&all);
	return PE_OK;
}
