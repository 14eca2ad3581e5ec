/* Import: profiles that other tools took, looked at or kept beside those that perfevo collects. */
#include "cmd/commands.h"
#include "core/base/text.h"
#include "app/measure/import.h"
#include "suites/suite.h"
#include "cmd/profile_view.h"

#include "core/base/clock.h"
#include "analysis/profile/importer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
	const char *bench, *revision, *format, *suite, *machine;
	bool print;
	struct pe_profile_view view;
};

/* The trees of all files, over one table of frames. */
struct imported {
	struct pe_frames *frames;
	struct pe_cct **trees;
	size_t n;
	const char *note; /* of the first file; NULL: none */
};

static int read_files(struct imported *out, struct pe_cmd_ctx *ctx, const struct options *options,
		      char **paths, size_t n)
{
	out->trees = pe_arena_new(ctx->app.arena, struct pe_cct *, n);
	for (size_t i = 0; i < n; i++) {
		const char *note = NULL;
		struct pe_input *input;

		PE_TRY(pe_input_open(&input, paths[i], ctx->app.err));
		PE_TRY(pe_import(&out->trees[i], input, options->format, out->frames,
				 ctx->app.arena, &note, ctx->app.err));
		if (note != NULL)
			pe_app_note(&ctx->app, "%s: %s", paths[i], note);
		if (i == 0)
			out->note = note;
		out->n++;
	}
	return PE_OK;
}

/* --- Keeping --- */

/* The configured benchmark of a name; without a name the only one. */
static int find_benchmark(struct pe_benchmark **out, struct pe_cmd_ctx *ctx, const char *name)
{
	struct pe_config *config = ctx->app.config;

	*out = name == NULL && config->n_benchmarks == 1 ? &config->benchmarks[0] : NULL;
	for (size_t i = 0; name != NULL && i < config->n_benchmarks; i++)
		if (strcmp(config->benchmarks[i].name, name) == 0)
			*out = &config->benchmarks[i];
	if (*out != NULL)
		return PE_OK;
	if (name == NULL)
		return pe_fail(ctx->app.err, PE_EINVALID, "name the benchmark of %s with --bench",
			       config->path);
	return pe_fail(ctx->app.err, PE_EINVALID, "%s has no benchmark '%s'", config->path, name);
}

static int put(struct pe_cmd_ctx *ctx, const struct imported *imported,
	       const struct pe_revision *revision, struct pe_benchmark *benchmark, const char *path)
{
	struct pe_stored_profile profile = {
		.revision = revision->id,
		.kind = imported->trees[0]->facts.source,
		.file = strcmp(path, "-") == 0 ? "standard input" : pe_path_name(path),
		.note = imported->note,
		.taken_s = pe_clock_now_s(),
	};
	struct pe_app *app = &ctx->app;
	pe_auto_transaction store = app->store;
	int64_t key;

	PE_TRY(pe_store_begin(store, app->err));
	PE_TRY(pe_store_put_machine(&profile.machine, store, pe_app_here(app), app->err));
	PE_TRY(pe_store_put_revision(&key, store, revision, app->err));
	PE_TRY(pe_store_put_benchmark(&profile.benchmark, store, benchmark, app->err));
	PE_TRY(pe_store_commit(store, app->err));
	return pe_store_put_profile(&key, store, &profile,
				    (const struct pe_cct *const *)imported->trees, imported->n,
				    app->err);
}

static int keep(struct pe_cmd_ctx *ctx, const struct imported *imported,
		const struct options *options, char **paths)
{
	struct pe_benchmark *benchmark = NULL;
	struct pe_revision revision;
	uint64_t nodes = 0;

	PE_TRY(find_benchmark(&benchmark, ctx, options->bench));
	PE_TRY(pe_app_resolve(&revision, &ctx->app, options->revision));
	PE_TRY(put(ctx, imported, &revision, benchmark, paths[0]));
	for (size_t i = 0; i < imported->n; i++)
		nodes += imported->trees[i]->n;
	pe_app_note(&ctx->app, "stored %zu profile%s (%s, %llu call paths) of '%s' at %.10s %s",
		    imported->n, imported->n == 1 ? "" : "s", imported->trees[0]->facts.source,
		    (unsigned long long)nodes, benchmark->name, revision.id, revision.subject);
	return PE_OK;
}

static int run(struct pe_cmd_ctx *ctx, const struct options *options, char **paths, size_t n)
{
	pe_auto_frames frames = PE_FRAMES_INIT;
	struct imported imported = {.frames = &frames};
	const struct pe_profile_subject subject = {.benchmark = paths[0]};

	if (options->format != NULL && pe_importer_find(options->format, ctx->app.err) == NULL)
		return PE_EINVALID;
	/* What is kept needs a place; ask before reading what may be large. */
	if (!options->print)
		PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE));
	PE_TRY(read_files(&imported, ctx, options, paths, n));
	return options->print ? pe_profile_print(ctx, imported.trees[0], &subject, &options->view)
			      : keep(ctx, &imported, options, paths);
}

/* --- Results of suites that other tools measured --- */

enum { MAX_FILE = 512 << 20 }; /* bytes of one file */

static int check_name(const char *option, const char *name, struct pe_err *err)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

	return name[0] != '\0' && name[strspn(name, safe)] == '\0'
		       ? PE_OK
		       : pe_fail(err, PE_EINVALID,
				 "--%s '%s': a name is made of letters, digits, '_', '-', '.'",
				 option, name);
}

static int check_results(struct pe_cmd_ctx *ctx, const struct options *asked)
{
	pe_auto_text known = PE_TEXT_INIT;

	PE_TRY(check_name("suite", asked->suite, ctx->app.err));
	if (asked->machine != NULL)
		PE_TRY(check_name("machine", asked->machine, ctx->app.err));
	if (asked->format == NULL || strcmp(asked->format, "auto") == 0 ||
	    pe_suite_format_find(asked->format) != PE_SUITE_N_FORMATS)
		return PE_OK;
	for (int i = PE_SUITE_AUTO + 1; i < PE_SUITE_N_FORMATS; i++)
		pe_text_addf(&known, ", %s", pe_suite_format_name((enum pe_suite_format)i));
	return pe_fail(ctx->app.err, PE_EINVALID, "there is no format '%s': auto%s", asked->format,
		       pe_text_str(&known));
}

static int read_results(struct pe_import_file *out, struct pe_cmd_ctx *ctx, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct stat st;

	if (strcmp(path, "-") == 0) {
		out->name = "standard input";
		PE_TRY(pe_text_read_fd(&text, 0) == 0
			       ? PE_OK
			       : pe_fail_errno(ctx->app.err, "cannot read standard input"));
	} else {
		out->name = path;
		if (stat(path, &st) == 0 && st.st_size > MAX_FILE)
			return pe_fail(ctx->app.err, PE_EINVALID, "%s: larger than %d MiB", path,
				       MAX_FILE >> 20);
		PE_TRY(pe_text_read_file(&text, path, ctx->app.err));
	}
	out->n = text.len;
	out->bytes = pe_arena_strndup(ctx->app.arena, pe_text_str(&text), text.len);
	return PE_OK;
}

static void report(struct pe_cmd_ctx *ctx, const struct pe_suite_import *import,
		   const struct pe_imported *imported, const struct pe_revision *revision)
{
	pe_auto_text shown = PE_TEXT_INIT;

	pe_text_add(&shown, "'perfevo log --no-graph --machine ");
	pe_text_add_word(&shown, import->machine);
	pe_text_add(&shown, "' shows them");

	if (imported->known > 0)
		pe_app_note(&ctx->app, "%zu of %zu file%s of '%s' at %.10s %s imported before",
			    imported->known, import->n, import->n == 1 ? "" : "s", import->suite,
			    revision->id, imported->known == 1 ? "was" : "were");
	if (imported->known == import->n)
		return;
	if (imported->failed > 0) {
		const struct pe_member_reading *first = imported->first_failed;

		pe_app_note(&ctx->app, "%zu result%s without values left out, %s%s: %s",
			    imported->failed, imported->failed == 1 ? "" : "s",
			    imported->failed == 1 ? "" : "the first is ", first->name.id,
			    first->error != NULL && *first->error != '\0'
				    ? first->error
				    : "the library says that it failed or was skipped");
	}
	pe_app_note(&ctx->app, "stored %zu run%s of %zu benchmark%s (%s) of '%s' at %.10s %s; %s",
		    imported->runs, imported->runs == 1 ? "" : "s", imported->members,
		    imported->members == 1 ? "" : "s", imported->format, import->suite,
		    revision->id, revision->subject, pe_text_str(&shown));
}

/* Read the files and store their values as runs of the suite's members at a revision. */
static int import_suite(struct pe_cmd_ctx *ctx, const struct options *asked, char **paths, size_t n)
{
	struct pe_import_file *files = pe_arena_new(ctx->app.arena, struct pe_import_file, n);
	const struct pe_suite_import import = {
		.suite = asked->suite,
		.machine = asked->machine != NULL ? asked->machine : "imported",
		.format = asked->format != NULL ? asked->format : "auto",
		.files = files,
		.n = n,
	};
	struct pe_imported imported;
	struct pe_revision revision;

	PE_TRY(check_results(ctx, asked));
	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_REPO | PE_NEEDS_STORE));
	PE_TRY(pe_app_resolve(&revision, &ctx->app, asked->revision));
	for (size_t i = 0; i < n; i++)
		PE_TRY(read_results(&files[i], ctx, paths[i]));
	PE_TRY(pe_import_results(&imported, &ctx->app, &import, &revision));
	report(ctx, &import, &imported, &revision);
	return PE_OK;
}

int cmd_import(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.revision = "HEAD"};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is stored"),
		OPT_STRING('b', "bench", &options.bench, "NAME",
			   "the benchmark that this is a profile of"),
		OPT_STRING(0, "suite", &options.suite, "NAME",
			   "the files hold results of this suite, not profiles"),
		OPT_STRING(0, "machine", &options.machine, "NAME",
			   "that a suite's results were measured on, in place of 'imported'"),
		OPT_STRING(0, "rev", &options.revision, "REV", "the commit, in place of HEAD"),
		OPT_STRING(0, "input-format", &options.format, "NAME",
			   "of the files, in place of recognising it by the content"),
		OPT_FLAG('p', "print", &options.print, "show the profile and store nothing"),
		OPT_GROUP("What is shown with --print"),
		PE_PROFILE_VIEW_OPTS(&options.view),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc == 0)
		return pe_cmd_misused(ctx, "which files? '-' is standard input");
	if (options.print && argc > 1)
		return pe_cmd_misused(ctx, "--print shows one file at a time");
	if (options.machine != NULL && options.suite == NULL)
		return pe_cmd_misused(ctx, "--machine is for results: it needs --suite");
	if (options.suite != NULL && (options.print || options.bench != NULL))
		return pe_cmd_misused(ctx,
				      "--suite is for results, --bench and --print for profiles");
	if (options.suite != NULL)
		return import_suite(ctx, &options, argv, (size_t)argc);
	PE_TRY(pe_profile_view_check(ctx, &options.view));
	return run(ctx, &options, argv, (size_t)argc);
}
