/* Changes: which methods differ between two commits, or at each commit of a range, and in machine code. */
#include "cmd/commands.h"
#include "cmd/changes_print.h"

#include "app/changes/sources.h"
#include "report/format.h"
#include "core/json/writer.h"
#include "report/terminal.h"

#include <string.h>

struct options {
	size_t newest;
	bool each, summary, code;
	const char *bench;
	int format;
	struct pe_strings kinds;
};

/* A pass over the requested commits. */
struct listing {
	struct pe_cmd_ctx *ctx;
	const struct options *options;
	struct pe_comparer *comparer;
	struct pe_changes_style style;
	struct pe_table table; /* of --summary */
	struct pe_text text;
	struct pe_json json; /* into the text */
};

/* --- Options --- */

static int choose_kinds(struct pe_changes_style *style, const struct options *options,
			struct pe_err *err)
{
	const struct pe_strings *asked = &options->kinds;

	for (int kind = 0; kind < PE_N_METHOD_CHANGES; kind++)
		style->kinds[kind] = asked->n == 0;
	style->indirect = asked->n == 0;
	for (size_t i = 0; i < asked->n; i++) {
		int kind = 0;

		if (options->code && strcmp(asked->at[i], "indirect") == 0) {
			style->indirect = true;
			continue;
		}
		while (kind < PE_N_METHOD_CHANGES &&
		       strcmp(pe_method_change_name((enum pe_method_change_kind)kind),
			      asked->at[i]) != 0)
			kind++;
		if (kind == PE_N_METHOD_CHANGES)
			return pe_fail(
				err, PE_EINVALID,
				"--kind is added, deleted, modified, renamed or moved%s, not '%s'",
				options->code ? ", or indirect" : "", asked->at[i]);
		style->kinds[kind] = true;
	}
	return PE_OK;
}

/*
 * The store only saves work here. One that cannot be written is still read; where none can be opened, that is an error
 * if it was named by the user, else a note.
 */
static int open_store(bool *keep, struct pe_cmd_ctx *ctx)
{
	struct pe_err first;

	*keep = pe_app_open(&ctx->app, PE_NEEDS_STORE) == PE_OK;
	if (*keep)
		return PE_OK;
	first = *ctx->app.err;
	if (pe_app_open(&ctx->app, PE_NEEDS_STORE_READ) != PE_OK) {
		*ctx->app.err = first;
		if (ctx->app.store_path != NULL)
			return first.code;
		pe_app_note(&ctx->app, "%s; continuing without the stored lists", first.message);
	}
	*ctx->app.err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

/* A build needs the config, and is stored. */
static int open_for_builds(struct pe_cmd_ctx *ctx)
{
	return pe_app_open(&ctx->app,
			   PE_NEEDS_STORE | (ctx->app.config == NULL ? PE_NEEDS_CONFIG : 0));
}

/* --- The list --- */

static const struct pe_column summary_columns[] = {
	{"commit", false, 0}, {"date", false, 0},    {"changed", true, 0}, {"added", true, 0},
	{"deleted", true, 0}, {"modified", true, 0}, {"renamed", true, 0}, {"moved", true, 0},
	{"unread", true, 0},  {"subject", false, 8},
};

static void put_count(struct pe_table *table, size_t n)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (n > 0)
		pe_text_addf(&text, "%zu", n);
	pe_table_take(table, PE_PLAIN, &text);
}

/* "3f2a91c5", or "1d2e3f4a..3f2a91c5" for another base than the first parent. */
static void add_name(struct pe_text *out, const char *before, const struct pe_revision *after)
{
	if (before != NULL)
		pe_text_addf(out, "%.8s..", before);
	pe_text_addf(out, "%.8s", after->id);
}

static void put_summary(struct listing *listing, const struct pe_revision_changes *changes,
			const char *before, const struct pe_revision *after)
{
	struct pe_table *table = &listing->table;
	pe_auto_text text = PE_TEXT_INIT;

	add_name(&text, before, after);
	pe_table_take(table, PE_BOLD, &text);
	pe_format_date(&text, after->time_s);
	pe_table_take(table, PE_DIM, &text);
	pe_text_addf(&text, "%zu", pe_method_changes_mc(&changes->methods));
	pe_table_take(table, PE_BOLD, &text);
	for (int kind = 0; kind < PE_N_METHOD_CHANGES; kind++)
		put_count(table, changes->methods.count[kind]);
	put_count(table, changes->unread);
	pe_table_put(table, PE_PLAIN, after->subject);
}

static void add_block(struct listing *listing, const struct pe_revision_changes *changes,
		      const char *before, const struct pe_revision *after)
{
	pe_auto_text line = PE_TEXT_INIT;

	add_name(&line, before, after);
	if (before == NULL)
		pe_text_addf(&line, " %s", after->subject);
	if (listing->text.len > 0)
		pe_text_addc(&listing->text, '\n');
	pe_term_line(&listing->text, listing->style.term, PE_BOLD, pe_text_str(&line));
	pe_changes_table(&listing->text, changes, &listing->style);
	pe_changes_summary(&listing->text, changes, listing->style.term);
	if (listing->style.outside != NULL) {
		pe_text_clear(&line);
		pe_text_addf(&line, "outside of methods: %s", listing->style.outside);
		pe_term_line(&listing->text, listing->style.term, PE_PLAIN, pe_text_str(&line));
	}
	if (listing->style.code != NULL)
		pe_changes_code_summary(&listing->text, listing->style.code, listing->style.term);
}

/* Build both sides, and see what of the changes reached the machine code. */
static int cross(struct pe_crossing *out, struct listing *listing,
		 const struct pe_revision_changes *changes, const struct pe_revision *after)
{
	struct pe_cmd_ctx *ctx = listing->ctx;
	struct pe_revision before;

	if (changes->before[0] == '\0')
		return pe_fail(ctx->app.err, PE_EUNSUPPORTED,
			       "%.10s has no parent whose build could be compared with its own",
			       changes->after);
	PE_TRY(pe_app_resolve(&before, &ctx->app, changes->before));
	return pe_crossing_of(out, &ctx->app, changes, &before, after, listing->options->bench);
}

/* What differs outside of methods, in the arena. Only of one difference: with many it would be read of every file of each. */
static int find_outside(const char **out, struct listing *listing,
			const struct pe_revision_changes *changes, struct pe_arena *arena)
{
	*out = NULL;
	if (listing->options->each || listing->options->summary || changes->before[0] == '\0')
		return PE_OK;
	return pe_sources_outside(out, &listing->ctx->app, listing->comparer, changes, arena);
}

/* @param before  as for pe_changes_of() */
static int list_one(struct listing *listing, const struct pe_revision *after, const char *before)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_revision_changes changes;
	struct pe_crossing code = {.methods = NULL};

	PE_TRY(pe_changes_of(&changes, listing->comparer, after, before, &arena));
	PE_TRY(find_outside(&listing->style.outside, listing, &changes, &arena));
	if (listing->options->code) {
		PE_TRY(cross(&code, listing, &changes, after));
		listing->style.code = &code;
	}
	if (listing->options->format == PE_FORMAT_JSON)
		pe_changes_json(&listing->json, NULL, &changes, after->subject, &listing->style);
	else if (listing->options->summary)
		put_summary(listing, &changes, before, after);
	else
		add_block(listing, &changes, before, after);
	listing->style.code = NULL;
	listing->style.outside = NULL;
	return PE_OK;
}

/* Newest first. The oldest commit of a shallow clone ends the list: its parent is not here. */
static int list_each(struct listing *listing, const char *spec)
{
	struct pe_cmd_ctx *ctx = listing->ctx;
	const struct pe_range range = {.spec = spec, .last = listing->options->newest};
	struct pe_revisions revisions;

	PE_TRY(pe_repo_walk(&revisions, ctx->app.repo, &range, ctx->app.arena, ctx->app.err));
	for (size_t i = 0; i < revisions.n; i++) {
		const struct pe_revision *revision = &revisions.at[revisions.n - 1 - i];
		int rc;

		if (*ctx->app.interrupts > 0)
			return PE_ESTOPPED;
		pe_changes_report(&ctx->app, revision, i, revisions.n);
		rc = list_one(listing, revision, NULL);
		if (rc == PE_ENOTFOUND && revisions.n > 1 && pe_repo_is_shallow(ctx->app.repo))
			pe_app_note(&ctx->app, "%s", ctx->app.err->message);
		else
			PE_TRY(rc);
	}
	return PE_OK;
}

/* One end of "A..B"; an empty one is HEAD. */
static int resolve(struct pe_revision *out, struct pe_cmd_ctx *ctx, const char *spec, size_t n)
{
	const char *name = n > 0 ? pe_arena_strndup(ctx->app.arena, spec, n) : "HEAD";

	return pe_app_resolve(out, &ctx->app, name);
}

static int list_difference(struct listing *listing, const char *spec)
{
	struct pe_cmd_ctx *ctx = listing->ctx;
	const char *dots = spec != NULL ? strstr(spec, "..") : NULL;
	struct pe_revision before, after;

	if (dots == NULL) {
		PE_TRY(resolve(&after, ctx, spec, spec != NULL ? strlen(spec) : 0));
		return list_one(listing, &after, NULL);
	}
	if (dots[2] == '.')
		return pe_fail(ctx->app.err, PE_EINVALID,
			       "'%s' is a symmetric difference, which has no order; write A..B",
			       spec);
	PE_TRY(resolve(&before, ctx, spec, (size_t)(dots - spec)));
	PE_TRY(resolve(&after, ctx, dots + 2, strlen(dots + 2)));
	return list_one(listing, &after, before.id);
}

static void begin(struct listing *listing)
{
	pe_table_init(&listing->table, summary_columns,
		      sizeof(summary_columns) / sizeof(*summary_columns), &listing->ctx->out);
	if (listing->options->format != PE_FORMAT_JSON)
		return;
	listing->json.out = &listing->text;
	pe_json_begin_object(&listing->json, NULL);
	pe_json_put(&listing->json, "format", 1);
	pe_json_put(&listing->json, "version", PE_VERSION);
	pe_json_begin_rows(&listing->json, "changes");
}

static int end(struct listing *listing)
{
	if (listing->options->format == PE_FORMAT_JSON)
		pe_json_finish(&listing->json);
	else if (listing->options->summary)
		pe_table_print(&listing->text, &listing->table, true);
	return pe_cmd_show(listing->ctx, &listing->text, true);
}

static int list(struct pe_cmd_ctx *ctx, const struct options *options, const char *spec)
{
	struct listing listing = {.ctx = ctx, .options = options, .style = {.term = &ctx->out}};
	bool keep = true;
	int rc;

	PE_TRY(choose_kinds(&listing.style, options, ctx->app.err));
	PE_TRY(options->code ? open_for_builds(ctx) : open_store(&keep, ctx));
	if (options->summary)
		memset(listing.style.kinds, 0, sizeof(listing.style.kinds));
	listing.comparer = pe_comparer_new(&ctx->app, keep);
	begin(&listing);
	rc = options->each ? list_each(&listing, spec) : list_difference(&listing, spec);
	if (rc == PE_OK)
		rc = end(&listing);
	pe_comparer_free(listing.comparer);
	pe_table_release(&listing.table);
	pe_text_release(&listing.text);
	return rc;
}

static bool is_range(const char *spec)
{
	return strstr(spec, "..") != NULL;
}

int cmd_changes(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {0};
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "each", &options.each, "every commit of a range, by itself"),
		OPT_LAST(&options.newest, "with --each: only the newest N commits"),
		OPT_LIST(
			'k', "kind", &options.kinds, "KIND",
			"only added, deleted, modified, renamed or moved ones; with --code indirect"),
		OPT_FLAG('s', "summary", &options.summary, "only how many, a line a commit"),
		OPT_FLAG(0, "code", &options.code, "build both sides and compare the machine code"),
		OPT_STRING('b', "bench", &options.bench, "REGEX",
			   "with --code: only the programs of benchmarks whose name matches"),
		OPT_JSON(&options.format),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	if (argc == 2 && (is_range(argv[0]) || is_range(argv[1])))
		return pe_cmd_misused(ctx, "one commit, two, or one range, as 'A..B'");
	if (options.newest > 0 && !options.each)
		return pe_cmd_misused(ctx, "--last counts commits: it goes with --each");
	if (options.code && (options.each || options.summary))
		return pe_cmd_misused(
			ctx,
			"--code compares two builds: it goes with neither --each nor --summary");
	if (options.bench != NULL && !options.code)
		return pe_cmd_misused(ctx, "--bench chooses programs: it goes with --code");
	return list(ctx, &options,
		    argc == 2   ? pe_arena_printf(ctx->app.arena, "%s..%s", argv[0], argv[1])
		    : argc == 1 ? argv[0]
				: NULL);
}
