/* Report: everything that is known, on one page. */
#include "cmd/commands.h"
#include "app/history/values.h"
#include "app/explain/report_page.h"

#include <unistd.h>

static const char *const lines[] = {"perfevo report [-o FILE] [RANGE]", NULL};

static const struct pe_example examples[] = {
	{"perfevo report --open", "all that was measured on HEAD's line, in the browser"},
	{"perfevo report -o report.html v1.0..v2.0", "a range, as a file to keep or to mail"},
	{"perfevo report --jumps 1 -b '^parse'",
	 "the largest jump of the parser's benchmarks, explained"},
	{"perfevo report --no-profile", "only what is stored: nothing is built or run"},
	{NULL, NULL},
};

static const struct pe_usage usage = {
	.lines = lines,
	.description =
		"Writes one page with the evolution of every benchmark, the commit graph and, for "
		"the largest jumps, a comparison of the two commits: the difference as a "
		"blueprint, its causes, and the sources of the methods that changed. Regressions "
		"come before improvements. What the database lacks of these commits is measured "
		"and profiled, as 'perfevo compare' does it.\n\n"
		"The page is self-contained: it needs no server and no network. It is written to "
		"report.html in perfevo's folder of the git directory, where 'perfevo track' "
		"leaves it too, unless -o names a file.",
	.examples = examples,
};

struct options {
	struct pe_values_asked asked;
	size_t newest;
	bool no_profile, open;
	struct pe_reporting_opts reporting;
};

/* A report is made of what is there, so there has to be a store; what it measures is written to it. */
static int open_store(struct pe_cmd_ctx *ctx)
{
	bool there = access(pe_app_store_path(&ctx->app), F_OK) == 0;

	return pe_app_open(&ctx->app, there ? PE_NEEDS_STORE : PE_NEEDS_STORE_READ);
}

static int run(struct pe_cmd_ctx *ctx, struct options *options)
{
	struct pe_evolution evolution;
	const char *path;
	int rc = open_store(ctx);

	if (rc == PE_OK)
		rc = pe_values_load(&evolution, &ctx->app, &options->asked);
	if (rc != PE_OK)
		return rc;
	pe_values_keep_newest(&evolution, options->newest);
	options->reporting.measure = !options->no_profile;
	if (ctx->app.config == NULL && options->reporting.jumps > 0)
		pe_app_note(
			&ctx->app,
			"there is no config to measure with, so jumps are not explained: run 'perfevo init'");
	rc = pe_report_write(&path, &ctx->app, &evolution, &options->reporting);
	if (rc != PE_OK)
		return rc;
	if (options->open)
		pe_cmd_open_browser(ctx, path);
	else
		pe_app_note(&ctx->app, "report: %s", path);
	return PE_OK;
}

int cmd_report(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.reporting = {.jumps = PE_REPORT_JUMPS}};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is shown"),
		OPT_NUMBER('n', "number", &options.newest, "N", "only the newest N commits"),
		OPT_STRING('b', "bench", &options.asked.bench, "REGEX",
			   "only benchmarks whose name matches"),
		OPT_LIST('m', "metric", &options.asked.metrics, "NAME",
			 "detect changes in these metrics, and show them"),
		OPT_FLAG(0, "all", &options.reporting.all,
			 "commits of every branch and tag, not of HEAD alone"),
		OPT_GROUP("What is explained"),
		OPT_NUMBER(0, "jumps", &options.reporting.jumps, "N",
			   "at most N jumps, the largest (5 by default)"),
		OPT_FLAG(0, "no-profile", &options.no_profile,
			 "only those whose profiles are stored: nothing is built or run"),
		OPT_GROUP("Where it goes"),
		OPT_STRING('o', "output", &options.reporting.file, "FILE",
			   "where the page is written"),
		OPT_FLAG(0, "open", &options.open, "open it in a browser"),
		OPT_END,
	};
	int code = pe_cmd_begin(ctx, opts, &usage, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one range at most, as 'A..B'");
	options.asked.range = argc == 1 ? argv[0] : NULL;
	code = run(ctx, &options);
	if (code == PE_ESTOPPED)
		pe_app_note(&ctx->app, "stopped; run the same command to resume");
	return code == PE_OK         ? PE_EXIT_GOOD
	       : code == PE_ESTOPPED ? PE_EXIT_FAILURE
				     : pe_cmd_fail(ctx);
}
