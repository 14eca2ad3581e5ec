/* Track: build and benchmark a stretch of history and say where the program jumped. */
#include "cmd/confirm.h"
#include "cmd/explore.h"
#include "cmd/judge.h"
#include "cmd/machine_moved.h"
#include "cmd/methods.h"
#include "cmd/progress.h"
#include "cmd/reporting.h"
#include "cmd/session.h"

#include "configs/read.h"
#include "core/base/clock.h"
#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"term", "json", "csv", "md", NULL};

/* Behind those of enum pe_output, which has the others in this order. */
enum { FORMAT_MD = PE_OUTPUT_CSV + 1 };

static const char *const usage_lines[] = {
	"perfevo track [--last N] [-b REGEX] [OPTION...]",
	"perfevo track A..B [OPTION...]",
	"git rev-list ... | perfevo track --stdin [OPTION...]",
	NULL,
};

static const struct pe_usage usage = {
	.lines = usage_lines,
	.description =
		"Builds every commit of a range in perfevo's own cache, runs the benchmarks of "
		"perfevo.yml in rounds over all of them, stores every sample, and names the "
		"commits "
		"at which a metric moved to another level. Without a range it takes the last 20 "
		"commits of HEAD's first-parent line.\n\n"
		"What is measured already is not measured again; a track that was interrupted or "
		"killed goes on where it stopped. A commit that does not build and a benchmark "
		"that "
		"fails are recorded with their logs and skipped; --again tries them again and adds "
		"runs to the others.\n\n"
		"The first Ctrl-C finishes the run in flight and stops; the second stops at once.",
	.examples =
		(const struct pe_example[]){
			{"perfevo track --last 50", "the last 50 commits"},
			{"perfevo track v1.0..main --steps 20",
			 "20 commits, evenly spread over a range"},
			{"perfevo track --tags --since '2 years ago'",
			 "the tagged releases of two years"},
			{"perfevo track --last 100 -n",
			 "what that would do, and how long it would take"},
			{"perfevo track --last 30 -b '^parse' --fail-on-regression",
			 "only the parser's benchmarks; exit status 1 if one got slower"},
			{NULL, NULL},
		},
};

struct options {
	size_t last, steps;
	const char *since, *until, *bench, *html;
	bool tags, all_parents, from_stdin, dry_run, again, quick, fail, no_open, no_confirm,
		profile;
	size_t max_runs;
	bool adaptive, all;
	const char *budget;
	double budget_s; /* 0: none */
	struct pe_strings metrics;
	int format;
};

/* A range with so many revisions still to measure is measured adaptively, unless the user says otherwise. */
enum { LONG_RANGE = 60 };

/* --- The range --- */

static int read_ids(struct pe_strings *out, struct pe_arena *arena)
{
	PE_VEC(const char *) ids = {NULL, 0, 0};
	char line[1024];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		size_t n = strcspn(line, " \t\r\n");

		if (n > 0)
			pe_vec_push(&ids, pe_arena_strndup(arena, line, n));
	}
	out->n = ids.n;
	if (ids.n > 0) {
		const char **copy = pe_arena_new(arena, const char *, ids.n);

		memcpy(copy, ids.data, ids.n * sizeof(*copy));
		out->at = copy;
	}
	pe_vec_release(&ids);
	return PE_OK;
}

static int choose_range(struct pe_revisions *out, struct pe_cmd_ctx *ctx,
			const struct options *options, const char *spec)
{
	struct pe_range range = {
		.spec = spec,
		.last = options->last,
		.tags = options->tags,
		.all_parents = options->all_parents,
	};
	int64_t now_s = pe_clock_now_s();
	int rc = PE_OK;

	if (options->since != NULL)
		rc = pe_repo_parse_date(&range.since_s, options->since, now_s, ctx->err);
	if (rc == PE_OK && options->until != NULL)
		rc = pe_repo_parse_date(&range.until_s, options->until, now_s, ctx->err);
	if (rc == PE_OK && options->from_stdin)
		rc = read_ids(&range.ids, ctx->arena);
	if (rc != PE_OK)
		return rc;
	if (options->from_stdin && range.ids.n == 0)
		return pe_fail(ctx->err, PE_EINVALID, "--stdin: no revision was given");
	if (range.last == 0 && spec == NULL && options->since == NULL && !options->tags &&
	    !options->from_stdin)
		range.last = 20;
	rc = pe_repo_walk(out, ctx->repo, &range, ctx->arena, ctx->err);
	if (rc == PE_OK && out->n == 0)
		rc = pe_fail(ctx->err, PE_ENOTFOUND, "no commit in that range");
	if (rc == PE_OK && out->cut_short)
		pe_cmd_note(ctx,
			    "this is a shallow clone: history ends after %zu commits ('git "
			    "fetch --unshallow' gets the rest)",
			    out->n);
	return rc;
}

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

/* How the history of this session is judged. In the session's arena. */
static struct pe_judge_opts judge_opts(const struct pe_session *session,
				       const struct options *options)
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

/* Changes in the range that was asked for; those before it are another's. */
static struct pe_confirm_request confirm_request(const struct pe_session *session,
						 const struct pe_revisions *revisions,
						 const struct options *options,
						 const struct pe_judge_opts *judge)
{
	return (struct pe_confirm_request){
		.judge = judge,
		.first = revisions->at[0].id,
		.most = options->no_confirm ? 0 : SIZE_MAX,
		.again = session->again,
	};
}

/* Whether the range is explored: it was before, or it is long, or the user wants it. */
static int is_adaptive(bool *out, struct pe_session *session, const struct pe_plan *plan,
		       const struct options *options)
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

static struct pe_explore_request explore_request(const struct options *options)
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
		pe_text_addf(out, "%zu cells (revision, benchmark) are measured already\n",
			     plan->complete);
	if (plan->skipped > 0)
		pe_text_addf(out, "%zu cells failed before and are skipped (--again tries them)\n",
			     plan->skipped);
}

static void print_exploration(const struct pe_explore_outcome *outcome, const struct pe_plan *plan,
			      struct pe_text *out)
{
	double share = plan->runs > 0 ? (double)outcome->runs_left / (double)plan->runs : 0;

	pe_text_addf(out, "adaptively: %zu of %zu revisions are known", outcome->known,
		     outcome->revisions);
	if (outcome->complete) {
		pe_text_add(out, ", and nothing more could be learnt (--all measures every one)\n");
		return;
	}
	if (outcome->runs_left == 0) {
		pe_text_add(out, ", and the budget is spent (--budget, --max-runs, --all)\n");
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

static int dry_run(struct pe_session *session, const struct pe_revisions *revisions,
		   const struct options *options)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	const struct pe_judge_opts judge = judge_opts(session, options);
	const struct pe_confirm_request request =
		confirm_request(session, revisions, options, &judge);
	struct pe_text text = PE_TEXT_INIT;
	struct pe_confirm_left left = {0, 0};
	const struct pe_explore_request explore = explore_request(options);
	struct pe_explore_outcome outcome;
	struct pe_plan plan;
	bool adaptive;
	int rc = pe_session_plan(&plan, session, options->steps);

	if (rc == PE_OK)
		rc = is_adaptive(&adaptive, session, &plan, options);
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
	if (ctx->config->tests.kind != PE_TESTS_NONE)
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

/* --quick: a first look; the samples count all the same. */
static void make_quick(struct pe_cmd_ctx *ctx)
{
	enum { QUICK_WARMUP = 1, QUICK_REPEATS = 5 };

	for (size_t i = 0; i < ctx->config->n_workloads; i++) {
		struct pe_workload *workload = &ctx->config->workloads[i];

		if (workload->warmup > QUICK_WARMUP)
			workload->warmup = QUICK_WARMUP;
		if (workload->repeats > QUICK_REPEATS)
			workload->repeats = QUICK_REPEATS;
	}
	if (ctx->config->tests.model.repeats > QUICK_REPEATS)
		ctx->config->tests.model.repeats = QUICK_REPEATS;
}

/* --- What came of it --- */

static size_t count_regressions(const struct pe_evolution *evolution, enum pe_jump_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++)
			n += evolution->lines[i].jumps[j].regression &&
			     evolution->lines[i].jumps[j].state == state;
	return n;
}

/* --fail-on-regression: what is confirmed and not accepted. What else there is, is said. */
static int verdict(struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution)
{
	size_t suspects = count_regressions(evolution, PE_JUMP_SUSPECT);
	size_t accepted = count_regressions(evolution, PE_JUMP_ACCEPTED);

	if (suspects > 0)
		pe_cmd_note(ctx,
			    "%zu suspected regression%s not counted: fresh runs have not confirmed "
			    "%s",
			    suspects, suspects == 1 ? " is" : "s are",
			    suspects == 1 ? "it" : "them");
	if (accepted > 0)
		pe_cmd_note(ctx, "%zu accepted regression%s not counted (" PE_ACCEPTED_FILE ")",
			    accepted, accepted == 1 ? " is" : "s are");
	return count_regressions(evolution, PE_JUMP_CONFIRMED) > 0 ? PE_EXIT_REGRESSED
								   : PE_EXIT_GOOD;
}

static size_t count_points(const struct pe_evolution *evolution)
{
	size_t n = 0;

	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_points; j++)
			n += evolution->lines[i].points[j].outcome == PE_MEASURED;
	return n;
}

static int print_evolution(struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution, int format)
{
	struct pe_text text = PE_TEXT_INIT;
	int rc;

	if (format == PE_OUTPUT_JSON)
		pe_evolution_json(&text, evolution);
	else if (format == PE_OUTPUT_CSV)
		pe_evolution_csv(&text, evolution);
	else if (format == FORMAT_MD)
		pe_evolution_md(&text, evolution);
	else
		pe_evolution_term(&text, evolution, &ctx->out);
	rc = pe_cmd_print(ctx, &text, false);
	pe_text_release(&text);
	return rc;
}

/* The same figures, with only those jumps and failures that lie in the range that was asked for. */
static struct pe_evolution within_range(const struct pe_evolution *whole,
					const struct pe_revisions *revisions,
					struct pe_arena *arena)
{
	struct pe_evolution part = *whole;
	size_t first = 0;

	while (first < whole->n_revisions &&
	       strcmp(whole->revisions[first].id, revisions->at[0].id) != 0)
		first++;
	if (first == whole->n_revisions)
		first = 0; /* nothing is known of the oldest ones: what there is lies in the range */
	part.first = first;
	part.lines = pe_arena_new(arena, struct pe_line, whole->n_lines);
	for (size_t i = 0; i < whole->n_lines; i++) {
		part.lines[i] = whole->lines[i];
		while (part.lines[i].n_jumps > 0 && part.lines[i].jumps[0].after < first) {
			part.lines[i].jumps++;
			part.lines[i].n_jumps--;
		}
		while (part.lines[i].n_refuted > 0 && part.lines[i].refuted[0].after < first) {
			part.lines[i].refuted++;
			part.lines[i].n_refuted--;
		}
	}
	part.failures = pe_arena_new(arena, struct pe_failure, whole->n_failures);
	part.n_failures = 0;
	for (size_t i = 0; i < whole->n_failures; i++)
		if (whole->failures[i].revision >= first)
			part.failures[part.n_failures++] = whole->failures[i];
	return part;
}

/* newest: windows from this key on are this session's. */
static int load_evolution(struct pe_evolution *out, struct pe_session *session,
			  const struct options *options, int64_t newest)
{
	const struct pe_judge_opts opts = judge_opts(session, options);
	const struct pe_machine_moved_asked moved = {opts.machine, newest, opts.workloads,
						     opts.n_workloads, opts.metrics};
	struct pe_arena *arena = session->arena;
	int rc = pe_judge_load(out, session->ctx, &opts);

	if (rc == PE_OK)
		rc = pe_machine_moved_find(&out->machine_moved, session->ctx, &moved);
	if (rc != PE_OK || session->left_out.n == 0)
		return rc;
	out->left_out = pe_arena_alloc(arena, session->left_out.n, sizeof(*out->left_out));
	out->n_left_out = session->left_out.n;
	for (size_t i = 0; i < session->left_out.n; i++) {
		out->left_out[i].name = session->left_out.data[i].name;
		out->left_out[i].reason = session->left_out.data[i].reason;
	}
	return PE_OK;
}

/* The page with what is stored; then, where it was asked for, with what the jumps are about. */
static int write_report(const char **path, struct pe_cmd_ctx *ctx,
			const struct pe_evolution *evolution, const struct options *options)
{
	struct pe_reporting_opts reporting = {.jumps = PE_REPORT_JUMPS, .file = options->html};
	int rc = pe_report_write(path, ctx, evolution, &reporting);

	reporting.measure = true;
	if (rc == PE_OK && options->profile)
		rc = pe_report_write(path, ctx, evolution, &reporting);
	return rc;
}

static int show(struct pe_session *session, const struct pe_revisions *revisions,
		const struct options *options, int64_t newest)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_evolution evolution, asked;
	const char *page;
	int rc = load_evolution(&evolution, session, options, newest);

	if (rc == PE_ENOTFOUND) {
		pe_cmd_note(ctx, "%s", ctx->err->message);
		return PE_EXIT_UNMEASURABLE;
	}
	if (rc != PE_OK)
		return pe_cmd_fail(ctx);
	asked = within_range(&evolution, revisions, ctx->arena);
	if (print_evolution(ctx, &asked, options->format) != PE_OK)
		return pe_cmd_fail(ctx);
	pe_session_close(session); /* comparisons have sessions of their own */
	rc = write_report(&page, ctx, &evolution, options);
	if (rc == PE_ESTOPPED) {
		pe_cmd_note(ctx, "stopped; the same command goes on from here");
		return PE_EXIT_FAILURE;
	}
	if (rc != PE_OK)
		return pe_cmd_fail(ctx);
	if (options->no_open || ctx->quiet)
		pe_cmd_note(ctx, "report: %s", page);
	else
		pe_cmd_open_browser(ctx, page);
	if (count_points(&asked) == 0) {
		pe_cmd_note(ctx, "nothing could be measured; 'perfevo show REV' prints the logs");
		return PE_EXIT_UNMEASURABLE;
	}
	return options->fail ? verdict(ctx, &asked) : PE_EXIT_GOOD;
}

/* --- The command --- */

static void tell_exploration(struct pe_cmd_ctx *ctx, const struct pe_explore_outcome *outcome)
{
	pe_cmd_note(ctx,
		    "measured adaptively: %zu of %zu revisions are known, by %zu timed runs%s%s",
		    outcome->known, outcome->revisions, outcome->runs,
		    outcome->complete      ? "; nothing more could be learnt"
		    : outcome->out_of_time ? "; the time is spent"
					   : "; the budget is spent",
		    outcome->complete ? "" : " (--budget, --max-runs, --all)");
	if (outcome->open > 0)
		pe_cmd_note(ctx, "%zu jump%s not pinned to one commit yet", outcome->open,
			    outcome->open == 1 ? " is" : "s are");
}

static int explore(struct pe_session *session, const struct options *options)
{
	const struct pe_explore_request request = explore_request(options);
	struct pe_explore_outcome outcome;
	int rc;

	session->count.total = 0;
	session->builds_total = 0;
	rc = pe_explore_measure(&outcome, session, &request);
	if (rc == PE_OK && outcome.runs > 0)
		tell_exploration(session->ctx, &outcome);
	return rc;
}

static int measure(struct pe_session *session, const struct pe_revisions *revisions,
		   const struct options *options)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_judge_opts judge;
	struct pe_confirm_request request;
	struct pe_plan plan;
	size_t confirmed = 0, made;
	bool adaptive;
	int rc = pe_session_add_tests(session, options->bench);

	if (rc == PE_OK)
		rc = pe_session_plan(&plan, session, options->steps);
	if (rc == PE_OK)
		rc = is_adaptive(&adaptive, session, &plan, options);
	if (rc != PE_OK)
		return rc;
	session->count.total = plan.runs;
	session->builds_done = 0;
	session->builds_total = plan.builds;
	if (plan.runs > 0)
		rc = adaptive ? explore(session, options) : pe_session_measure(session);
	made = session->count.done;
	if (rc == PE_OK && !options->no_confirm) {
		judge = judge_opts(session, options);
		request = confirm_request(session, revisions, options, &judge);
		rc = pe_confirm_measure(&confirmed, session, &request);
	}
	if (rc == PE_OK && plan.runs == 0 && confirmed == 0)
		pe_cmd_note(ctx, "everything in this range is measured already (--again measures "
				 "it once more)");
	else if (rc == PE_OK && adaptive && made == 0 && confirmed == 0)
		pe_cmd_note(ctx, "what is worth measuring in this range is measured (--budget and "
				 "--max-runs go on, --all measures every commit)");
	return rc;
}

/* What each wanted commit changed, for the pictures that show it beside the figures. */
static int find_changes(struct pe_session *session)
{
	const struct pe_revision **wanted =
		pe_arena_new(session->arena, const struct pe_revision *, session->n_revisions);
	size_t n = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->revisions[r].wanted)
			wanted[n++] = session->revisions[r].revision;
	return pe_changes_keep(session->ctx, wanted, n);
}

/* After Ctrl-C: what was measured is kept; say how to go on. */
static int stopped(struct pe_cmd_ctx *ctx, const struct pe_session *session)
{
	pe_cmd_note(ctx, "stopped after %zu runs; the same command goes on from here",
		    session->count.done);
	return PE_EXIT_FAILURE;
}

static int run(struct pe_session *session, const struct options *options, const char *spec)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_revisions revisions;
	int64_t newest;
	int rc = choose_range(&revisions, ctx, options, spec);

	if (rc == PE_OK)
		rc = pe_session_open(session, ctx, !options->dry_run);
	session->again = options->again;
	session->whole = options->all;
	session->metrics = options->metrics.n > 0 ? &options->metrics : NULL;
	if (rc == PE_OK)
		rc = pe_session_choose(session, &revisions, options->bench);
	if (rc == PE_OK && options->dry_run)
		return dry_run(session, &revisions, options) == PE_OK ? PE_EXIT_GOOD
								      : pe_cmd_fail(ctx);
	if (rc == PE_OK)
		rc = pe_machine_moved_begin(&newest, ctx);
	if (rc == PE_OK)
		rc = measure(session, &revisions, options);
	if (rc == PE_OK)
		rc = find_changes(session);
	if (rc == PE_ESTOPPED)
		return stopped(ctx, session);
	return rc == PE_OK ? show(session, &revisions, options, newest) : pe_cmd_fail(ctx);
}

static int read_budget(struct options *options, struct pe_cmd_ctx *ctx)
{
	bool limited = options->adaptive || options->max_runs > 0 || options->budget != NULL;
	double ns;

	if (options->all && limited)
		return pe_fail(
			ctx->err, PE_EINVALID,
			"--all measures every commit: it goes with none of --adaptive, --budget "
			"and --max-runs");
	if (options->all_parents && limited)
		return pe_fail(ctx->err, PE_EINVALID,
			       "--all-parents: only a line of commits can be measured adaptively");
	if (options->budget == NULL)
		return PE_OK;
	if (!pe_read_duration_text(&ns, options->budget) || !(ns > 0))
		return pe_fail(ctx->err, PE_EINVALID,
			       "--budget '%s': expected a time such as '2h', '90m' or '45s'",
			       options->budget);
	options->budget_s = ns / 1e9;
	return PE_OK;
}

int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {0};
	const struct pe_opt opts[] = {
		OPT_GROUP("Which commits"),
		OPT_NUMBER(0, "last", &options.last, "N",
			   "the last N commits (20 without a range)"),
		OPT_STRING(0, "since", &options.since, "DATE", "commits at or after a date"),
		OPT_STRING(0, "until", &options.until, "DATE", "commits at or before a date"),
		OPT_FLAG(0, "tags", &options.tags, "only tagged commits"),
		OPT_FLAG(0, "all-parents", &options.all_parents,
			 "follow merged branches too, not only first parents"),
		OPT_FLAG(0, "stdin", &options.from_stdin, "read revisions from standard input"),
		OPT_NUMBER('s', "steps", &options.steps, "K",
			   "only K of the commits that are not measured yet, evenly spread"),
		OPT_GROUP("What is measured"),
		OPT_STRING('b', "bench", &options.bench, "REGEX",
			   "only benchmarks whose name matches"),
		OPT_FLAG(0, "adaptive", &options.adaptive,
			 "measure first where it matters, and no more than it takes (the default "
			 "for more than 60 commits)"),
		OPT_FLAG(0, "all", &options.all, "measure every commit, however many"),
		OPT_STRING(0, "budget", &options.budget, "TIME",
			   "measure adaptively for so long ('2h', '90m')"),
		OPT_NUMBER(0, "max-runs", &options.max_runs, "N",
			   "measure adaptively with so many timed runs"),
		OPT_FLAG('q', "quick", &options.quick, "at most 5 runs of each benchmark"),
		OPT_FLAG(0, "again", &options.again,
			 "measure what is measured already, and try failures again"),
		OPT_FLAG(0, "no-confirm", &options.no_confirm,
			 "leave suspected changes suspects: no fresh runs"),
		OPT_FLAG('n', "dry-run", &options.dry_run, "show the plan and its estimated cost"),
		OPT_GROUP("What is shown"),
		OPT_LIST('m', "metric", &options.metrics, "NAME", "judge and show these metrics"),
		OPT_CHOICE(0, "format", &options.format, formats, "how the result is printed"),
		OPT_STRING(0, "html", &options.html, "FILE", "where the report is written"),
		OPT_FLAG(0, "profile", &options.profile,
			 "compare the commits of the largest jumps for the report, as 'perfevo "
			 "report' does"),
		OPT_FLAG(0, "no-open", &options.no_open, "do not open the report in a browser"),
		OPT_FLAG(0, "fail-on-regression", &options.fail,
			 "exit with 1 when something got worse, confirmed and not accepted"),
		OPT_END,
	};
	struct pe_session session = {.ctx = ctx};
	int code = pe_cmd_begin(ctx, opts, &usage, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 1) {
		pe_fail(ctx->err, PE_EINVALID, "one range at most, as 'A..B'");
		return pe_cmd_fail(ctx);
	}
	if (read_budget(&options, ctx) != PE_OK)
		return pe_cmd_fail(ctx);
	if (options.quick)
		make_quick(ctx);
	/* A dry run puts nothing into the store for good. */
	if (options.dry_run && pe_store_begin(ctx->store, ctx->err) != PE_OK)
		return pe_cmd_fail(ctx);
	code = run(&session, &options, argc == 1 ? argv[0] : NULL);
	if (options.dry_run)
		pe_store_rollback(ctx->store);
	pe_session_close(&session);
	return code;
}
