#include "app/search/track.h"

#include "app/changes/changed_methods.h"
#include "app/measure/generic.h"
#include "app/measure/trial.h"
#include "core/base/clock.h"

#include <math.h>

/*
 * A range with this many revisions still to measure is measured adaptively, unless the user wants otherwise. Of one or two
 * none can be left out.
 */
enum { LONG_RANGE = 60, SHORT_RANGE = 3 };

/* A longer duration is reported before it begins. */
static const double LONG_MINUTES = 10;

/* Of the time that the user waits for an answer: what finding out about costs may take, and what is always left. */
static const double TRIAL_SHARE = 0.5, LEAST_SHARE = 0.1;

/* --- Options of the steps --- */

struct pe_detect_opts pe_track_detect_opts(const struct pe_session *session)
{
	struct pe_arena *arena = session->arena;
	int64_t *keys = pe_arena_new(arena, int64_t, session->benchmarks.n);
	struct pe_revisions *all = pe_arena_new(arena, struct pe_revisions, 1);
	struct pe_detect_opts opts = {0};

	for (size_t w = 0; w < session->benchmarks.n; w++)
		keys[w] = session->benchmarks.data[w]->key;
	all->at = session->revisions;
	all->n = session->n_revisions;
	opts.revisions = all;
	opts.metrics = session->metrics;
	opts.benchmarks = keys;
	opts.n_benchmarks = session->benchmarks.n;
	opts.machine = session->machine_key;
	opts.keep = true;
	return opts;
}

/* What is left, as far as the store can tell; NaN: not known. */
static double seconds_left(const struct pe_plan *plan)
{
	return plan->build_s + plan->run_s;
}

/* The user leaves it to the range how much of it is measured. */
static bool is_left_open(const struct pe_track_request *request, const struct pe_session *session)
{
	return !request->adaptive && !request->all && !session->again && request->steps == 0 &&
	       !request->all_parents && request->max_runs == 0 && !(request->budget_s > 0);
}

/* Whether to check if the whole range would keep the user waiting for too long: not if it is explored anyway. */
static bool may_be_late(const struct pe_track_request *request, const struct pe_session *session,
			const struct pe_plan *plan)
{
	return is_left_open(request, session) && request->patience_s > 0 &&
	       plan->revisions >= SHORT_RANGE && plan->revisions <= LONG_RANGE;
}

/*
 * The range is explored when it was before, when it is long, when all of it would take longer than the user waits for an
 * answer, and when the user wants it. The third has a budget then.
 *
 * @param tried  the trial's costs are known: others may be any
 */
static int choose_way(bool *adaptive, struct pe_track_request *request, struct pe_session *session,
		      const struct pe_plan *plan, bool tried)
{
	const double left = seconds_left(plan);

	*adaptive = request->adaptive;
	if (request->adaptive || request->all || session->again || request->steps > 0 ||
	    request->all_parents)
		return PE_OK;
	*adaptive = plan->revisions > LONG_RANGE || request->max_runs > 0 || request->budget_s > 0;
	if (*adaptive)
		return PE_OK;
	if (may_be_late(request, session, plan) &&
	    (left > request->patience_s || (tried && isnan(left)))) {
		*adaptive = true;
		request->budget_s = request->patience_s;
		return PE_OK;
	}
	return plan->revisions == 0 ? PE_OK : pe_explore_was(adaptive, session);
}

/* --- What is about to happen --- */

/* @param request  gets the budget that is chosen for it */
static int plan_measuring(struct pe_track_plan *out, struct pe_session *session,
			  struct pe_track_request *request, bool tried)
{
	PE_TRY(pe_session_plan(&out->plan, session, request->steps));
	return choose_way(&out->adaptive, request, session, &out->plan, tried);
}

/* What is to be done in all. With a budget it ends when that is spent. */
static void add_up(struct pe_track_plan *out, double budget_s)
{
	out->plan.at_most = out->plan.at_most || out->adaptive;
	out->build_s = out->adaptive ? out->explored.build_s : out->plan.build_s;
	out->run_s = out->adaptive ? out->explored.run_s : out->plan.run_s;
	out->seconds = out->build_s + out->run_s + out->left.seconds;
	if (budget_s > 0 && out->seconds > budget_s)
		out->seconds = budget_s;
}

int pe_track_plan(struct pe_track_plan *out, struct pe_session *session,
		  const struct pe_track_request *asked)
{
	struct pe_track_request request = *asked;
	const struct pe_confirm_request fresh = {.first = asked->first};

	*out = (struct pe_track_plan){.adaptive = false};
	PE_TRY(plan_measuring(out, session, &request, false));
	if (may_be_late(&request, session, &out->plan))
		PE_TRY(pe_trial_is_needed(&out->learns, session));
	if (out->adaptive)
		PE_TRY(pe_explore_plan(&out->explored, session, &request));
	if (!request.no_confirm)
		PE_TRY(pe_confirm_plan(&out->left, session, &fresh));
	add_up(out, request.budget_s);
	return PE_OK;
}

/* --- Measuring --- */

static void note_exploration(const struct pe_app *app, const struct pe_explore_outcome *outcome)
{
	pe_app_note(app, "measured adaptively: %zu of %zu commits are known, by %zu timed runs%s%s",
		    outcome->known, outcome->revisions, outcome->runs,
		    outcome->complete      ? "; nothing is left to explore"
		    : outcome->decided     ? "; every change above 'min-change' is decided"
		    : outcome->out_of_time ? "; time budget exhausted"
		    : outcome->by_time     ? "; all of them would take no more runs"
					   : "; run budget exhausted",
		    outcome->complete ? "" : " (--budget or --all measures more)");
	if (outcome->open > 0)
		pe_app_note(app, "%zu jump%s not pinned to one commit yet", outcome->open,
			    outcome->open == 1 ? " is" : "s are");
}

static int explore(struct pe_session *session, const struct pe_track_request *request)
{
	struct pe_explore_outcome outcome;

	session->count.total = 0;
	session->builds_total = 0;
	PE_TRY(pe_explore_measure(&outcome, session, request));
	if (outcome.runs > 0)
		note_exploration(session->app, &outcome);
	return pe_generic_mark(session);
}

static int confirm(size_t *confirmed, struct pe_session *session,
		   const struct pe_track_request *request, uint64_t began_ns)
{
	struct pe_confirm_request fresh = {.first = request->first};

	if (request->budget_s > 0)
		fresh.deadline_ns = began_ns + (uint64_t)(request->budget_s * 1e9);
	return pe_confirm_measure(confirmed, session, &fresh);
}

int pe_track_find_changes(struct pe_session *session)
{
	const struct pe_revision **wanted =
		pe_arena_new(session->arena, const struct pe_revision *, session->n_revisions);
	size_t n = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->wanted[r])
			wanted[n++] = &session->revisions[r];
	return pe_changes_keep(session->app, wanted, n);
}

/*
 * Who never called `check` is to be answered as soon as who did: what is not known of costs is found out first, and counts
 * towards the time that the user waits.
 *
 * @param plan      made anew if anything was tried
 * @param request   gets what is left of that time, and a budget where one is chosen
 * @param since_ns  of pe_clock_ns(): when it began
 */
static int learn_costs(struct pe_track_plan *plan, struct pe_session *session,
		       struct pe_track_request *request, uint64_t since_ns)
{
	const double patience_s = request->patience_s;
	bool needed = may_be_late(request, session, &plan->plan);

	PE_TRY(needed ? pe_trial_is_needed(&needed, session) : PE_OK);
	if (!needed)
		return PE_OK;
	pe_app_note(session->app,
		    "what %zu revisions take is not known yet: the newest is built and its "
		    "benchmarks are tried first ('perfevo check' finds it out beforehand)",
		    plan->plan.revisions);
	PE_TRY(pe_trial_run(session, since_ns + (uint64_t)(TRIAL_SHARE * patience_s * 1e9)));
	request->patience_s = fmax(patience_s - (double)(pe_clock_ns() - since_ns) / 1e9,
				   LEAST_SHARE * patience_s);
	return plan_measuring(plan, session, request, true);
}

/* Report a long duration in advance: -n has more about it. */
static void note_cost(const struct pe_track_plan *plan, const struct pe_track_request *request,
		      const struct pe_track_request *asked, const struct pe_app *app)
{
	const double minutes = seconds_left(&plan->plan) / 60;
	pe_auto_text text = PE_TEXT_INIT;

	if (plan->adaptive && request->budget_s > asked->budget_s) {
		if (isnan(minutes))
			pe_text_add(&text, "may take any time");
		else
			pe_text_addf(&text, "take up to %.0f min", minutes);
		pe_app_note(
			app,
			"all %zu revisions %s: this measures the most informative ones within "
			"%.0f min, and the same command continues ('--dry-run' shows the plan, '-b' chooses "
			"benchmarks, '--all' measures all)",
			plan->plan.revisions, pe_text_str(&text), asked->patience_s / 60);
	}
	/* Exploring ends when enough is known, a budget when it is spent. */
	if (plan->adaptive || request->budget_s > 0 || !(minutes >= LONG_MINUTES))
		return;
	pe_app_note(
		app,
		"%zu build%s and %zu runs take up to %.0f min ('--dry-run' shows the plan, '-b' chooses "
		"benchmarks, '--budget 10m' bounds the time)",
		plan->plan.builds, plan->plan.builds == 1 ? "" : "s", plan->plan.runs, minutes);
}

static int measure(struct pe_session *session, const struct pe_track_plan *plan,
		   const struct pe_track_request *request)
{
	session->count.total = plan->plan.runs;
	session->builds_done = 0;
	session->builds_total = plan->plan.builds;
	if (plan->plan.runs == 0)
		return PE_OK;
	return plan->adaptive ? explore(session, request) : pe_session_measure(session);
}

int pe_track_measure(struct pe_session *session, const struct pe_track_request *asked)
{
	struct pe_app *app = session->app;
	struct pe_track_request request = *asked;
	struct pe_track_plan plan;
	uint64_t began_ns = pe_clock_ns();
	size_t confirmed = 0, made;
	int rc;

	PE_TRY(pe_session_discover(session, request.bench));
	PE_TRY(plan_measuring(&plan, session, &request, false));
	PE_TRY(learn_costs(&plan, session, &request, began_ns));
	/* What learning took is off the time that was chosen here, and off none that the user gave. */
	if (request.budget_s > asked->budget_s)
		began_ns = pe_clock_ns();
	note_cost(&plan, &request, asked, app);
	rc = measure(session, &plan, &request);
	made = session->count.done;
	if (rc == PE_OK && !request.no_confirm)
		rc = confirm(&confirmed, session, &request, began_ns);
	pe_troubles_report(&session->troubles, app);
	PE_TRY(rc);
	if (plan.plan.runs == 0 && confirmed == 0 && plan.plan.complete > 0)
		pe_app_note(app, "everything in this range is measured already (--again measures "
				 "it once more)");
	else if (plan.adaptive && made == 0 && confirmed == 0)
		pe_app_note(app, "no commit of this range needs more runs (--budget and --max-runs "
				 "continue, --all measures every commit)");
	return pe_track_find_changes(session);
}

void pe_track_make_quick(struct pe_app *app)
{
	enum { QUICK_WARMUP = 1, QUICK_REPEATS = 5 };

	for (size_t i = 0; i < app->config->n_benchmarks; i++) {
		struct pe_benchmark *benchmark = &app->config->benchmarks[i];

		if (benchmark->warmup > QUICK_WARMUP)
			benchmark->warmup = QUICK_WARMUP;
		if (benchmark->repeats > QUICK_REPEATS)
			benchmark->repeats = QUICK_REPEATS;
	}
	if (app->config->tests.model.repeats > QUICK_REPEATS)
		app->config->tests.model.repeats = QUICK_REPEATS;
}
