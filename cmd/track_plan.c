/* What a track is about to do: its request, and the dry run. */
#include "cmd/tracking.h"

#include "report/format.h"

#include <math.h>
#include <stdlib.h>

/* A first answer comes within ten minutes where all takes longer; PERFEVO_PATIENCE sets another number of seconds. */
static const double PATIENCE_S = 600;

static double patience_s(void)
{
	const char *given = getenv("PERFEVO_PATIENCE");

	return given != NULL ? strtod(given, NULL) : PATIENCE_S;
}

struct pe_track_request pe_tracking_request(const struct pe_revisions *revisions,
					    const struct pe_tracking_opts *options,
					    bool counts_only)
{
	return (struct pe_track_request){
		.first = revisions->at[0].id,
		.bench = options->bench,
		.steps = options->steps,
		.max_runs = options->max_runs,
		.budget_s = options->budget_s,
		.patience_s = patience_s(),
		.adaptive = options->adaptive,
		/* Counts of a commit are exact: there is nothing to explore or to confirm. */
		.all = options->all || counts_only,
		.all_parents = options->all_parents,
		.no_confirm = options->no_confirm || counts_only,
	};
}

/* --- What is about to happen --- */

static void add_seconds(struct pe_text *out, double seconds)
{
	pe_format_duration(out, (uint64_t)(seconds * 1e9));
}

/* Print the expected duration, or why the store lacks it. */
static void print_time(const struct pe_track_plan *plan, struct pe_text *out)
{
	const bool at_most = plan->plan.at_most || plan->plan.perhaps_unbuilt > 0;

	if (!isnan(plan->seconds)) {
		pe_text_add(out, at_most ? "up to " : "about ");
		add_seconds(out, plan->seconds);
		pe_text_add(out, " in all: builds ");
		add_seconds(out, plan->build_s);
		pe_text_add(out, ", runs ");
		add_seconds(out, plan->run_s);
		pe_text_add(out, ", fresh runs for changes ");
		add_seconds(out, plan->left.seconds);
		pe_text_add(out, at_most ? " (less where builds are identical: one of them "
					   "is measured)\n"
					 : "\n");
		return;
	}
	if (isnan(plan->build_s) && isnan(plan->run_s))
		pe_text_add(out, "time unknown: nothing was built or run here yet ('perfevo check' "
				 "finds it out)\n");
	else if (isnan(plan->build_s))
		pe_text_add(out,
			    "time unknown: nothing was built with these commands yet ('perfevo "
			    "check' finds it out)\n");
	else {
		pe_text_add(out, "the builds take about ");
		add_seconds(out, plan->build_s);
		pe_text_add(out, "; the time of the runs is unknown: a benchmark was never run "
				 "here ('perfevo check' finds it out)\n");
	}
	/* Whoever asked for all of it, or gave it a time, is not kept from it. */
	if (plan->learns)
		pe_text_addf(
			out,
			"'perfevo track' tries the newest commit first; where all would take more "
			"than %.0f min, it measures the most informative commits within that time\n",
			patience_s() / 60);
}

static void print_unbuilt(const struct pe_plan *plan, struct pe_text *out)
{
	if (plan->unbuilt > 0)
		pe_text_addf(out,
			     "%zu of %zu revisions %s no build and no run: no file that the build "
			     "or a benchmark reads differs from one that was built\n",
			     plan->unbuilt, plan->wanted, plan->unbuilt == 1 ? "needs" : "need");
	if (plan->perhaps_unbuilt > 0)
		pe_text_addf(
			out,
			"%zu of %zu revisions may need no build and no run: no file that the "
			"build reads differs, and what the benchmarks read is seen when they run\n",
			plan->perhaps_unbuilt, plan->wanted);
}

static void print_plan(const struct pe_plan *plan, struct pe_text *out)
{
	pe_format_plural(out, plan->revisions, "revision");
	pe_text_add(out, " to measure: ");
	pe_format_plural(out, plan->builds, "build");
	pe_text_add(out, ", ");
	pe_format_plural(out, plan->runs, "run");
	pe_text_addc(out, '\n');
	if (plan->complete > 0)
		pe_text_addf(out, "%zu result%s (revision, benchmark) %s stored already\n",
			     plan->complete, plan->complete == 1 ? "" : "s",
			     plan->complete == 1 ? "is" : "are");
	if (plan->skipped > 0)
		pe_text_addf(out, "%zu failed before and %s skipped (--again retries %s)\n",
			     plan->skipped, plan->skipped == 1 ? "is" : "are",
			     plan->skipped == 1 ? "it" : "them");
}

/* @return  something is left to explore */
static bool print_exploration(const struct pe_explore_outcome *outcome, const struct pe_plan *plan,
			      struct pe_text *out)
{
	pe_text_addf(out, "adaptively: %zu of %zu commits are known", outcome->known,
		     outcome->revisions);
	if (outcome->complete)
		pe_text_add(out, ", and nothing is left to explore (--all measures every one)\n");
	else if (outcome->decided)
		pe_text_add(out, ", and every change above 'min-change' is decided (--budget, "
				 "--all)\n");
	else if (outcome->runs_left == 0)
		pe_text_add(out, ", and the budget is exhausted (--budget, --all)\n");
	else
		pe_text_addf(out, "; %sat most %zu timed runs (--all takes %zu) and %zu builds\n",
			     outcome->by_time ? "what fits into the budget, " : "",
			     outcome->runs_left, plan->runs, outcome->builds);
	return outcome->runs_left > 0 && !outcome->complete && !outcome->decided;
}

static void print_benchmark(const struct pe_benchmark *benchmark, struct pe_text *out)
{
	pe_text_addf(out, "benchmark %s: ", benchmark->name);
	pe_format_plural(out, benchmark->warmup, "warm-up");
	pe_text_add(out, ", ");
	pe_format_plural(out, benchmark->repeats, "run");
	pe_text_addc(out, '\n');
}

int pe_tracking_dry_run(struct pe_cmd_ctx *ctx, struct pe_session *session,
			const struct pe_revisions *revisions,
			const struct pe_tracking_opts *options)
{
	const struct pe_track_request request =
		pe_tracking_request(revisions, options, ctx->app.counts_only);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_track_plan plan;
	bool work;

	PE_TRY(pe_track_plan(&plan, session, &request));
	for (size_t r = 0; r < session->n_revisions; r++) {
		const struct pe_revision *one = &session->revisions[r];

		if (session->wanted[r])
			pe_text_addf(&text, "%.10s %s\n", one->id, one->subject);
	}
	for (size_t w = 0; w < session->benchmarks.n; w++)
		print_benchmark(session->benchmarks.data[w], &text);
	if (ctx->app.config->tests.kind != PE_TESTS_NONE)
		pe_text_add(&text, "the unit tests are listed once a revision is built\n");
	if (ctx->app.config->tests.kind != PE_TESTS_NONE && session->benchmarks.n == 0) {
		pe_text_add(&text,
			    "until then it is unknown what they take ('perfevo check' says it)\n");
		return pe_cmd_show(ctx, &text, true);
	}
	work = plan.adaptive ? print_exploration(&plan.explored, &plan.plan, &text)
			     : plan.plan.runs > 0;
	if (!plan.adaptive)
		print_plan(&plan.plan, &text);
	print_unbuilt(&plan.plan, &text);
	if (plan.left.changes > 0)
		pe_text_addf(&text, "%zu suspected change%s to confirm: about %zu runs\n",
			     plan.left.changes, plan.left.changes == 1 ? "" : "s", plan.left.runs);
	if (work || plan.left.changes > 0)
		print_time(&plan, &text);
	return pe_cmd_show(ctx, &text, true);
}
