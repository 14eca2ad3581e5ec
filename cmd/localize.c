/* Localize: the lowest calls that got slower, from two folders of profiles (ZAM's own use). */
#include "cmd/commands.h"
#include "app/profiling/profile_files.h"

#include "analysis/compare/zam.h"
#include "core/base/outfile.h"
#include "report/zam.h"

#include <assert.h>
#include <string.h>

enum format { FORMAT_TERM, FORMAT_JSON, FORMAT_DOT };

static const char *const formats[] = {"term", "json", "dot", NULL};
static const char *const rules[] = {"hybrid", "subsequence", "relaxed", "strict", NULL};
static const enum pe_match_rule rule_of[] = {PE_MATCH_HYBRID, PE_MATCH_SUBSEQUENCE,
					     PE_MATCH_RELAXED, PE_MATCH_STRICT};

struct options {
	const char *old_dir, *new_dir, *path;
	struct pe_recorded_opts recorded;
	uint64_t min_ns;
	size_t pairs, top;
	int rule, format;
	bool keep_nameless;
};

/* Files of one side, and their trees. */
struct side {
	struct pe_recorded_paths paths;
	const struct pe_cct **trees; /* in the arena */
};

static int read_all(struct side *side, struct pe_cmd_ctx *ctx, struct options *options,
		    struct pe_frames *frames, size_t n)
{
	assert(n <= side->paths.list.n && side->paths.list.data != NULL);
	side->trees = pe_arena_new(ctx->app.arena, const struct pe_cct *, n);
	for (size_t i = 0; i < n; i++) {
		struct pe_cct *cct;

		PE_TRY(pe_recorded_read(&cct, &ctx->app, side->paths.list.data[i],
					&options->recorded, frames));
		side->trees[i] = cct;
	}
	return PE_OK;
}

/* The number of pairs, and whether it fits the options. */
static int count_pairs(size_t *out, const struct side *olds, const struct side *news,
		       const struct options *options, struct pe_err *err)
{
	*out = options->pairs > 0 ? options->pairs : olds->paths.list.n;
	if (options->pairs > olds->paths.list.n || options->pairs > news->paths.list.n)
		return pe_fail(err, PE_EINVALID, "--pairs %zu: %s has %zu profiles and %s has %zu",
			       options->pairs, options->old_dir, olds->paths.list.n,
			       options->new_dir, news->paths.list.n);
	if (options->pairs == 0 && olds->paths.list.n != news->paths.list.n)
		return pe_fail(
			err, PE_EINVALID,
			"%s has %zu profiles and %s has %zu: profiles are compared in pairs (--pairs takes only the first ones)",
			options->old_dir, olds->paths.list.n, options->new_dir, news->paths.list.n);
	return PE_OK;
}

/* Each pair, and each profile beside the first of its side: what one pair cannot have, all together have not. */
static int check_alike(const struct side *olds, const struct side *news, size_t n,
		       struct pe_cmd_ctx *ctx)
{
	for (size_t i = 0; i < n; i++) {
		const struct pe_recorded old_one = {olds->trees[i], olds->paths.list.data[i]};
		const struct pe_recorded new_one = {news->trees[i], news->paths.list.data[i]};
		const struct pe_recorded first = {olds->trees[0], olds->paths.list.data[0]};
		const char *apart = pe_recorded_apart(&old_one, &new_one, ctx->app.arena);

		if (apart == NULL && i > 0)
			apart = pe_recorded_apart(&first, &old_one, ctx->app.arena);
		if (apart != NULL)
			return pe_fail(ctx->app.err, PE_EINVALID, "%s", apart);
	}
	return PE_OK;
}

static int print(struct pe_cmd_ctx *ctx, const struct pe_zam *zam, const struct pe_frames *frames,
		 const struct options *options, const char *unit)
{
	const struct pe_zam_page page = {zam,          frames, options->old_dir, options->new_dir,
					 options->top, unit};
	pe_auto_text text = PE_TEXT_INIT;

	if (options->format == FORMAT_DOT)
		pe_zam_dot(&text, &page);
	else if (options->format == FORMAT_JSON)
		pe_zam_json(&text, &page);
	else
		pe_zam_term(&text, &page, &ctx->out);
	return options->path != NULL ? pe_outfile_write_file(&text, options->path, ctx->app.err)
				     : pe_cmd_show(ctx, &text, true);
}

static int run(struct pe_cmd_ctx *ctx, struct options *options)
{
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	pe_auto_frames frames = PE_FRAMES_INIT;
	pe_auto_free struct side olds = {.trees = NULL}, news = {.trees = NULL};
	struct pe_zam zam;
	const char *counted;
	size_t n;

	PE_TRY(pe_recorded_add(&olds.paths, options->old_dir, &ctx->app));
	PE_TRY(pe_recorded_add(&news.paths, options->new_dir, &ctx->app));
	PE_TRY(count_pairs(&n, &olds, &news, options, ctx->app.err));
	PE_TRY(read_all(&olds, ctx, options, &frames, n));
	PE_TRY(read_all(&news, ctx, options, &frames, n));
	PE_TRY(check_alike(&olds, &news, n, ctx));
	counted = olds.trees[0]->facts.counted;
	if (options->min_ns > 0 && counted != NULL)
		return pe_fail(
			ctx->app.err, PE_EINVALID,
			"--min-diff is a duration, and these profiles count %s: leave it out",
			counted);
	opts.match.rule = rule_of[options->rule];
	opts.min_ns = options->min_ns;
	opts.keep_nameless = options->keep_nameless;
	PE_TRY(pe_zam_make(&zam, olds.trees, news.trees, (uint32_t)n, &opts, ctx->app.arena,
			   ctx->app.err));
	return print(ctx, &zam, &frames, options, counted);
}

/* The format, from --format or from the ending of --output. */
static int format_of(const struct options *options)
{
	const char *dot = options->path != NULL ? strrchr(options->path, '.') : NULL;

	if (options->format != FORMAT_TERM || dot == NULL)
		return options->format;
	return strcmp(dot, ".dot") == 0    ? FORMAT_DOT
	       : strcmp(dot, ".json") == 0 ? FORMAT_JSON
					   : FORMAT_TERM;
}

int cmd_localize(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.keep_nameless = false};
	const struct pe_opt opts[] = {
		OPT_GROUP("What is compared"),
		OPT_STRING(0, "old", &options.old_dir, "DIR", "profiles of the old version"),
		OPT_STRING(0, "new", &options.new_dir, "DIR", "profiles of the new version"),
		OPT_NUMBER(0, "pairs", &options.pairs, "N", "only the first N of each"),
		OPT_STRING(0, "input-format", &options.recorded.format, "NAME",
			   "of the files, in place of recognising it by the content"),
		OPT_DURATION(0, "sample-interval", &options.recorded.sample_ns, "DURATION",
			     "what a sample stands for (1ms where the file does not say)"),
		OPT_GROUP("How it is compared"),
		OPT_DURATION(0, "min-diff", &options.min_ns, "DURATION",
			     "the least difference that counts, such as 50ms"),
		OPT_CHOICE(0, "match", &options.rule, rules,
			   "which call paths of two trees are one"),
		OPT_FLAG(0, "keep-nameless", &options.keep_nameless,
			 "keep methods without a telling name"),
		OPT_GROUP("What is shown"),
		OPT_NUMBER(0, "top", &options.top, "K", "at most K methods"),
		OPT_FORMAT(&options.format, formats),
		OPT_STRING('o', "output", &options.path, "FILE",
			   "write it there; .dot and .json say the format"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (options.old_dir == NULL || options.new_dir == NULL)
		return pe_cmd_misused(ctx, "which folders? --old and --new name them");
	options.format = format_of(&options);
	return run(ctx, &options);
}
