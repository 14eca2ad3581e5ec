/* Show: everything known about one revision. */
#include "cmd/commands.h"
#include "cmd/changes_print.h"
#include "app/history/cells.h"
#include "app/history/values.h"
#include "core/json/writer.h"

#include <string.h>

static bool has(const struct pe_evolution *evolution, const char *id, size_t *at)
{
	*at = pe_revision_find(evolution->revisions, evolution->n_revisions, id);
	return *at < evolution->n_revisions;
}

/*
 * HEAD's line has the most results about a commit on it, the later ones included. A commit on no such line is judged with
 * its own ancestors.
 */
static int find(struct pe_evolution *evolution, size_t *at, struct pe_cmd_ctx *ctx,
		const struct pe_revision *revision)
{
	struct pe_values_query asked = {0};
	int rc = pe_values_load(evolution, &ctx->app, &asked);

	if (rc == PE_OK && has(evolution, revision->id, at))
		return PE_OK;
	asked.range = revision->id;
	if (rc == PE_OK || rc == PE_ENOTFOUND)
		rc = pe_values_load(evolution, &ctx->app, &asked);
	if ((rc == PE_OK && !has(evolution, revision->id, at)) || rc == PE_ENOTFOUND)
		rc = pe_fail(
			ctx->app.err, PE_ENOTFOUND,
			"nothing is stored about %.10s (%s): run 'perfevo track %.10s --last 1'",
			revision->id, revision->subject, revision->id);
	return rc;
}

/* What it changed; a commit that cannot be compared is shown all the same. PE_ENOTFOUND: its parent is not here. */
static int find_changes(struct pe_revision_changes *out, struct pe_cmd_ctx *ctx,
			const struct pe_revision *revision)
{
	struct pe_comparer *comparer = pe_comparer_new(&ctx->app, false);
	int rc = pe_changes_of(out, comparer, revision, NULL, ctx->app.arena);

	if (rc != PE_OK && rc != PE_ENOTFOUND)
		pe_app_note(&ctx->app, "changed methods: %s", ctx->app.err->message);
	pe_comparer_free(comparer);
	return rc;
}

/* Without them a commit is shown all the same. */
static size_t find_calls(struct pe_revision_calls **out, struct pe_cmd_ctx *ctx,
			 const struct pe_evolution *evolution, size_t at)
{
	size_t n;

	if (pe_calls_of_revision(out, &n, &ctx->app, evolution, at) != PE_OK)
		pe_app_note(&ctx->app, "system calls: %s", ctx->app.err->message);
	return n;
}

static void print_term(struct pe_text *out, struct pe_cmd_ctx *ctx,
		       const struct pe_evolution *evolution, size_t at,
		       const struct pe_revision *revision)
{
	enum { MOST = 50 };
	struct pe_changes_style style = {.term = &ctx->out, .most = MOST};
	struct pe_revision_changes changes;
	struct pe_revision_calls *calls;
	size_t n_calls = find_calls(&calls, ctx, evolution, at);

	pe_evolution_show(out, evolution, at, &ctx->out);
	pe_revision_calls_show(out, calls, n_calls, &ctx->out);
	if (find_changes(&changes, ctx, revision) != PE_OK || changes.files == 0)
		return;
	memset(style.kinds, true, sizeof(style.kinds));
	pe_text_addc(out, '\n');
	pe_changes_table(out, &changes, &style);
	pe_changes_summary(out, &changes, &ctx->out);
}

static void print_json(struct pe_text *out, struct pe_cmd_ctx *ctx,
		       const struct pe_evolution *evolution, size_t at,
		       const struct pe_revision *revision)
{
	struct pe_changes_style style = {.term = &ctx->out};
	struct pe_json json = PE_JSON_INIT(out);
	struct pe_revision_changes changes;
	struct pe_revision_calls *calls;
	size_t n_calls = find_calls(&calls, ctx, evolution, at);

	memset(style.kinds, true, sizeof(style.kinds));
	pe_json_begin_object(&json, NULL);
	pe_evolution_show_json(&json, evolution, at);
	pe_revision_calls_json(&json, calls, n_calls);
	if (find_changes(&changes, ctx, revision) == PE_OK)
		pe_changes_json(&json, "changes", &changes, revision->subject, &style);
	else
		pe_json_null(&json, "changes");
	pe_json_finish(&json);
}

int cmd_show(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	int format = 0;
	const struct pe_opt opts[] = {OPT_JSON(&format), OPT_END};
	struct pe_evolution evolution;
	struct pe_revision revision;
	pe_auto_text text = PE_TEXT_INIT;
	size_t at = 0;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	PE_TRY(pe_app_resolve(&revision, &ctx->app, argc == 1 ? argv[0] : "HEAD"));
	PE_TRY(find(&evolution, &at, ctx, &revision));
	(format == PE_FORMAT_JSON ? print_json : print_term)(&text, ctx, &evolution, at, &revision);
	return pe_cmd_show(ctx, &text, true);
}
