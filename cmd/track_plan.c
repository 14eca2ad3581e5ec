/* What a track is about to do: how its history is judged and confirmed, whether it is explored, and the dry run. */
#include "cmd/tracking.h"

#include "report/format.h"

#include <math.h>

/* A range with so many revisions still to measure is measured adaptively, unless the user says otherwise. */
enum { LONG_RANGE = 60 };

/* --- What is judged, and confirmed --- */

/* The wanted revisions with their stored ancestors: a longer series is judged better than a short one. */
static struct pe_revisions with_ancestors(const struct pe_session *session)
{
	struct pe_revisions all = {
		pe_arena_new(session->arena, struct pe_revision, session->n_revisions),
		session->n_revisions, false};

	for (size_t r = 0; r < session->n_revisions; r++)
		all.at[r] = *session->revisions[r].revision;
	return all;
}

struct pe_judge_opts pe_tracking_judge_opts(const struct pe_session *session,
					    const struct pe_tracking_opts *options)
{
	struct pe_arena *arena = session->arena;
	int64_t *keys = pe_arena_new(arena, int64_t, session->workloads.n);
	struct pe_revisions *revisions = pe_arena_new(arena, struct pe_revisions, 1);
	struct pe_judge_opts opts = PE_JUDGE_DEFAULTS;

	for (size_t w = 0; w < session->workloads.n; w++)
		keys[w] = session->workloads.data[w].key;
	*revisions = with_ancestors(session);
	opts.revisions = revisions;
	opts.metrics = options->metrics.n > 0 ? &options->metrics : NULL;
	opts.workloads = keys;
	opts.n_workloads = session->workloads.n;
	opts.machine = session->machine_key;
	opts.keep = true;
	return opts;
}

struct pe_confirm_request pe_tracking_confirm_request(const struct pe_session *session,
						      const struct pe_revisions *revisions,
						      const struct pe_tracking_opts *options,
						      const struct pe_judge_opts *judge)
{
	return (struct pe_confirm_request){
		.judge = judge,
		.first = revisions->at[0].id,
		.most = options->no_confirm ? 0 : SIZE_MAX,
		.again = session->again,
	};
}

int pe_tracking_is_adaptive(bool *out, struct pe_session *session, const struct pe_plan *plan,
			    const struct pe_tracking_opts *options)
{
	*out = options->adaptive;
	if (options->adaptive || options->all || options->again || options->steps > 0 ||
	    options->all_parents)
		return PE_OK;
	if (plan->revisions > LONG_RANGE || options->max_runs > 0 || options->budget_s > 0) {
		*out = true;
		return PE_OK;
	}
	return plan->revisions > 0 ? pe_explore_was(out, session) : PE_OK;
}

struct pe_explore_request pe_tracking_explore_request(const struct pe_tracking_opts *options)
{
	return (struct pe_explore_request){
		.max_runs = options->max_runs,
		.seconds = options->budget_s,
		.metrics = options->metrics.n > 0 ? &options->metrics : NULL,
		.confirms = !options->no_confirm,
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
	const struct pe_judge_opts judge = pe_tracking_judge_opts(session, options);
	const struct pe_confirm_request request =
		pe_tracking_confirm_request(session, revisions, options, &judge);
	struct pe_text text = PE_TEXT_INIT;
	struct pe_confirm_left left = {0, 0};
	const struct pe_explore_request explore = pe_tracking_explore_request(options);
	struct pe_explore_outcome outcome;
	struct pe_plan plan;
	bool adaptive;
	int rc = pe_session_plan(&plan, session, options->steps);

	if (rc == PE_OK)
		rc = pe_tracking_is_adaptive(&adaptive, session, &plan, options);
	if (rc == PE_OK && adaptive)
		rc = pe_explore_plan(&outcome, session, &explore);
	if (rc == PE_OK && !options->no_confirm)
		rc = pe_confirm_plan(&left, session, &request);
	if (rc != PE_OK)
		return rc;
	for (size_t r = 0; r < session->n_revisions; r++) {
		const struct pe_session_revision *one = &session->revisions[r];

		if (one->wanted)
			pe_text_addf(&text, "%.10s %s\n", one->revision->id,
				     one->revision->subject);
	}
	for (size_t w = 0; w < session->workloads.n; w++)
		pe_text_addf(&text, "benchmark %s: %u warm-ups, %u runs\n",
			     session->workloads.data[w].workload->name,
			     session->workloads.data[w].workload->warmup,
			     session->workloads.data[w].workload->repeats);
	if (ctx->app.config->tests.kind != PE_TESTS_NONE)
		pe_text_add(&text, "the unit tests are listed once a revision is built\n");
	if (adaptive)
		print_exploration(&outcome, &plan, &text);
	else
		print_plan(&plan, &text);
	if (left.changes > 0)
		pe_text_addf(&text, "%zu suspected change%s to confirm: about %zu runs\n",
			     left.changes, left.changes == 1 ? "" : "s", left.runs);
	rc = pe_cmd_print(ctx, &text, true);
	pe_text_release(&text);
	return rc;
}
