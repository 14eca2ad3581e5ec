/* Report: everything stored, on one page. */
#include "cmd/commands.h"
#include "app/history/values.h"
#include "app/pages/report_page.h"

#include <unistd.h>

struct options {
	struct pe_values_query asked;
	size_t newest;
	bool no_profile, open;
	struct pe_reporting_opts reporting;
};

/*
 * A report is made of what is there, so there has to be a store; what it measures, and finds out about the two sides of a
 * jump, is written to it. Where nothing is measured the store need not be writable (a mounted backup, somebody else's);
 * jumps are then not explained.
 */
static int open_store(struct pe_cmd_ctx *ctx, bool measures)
{
	const char *path = pe_app_store_path(&ctx->app);
	bool there = access(path, F_OK) == 0, writable = there && access(path, W_OK) == 0;

	return pe_app_open(&ctx->app,
			   writable || (there && measures) ? PE_NEEDS_STORE : PE_NEEDS_STORE_READ);
}

static int run(struct pe_cmd_ctx *ctx, struct options *options)
{
	struct pe_evolution evolution;
	const char *path;

	PE_TRY(open_store(ctx, !options->no_profile));
	PE_TRY(pe_values_load(&evolution, &ctx->app, &options->asked));
	pe_values_keep_newest(&evolution, options->newest);
	options->reporting.measure = !options->no_profile;
	if (ctx->app.config == NULL && options->reporting.jumps > 0)
		pe_app_note(
			&ctx->app,
			"there is no config to measure with, so jumps are not explained: run 'perfevo init'");
	PE_TRY(pe_report_write(&path, &ctx->app, &evolution, &options->reporting));
	pe_cmd_report_page(ctx, path, options->open);
	return PE_OK;
}

int cmd_report(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.reporting = {.jumps = PE_REPORT_JUMPS}};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is shown"),
		OPT_LAST(&options.newest, "only the newest N commits"),
		OPT_BENCH(&options.asked.bench),
		OPT_LIST('m', "metric", &options.asked.metrics, "NAME",
			 "detect changes in these metrics, and show them"),
		OPT_FLAG(0, "all", &options.reporting.all,
			 "commits of every branch and tag, not of HEAD alone"),
		OPT_GROUP("What is explained"),
		OPT_NUMBER(0, "jumps", &options.reporting.jumps, "N",
			   "at most N jumps, the largest (5 by default)"),
		OPT_NUMBER(0, "newest-jumps", &options.reporting.newest, "N",
			   "only jumps of the newest N commits"),
		OPT_FLAG(0, "no-profile", &options.no_profile,
			 "only those whose profiles are stored: nothing is built or run"),
		OPT_GROUP("Where it goes"),
		OPT_STRING('o', "output", &options.reporting.file, "FILE",
			   "where the page is written"),
		OPT_FLAG(0, "open", &options.open, "open it in a browser"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	options.asked.range = argc == 1 ? argv[0] : NULL;
	return run(ctx, &options);
}
