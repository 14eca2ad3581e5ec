/*
 * One step of `git bisect run`: is the commit that is checked out at the good level or at another? With a bad
 * commit too it is a bisection among three: good, this one, bad. Without, fresh pairs of good and this one decide
 * (core/stats/confirm.h).
 */
#include "cmd/bisecting.h"

#include <stdlib.h>
#include <string.h>

static int resolve(struct pe_revision *out, struct pe_cmd_ctx *ctx, const char *spec)
{
	return pe_repo_resolve(out, ctx->app.repo, spec, ctx->app.arena, ctx->app.err);
}

static void say(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b, const char *answer)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%.10s %s: %s, %s", b->line[1].id, b->bench, b->metric->label, answer);
	pe_app_note(&ctx->app, "%s (%zu runs)", pe_text_str(&text), b->found.range.runs);
}

/* Places of three revisions: 1 means that this one is new already, 2 that it is still old. */
static int report(struct pe_cmd_ctx *ctx, const struct pe_bisecting *b, bool has_bad)
{
	const struct pe_bisect_result *step =
		b->found.n > 0 ? &b->found.steps[0].result : &b->found.range;
	const bool worse = pe_bisecting_is_regression(b, step);

	if (b->end == PE_BISECTING_ANSWERED && b->found.answer == PE_BISECT_SAME && !has_bad) {
		say(ctx, b, "at the good level");
		return PE_EXIT_GOOD;
	}
	if (!pe_bisecting_is_found(b) || step->group.first != step->group.last) {
		say(ctx, b, "is unknown");
		return PE_EXIT_UNMEASURABLE;
	}
	if (!has_bad) {
		say(ctx, b, worse ? "bad" : "better than good");
		return worse ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
	}
	say(ctx, b,
	    step->group.first > 1 ? "at the good level"
	    : b->found.partial    ? "past a first step"
				  : "at the bad level");
	return step->group.first == 1 ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
}

int pe_bisecting_step(struct pe_cmd_ctx *ctx, const struct pe_bisecting_opts *opts,
		      const char *good, const char *bad)
{
	struct pe_revision line[3];
	pe_auto_bisecting b = {
		.app = &ctx->app, .opts = opts, .line = line, .n = bad != NULL ? 3 : 2};

	PE_TRY(resolve(&line[0], ctx, good));
	PE_TRY(resolve(&line[1], ctx, "HEAD"));
	if (bad != NULL)
		PE_TRY(resolve(&line[2], ctx, bad));
	if (strcmp(line[0].id, line[1].id) == 0)
		return PE_EXIT_GOOD;
	if (bad != NULL && strcmp(line[1].id, line[2].id) == 0)
		return PE_EXIT_REGRESSED;
	PE_TRY(pe_bisecting_run(&b));
	return report(ctx, &b, bad != NULL);
}
