/* Log: the history with the results of each commit, newest first: as a graph, or as a table a benchmark. */
#include "cmd/commands.h"
#include "app/history/values.h"
#include "app/history/commit_graph.h"
#include "app/measure/thresholds.h"
#include "core/base/clock.h"
#include "report/log_marks.h"
#include "report/query.h"

#include <string.h>

static const char *const formats[] = {"term", "json", "csv", NULL};

enum { FORMAT_TERM, FORMAT_JSON, FORMAT_CSV };

/* A table of these lines of history, of its newest commits. @return  the signs in it, as of all tables here */
static unsigned add_table(struct pe_text *out, const struct pe_cmd_ctx *ctx,
			  const struct pe_evolution *all, struct pe_line *lines, size_t n,
			  size_t first, const char *title)
{
	struct pe_evolution some = *all;

	some.lines = lines;
	some.n_lines = n;
	some.first = first > all->first ? first : all->first;
	return pe_evolution_log(out, &some, title, &ctx->out);
}

/* One benchmark with the writer's own columns. */
static unsigned add_benchmark(struct pe_text *out, const struct pe_cmd_ctx *ctx,
			      const struct pe_evolution *all, const char *benchmark, size_t newest)
{
	struct pe_line *lines = pe_arena_new(ctx->app.arena, struct pe_line, all->n_lines);
	size_t n = 0;

	for (size_t i = 0; i < all->n_lines; i++)
		if (strcmp(all->lines[i].benchmark, benchmark) == 0)
			lines[n++] = all->lines[i];
	return add_table(out, ctx, all, lines, n,
			 newest > 0 && newest < all->n_revisions ? all->n_revisions - newest : 0,
			 NULL);
}

/* One benchmark and metric of the options, by the newest commits that have a point. */
static unsigned add_line(struct pe_text *out, const struct pe_cmd_ctx *ctx,
			 const struct pe_evolution *all, struct pe_line *line, size_t newest)
{
	const struct pe_metric *metric = line->metric;
	bool judged;

	/* By config and default: asked for by name, every metric is searched for jumps. */
	pe_thresholds_metric(&judged, &ctx->app, metric);
	return add_table(out, ctx, all, line, 1,
			 newest > 0 && newest < line->n_points
				 ? line->points[line->n_points - newest].revision
				 : 0,
			 pe_arena_printf(ctx->app.arena, "%s%s",
					 metric->label != NULL ? metric->label : metric->name,
					 judged ? "" : PE_LOG_RECORDED_SIGN)) |
	       (judged ? 0 : PE_LOG_RECORDED);
}

static void add_legend(struct pe_text *out, const struct pe_cmd_ctx *ctx, unsigned marks)
{
	if (!ctx->app.quiet)
		pe_log_add_legend(out, &ctx->out, marks);
}

static void add_tables(struct pe_text *out, struct pe_cmd_ctx *ctx,
		       const struct pe_evolution *evolution, bool by_metric, size_t newest)
{
	size_t n = evolution->n_lines;
	unsigned marks = 0;
	const struct pe_line **first = NULL;

	if (!by_metric)
		first = pe_evolution_benchmarks(&n, evolution, ctx->app.arena);
	/* Nothing was measured at all: the commits are listed with the reason, or what the metrics failed by. */
	if (n == 0 && by_metric && evolution->n_failures > 0)
		pe_evolution_failures(out, evolution, &ctx->out);
	else if (n == 0)
		marks |= pe_evolution_log(out, evolution, NULL, &ctx->out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pe_text_addc(out, '\n');
		if (by_metric)
			marks |= add_line(out, ctx, evolution, &evolution->lines[i], newest);
		else
			marks |= add_benchmark(out, ctx, evolution, first[i]->benchmark, newest);
	}
	add_legend(out, ctx, marks);
}

/* --- The graph --- */

struct options {
	size_t newest;
	const char *since, *until;
	bool all, no_graph;
	int format;
	struct pe_values_query asked;
};

static int choose_commits(struct pe_history_opts *out, struct pe_cmd_ctx *ctx,
			  const struct options *options)
{
	int64_t now_s = pe_clock_now_s();

	*out = (struct pe_history_opts){
		.query = {.spec = options->asked.range,
			  .all = options->all,
			  .last = options->newest},
		.apart = true,
	};
	/* Without an end in the options, history ends at the oldest commit with results. */
	out->back_to_evolution =
		options->newest == 0 && options->since == NULL && options->asked.range == NULL;
	if (options->since != NULL)
		PE_TRY(pe_repo_parse_date(&out->query.since_s, options->since, now_s,
					  ctx->app.err));
	if (options->until != NULL)
		PE_TRY(pe_repo_parse_date(&out->query.until_s, options->until, now_s,
					  ctx->app.err));
	return PE_OK;
}

static int load_graph(struct pe_history *out, struct pe_evolution *evolution,
		      struct pe_cmd_ctx *ctx, const struct options *options)
{
	struct pe_detect_opts detect = {0};
	struct pe_history_opts opts;
	bool beside = false;
	int rc = choose_commits(&opts, ctx, options);

	if (rc == PE_OK)
		rc = pe_values_load(evolution, &ctx->app, &options->asked);
	/* Other branches may have values where HEAD's own history has none. */
	if (rc == PE_ENOTFOUND && options->all) {
		*ctx->app.err = (struct pe_err)PE_ERR_INIT;
		*evolution = (struct pe_evolution){0};
		rc = PE_OK;
	}
	PE_TRY(rc);
	PE_TRY(pe_history_load(out, &ctx->app, evolution, &opts));
	detect.bench = options->asked.bench;
	detect.anybodys = true;
	if (options->asked.machine != NULL)
		PE_TRY(pe_values_machine(&detect.machine, &ctx->app, options->asked.machine));
	PE_TRY(pe_history_detect_beside(evolution, &beside, &ctx->app, out, &detect));
	if (beside)
		pe_history_place(out, evolution);
	return PE_OK;
}

static int show_graph(struct pe_text *out, struct pe_cmd_ctx *ctx, const struct options *options)
{
	struct pe_evolution evolution;
	struct pe_history history;

	PE_TRY(load_graph(&history, &evolution, ctx, options));
	if (history.n == 0)
		return pe_fail(ctx->app.err, PE_ENOTFOUND,
			       "no matching commits: check the range and the dates");
	/* A range ends where the user set it; that there is more needs no note. */
	history.cut = history.cut && options->asked.range == NULL;
	if (options->format == FORMAT_JSON) {
		pe_values_keep_newest(&evolution, options->newest);
		pe_history_json(out, &history);
	} else {
		add_legend(
			out, ctx,
			pe_history_term(out, &history, pe_history_benchmark(&history), &ctx->out));
	}
	return PE_OK;
}

static int show_tables(struct pe_text *out, struct pe_cmd_ctx *ctx, const struct options *options)
{
	struct pe_evolution evolution;

	PE_TRY(pe_values_load(&evolution, &ctx->app, &options->asked));
	if (options->format == FORMAT_TERM) {
		add_tables(out, ctx, &evolution, options->asked.metrics.n > 0, options->newest);
		return PE_OK;
	}
	pe_values_keep_newest(&evolution, options->newest);
	if (options->format == FORMAT_JSON)
		pe_evolution_json(out, &evolution);
	else
		pe_evolution_csv(out, &evolution);
	return PE_OK;
}

/* Note a track in another terminal, whose results so far are shown. */
static int note_activity(struct pe_cmd_ctx *ctx)
{
	struct pe_activity activity;

	PE_TRY(pe_store_get_activity(&activity, ctx->app.store, ctx->app.err));
	if (activity.revisions > 0 && pe_app_is_measured(&ctx->app))
		pe_app_note(&ctx->app, "a track is at work: %zu of %zu revisions measured",
			    activity.known, activity.revisions);
	return PE_OK;
}

int cmd_log(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.format = FORMAT_TERM};
	const struct pe_opt opts[] = {
		OPT_LAST(&options.newest, "only the newest N commits"),
		OPT_FLAG(0, "all", &options.all, "of every branch and tag, not of HEAD alone"),
		OPT_STRING(0, "since", &options.since, "DATE", "only commits from then on"),
		OPT_STRING(0, "until", &options.until, "DATE", "only commits until then"),
		OPT_BENCH(&options.asked.bench),
		OPT_STRING(
			0, "machine", &options.asked.machine, "NAME",
			"results of this machine, in place of this one's; 'imported': read from files"),
		OPT_FLAG(0, "no-graph", &options.no_graph, "a table a benchmark, not the graph"),
		OPT_LIST('m', "metric", &options.asked.metrics, "NAME", "a table of these metrics"),
		OPT_FORMAT(&options.format, formats),
		OPT_END,
	};
	pe_auto_text text = PE_TEXT_INIT;
	bool tables;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	tables = options.no_graph || options.asked.metrics.n > 0 || options.format == FORMAT_CSV;
	if (tables && (options.all || options.since != NULL || options.until != NULL))
		return pe_cmd_misused(ctx, "--all, --since and --until are for the graph");
	options.asked.range = argc == 1 ? argv[0] : NULL;
	PE_TRY(note_activity(ctx));
	PE_TRY((tables ? show_tables : show_graph)(&text, ctx, &options));
	return pe_cmd_show(ctx, &text, true);
}
