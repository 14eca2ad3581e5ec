/* Gc: drop old values and builds, and give the space back. */
#include "cmd/commands.h"

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/json/writer.h"
#include "report/format.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

struct options {
	size_t keep_last, profiles_keep_last;
	const char *before;
	bool dry_run, unreachable, old_versions, cache, profiles;
	int format;
};

/* --- What is kept --- */

/* The last commits of HEAD's first-parent line. */
static int last_commits(struct pe_strings *out, struct pe_cmd_ctx *ctx, size_t last)
{
	const struct pe_range range = {.last = last};
	struct pe_revisions revisions;
	const char **keep;

	PE_TRY(pe_repo_walk(&revisions, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	keep = pe_arena_new(ctx->app.arena, const char *, revisions.n);
	for (size_t i = 0; i < revisions.n; i++)
		keep[i] = revisions.at[i].id;
	*out = (struct pe_strings){keep, revisions.n};
	return PE_OK;
}

/* Every commit that the store names: changed methods and profiles may be of commits that were never measured. */
static int stored_commits(struct pe_strings *out, struct pe_cmd_ctx *ctx)
{
	struct pe_revision *stored;
	struct pe_changes_count *compared;
	const char **profiled, **at;
	size_t n_stored, n_compared, n_profiled, n = 0;

	PE_TRY(pe_store_revisions(&stored, &n_stored, ctx->app.store, ctx->app.arena,
				  ctx->app.err));
	PE_TRY(pe_store_count_changes(&compared, &n_compared, ctx->app.store, NULL, ctx->app.arena,
				      ctx->app.err));
	PE_TRY(pe_store_profiled(&profiled, &n_profiled, ctx->app.store, ctx->app.arena,
				 ctx->app.err));
	at = pe_arena_new(ctx->app.arena, const char *, n_stored + n_compared + n_profiled);
	for (size_t i = 0; i < n_stored; i++)
		at[n++] = stored[i].id;
	for (size_t i = 0; i < n_compared; i++)
		at[n++] = compared[i].revision;
	for (size_t i = 0; i < n_profiled; i++)
		at[n++] = profiled[i];
	*out = (struct pe_strings){at, n};
	return PE_OK;
}

static int keep_reachable(struct pe_store_gc *gc, struct pe_cmd_ctx *ctx)
{
	struct pe_strings commits;
	const char **keep;
	bool *reachable;

	PE_TRY(stored_commits(&commits, ctx));
	reachable = pe_arena_new(ctx->app.arena, bool, commits.n);
	PE_TRY(pe_repo_reachable(reachable, ctx->app.repo, &commits, ctx->app.err));
	gc->unreachable = true;
	keep = pe_arena_new(ctx->app.arena, const char *, commits.n);
	gc->keep.at = keep;
	for (size_t i = 0; i < commits.n; i++)
		if (reachable[i])
			keep[gc->keep.n++] = commits.at[i];
	return PE_OK;
}

static int choose(struct pe_store_gc *gc, struct pe_cmd_ctx *ctx, const struct options *options)
{
	*gc = (struct pe_store_gc){.dry_run = options->dry_run,
				   .old_versions = options->old_versions,
				   .extractions = options->cache,
				   .unreachable = options->keep_last > 0,
				   .profiles =
					   options->profiles || options->profiles_keep_last > 0};
	if (options->before != NULL)
		PE_TRY(pe_repo_parse_date(&gc->before_s, options->before, pe_clock_now_s(),
					  ctx->app.err));
	if (options->keep_last > 0)
		PE_TRY(last_commits(&gc->keep, ctx, options->keep_last));
	else if (options->unreachable)
		PE_TRY(keep_reachable(gc, ctx));
	if (options->profiles_keep_last > 0)
		PE_TRY(last_commits(&gc->keep_profiles, ctx, options->profiles_keep_last));
	return PE_OK;
}

/* --- The work --- */

static void add_bytes(struct pe_text *out, uint64_t bytes)
{
	pe_format_value(out, (double)bytes, "bytes");
}

static void describe(struct pe_text *out, const struct pe_store_gc_result *result, bool dry_run)
{
	pe_text_addf(out,
		     "%s %" PRIu64 " run%s, %" PRIu64 " benchmark version%s and %" PRIu64
		     " revision%s\n",
		     dry_run ? "would delete" : "deleted", result->runs,
		     result->runs == 1 ? "" : "s", result->benchmarks,
		     result->benchmarks == 1 ? "" : "s", result->revisions,
		     result->revisions == 1 ? "" : "s");
	if (result->profiles > 0)
		pe_text_addf(out, "%s %" PRIu64 " profile%s\n",
			     dry_run ? "would delete" : "deleted", result->profiles,
			     result->profiles == 1 ? "" : "s");
	if (result->extractions > 0)
		pe_text_addf(out, "%s the parsed methods of %" PRIu64 " file content%s\n",
			     dry_run ? "would delete" : "deleted", result->extractions,
			     result->extractions == 1 ? "" : "s");
	if (dry_run)
		return;
	pe_text_add(out, "the database takes ");
	add_bytes(out, result->bytes_after);
	pe_text_add(out, ", before it took ");
	add_bytes(out, result->bytes_before);
	pe_text_addc(out, '\n');
}

/* { "format": 1, "dry_run", "runs", ..., "bytes_before", "bytes_after", "cache": null or { "path", "bytes" } } */
static void add_json(struct pe_text *out, const struct pe_store_gc_result *result,
		     const struct options *options, const char *cache, uint64_t cache_bytes)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "dry_run", options->dry_run);
	pe_json_members(&json, result, runs, benchmarks, revisions, profiles, extractions,
			bytes_before, bytes_after);
	if (pe_json_begin_maybe(&json, "cache", options->cache)) {
		pe_json_put(&json, "path", cache);
		pe_json_put(&json, "bytes", cache_bytes);
	}
	pe_json_finish(&json);
}

static int collect(struct pe_store_gc_result *result, struct pe_text *out, struct pe_cmd_ctx *ctx,
		   const struct options *options)
{
	struct pe_store_gc gc;

	if (access(pe_app_store_path(&ctx->app), F_OK) < 0 && errno == ENOENT) {
		pe_text_add(out, "nothing measured yet: the database has nothing to delete\n");
		return PE_OK;
	}
	PE_TRY(pe_app_open(&ctx->app, PE_NEEDS_STORE | PE_NEEDS_STORE_READ));
	PE_TRY(choose(&gc, ctx, options));
	PE_TRY(pe_store_collect(result, ctx->app.store, &gc, ctx->app.err));
	describe(out, result, options->dry_run);
	return PE_OK;
}

static int remove_cache(uint64_t *bytes, struct pe_text *out, struct pe_cmd_ctx *ctx,
			const char *cache, bool dry_run)
{
	*bytes = pe_files_size(cache);
	if (!dry_run)
		PE_TRY(pe_files_remove(cache, ctx->app.err));
	pe_text_add(out, dry_run ? "would remove builds of " : "removed builds of ");
	add_bytes(out, *bytes);
	pe_text_addf(out, " from %s\n", cache);
	return PE_OK;
}

static int run(struct pe_cmd_ctx *ctx, const struct options *options)
{
	const char *cache = pe_app_cache_dir(&ctx->app);
	struct pe_store_gc_result result = {0};
	uint64_t cache_bytes = 0;
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_fd lock = -1;

	if (options->cache && !options->dry_run)
		PE_TRY(pe_app_make_cache(&ctx->app, pe_app_cache_root(&ctx->app)));
	/* Nothing may vanish below who measures. */
	if (!options->dry_run)
		PE_TRY(pe_app_lock_cache(&lock, &ctx->app, ctx->app.err));
	PE_TRY(collect(&result, &text, ctx, options));
	if (options->cache)
		PE_TRY(remove_cache(&cache_bytes, &text, ctx, cache, options->dry_run));
	if (options->format == PE_FORMAT_JSON) {
		pe_text_clear(&text);
		add_json(&text, &result, options, cache, cache_bytes);
	}
	return !ctx->app.quiet || options->format == PE_FORMAT_JSON
		       ? pe_cmd_print(ctx, &text, false)
		       : PE_OK;
}

int cmd_gc(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {0};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is deleted"),
		OPT_NUMBER(0, "keep-last", &options.keep_last, "N",
			   "all but the last N commits of HEAD's first-parent line"),
		OPT_FLAG(0, "unreachable", &options.unreachable,
			 "commits that no branch or tag leads to"),
		OPT_FLAG(0, "old-versions", &options.old_versions,
			 "benchmarks whose definition has changed since"),
		OPT_STRING(0, "before", &options.before, "DATE", "runs made before a date"),
		OPT_FLAG(0, "profiles", &options.profiles, "all calling context trees, no results"),
		OPT_NUMBER(0, "profiles-keep-last", &options.profiles_keep_last, "N",
			   "those of all but the last N commits of HEAD's first-parent line"),
		OPT_FLAG(0, "cache", &options.cache,
			 "this repository's cached builds and parsed methods"),
		OPT_GROUP("How"),
		OPT_FLAG('n', "dry-run", &options.dry_run, "only print what would be deleted"),
		OPT_JSON(&options.format),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (options.keep_last > 0 && options.unreachable)
		return pe_cmd_misused(
			ctx, "--keep-last deletes what --unreachable would: give one of them");
	if (options.profiles && options.profiles_keep_last > 0)
		return pe_cmd_misused(
			ctx,
			"--profiles deletes what --profiles-keep-last would keep: give one of them");
	return run(ctx, &options);
}
