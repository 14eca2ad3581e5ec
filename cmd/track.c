/* Track: build and benchmark a stretch of history and report where the program jumped. */
#include "cmd/commands.h"
#include "cmd/tracking.h"

#include "app/measure/names.h"

#include "configs/read.h"
#include "core/base/array.h"
#include "core/base/clock.h"

#include <stdio.h>
#include <string.h>

static const char *const farms[] = {"no", "slurm", NULL};
static const char *const formats[] = {"term", "json", "csv", "md", NULL};

/* --- The range --- */

static struct pe_strings read_ids(struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) ids = {NULL, 0, 0};
	const char **copy;
	char line[1024];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		size_t n = strcspn(line, " \t\r\n");

		if (n > 0)
			pe_vec_push(&ids, pe_arena_strndup(arena, line, n));
	}
	copy = pe_vec_copy(arena, &ids);
	return (struct pe_strings){copy, ids.n};
}

static int choose_range(struct pe_revisions *out, struct pe_cmd_ctx *ctx,
			const struct pe_tracking_opts *options)
{
	const char *spec = options->range;
	struct pe_range range = {
		.spec = spec,
		.last = options->last,
		.tags = options->tags,
		.all_parents = options->all_parents,
	};
	int64_t now_s = pe_clock_now_s();

	if (options->since != NULL)
		PE_TRY(pe_repo_parse_date(&range.since_s, options->since, now_s, ctx->app.err));
	if (options->until != NULL)
		PE_TRY(pe_repo_parse_date(&range.until_s, options->until, now_s, ctx->app.err));
	if (options->from_stdin)
		range.ids = read_ids(ctx->app.arena);
	if (options->from_stdin && range.ids.n == 0)
		return pe_fail(ctx->app.err, PE_EINVALID, "--stdin: no revision was given");
	if (range.last == 0 && spec == NULL && options->since == NULL && !options->tags &&
	    !options->from_stdin)
		range.last = 20;
	PE_TRY(pe_repo_walk(out, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	if (out->n == 0)
		return pe_fail(ctx->app.err, PE_ENOTFOUND,
			       "no matching commits: check the range and the dates");
	if (out->cut_short)
		pe_app_note(
			&ctx->app,
			"this is a shallow clone: history ends after %zu commits ('git fetch --unshallow' gets the rest)",
			out->n);
	if (out->passed_over > 0)
		pe_app_note(
			&ctx->app,
			"%zu commit%s of the range cannot be parsed and %s passed over ('git fsck' names %s)",
			out->passed_over, out->passed_over == 1 ? "" : "s",
			out->passed_over == 1 ? "is" : "are",
			out->passed_over == 1 ? "it" : "them");
	return PE_OK;
}

/* --- The command --- */

/* Open the session, and choose what it measures. */
static int begin(struct pe_session *session, struct pe_revisions *revisions, struct pe_cmd_ctx *ctx,
		 const struct pe_tracking_opts *options)
{
	PE_TRY(pe_names_check_metrics(&ctx->app, &options->metrics));
	PE_TRY(choose_range(revisions, ctx, options));
	if (options->farm)
		PE_TRY(pe_farm_choose_machine(&ctx->app));
	PE_TRY(pe_session_open(session, &ctx->app, !options->dry_run));
	session->again = options->again;
	session->whole = options->all;
	session->metrics = options->metrics.n > 0 ? &options->metrics : NULL;
	return pe_session_choose(session, revisions, options->bench);
}

/* A dry run puts nothing into the store for good. */
static int run_dry(struct pe_cmd_ctx *ctx, const struct pe_tracking_opts *options)
{
	pe_auto_session session = {.app = NULL};
	pe_auto_transaction store = ctx->app.store;
	struct pe_revisions revisions;

	PE_TRY(pe_store_begin(store, ctx->app.err));
	PE_TRY(begin(&session, &revisions, ctx, options));
	return pe_tracking_dry_run(ctx, &session, &revisions, options);
}

static int run(struct pe_cmd_ctx *ctx, const struct pe_tracking_opts *options)
{
	pe_auto_session session = {.app = NULL};
	struct pe_track_request request;
	struct pe_tracking_watch watch;
	struct pe_revisions revisions;
	int rc;

	PE_TRY(begin(&session, &revisions, ctx, options));
	PE_TRY(pe_tracking_watch(&watch, ctx, &session, &revisions));
	request = pe_tracking_request(&revisions, options, ctx->app.counts_only);
	rc = options->farm ? pe_farm_track(&session, &request, options->quick)
			   : pe_track_measure(&session, &request);
	PE_TRY(pe_tracking_unwatch(rc, &watch));
	return pe_tracking_show(ctx, &session, &revisions, options);
}

static int read_budget(struct pe_tracking_opts *options, struct pe_cmd_ctx *ctx)
{
	bool limited = options->adaptive || options->max_runs > 0 || options->budget != NULL;
	double ns;

	if (options->all && limited)
		return pe_fail(
			ctx->app.err, PE_EINVALID,
			"--all measures every commit: it goes with none of --adaptive, --budget and --max-runs");
	if (options->all_parents && limited)
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "--all-parents: only a line of commits can be measured adaptively");
	if (options->budget == NULL)
		return PE_OK;
	if (!pe_read_duration_text(&ns, options->budget) || !(ns > 0))
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "--budget '%s': expected a time such as '2h', '90m' or '45s'",
			       options->budget);
	options->budget_s = ns / 1e9;
	return PE_OK;
}

static int check_counts(const struct pe_tracking_opts *options, const struct pe_app *app)
{
	if (!app->counts_only)
		return PE_OK;
	if (options->adaptive || options->max_runs > 0 || options->budget != NULL || options->farm)
		return pe_fail(
			app->err, PE_EINVALID,
			"--counts takes a run or two of each commit, here: it goes with none "
			"of --adaptive, --budget, --max-runs and --farm");
	for (size_t i = 0; i < options->metrics.n; i++) {
		const struct pe_metric *metric = pe_metric_find(options->metrics.at[i]);

		if (metric == NULL || !pe_metric_is_counted(metric))
			return pe_fail(app->err, PE_EINVALID,
				       "--counts takes no '%s': timed runs give it",
				       options->metrics.at[i]);
	}
	return PE_OK;
}

int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct pe_tracking_opts options = {0};
	const struct pe_opt opts[] = {
		OPT_GROUP("Which commits"),
		OPT_LAST(&options.last, "the last N commits (20 without a range)"),
		OPT_STRING(0, "since", &options.since, "DATE", "commits at or after a date"),
		OPT_STRING(0, "until", &options.until, "DATE", "commits at or before a date"),
		OPT_FLAG(0, "tags", &options.tags, "only tagged commits"),
		OPT_FLAG(0, "all-parents", &options.all_parents,
			 "follow merged branches too, not only first parents"),
		OPT_FLAG(0, "stdin", &options.from_stdin, "read revisions from standard input"),
		OPT_NUMBER('s', "steps", &options.steps, "K",
			   "only K of the commits that are not measured yet, evenly spread"),
		OPT_GROUP("What is measured"),
		OPT_BENCH(&options.bench),
		OPT_FLAG(
			0, "adaptive", &options.adaptive,
			"explore: measure first where a change may lie, and no more than needed (the default for more than 60 commits)"),
		OPT_FLAG(0, "all", &options.all, "measure every commit, however many"),
		OPT_STRING(0, "budget", &options.budget, "TIME",
			   "explore and confirm for that long ('2h', '90m')"),
		OPT_NUMBER(0, "max-runs", &options.max_runs, "N",
			   "explore with that many timed runs"),
		OPT_CHOICE(0, "farm", &options.farm, farms,
			   "where: 'slurm' measures on the machines of a cluster"),
		OPT_COUNTS(&ctx->app.counts_only),
		OPT_FLAG('q', "quick", &options.quick, "at most 5 runs of each benchmark"),
		OPT_FLAG(0, "again", &options.again,
			 "measure what is measured already, and try failures again"),
		OPT_FLAG(0, "no-confirm", &options.no_confirm,
			 "no fresh runs: detected changes stay suspects"),
		OPT_FLAG(0, "dry-run", &options.dry_run, "show the plan and its estimated cost"),
		OPT_GROUP("What is shown"),
		OPT_LIST('m', "metric", &options.metrics, "NAME",
			 "detect changes in these metrics, and show them"),
		OPT_FORMAT(&options.format, formats),
		OPT_STRING(0, "html", &options.html, "FILE", "where the report is written"),
		OPT_FLAG(
			0, "profile", &options.profile,
			"compare the commits of the largest jumps for the report, as 'perfevo report' does"),
		OPT_FLAG(0, "no-open", &options.no_open, "do not open the report in a browser"),
		OPT_FLAG(0, "fail-on-regression", &options.fail,
			 "exit with 1 when something got worse, confirmed and not accepted"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(read_budget(&options, ctx));
	PE_TRY(check_counts(&options, &ctx->app));
	if (options.farm && options.again)
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "--farm goes on where it was interrupted, and not with --again");
	if (options.quick)
		pe_track_make_quick(&ctx->app);
	options.range = argc == 1 ? argv[0] : NULL;
	return options.dry_run ? run_dry(ctx, &options) : run(ctx, &options);
}
