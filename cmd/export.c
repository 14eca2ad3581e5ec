/* Export: the values for other programs, one row a value or one row a sample; and profiles for other tools. */
#include "cmd/commands.h"
#include "app/history/values.h"
#include "app/profiling/stored_profiles.h"
#include "cmd/ui/term.h"
#include "core/base/outfile.h"
#include "core/base/regex.h"
#include "analysis/profile/export.h"
#include "core/json/writer.h"
#include "report/commit_blocks.h"
#include "report/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const formats[] = {"csv", "json", "svg", NULL};

enum { FORMAT_CSV, FORMAT_JSON, FORMAT_SVG };

/* --- Samples: too many to hold in memory, so they are written as they are read --- */

struct sink {
	int format, fd;
	struct pe_text *text;
	struct pe_json json; /* into the text */
	struct pe_err *err;
};

enum { FLUSH_BYTES = 64 * 1024 };

static int flush(struct sink *sink)
{
	PE_TRY(pe_term_write(sink->fd, pe_text_str(sink->text), sink->text->len, sink->err));
	pe_text_clear(sink->text);
	return PE_OK;
}

static void add_csv(struct pe_text *out, const struct pe_export_row *row)
{
	const char *texts[] = {row->benchmark, row->version, row->metric, row->unit, row->kind};

	pe_text_addf(out, "%s,%" PRId64 ",", row->revision, row->time_s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		pe_escape_csv(out, texts[i] != NULL ? texts[i] : "");
		pe_text_addc(out, ',');
	}
	pe_text_addf(out, "%" PRId64 ",%u,%.17g,", row->batch, row->round, row->value);
	pe_escape_csv(out, row->machine != NULL ? row->machine : "");
	pe_text_addc(out, ',');
	pe_escape_csv(out, row->subject != NULL ? row->subject : "");
	pe_text_add(out, "\r\n");
}

static void add_json(struct pe_json *json, const struct pe_export_row *row)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "revision", row->revision);
	pe_json_put(json, "time", row->time_s);
	pe_json_put(json, "subject", row->subject);
	pe_json_put(json, "benchmark", row->benchmark);
	pe_json_members(json, row, version, metric, unit, kind, machine, batch, round, value);
	pe_json_end(json);
}

static int add_row(const struct pe_export_row *row, void *payload)
{
	struct sink *sink = payload;

	if (sink->format == FORMAT_CSV)
		add_csv(sink->text, row);
	else
		add_json(&sink->json, row);
	return sink->text->len >= FLUSH_BYTES ? flush(sink) : PE_OK;
}

static int export_samples(struct pe_cmd_ctx *ctx, int format, int fd)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct sink sink = {format, fd, &text, PE_JSON_INIT(&text), ctx->app.err};
	struct pe_stored_machine *machines;
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, ctx->app.store, ctx->app.arena, ctx->app.err));
	if (format == FORMAT_CSV)
		pe_text_add(
			&text,
			"revision,time,benchmark,version,metric,unit,kind,batch,round,value,machine,subject\r\n");
	else
		pe_json_begin_rows(&sink.json, NULL);
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_store_export(ctx->app.store, machines[i].key, add_row, &sink,
				       ctx->app.err));
	if (format == FORMAT_JSON)
		pe_json_finish(&sink.json);
	return flush(&sink);
}

/* --- Values --- */

static int export_values(struct pe_text *out, struct pe_cmd_ctx *ctx, int format, bool events,
			 const struct pe_values_query *asked)
{
	struct pe_evolution evolution;

	PE_TRY(pe_values_load(&evolution, &ctx->app, asked));
	pe_values_keep_newest(&evolution, asked->newest);
	if (format == FORMAT_CSV && events)
		pe_commit_blocks_csv(out, &evolution);
	else if (format == FORMAT_CSV)
		pe_evolution_csv(out, &evolution);
	else if (format == FORMAT_SVG)
		pe_evolution_svg(out, &evolution);
	else
		pe_evolution_json(out, &evolution);
	return PE_OK;
}

/* --- Where to --- */

static int export_to_file(struct pe_cmd_ctx *ctx, int format, const char *path)
{
	struct pe_outfile out;

	PE_TRY(pe_outfile_open(&out, path, ctx->app.err));
	return pe_outfile_close(&out, export_samples(ctx, format, out.fd), ctx->app.err);
}

/* --- A profile --- */

struct profile_asked {
	bool profile;
	const char *format, *weight;
};

static int write_profile(struct pe_text *out, struct pe_cmd_ctx *ctx,
			 const struct pe_export_format *format, const struct profile_asked *asked,
			 const struct pe_found_profile *kept)
{
	pe_auto_frames frames = PE_FRAMES_INIT;
	struct pe_export_options options = {
		.weight = PE_WEIGHT_AUTO,
		.title = pe_arena_printf(ctx->app.arena, "%s at %.8s", kept->benchmark,
					 kept->row.revision),
		.time_s = kept->row.taken_s,
	};
	struct pe_cct *cct;

	if (asked->weight != NULL)
		PE_TRY(pe_weight_find(&options.weight, asked->weight, ctx->app.err));
	PE_TRY(pe_store_get_tree(&cct, ctx->app.store, kept->row.key, 0, &frames, ctx->app.arena,
				 ctx->app.err));
	return format->write(out, cct, &options, ctx->app.err);
}

static int export_profile(struct pe_cmd_ctx *ctx, const struct profile_asked *asked,
			  const char *spec, const char *bench, const char *path)
{
	const struct pe_export_format *format =
		pe_export_find(asked->format != NULL ? asked->format : "folded", ctx->app.err);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_found_profile kept;
	struct pe_revision revision;

	if (format == NULL)
		return ctx->app.err->code;
	if (format->binary && path == NULL && isatty(STDOUT_FILENO) == 1)
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "%s is not made for a terminal: name a file with --output",
			       format->name);
	PE_TRY(pe_app_resolve(&revision, &ctx->app, spec));
	PE_TRY(pe_profile_find(&kept, &ctx->app, revision.id, bench));
	PE_TRY(write_profile(&text, ctx, format, asked, &kept));
	return path != NULL
		       ? pe_outfile_write_file(&text, path, ctx->app.err)
		       : pe_term_write(STDOUT_FILENO, pe_text_str(&text), text.len, ctx->app.err);
}

/* --- Counts by name: what each function executes itself, how often each system call is made --- */

/* What is written, and to where. */
struct counts_writing {
	struct pe_app *app;
	struct pe_text *out;
	struct pe_json *json; /* NULL: CSV */
	struct pe_regex regex;
	int64_t revision;
	enum pe_counts counts;
};

static void add_counts(const struct counts_writing *writing,
		       const struct pe_stored_machine *machine, const char *benchmark,
		       const struct pe_function_range *one)
{
	const bool functions = writing->counts == PE_COUNTS_OF_FUNCTIONS;
	const char *const texts[] = {benchmark, one->name, one->signature, one->component};

	if (writing->json != NULL) {
		pe_json_begin_object(writing->json, NULL);
		pe_json_put(writing->json, "benchmark", benchmark);
		pe_json_put(writing->json, "name", one->name);
		if (functions)
			pe_json_members(writing->json, one, signature, component);
		pe_json_members(writing->json, one, least, most);
		pe_json_put(writing->json, "machine", machine->machine.hostname);
		pe_json_end(writing->json);
		return;
	}
	for (size_t i = 0; i < (functions ? 4 : 2); i++) {
		pe_escape_csv(writing->out, texts[i]);
		pe_text_addc(writing->out, ',');
	}
	pe_text_addf(writing->out, "%" PRIu64 ",%" PRIu64 ",", one->least, one->most);
	pe_escape_csv(writing->out, machine->machine.hostname);
	pe_text_add(writing->out, "\r\n");
}

static int add_benchmark(const struct counts_writing *writing,
			 const struct pe_stored_machine *machine,
			 const struct pe_stored_benchmark *benchmark)
{
	struct pe_app *app = writing->app;
	const struct pe_counts_query query = {writing->counts, machine->key, benchmark->key,
					      writing->revision};
	struct pe_function_ranges ranges;

	PE_TRY(pe_store_counts(&ranges, app->store, &query, app->arena, app->err));
	for (size_t i = 0; i < ranges.n; i++)
		add_counts(writing, machine, benchmark->name, &ranges.at[i]);
	return PE_OK;
}

/* Of a benchmark whose definition changed the newest one that has counts at the commit is not known before: all are. */
static int add_machine(const struct counts_writing *writing,
		       const struct pe_stored_machine *machine)
{
	struct pe_app *app = writing->app;
	struct pe_stored_benchmark *benchmarks;
	size_t n;

	PE_TRY(pe_store_benchmarks(&benchmarks, &n, app->store, machine->key, app->arena,
				   app->err));
	for (size_t i = 0; i < n; i++)
		if (pe_regex_matches(&writing->regex, benchmarks[i].name))
			PE_TRY(add_benchmark(writing, machine, &benchmarks[i]));
	return PE_OK;
}

static int find_revision(int64_t *out, struct pe_app *app, const char *spec)
{
	struct pe_revision *stored;
	struct pe_revision revision;
	size_t n;

	PE_TRY(pe_app_resolve(&revision, app, spec));
	PE_TRY(pe_store_revisions(&stored, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		if (strcmp(stored[i].id, revision.id) == 0) {
			*out = stored[i].key;
			return PE_OK;
		}
	return pe_fail(app->err, PE_ENOTFOUND,
		       "nothing of %.10s is stored ('perfevo track' measures it)", revision.id);
}

/*
 * A row for each machine, benchmark and function or system call that counting runs saw at a commit: its self instructions, or
 * how often it was made, the least and the most of them, which differ where the program counts differently each time. As CSV,
 * or as a JSON array of objects with the columns' names.
 */
static int write_counts(struct pe_text *out, struct pe_app *app, enum pe_counts counts,
			const char *spec, const char *bench, bool as_json)
{
	struct pe_json json = PE_JSON_INIT(out);
	struct counts_writing writing = {
		.app = app, .out = out, .json = as_json ? &json : NULL, .counts = counts};
	struct pe_stored_machine *machines;
	size_t n;
	int rc = PE_OK;

	PE_TRY(find_revision(&writing.revision, app, spec));
	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	PE_TRY(pe_regex_init_option(&writing.regex, "--bench", bench, app->err));
	if (as_json)
		pe_json_begin_rows(&json, NULL);
	else
		pe_text_addf(out, "benchmark,name,%sleast,most,machine\r\n",
			     counts == PE_COUNTS_OF_FUNCTIONS ? "signature,component," : "");
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = add_machine(&writing, &machines[i]);
	if (as_json)
		pe_json_finish(&json);
	pe_regex_release(&writing.regex);
	return rc;
}

/* --- The command --- */

int cmd_export(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	int format = FORMAT_CSV;
	bool samples = false, events = false, functions = false, calls = false;
	const char *path = NULL;
	struct pe_values_query asked = {0};
	struct profile_asked profile = {.profile = false};
	pe_auto_text text = PE_TEXT_INIT;
	const struct pe_opt opts[] = {
		OPT_CHOICE(0, "format", &format, formats, "what is written"),
		OPT_STRING('o', "output", &path, "FILE", "where to, in place of standard output"),
		OPT_FLAG(0, "samples", &samples, "every single value, not the summary of a commit"),
		OPT_FLAG(0, "events", &events,
			 "the jumps by commit, a line each, with the class of the commit, as CSV"),
		OPT_FLAG(0, "functions", &functions,
			 "what each function of one commit executes, by exact counts"),
		OPT_FLAG(0, "system-calls", &calls,
			 "how often one commit makes each system call, likewise"),
		OPT_LAST(&asked.newest, "only the newest N commits"),
		OPT_BENCH(&asked.bench),
		OPT_LIST('m', "metric", &asked.metrics, "NAME", "these metrics"),
		OPT_GROUP("Profiles"),
		OPT_FLAG(0, "profile", &profile.profile, "the calling context tree of one commit"),
		OPT_STRING(0, "as", &profile.format, "FORMAT",
			   "folded (the default), pprof or speedscope"),
		OPT_STRING('w', "weight", &profile.weight, "NAME",
			   "time, samples, calls, allocations or bytes, where the format has one"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (pe_outfile_is_standard(path))
		path = NULL;
	if (asked.newest > 0 && (profile.profile || functions || calls))
		return pe_cmd_misused(ctx, "--last counts commits: a profile and counts of "
					   "functions are of one");
	if ((functions || calls) && (functions == calls || profile.profile || samples || events ||
				     asked.metrics.n > 0 || format == FORMAT_SVG))
		return pe_cmd_misused(
			ctx,
			"--functions and --system-calls go with --bench, --output and --format csv or json");
	if (!profile.profile && (profile.format != NULL || profile.weight != NULL))
		return pe_cmd_misused(ctx, "--as and --weight are for --profile");
	if (profile.profile && (samples || asked.metrics.n > 0))
		return pe_cmd_misused(ctx, "--profile goes with neither --samples nor --metric");
	if (profile.profile)
		return export_profile(ctx, &profile, argc == 1 ? argv[0] : "HEAD", asked.bench,
				      path);
	if (events && (samples || format != FORMAT_CSV))
		return pe_cmd_misused(ctx,
				      "--events goes with neither --samples nor another format");
	if (samples && format == FORMAT_SVG)
		return pe_cmd_misused(ctx, "--format svg draws summaries, not --samples");
	if (samples && (argc > 0 || asked.newest > 0 || asked.bench != NULL || asked.metrics.n > 0))
		return pe_cmd_misused(
			ctx, "--samples writes everything: no range, --last, --bench or --metric");
	if (samples)
		return path != NULL ? export_to_file(ctx, format, path)
				    : export_samples(ctx, format, STDOUT_FILENO);
	asked.range = argc == 1 ? argv[0] : NULL;
	if (functions || calls)
		PE_TRY(write_counts(
			&text, &ctx->app, functions ? PE_COUNTS_OF_FUNCTIONS : PE_COUNTS_OF_CALLS,
			argc == 1 ? argv[0] : "HEAD", asked.bench, format == FORMAT_JSON));
	else
		PE_TRY(export_values(&text, ctx, format, events, &asked));
	return path != NULL ? pe_outfile_write_file(&text, path, ctx->app.err)
			    : pe_cmd_print(ctx, &text, false);
}
