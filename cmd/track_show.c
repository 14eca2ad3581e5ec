/* The result of a track: printed, written as a page, and judged for --fail-on-regression. */
#include "cmd/tracking.h"

#include "app/history/jump_functions.h"
#include "app/history/values.h"
#include "app/pages/report_page.h"

#include "configs/accepted.h"
#include "core/exec/simulate.h"
#include "report/commit_blocks.h"
#include "report/evolution.h"
#include "report/min_effect.h"
#include "report/query.h"
#include "report/markdown.h"

#include <math.h>
#include <string.h>

/*
 * Whether every benchmark has a result at the newest of the commits: one without may be a regression, and so passes no
 * gate. Prints what is missing.
 */
static bool is_judged(struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution,
		      const struct pe_revision *newest)
{
	const struct pe_failure *failure = NULL;
	const size_t r = pe_revision_find(evolution->revisions, evolution->n_revisions, newest->id);
	bool measured = false;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = pe_line_at(&evolution->lines[i], r);

		measured = measured || (point != NULL && point->outcome == PE_MEASURED);
	}
	for (size_t i = 0; i < evolution->n_failures && failure == NULL; i++)
		if (evolution->failures[i].revision == r)
			failure = &evolution->failures[i];
	if (failure != NULL)
		pe_app_note(
			&ctx->app,
			"%.8s %s%s%s: whether it is a regression is unknown (status 125); 'perfevo show %.8s' prints the log",
			newest->id, failure->benchmark != NULL ? failure->benchmark : "",
			failure->benchmark != NULL ? ": " : "", pe_outcome_say(failure->outcome),
			newest->id);
	else if (!measured)
		pe_app_note(
			&ctx->app,
			"%.8s has no result: whether it is a regression is unknown (status 125); 'perfevo track %.8s~1..%.8s' measures it",
			newest->id, newest->id, newest->id);
	return measured && failure == NULL;
}

/* Jumps for the worse by why a gate does not fail by them. */
struct judged {
	size_t fails, below, outweighed, suspects, accepted, layout;
};

static struct judged judge(struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution)
{
	const struct pe_gate_limits *limits = &ctx->app.config->gate;
	struct judged judged = {0};
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, ctx->app.arena);

	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < blocks[b].n; i++) {
			const struct pe_jump *jump = blocks[b].jumps[i].jump;
			const enum pe_gate_rule rule =
				pe_commit_block_rule(&blocks[b], i, limits, ctx->app.arena);

			if (!jump->regression)
				continue;
			judged.fails += rule == PE_GATE_FAILS;
			judged.below += rule == PE_GATE_BELOW;
			judged.outweighed += rule == PE_GATE_OUTWEIGHED;
			judged.suspects += jump->state == PE_JUMP_SUSPECT && !jump->event_confirmed;
			judged.accepted += jump->state == PE_JUMP_ACCEPTED;
			judged.layout +=
				jump->state == PE_JUMP_CONFIRMED && jump->layout == PE_LAYOUT_ONLY;
		}
	return judged;
}

/*
 * --fail-on-regression: the exit status of what fails the gate, else of what is unknown. Regressions within the gate are noted.
 */
static int verdict(struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution,
		   const struct pe_revision *newest)
{
	const bool known = is_judged(ctx, evolution, newest);
	const struct judged judged = judge(ctx, evolution);
	pe_auto_text limits = PE_TEXT_INIT;

	if (judged.suspects > 0)
		pe_app_note(
			&ctx->app,
			"%zu suspected regression%s not counted: fresh runs have not confirmed %s",
			judged.suspects, judged.suspects == 1 ? " is" : "s are",
			judged.suspects == 1 ? "it" : "them");
	if (judged.accepted > 0)
		pe_app_note(&ctx->app,
			    "%zu accepted regression%s not counted (" PE_ACCEPTED_FILE ")",
			    judged.accepted, judged.accepted == 1 ? " is" : "s are");
	if (judged.layout > 0 && !ctx->app.config->gate.layout_fails)
		pe_app_note(
			&ctx->app,
			"%zu confirmed regression%s layout and not counted ('layout: fail' counts "
			"%s)",
			judged.layout, judged.layout == 1 ? " is" : "s are",
			judged.layout == 1 ? "it" : "them");
	pe_gate_limits_add(&limits, &ctx->app.config->gate);
	pe_app_note(&ctx->app, "gate: %s", pe_text_str(&limits));
	if (judged.below > 0)
		pe_app_note(&ctx->app, "%zu confirmed regression%s below the gate", judged.below,
			    judged.below == 1 ? " is" : "s are");
	if (judged.outweighed > 0)
		pe_app_note(&ctx->app, "%zu count%s of a benchmark that takes less time",
			    judged.outweighed, judged.outweighed == 1 ? " is" : "s are");
	return judged.fails > 0 ? PE_EXIT_REGRESSED : known ? PE_EXIT_GOOD : PE_EXIT_UNMEASURABLE;
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
	pe_auto_text text = PE_TEXT_INIT;

	if (format == PE_TRACKING_JSON)
		pe_evolution_json(&text, evolution);
	else if (format == PE_TRACKING_CSV)
		pe_evolution_csv(&text, evolution);
	else if (format == PE_TRACKING_MD)
		pe_evolution_term(&text, evolution, &pe_md_term);
	else
		pe_evolution_term(&text, evolution, &ctx->out);
	return pe_cmd_show(ctx, &text, false);
}

static int load_evolution(struct pe_evolution *out, struct pe_session *session)
{
	const struct pe_detect_opts opts = pe_track_detect_opts(session);
	struct pe_arena *arena = session->arena;

	PE_TRY(pe_detect_load(out, session->app, &opts));
	out->counts_only = session->app->counts_only;
	if (session->left_out.n == 0)
		return PE_OK;
	out->left_out = pe_arena_alloc(arena, session->left_out.n, sizeof(*out->left_out));
	out->n_left_out = session->left_out.n;
	for (size_t i = 0; i < session->left_out.n; i++) {
		out->left_out[i].name = session->left_out.data[i].name;
		out->left_out[i].reason = session->left_out.data[i].reason;
	}
	return PE_OK;
}

/*
 * The permanent page has everything stored, whatever part of it was tracked: newer commits, and benchmarks that were not
 * chosen. Commits that are not on HEAD's line have a page of their own.
 */
static const struct pe_evolution *all_stored(struct pe_evolution *all, struct pe_cmd_ctx *ctx,
					     const struct pe_evolution *tracked,
					     const struct pe_strings *metrics)
{
	const struct pe_values_query asked = {.metrics = *metrics};
	const char *newest = tracked->revisions[tracked->n_revisions - 1].id;
	struct pe_err *err = ctx->app.err, why = PE_ERR_INIT;
	int rc;

	ctx->app.err = &why;
	rc = pe_values_load(all, &ctx->app, &asked);
	ctx->app.err = err;
	if (rc != PE_OK ||
	    pe_revision_find(all->revisions, all->n_revisions, newest) == all->n_revisions)
		return tracked;
	all->left_out = tracked->left_out;
	all->n_left_out = tracked->n_left_out;
	return all;
}

/* Write the page with the stored results; then, on request, with the comparisons of the jumps. */
static int write_report(const char **path, struct pe_cmd_ctx *ctx,
			const struct pe_evolution *evolution,
			const struct pe_tracking_opts *options)
{
	struct pe_reporting_opts reporting = {.jumps = PE_REPORT_JUMPS, .file = options->html};
	struct pe_evolution all;

	if (options->html == NULL && evolution->n_revisions > 0)
		evolution = all_stored(&all, ctx, evolution, &options->metrics);
	PE_TRY(pe_report_write(path, &ctx->app, evolution, &reporting));
	reporting.measure = true;
	if (options->profile)
		PE_TRY(pe_report_write(path, &ctx->app, evolution, &reporting));
	return PE_OK;
}

/* The first failure, or NULL; of how many at *n. That a commit does not have a benchmark yet is none. */
static const struct pe_failure *first_failure(size_t *n, const struct pe_evolution *evolution)
{
	const struct pe_failure *first = NULL;

	*n = 0;
	for (size_t i = evolution->n_failures; i-- > 0;)
		if (evolution->failures[i].outcome != PE_ABSENT) {
			first = &evolution->failures[i];
			++*n;
		}
	return first;
}

/* What to ask next: of the largest jump that is not accepted, and of what failed. */
static void note_next(const struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution)
{
	size_t n, n_failures;
	const struct pe_ranked_jump *ranked = pe_evolution_rank(&n, evolution, ctx->app.arena);
	const struct pe_jump *jump = n > 0 ? ranked[0].jump : NULL;
	const struct pe_failure *failure = first_failure(&n_failures, evolution);

	if (jump != NULL && jump->state != PE_JUMP_ACCEPTED && jump->commits > 1)
		pe_app_note(&ctx->app,
			    "next: 'perfevo bisect' finds the commit among the %zu of %.8s..%.8s",
			    jump->commits, evolution->revisions[jump->before].id,
			    evolution->revisions[jump->after].id);
	else if (jump != NULL && jump->state != PE_JUMP_ACCEPTED)
		pe_app_note(
			&ctx->app,
			"next: 'perfevo compare %.8s %.8s' shows which functions cause the change",
			evolution->revisions[jump->before].id,
			evolution->revisions[jump->after].id);
	if (failure != NULL)
		pe_app_note(&ctx->app, "next: 'perfevo show %.8s' prints the log of %s",
			    evolution->revisions[failure->revision].id,
			    n_failures > 1 ? "a failure" : "the failure");
}

/* Where times tell little, counts may tell more; a line of a few runs tells nothing of times for good. */
static void note_counts(const struct pe_cmd_ctx *ctx, const struct pe_evolution *evolution)
{
	double least = NAN;

	for (size_t i = 0; i < evolution->n_lines; i++)
		if (evolution->lines[i].judged &&
		    strcmp(evolution->lines[i].metric->name, pe_metrics[PE_WALL].name) == 0)
			least = fmin(least, pe_line_least(&evolution->lines[i], evolution->first));
	if (least >= PE_COARSE_TIMES && pe_simulate_program(ctx->app.arena, NULL) != NULL)
		pe_app_note(&ctx->app,
			    "next: 'perfevo track --counts' compares exact counts: times "
			    "here would detect no change below 20 %%");
}

/* The change of the first commit of A..B is against A, or what was measured before it. */
static void note_first(const struct pe_cmd_ctx *ctx, const struct pe_evolution *asked,
		       const struct pe_revisions *revisions, const char *range)
{
	const struct pe_revision *first = revisions->n > 0 ? &revisions->at[0] : NULL;

	if (range == NULL || strstr(range, "..") == NULL || first == NULL ||
	    first->n_parents == 0 || asked->first > 0)
		return;
	pe_app_note(
		&ctx->app,
		"%.8s is the first commit of the range, and nothing before it is measured: what it "
		"changed is not known (measure its parent %.8s, too)",
		first->id, first->parents[0]);
}

/* "overlay: [tests/a.c, tests/b.c]" */
static const char *overlay_of(const struct pe_session *session)
{
	enum { SHOWN = 4 };
	const char *list = "";

	for (size_t i = 0; i < session->edited.n && i < SHOWN; i++)
		list = pe_arena_printf(session->arena, "%s%s%s", list, i > 0 ? ", " : "",
				       session->edited.data[i]);
	return pe_arena_printf(session->arena, "overlay: [%s%s]", list,
			       session->edited.n > SHOWN ? ", ..." : "");
}

/* Where every test was left out, the reasons are the answer: nothing was measured, and nothing went wrong. */
static int explain_nothing(struct pe_cmd_ctx *ctx, const struct pe_session *session)
{
	enum { SHOWN = 5 };
	const struct pe_left_out *left_out = session->left_out.data;
	const size_t n = session->left_out.n;

	for (size_t i = 0; i < n && i < SHOWN; i++)
		pe_app_note(&ctx->app, "%s is left out: %s", left_out[i].name, left_out[i].reason);
	if (n > SHOWN)
		pe_app_note(&ctx->app, "and %zu more are left out", n - SHOWN);
	if (n > 0 && session->benchmarks.n == 0 && session->edited.n > 0)
		pe_app_note(
			&ctx->app,
			"nothing is left to measure: with '%s' in perfevo.yml every commit is built with today's version of them; else take a range over which they stay as they are",
			overlay_of(session));
	else if (n > 0 && session->benchmarks.n == 0)
		pe_app_note(
			&ctx->app,
			"nothing is left to measure: take a range over which sources of tests stay as they are");
	else
		pe_app_note(&ctx->app, "%s", ctx->app.err->message);
	return PE_EXIT_UNMEASURABLE;
}

int pe_tracking_show(struct pe_cmd_ctx *ctx, struct pe_session *session,
		     const struct pe_revisions *revisions, const struct pe_tracking_opts *options)
{
	struct pe_evolution evolution, asked;
	const char *page;
	int rc = load_evolution(&evolution, session);

	if (rc == PE_ENOTFOUND)
		return explain_nothing(ctx, session);
	PE_TRY(rc);
	asked = pe_values_within(&evolution, revisions, ctx->app.arena);
	PE_TRY(pe_jump_functions_fill(&asked, &ctx->app));
	PE_TRY(print_evolution(ctx, &asked, options->format));
	note_first(ctx, &asked, revisions, options->range);
	pe_session_close(session); /* comparisons have sessions of their own */
	PE_TRY(write_report(&page, ctx, &evolution, options));
	pe_cmd_report_page(ctx, page, !options->no_open && !ctx->app.quiet);
	if (count_points(&asked) == 0) {
		pe_app_note(&ctx->app,
			    "nothing could be measured; 'perfevo show REV' prints the logs");
		return PE_EXIT_UNMEASURABLE;
	}
	if (options->format == PE_TRACKING_TERM)
		note_next(ctx, &asked);
	if (!evolution.counts_only)
		note_counts(ctx, &asked);
	return options->fail ? verdict(ctx, &asked, &revisions->at[revisions->n - 1])
			     : PE_EXIT_GOOD;
}
