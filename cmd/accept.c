/* Accept: write a known and wanted change into a tracked file, so that reviewers see it. */
#include "cmd/commands.h"
#include "app/history/jump_status.h"

#include "configs/read.h"
#include "core/base/clock.h"
#include "core/base/outfile.h"
#include "core/json/writer.h"
#include "report/format.h"
#include "report/terminal.h"

#include <string.h>
#include <unistd.h>

struct options {
	int format;
	const char *revision, *metric, *why;
	bool list, remove;
};

static void put_entry(struct pe_json *json, const struct pe_accepted *one)
{
	const bool all = strcmp(one->benchmark, PE_ACCEPTED_ALL) == 0;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", all ? NULL : one->benchmark);
	pe_json_members(json, one, metric, revision, why, by, when);
	pe_json_end(json);
}

static int print_json(struct pe_cmd_ctx *ctx, const struct pe_accepted_list *list)
{
	pe_auto_text out = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_each_row(&json, "accepted", i, list->n, put_entry(&json, &list->at[i]));
	pe_json_finish(&json);
	return pe_cmd_print(ctx, &out, false);
}

static int print_list(struct pe_cmd_ctx *ctx, const struct pe_accepted_list *list)
{
	static const struct pe_column columns[] = {
		{"benchmark", false, 10}, {"metric", false, 0}, {"commit", false, 0},
		{"why", false, 20},       {"by", false, 0},     {"when", false, 0},
	};
	pe_auto_text out = PE_TEXT_INIT;
	struct pe_table table;
	int rc;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]), &ctx->out);
	for (size_t i = 0; i < list->n; i++) {
		const struct pe_accepted *one = &list->at[i];

		pe_table_put(&table, PE_PLAIN,
			     strcmp(one->benchmark, PE_ACCEPTED_ALL) == 0 ? "all" : one->benchmark);
		pe_table_put(&table, PE_PLAIN, one->metric != NULL ? one->metric : "all");
		pe_table_put(&table, PE_PLAIN,
			     pe_arena_printf(ctx->app.arena, "%.10s", one->revision));
		pe_table_put(&table, PE_PLAIN, one->why);
		pe_table_put(&table, PE_DIM, one->by != NULL ? one->by : "");
		pe_table_put(&table, PE_DIM, one->when != NULL ? one->when : "");
	}
	if (list->n > 0)
		pe_table_print(&out, &table, true);
	else
		pe_text_add(&out, "nothing is accepted\n");
	rc = pe_cmd_print(ctx, &out, true);
	pe_table_release(&table);
	return rc;
}

/* Whether the database has results of a benchmark of this name, which the config may have no more. */
static int find_stored(bool *out, struct pe_cmd_ctx *ctx, const char *benchmark)
{
	struct pe_stored_benchmark *stored;
	size_t n = 0;

	*out = false;
	if (access(pe_app_store_path(&ctx->app), F_OK) < 0)
		return PE_OK;
	PE_TRY(pe_app_open_store(&ctx->app, PE_NEEDS_STORE_READ));
	PE_TRY(pe_store_benchmarks(&stored, &n, ctx->app.store, 0, ctx->app.arena, ctx->app.err));
	for (size_t i = 0; i < n; i++)
		*out = *out || strcmp(stored[i].name, benchmark) == 0;
	return PE_OK;
}

/* A name that no benchmark has, in the config or among the results, is a slip. */
static int check_name(struct pe_cmd_ctx *ctx, const char *benchmark)
{
	const char **names;
	size_t n = ctx->app.config != NULL ? ctx->app.config->n_benchmarks : 0;
	bool known;

	if (n == 0 || ctx->app.config->tests.kind != PE_TESTS_NONE ||
	    ctx->app.config->n_suites > 0 || strcmp(benchmark, PE_ACCEPTED_ALL) == 0)
		return PE_OK;
	names = pe_arena_new(ctx->app.arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		names[i] = ctx->app.config->benchmarks[i].name;
		if (strcmp(names[i], benchmark) == 0)
			return PE_OK;
	}
	PE_TRY(find_stored(&known, ctx, benchmark));
	if (known)
		return PE_OK;
	return pe_fail(ctx->app.err, PE_ENOTFOUND,
		       "%s has no benchmark '%s'%s, and no results of one are stored",
		       ctx->app.config->path, benchmark,
		       pe_read_suggestion(ctx->app.arena, benchmark, names, n));
}

static const char *today(struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_format_date(&text, pe_clock_now_s());
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static int add(struct pe_cmd_ctx *ctx, struct pe_text *text, const struct pe_accepted_list *list,
	       const char *path, const char *benchmark, const struct options *options)
{
	struct pe_revision revision;
	const struct pe_accepted *known;
	struct pe_accepted entry = {.benchmark = benchmark,
				    .metric = options->metric,
				    .why = options->why,
				    .by = pe_repo_user(ctx->app.repo, ctx->app.arena),
				    .when = today(ctx->app.arena)};

	PE_TRY(pe_app_resolve(&revision, &ctx->app, options->revision));
	known = pe_accepted_find(list, benchmark, options->metric, revision.id);
	if (known != NULL)
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "%s:%zu: accepted already: '--remove' it to give another reason",
			       path, known->line);
	PE_TRY(check_name(ctx, benchmark));
	entry.revision = revision.id;
	pe_accepted_append(text, &entry, revision.subject);
	PE_TRY(pe_outfile_write_file(text, path, ctx->app.err));
	pe_app_note(&ctx->app, "accepted: %s at %.10s %s; commit %s",
		    strcmp(benchmark, PE_ACCEPTED_ALL) == 0 ? "all benchmarks" : benchmark,
		    revision.id, revision.subject, PE_ACCEPTED_FILE);
	return PE_OK;
}

/* The entry that is named; its commit may be gone, so that its id is all there is. */
static size_t find_entry(struct pe_cmd_ctx *ctx, const struct pe_accepted_list *list,
			 const char *benchmark, const struct options *options)
{
	struct pe_revision revision;
	bool there = pe_repo_resolve(&revision, ctx->app.repo, options->revision, ctx->app.arena,
				     NULL) == PE_OK;

	for (size_t i = 0; i < list->n; i++) {
		const struct pe_accepted *one = &list->at[i];
		const char *metric = one->metric != NULL ? one->metric : "";

		if (strcmp(one->benchmark, benchmark) == 0 &&
		    strcmp(metric, options->metric != NULL ? options->metric : "") == 0 &&
		    (strncmp(one->revision, options->revision, strlen(options->revision)) == 0 ||
		     (there && strncmp(one->revision, revision.id, strlen(one->revision)) == 0)))
			return i;
	}
	return SIZE_MAX;
}

static int take_out(struct pe_cmd_ctx *ctx, struct pe_text *text,
		    const struct pe_accepted_list *list, const char *path, const char *benchmark,
		    const struct options *options)
{
	size_t i = find_entry(ctx, list, benchmark, options);

	if (i == SIZE_MAX)
		return pe_fail(ctx->app.err, PE_ENOTFOUND,
			       "%s has no such entry ('perfevo accept --list' shows them%s)", path,
			       options->metric == NULL
				       ? "; one of a single metric is removed with --metric"
				       : "");
	PE_TRY(pe_accepted_cut(text, path, list, i, ctx->app.err));
	return pe_outfile_write_file(text, path, ctx->app.err);
}

static int change(struct pe_cmd_ctx *ctx, const char *benchmark, const struct options *options)
{
	const char *path = pe_jump_status_accepted_path(&ctx->app);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_accepted_list list;

	if (path == NULL)
		return pe_fail(ctx->app.err, PE_EUNSUPPORTED,
			       "a bare repository has no working tree to write %s into",
			       PE_ACCEPTED_FILE);
	PE_TRY(pe_accepted_load(&list, path, ctx->app.arena, ctx->app.err));
	if (access(path, F_OK) == 0)
		PE_TRY(pe_text_read_file(&text, path, ctx->app.err));
	return options->remove ? take_out(ctx, &text, &list, path, benchmark, options)
			       : add(ctx, &text, &list, path, benchmark, options);
}

static int list_all(struct pe_cmd_ctx *ctx, int format)
{
	struct pe_accepted_list list;

	PE_TRY(pe_jump_status_load_accepted(&list, &ctx->app));
	return format == PE_FORMAT_JSON ? print_json(ctx, &list) : print_list(ctx, &list);
}

int cmd_accept(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {0};
	const struct pe_opt opts[] = {
		OPT_STRING(0, "rev", &options.revision, "REV", "the commit that made the change"),
		OPT_STRING(0, "why", &options.why, "TEXT", "the reason, for those who review it"),
		OPT_STRING('m', "metric", &options.metric, "NAME", "only of this metric"),
		OPT_FLAG(0, "list", &options.list, "show what is accepted"),
		OPT_FLAG(0, "remove", &options.remove, "remove an entry"),
		OPT_JSON(&options.format),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (options.list && (argc > 0 || options.remove))
		return pe_cmd_misused(ctx, "--list takes nothing else");
	if (!options.list && options.format != PE_FORMAT_TERM)
		return pe_cmd_misused(ctx, "--format is for --list");
	if (!options.list && options.revision == NULL && argc > 0) {
		options.revision = *argv++;
		argc--;
	}
	if (!options.list && argc > 1)
		return pe_cmd_misused(ctx, "give the name of one benchmark, or none for all");
	if (!options.list && options.revision == NULL)
		return pe_cmd_misused(ctx, "which commit? 'perfevo accept REV --why TEXT'");
	if (!options.list && !options.remove && (options.why == NULL || options.why[0] == '\0'))
		return pe_cmd_misused(ctx, "give the reason with --why, for those who review it");
	return options.list ? list_all(ctx, options.format)
			    : change(ctx, argc == 1 ? argv[0] : PE_ACCEPTED_ALL, &options);
}
