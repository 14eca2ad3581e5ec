/* What a track is about to do: its request, and the dry run. */
#include "cmd/tracking.h"

#include "report/format.h"

#include <math.h>

struct pe_track_request pe_tracking_request(const struct pe_revisions *revisions,
					    const struct pe_tracking_opts *options)
{
	return (struct pe_track_request){
		.first = revisions->at[0].id,
		.bench = options->bench,
		.steps = options->steps,
		.max_runs = options->max_runs,
		.budget_s = options->budget_s,
		.adaptive = options->adaptive,
		.all = options->all,
		.all_parents = options->all_parents,
		.no_confirm = options->no_confirm,
	};
}

/* --- What is about to happen --- */

static void print_plan(const struct pe_plan *plan, struct pe_text *out)
{
	pe_text_addf(out, "%zu revisions to measure: %zu builds, %zu runs", plan->revisions,
		     plan->builds, plan->runs);
	if (plan->runs > 0 && !isnan(plan->seconds)) {
		pe_text_add(out, ", about ");
		pe_format_duration(out, (uint64_t)(plan->seconds * 1e9));
	} else if (plan->runs > 0) {
		pe_text_add(out, " (nothing measured yet to estimate the time from)");
	}
	pe_text_add(out, "\n");
	if (plan->complete > 0)
		pe_text_addf(out, "%zu results (revision, benchmark) are stored already\n",
			     plan->complete);
	if (plan->skipped > 0)
		pe_text_addf(out, "%zu failed before and are skipped (--again retries them)\n",
			     plan->skipped);
}

static void print_exploration(const struct pe_explore_outcome *outcome, const struct pe_plan *plan,
			      struct pe_text *out)
{
	double share = plan->runs > 0 ? (double)outcome->runs_left / (double)plan->runs : 0;

	pe_text_addf(out, "adaptively: %zu of %zu revisions are known", outcome->known,
		     outcome->revisions);
	if (outcome->complete) {
		pe_text_add(out, ", and nothing is left to explore (--all measures every one)\n");
		return;
	}
	if (outcome->runs_left == 0) {
		pe_text_add(out, ", and the budget is exhausted (--budget, --max-runs, --all)\n");
		return;
	}
	if (outcome->runs_left == SIZE_MAX) {
		pe_text_add(out, "; as many runs as fit into the budget\n");
		return;
	}
	pe_text_addf(out, "; at most %zu timed runs", outcome->runs_left);
	if (!isnan(plan->seconds) && share < 1) {
		pe_text_add(out, ", about ");
		pe_format_duration(out, (uint64_t)(share * plan->seconds * 1e9));
	}
	pe_text_addf(out, " (--all takes %zu)\n", plan->runs);
}

int pe_tracking_dry_run(struct pe_cmd_ctx *ctx, struct pe_session *session,
			const struct pe_revisions *revisions,
			const struct pe_tracking_opts *options)
{
	const struct pe_track_request request = pe_tracking_request(revisions, options);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_track_plan plan;
	int rc = pe_track_plan(&plan, session, &request);

	if (rc != PE_OK)
		return rc;
	for (size_t r = 0; r < session->n_revisions; r++) {
		const struct pe_session_revision *one = &session->revisions[r];

		if (one->wanted)
			pe_text_addf(&text, "%.10s %s\n", one->revision->id,
				     one->revision->subject);
	}
	for (size_t w = 0; w < session->benchmarks.n; w++)
		pe_text_addf(&text, "benchmark %s: %u warm-ups, %u runs\n",
			     session->benchmarks.data[w].benchmark->name,
			     session->benchmarks.data[w].benchmark->warmup,
			     session->benchmarks.data[w].benchmark->repeats);
	if (ctx->app.config->tests.kind != PE_TESTS_NONE)
		pe_text_add(&text, "the unit tests are listed once a revision is built\n");
	if (plan.adaptive)
		print_exploration(&plan.explored, &plan.plan, &text);
	else
		print_plan(&plan.plan, &text);
	if (plan.left.changes > 0)
		pe_text_addf(&text, "%zu suspected change%s to confirm: about %zu runs\n",
			     plan.left.changes, plan.left.changes == 1 ? "" : "s", plan.left.runs);
	return pe_cmd_print(ctx, &text, true);
}
