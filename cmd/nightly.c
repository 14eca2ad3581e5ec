/* Nightly: the command for cron, and the line that starts it. */
#include "app/jobs/nightly.h"
#include "cmd/commands.h"

#include "core/base/outfile.h"

#include <unistd.h>

struct options {
	struct pe_nightly_plan plan; /* over the config's */
	size_t last;
	bool crontab;
	const char *at;
};

/* Paths of the config are relative to the top of the tree: cron works elsewhere. */
static const char *from_root(struct pe_cmd_ctx *ctx, const char *path)
{
	if (path == NULL || path[0] == '/' || ctx->app.config->root == NULL)
		return path;
	return pe_arena_printf(ctx->app.arena, "%s/%s", ctx->app.config->root, path);
}

/* What is relative to the current folder: the steps, and cron, work at the top of the tree. */
static int from_here(const char **path, struct pe_cmd_ctx *ctx)
{
	char here[4096];

	if (*path == NULL || (*path)[0] == '/')
		return PE_OK;
	if (getcwd(here, sizeof(here)) == NULL)
		return pe_fail_errno(ctx->app.err, "cannot find the current folder");
	*path = pe_arena_printf(ctx->app.arena, "%s/%s", here, *path);
	return PE_OK;
}

static void take_options(struct pe_nightly_plan *plan, const struct options *options)
{
	if (options->plan.fetch != NULL)
		plan->fetch = options->plan.fetch;
	if (options->plan.budget_ns > 0)
		plan->budget_ns = options->plan.budget_ns;
	if (options->plan.report != NULL)
		plan->report = options->plan.report;
	if (options->plan.last > 0)
		plan->last = options->plan.last;
	if (options->plan.revision != NULL)
		plan->revision = options->plan.revision;
}

static int spend(struct pe_cmd_ctx *ctx, int format)
{
	struct pe_newsletter news;
	pe_auto_text text = PE_TEXT_INIT;
	bool unmeasurable;
	int rc = pe_nightly_run(&news, &unmeasurable, &ctx->app, &ctx->app.config->nightly);

	if (rc == PE_EBUSY) {
		pe_app_note(&ctx->app, "%s", ctx->app.err->message);
		return PE_EXIT_GOOD;
	}
	PE_TRY(rc);
	/* cron mails what is printed: nothing, when there is no news. */
	if (format == PE_FORMAT_JSON)
		pe_newsletter_json(&text, &news);
	else if (news.n > 0 || ctx->out.interactive)
		pe_newsletter_text(&text, &news);
	if (text.len > 0)
		PE_TRY(pe_cmd_print(ctx, &text, false));
	pe_newsletter_printed(&ctx->app, &news);
	if (news.n > 0)
		return PE_EXIT_REGRESSED;
	return unmeasurable ? PE_EXIT_UNMEASURABLE : PE_EXIT_GOOD;
}

static int print_crontab(struct pe_cmd_ctx *ctx, const struct options *options)
{
	pe_auto_text line = PE_TEXT_INIT;

	PE_TRY(pe_nightly_add_crontab(&line, &ctx->app, &options->plan, options->at));
	return pe_cmd_print(ctx, &line, false);
}

int cmd_nightly(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.at = "02:00"};
	int format = PE_FORMAT_TERM;
	const struct pe_opt opts[] = {
		OPT_GROUP("One run"),
		OPT_STRING(0, "fetch", &options.plan.fetch, "REMOTE", "fetch it first"),
		OPT_NUMBER(0, "last", &options.last, "N", "watch the last N commits (50)"),
		OPT_DURATION(0, "budget", &options.plan.budget_ns, "DURATION", "time budget (6h)"),
		OPT_STRING('o', "report", &options.plan.report, "FILE",
			   "where the report is written"),
		OPT_JSON(&format),
		OPT_GROUP("Schedule"),
		OPT_FLAG(0, "crontab", &options.crontab,
			 "print the line of a crontab that starts it every day"),
		OPT_STRING(0, "at", &options.at, "HH:MM", "when (02:00)"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (pe_outfile_is_standard(options.plan.report))
		return pe_cmd_misused(
			ctx, "standard output is for the news: name a file for the report");
	if (options.crontab && format != PE_FORMAT_TERM)
		return pe_cmd_misused(ctx, "--format is for the news of a run");
	options.plan.last = (unsigned)(options.last < UINT32_MAX ? options.last : UINT32_MAX);
	options.plan.revision = argc > 0 ? argv[0] : NULL;
	PE_TRY(from_here(&options.plan.report, ctx));
	PE_TRY(from_here(&ctx->app.config_path, ctx));
	PE_TRY(from_here(&ctx->app.store_path, ctx));
	if (options.crontab)
		return print_crontab(ctx, &options);
	ctx->app.config->nightly.file = from_root(ctx, ctx->app.config->nightly.file);
	ctx->app.config->nightly.report = from_root(ctx, ctx->app.config->nightly.report);
	take_options(&ctx->app.config->nightly, &options);
	return spend(ctx, format);
}
