/* Bisect: which commit made a benchmark slower, from as few runs as it takes. */
#include "cmd/commands.h"
#include "cmd/bisecting.h"
#include "app/explain/compare.h"
#include "app/history/detect.h"

#include "configs/read.h"
#include "core/base/clock.h"
#include "report/format.h"
#include "report/query.h"

#include <math.h>
#include <string.h>

struct options {
	struct pe_bisecting_opts bisecting;
	const char *min_change, *confidence, *good, *bad;
	bool step, no_compare, largest, first;
	int format;
};

/* --- The verdict of the pair --- */

/*
 * Culprit and parent compared as `perfevo compare` does it. An answer that needed no run does not wait for another process
 * that measures: the stored results are compared then.
 */
static int compare(struct pe_text *out, struct pe_cmd_ctx *ctx, const struct pe_bisecting *b,
		   size_t culprit, const struct options *options)
{
	const struct pe_strings name = {&b->bench, 1};
	struct pe_comparing_opts opts = {.names = &name};
	pe_auto_comparing comparing = {.app = &ctx->app, .opts = &opts};

	opts.kept = b->now.runs == 0 && pe_app_is_machine_busy(&ctx->app);
	if (opts.kept)
		pe_app_note(
			&ctx->app,
			"another perfevo is measuring: stored results are compared; 'perfevo compare %.10s' measures",
			b->line[culprit].id);
	ctx->app.counts_only = options->bisecting.counts;
	PE_TRY(pe_comparing_revisions(&comparing, b->line[culprit - 1].id, b->line[culprit].id));
	pe_comparing_decide_trees(&comparing);
	if (options->format == PE_FORMAT_JSON)
		pe_compare_json(out, &comparing.out);
	else
		pe_compare_term(out, &comparing.out, &ctx->out);
	return PE_OK;
}

/* The commit of a step, where it is one; 0: it is a range, or nothing is compared. */
static size_t compared(const struct pe_bisecting *b, size_t k, const struct options *options)
{
	const struct pe_bisect_group *group = &b->found.steps[k].result.group;

	return pe_bisecting_is_found(b) && group->first == group->last && !options->no_compare
		       ? group->first
		       : 0;
}

static int show_term(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b,
		     const struct options *options)
{
	pe_auto_text text = PE_TEXT_INIT;

	/* The answer first: comparing takes a while, and may be stopped. */
	pe_bisecting_term(&text, b, &ctx->out);
	PE_TRY(pe_cmd_show(ctx, &text, false));
	for (size_t k = 0; k < b->found.n; k++) {
		if (compared(b, k, options) == 0)
			continue;
		pe_text_clear(&text);
		pe_text_addc(&text, '\n');
		PE_TRY(compare(&text, ctx, b, compared(b, k, options), options));
		PE_TRY(pe_cmd_show(ctx, &text, false));
	}
	return PE_OK;
}

static int show_json(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b,
		     const struct options *options)
{
	const char **comparisons = pe_arena_new(ctx->app.arena, const char *, b->found.n);
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t k = 0; k < b->found.n; k++) {
		if (compared(b, k, options) == 0)
			continue;
		PE_TRY(compare(&text, ctx, b, compared(b, k, options), options));
		comparisons[k] = pe_arena_strdup(ctx->app.arena, pe_text_str(&text));
		pe_text_clear(&text);
	}
	pe_bisecting_json(&text, b, comparisons);
	return pe_cmd_show(ctx, &text, false);
}

/* --- One bisection --- */

/* @return  what the command does */
static int report_stopped(const struct pe_bisecting *b)
{
	const struct pe_bisect_group *group = &b->now.group;

	if (group->first == 0 || !(group->probability > 0))
		return PE_ESTOPPED;
	pe_app_note(
		b->app,
		"stopped after %zu run%s: %.0f %% for %.10s so far; run the same command to resume",
		b->now.runs, b->now.runs == 1 ? "" : "s", 100 * group->probability,
		b->line[group->first].id);
	return PE_EXIT_FAILURE;
}

/* The commits after the good end up to the bad one, with the good end before them. */
static int walk(struct pe_revisions *out, struct pe_cmd_ctx *ctx, const char *good, const char *bad)
{
	struct pe_revision ends[2];
	struct pe_revisions between;
	struct pe_range range = {0};

	PE_TRY(pe_app_resolve(&ends[0], &ctx->app, good));
	PE_TRY(pe_app_resolve(&ends[1], &ctx->app, bad));
	range.spec = pe_arena_printf(ctx->app.arena, "%s..%s", ends[0].id, ends[1].id);
	PE_TRY(pe_repo_walk(&between, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	if (between.n == 0)
		return pe_fail(ctx->app.err, PE_EINVALID, "%s does not come after %s", bad, good);
	*out = (struct pe_revisions){
		pe_arena_new(ctx->app.arena, struct pe_revision, between.n + 1), between.n + 1,
		between.cut_short, between.passed_over};
	out->at[0] = ends[0];
	memcpy(out->at + 1, between.at, between.n * sizeof(*between.at));
	return PE_OK;
}

static int bisect(struct pe_cmd_ctx *ctx, const struct options *options, const char *good,
		  const char *bad);

/* A merge that is to blame: was it one of the commits that it brought? */
static int look_into(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b, size_t merge,
		     const struct options *options)
{
	struct pe_bisecting_branch branch;
	int rc;

	PE_TRY(pe_bisecting_branch(&branch, b, merge));
	if (branch.n == 0)
		return PE_EXIT_GOOD;
	pe_app_note(&ctx->app, "%.10s is a merge: looking among the %zu commits that it brought",
		    b->line[merge].id, branch.n);
	rc = bisect(ctx, options, branch.good, branch.bad);
	/* The culprit is the merge, as found; the branch alone is no regression. */
	return rc == PE_EXIT_UNMEASURABLE ? PE_EXIT_GOOD : rc;
}

static int bisect(struct pe_cmd_ctx *ctx, const struct options *options, const char *good,
		  const char *bad)
{
	struct pe_bisecting b = {.app = &ctx->app, .opts = &options->bisecting};
	struct pe_revisions line = {.at = NULL};
	int code;

	PE_TRY(walk(&line, ctx, good, bad));
	b.line = line.at;
	b.n = line.n;
	code = pe_bisecting_run(&b);
	if (code == PE_ESTOPPED)
		return report_stopped(&b);
	PE_TRY(code);
	PE_TRY((options->format == PE_FORMAT_TERM ? show_term : show_json)(ctx, &b, options));
	code = pe_bisecting_is_found(&b) ? PE_EXIT_GOOD : PE_EXIT_UNMEASURABLE;
	for (size_t k = 0; k < b.found.n && code == PE_EXIT_GOOD; k++) {
		const struct pe_bisect_group *group = &b.found.steps[k].result.group;

		if (options->bisecting.all_parents && group->first == group->last)
			code = look_into(ctx, &b, group->first, options);
	}
	return code;
}

/* --- Jumps of the store --- */

/* What is left of the time for all of them; 0: there is no limit. */
static uint64_t budget_left(const struct options *options, uint64_t since_ns)
{
	uint64_t budget_ns = options->bisecting.budget_ns, spent_ns = pe_clock_ns() - since_ns;

	if (budget_ns == 0)
		return 0;
	return spent_ns + 1 < budget_ns ? budget_ns - spent_ns : 1;
}

static int bisect_jump(struct pe_cmd_ctx *ctx, const struct options *options,
		       const struct pe_evolution *evolution, const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;
	const char *benchmark = ranked->line->benchmark;
	const struct pe_strings name = {&benchmark, 1};
	struct options one = *options;
	pe_auto_text change = PE_TEXT_INIT;

	pe_format_change(&change, jump->relative);
	pe_app_note(&ctx->app, "%s, %s: %s among the %zu commits up to %.10s %s",
		    ranked->line->benchmark, ranked->line->metric->label, pe_text_str(&change),
		    jump->commits, evolution->revisions[jump->after].id,
		    evolution->revisions[jump->after].subject);
	one.bisecting.bench = NULL;
	one.bisecting.names = &name;
	one.bisecting.metric = ranked->line->metric->name;
	return bisect(ctx, &one, evolution->revisions[jump->before].id,
		      evolution->revisions[jump->after].id);
}

/* Those that are not pinned to one commit come first. @return  how many they are */
static size_t part_open(struct pe_ranked_jump *jumps, size_t n)
{
	size_t open = 0;

	for (size_t i = 0; i < n; i++)
		if (jumps[i].jump->commits > 1 && jumps[i].jump->state != PE_JUMP_ACCEPTED)
			jumps[open++] = jumps[i];
	return open;
}

static int bisect_jumps(struct pe_cmd_ctx *ctx, const struct options *options)
{
	struct pe_detect_opts opts = {0};
	const char *metric = options->bisecting.metric;
	struct pe_strings metrics = {&metric, 1};
	struct pe_evolution evolution = {0};
	struct pe_ranked_jump *jumps;
	struct options now = *options;
	uint64_t started_ns = pe_clock_ns();
	int code = PE_EXIT_GOOD;
	size_t n;

	opts.bench = options->bisecting.bench;
	opts.metrics = metric != NULL ? &metrics : NULL;
	PE_TRY(pe_detect_load(&evolution, &ctx->app, &opts));
	jumps = pe_evolution_rank(&n, &evolution, ctx->app.arena);
	n = part_open(jumps, n);
	if (n == 0)
		pe_app_note(
			&ctx->app,
			"every jump that is known is pinned to one commit: give GOOD and BAD to search between two commits");
	else if (n > 1)
		pe_app_note(
			&ctx->app,
			"%zu jumps are not pinned to one commit: bisecting them in turn, the worst first",
			n);
	for (size_t i = 0; i < n; i++) {
		int one;

		now.bisecting.budget_ns = budget_left(options, started_ns);
		one = bisect_jump(ctx, &now, &evolution, &jumps[i]);
		if (one < 0 || one == PE_EXIT_FAILURE)
			return one;
		code = one > code ? one : code;
	}
	return code;
}

/*
 * --- One step of `git bisect run` ---
 *
 * Is the commit that is checked out at the good level or at another? With a bad commit too it is a bisection among three: good,
 * this one, bad. Without, fresh pairs of good and this one decide (core/stats/confirm.h).
 */

static void say_step(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b, const char *answer)
{
	pe_app_note(&ctx->app, "%.10s %s: %s, %s (%zu runs)", b->line[1].id, b->bench,
		    b->metric->label, answer, b->found.range.runs);
}

/* Places of three revisions: 1 means that this one is new already, 2 that it is still old. */
static int report_step(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b, bool has_bad)
{
	const struct pe_bisect_result *step =
		b->found.n > 0 ? &b->found.steps[0].result : &b->found.range;
	const bool worse = pe_bisecting_is_regression(b, step);

	if (b->end == PE_BISECTING_ANSWERED && b->found.answer == PE_BISECT_SAME && !has_bad) {
		say_step(ctx, b, "at the good level");
		return PE_EXIT_GOOD;
	}
	if (!pe_bisecting_is_found(b) || step->group.first != step->group.last) {
		say_step(ctx, b, "is unknown");
		return PE_EXIT_UNMEASURABLE;
	}
	if (!has_bad) {
		say_step(ctx, b, worse ? "bad" : "better than good");
		return worse ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
	}
	say_step(ctx, b,
		 step->group.first > 1 ? "at the good level"
		 : b->found.partial    ? "past a first step"
				       : "at the bad level");
	return step->group.first == 1 ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
}

static int bisect_step(struct pe_cmd_ctx *ctx, const struct pe_bisecting_opts *opts,
		       const char *good, const char *bad)
{
	struct pe_revision line[3];
	struct pe_bisecting b = {
		.app = &ctx->app, .opts = opts, .line = line, .n = bad != NULL ? 3 : 2};

	PE_TRY(pe_app_resolve(&line[0], &ctx->app, good));
	PE_TRY(pe_app_resolve(&line[1], &ctx->app, "HEAD"));
	if (bad != NULL)
		PE_TRY(pe_app_resolve(&line[2], &ctx->app, bad));
	if (strcmp(line[0].id, line[1].id) == 0)
		return PE_EXIT_GOOD;
	if (bad != NULL && strcmp(line[1].id, line[2].id) == 0)
		return PE_EXIT_REGRESSED;
	PE_TRY(pe_bisecting_run(&b));
	return report_step(ctx, &b, bad != NULL);
}

/* --- The command --- */

static int check(struct pe_cmd_ctx *ctx, struct options *options, int argc)
{
	struct pe_bisecting_opts *bisecting = &options->bisecting;

	if (options->min_change != NULL &&
	    !pe_read_fraction_text(&bisecting->min_change, options->min_change))
		return pe_cmd_misused(ctx, "--min-change is a share such as 3%% or 0.03, not '%s'",
				      options->min_change);
	if (options->confidence != NULL &&
	    (!pe_read_fraction_text(&bisecting->confidence, options->confidence) ||
	     bisecting->confidence < 0.6 || bisecting->confidence > 0.9999))
		return pe_cmd_misused(ctx, "--confidence is a share from 60%% to 99.99%%, not '%s'",
				      options->confidence);
	if (options->step && argc > 0)
		return pe_cmd_misused(
			ctx,
			"--step tests the commit that is checked out: name a good commit with --good");
	if (options->step && options->good == NULL)
		return pe_cmd_misused(ctx, "--step needs --good");
	if (!options->step && (options->good != NULL || options->bad != NULL))
		return pe_cmd_misused(
			ctx,
			"--good and --bad belong to --step; here it is 'perfevo bisect GOOD BAD'");
	if (options->largest && options->first)
		return pe_cmd_misused(ctx, "--largest and --first ask for one step each: take one");
	bisecting->want = options->largest                  ? PE_STEPS_LARGEST
			  : options->first || options->step ? PE_STEPS_FIRST
							    : PE_STEPS_ALL;
	if (bisecting->counts && bisecting->metric == NULL)
		bisecting->metric = pe_metrics[PE_SIMULATED_INSTRUCTIONS].name;
	if (argc == 1)
		return pe_cmd_misused(ctx, "two commits are needed, GOOD and BAD");
	return PE_OK;
}

int cmd_bisect(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {
		.bisecting = {.min_change = NAN, .confidence = 0.95, .max_runs = 400}};
	struct pe_bisecting_opts *bisecting = &options.bisecting;
	const struct pe_opt opts[] = {
		OPT_GROUP("What is searched for"),
		OPT_STRING('b', "bench", &bisecting->bench, "REGEX",
			   "the benchmark; may be left out where there is only one"),
		OPT_STRING('m', "metric", &bisecting->metric, "NAME",
			   "by which metric (wall time, unless it is only recorded)"),
		OPT_STRING(0, "min-change", &options.min_change, "SHARE",
			   "smallest change that matters, such as 3% (the metric's own threshold)"),
		OPT_FLAG(
			0, "simulated", &bisecting->counts,
			"count and time nothing: simulated instructions, unless -m names another count"),
		OPT_FLAG(0, "counts", &bisecting->counts, "the same"),
		OPT_FLAG(0, "largest", &options.largest, "of several steps, the largest alone"),
		OPT_FLAG(0, "first", &options.first,
			 "of several steps, the first after GOOD alone"),
		OPT_FLAG(0, "all-parents", &bisecting->all_parents,
			 "when a merge is to blame, search among the commits that it brought"),
		OPT_GROUP("How far"),
		OPT_STRING(0, "confidence", &options.confidence, "SHARE",
			   "required confidence (95% by default)"),
		OPT_NUMBER(0, "max-runs", &bisecting->max_runs, "N",
			   "at most that many runs (400 by default)"),
		OPT_DURATION(0, "budget", &bisecting->budget_ns, "DURATION",
			     "at most that much time, such as 1h"),
		OPT_GROUP("Under git bisect"),
		OPT_FLAG(0, "step", &options.step,
			 "test the commit that is checked out, for 'git bisect run'"),
		OPT_STRING(0, "good", &options.good, "REV", "with --step: a good commit"),
		OPT_STRING(0, "bad", &options.bad, "REV", "with --step: a bad commit"),
		OPT_GROUP("What is shown"),
		OPT_FLAG(0, "no-compare", &options.no_compare,
			 "do not compare the commit with its parent"),
		OPT_JSON(&options.format),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(check(ctx, &options, argc));
	if (options.step)
		return bisect_step(ctx, bisecting, options.good, options.bad);
	return argc == 2 ? bisect(ctx, &options, argv[0], argv[1]) : bisect_jumps(ctx, &options);
}
