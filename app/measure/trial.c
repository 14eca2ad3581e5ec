#include "app/measure/trial.h"

#include "app/measure/costs.h"
#include "app/measure/reuse.h"
#include "core/base/clock.h"

#include <math.h>

struct trial {
	struct pe_session *session;
	const struct pe_revision *revision;
	const char *tree;
	bool *unknown; /* by benchmark of the session */
};

static int find_unknown(bool *unknown, bool *builds, struct pe_session *session)
{
	struct pe_known known;
	struct pe_session_costs costs;

	PE_TRY(pe_known_load(&known, session));
	PE_TRY(pe_session_costs_load(&costs, session, &known));
	for (size_t w = 0; w < session->benchmarks.n; w++)
		unknown[w] = isnan(costs.cell[w].timed_s);
	*builds = false;
	for (size_t r = 0; r < session->n_revisions; r++)
		*builds |= session->wanted[r] && isnan(costs.build_s[r]);
	return PE_OK;
}

int pe_trial_is_needed(bool *out, struct pe_session *session)
{
	bool *unknown = pe_arena_new(session->arena, bool, session->benchmarks.n + 1);

	PE_TRY(find_unknown(unknown, out, session));
	for (size_t w = 0; w < session->benchmarks.n; w++)
		*out |= unknown[w];
	return PE_OK;
}

int pe_trial_run_once(struct pe_run *run, struct pe_spending *spent, struct pe_session *session,
		      const struct pe_benchmark *benchmark, const char *tree, bool warmup)
{
	const uint64_t since_ns = pe_clock_ns();
	int rc;

	run->simulate = run->kind == PE_RUN_COUNTED;
	rc = pe_runner_run(run, &session->runner, benchmark, tree, session->arena,
			   session->app->err);
	pe_spending_add(spent,
			warmup ? PE_SPENT_WARMUP
			       : pe_runner_spent_kind(&session->runner, benchmark, run),
			1, since_ns, pe_clock_ns());
	return rc;
}

static int run_once(struct pe_run *run, struct pe_spending *spent, enum pe_run_kind kind,
		    bool warmup, const struct trial *trial, const struct pe_benchmark *benchmark)
{
	*run = (struct pe_run){.kind = kind};
	return pe_trial_run_once(run, spent, trial->session, benchmark, trial->tree, warmup);
}

/* Run a benchmark. The first run fills caches: if there are warm-ups, it counts as one, not as a timed run. */
static int run_benchmark(struct pe_spending *spent, const struct trial *trial,
			 const struct pe_benchmark *benchmark)
{
	struct pe_run run = {.outcome = PE_MEASURED};

	if (benchmark->warmup > 0)
		PE_TRY(run_once(&run, spent, PE_RUN_TIMED, true, trial, benchmark));
	PE_TRY(run_once(&run, spent, PE_RUN_TIMED, false, trial, benchmark));
	if (run.outcome == PE_MEASURED && pe_runner_counts(&trial->session->runner, benchmark))
		PE_TRY(run_once(&run, spent, PE_RUN_COUNTED, false, trial, benchmark));
	return PE_OK;
}

/*
 * Run a suite's process once, which serves all members in equal parts. A suite that cannot run so is left to fail in
 * measuring.
 */
static int run_suite(struct pe_spending *spent, const struct trial *trial,
		     const struct pe_benchmark *member)
{
	struct pe_session *session = trial->session;
	const uint64_t since_ns = pe_clock_ns();
	struct pe_suite_process process;
	double members = 0;
	int rc = pe_suite_run(&process, &session->runner, member, NULL, 0, trial->tree,
			      session->arena, session->app->err);

	for (size_t w = 0; w < session->benchmarks.n; w++)
		members += session->benchmarks.data[w]->suite == member->suite;
	pe_spending_add(spent, PE_SPENT_TIMED, members, since_ns, pe_clock_ns());
	return rc == PE_EUNSUPPORTED || rc == PE_EINVALID ? PE_OK : rc;
}

/* Store costs. Members of a suite share its process: each gets its part, because the store adds them up by benchmark. */
static int keep(const struct trial *trial, size_t w, struct pe_spending spent)
{
	struct pe_session *session = trial->session;
	const struct pe_suite *suite = session->benchmarks.data[w]->suite;
	struct pe_spent *timed = &spent.of[PE_SPENT_TIMED];

	if (suite != NULL && timed->n > 0)
		*timed = (struct pe_spent){1, timed->seconds / timed->n};
	for (size_t i = w; i < session->benchmarks.n; i++) {
		const struct pe_benchmark *one = session->benchmarks.data[i];

		if (!trial->unknown[i] || (i != w && (suite == NULL || one->suite != suite)))
			continue;
		trial->unknown[i] = false;
		PE_TRY(pe_store_add_costs(session->app->store, session->machine_key, one->key,
					  &spent, session->app->err));
	}
	return PE_OK;
}

static int try_one(const struct trial *trial, size_t w)
{
	struct pe_session *session = trial->session;
	const struct pe_benchmark *benchmark = session->benchmarks.data[w];
	struct pe_run set_up = {.kind = PE_RUN_TIMED};
	struct pe_spending spent = {0};
	uint64_t since_ns = pe_clock_ns();
	int rc;

	PE_TRY(pe_session_report_run(session, trial->revision, benchmark->name, w,
				     session->benchmarks.n));
	rc = pe_runner_set_up(&set_up, &session->runner, benchmark, trial->tree, session->arena,
			      session->app->err);
	pe_spending_add(&spent, PE_SPENT_READY, 1, since_ns, pe_clock_ns());
	if (rc == PE_OK && set_up.outcome == PE_MEASURED)
		rc = benchmark->suite != NULL ? run_suite(&spent, trial, benchmark)
					      : run_benchmark(&spent, trial, benchmark);
	else if (rc == PE_OK)
		pe_spending_add(&spent, PE_SPENT_TIMED, 1, since_ns, since_ns);
	PE_TRY(pe_runner_clean_up(rc, &session->runner, benchmark, trial->tree, session->arena,
				  session->app->err));
	return keep(trial, w, spent);
}

static int try_newest(struct pe_session *session, uint64_t until_ns)
{
	struct trial trial = {
		.session = session,
		.unknown = pe_arena_new(session->arena, bool, session->benchmarks.n + 1)};
	bool builds;

	PE_TRY(pe_session_build_newest(&trial.tree, &trial.revision, session));
	if (trial.tree == NULL)
		return PE_OK;
	PE_TRY(find_unknown(trial.unknown, &builds, session));
	for (size_t w = 0; w < session->benchmarks.n; w++)
		if (trial.unknown[w] && (*session->app->interrupts > 0 || pe_clock_ns() < until_ns))
			PE_TRY(try_one(&trial, w));
	/* Traces show which other commits have the same results. */
	return pe_reuse_look(session, (size_t)(trial.revision - session->revisions), trial.tree,
			     until_ns);
}

int pe_trial_run(struct pe_session *session, uint64_t until_ns)
{
	int rc = try_newest(session, until_ns);

	pe_slots_release(&session->slots);
	return rc;
}
