/* Stored changed methods, and queries about a stretch of history. */
#include "app/changes/method_cache.h"

#include "core/base/search.h"
#include "analysis/methods/extract.h"

#include <string.h>

/* Raised whenever the comparison itself, or what is left out of it, answers otherwise. */
enum { RULES_REVISION = 2 };

/* --- Rules --- */

static void add_patterns(struct pe_hash *hash, const struct pe_strings *patterns)
{
	pe_hash_number(hash, patterns->n);
	for (size_t i = 0; i < patterns->n; i++)
		pe_hash_string(hash, patterns->at[i]);
}

void pe_changes_rules(char hex[PE_HASH_HEX], const struct pe_app *app)
{
	const struct pe_strings none = {NULL, 0};
	const struct pe_config *config = app->config;
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, RULES_REVISION);
	pe_hash_number(&hash, pe_extract_version());
	add_patterns(&hash, config != NULL ? &config->paths.include : &none);
	add_patterns(&hash, config != NULL ? &config->paths.exclude : &none);
	pe_hash_hex(&hash, hex);
}

const char *pe_changes_predecessor(const struct pe_revision *revision)
{
	return revision->n_parents > 0 ? revision->parents[0] : "";
}

int pe_changes_load(struct pe_revision_changes *out, struct pe_app *app, const char *rules,
		    struct pe_arena *arena)
{
	struct pe_compared compared = {
		.revision = out->after, .before = out->before, .rules = rules};

	if (app->store == NULL)
		return PE_ENOTFOUND;
	PE_TRY(pe_store_get_changes(&out->methods, &compared, app->store, arena, app->err));
	out->files = compared.files;
	out->unread = compared.unread;
	return PE_OK;
}

/* --- Counts --- */

/* The count of a revision, if it was compared with its present first parent; counts stand by revision. */
static const struct pe_changes_count *count_of(const struct pe_changes_count *counts, size_t n,
					       const struct pe_revision *revision)
{
	size_t at = 0;

	pe_search(at, n, i, strcmp(counts[i].revision, revision->id) < 0);
	return at < n && strcmp(counts[at].revision, revision->id) == 0 &&
			       strcmp(counts[at].before, pe_changes_predecessor(revision)) == 0
		       ? &counts[at]
		       : NULL;
}

static int load_counts(struct pe_changes_count **out, size_t *n, struct pe_app *app)
{
	char rules[PE_HASH_HEX];

	pe_changes_rules(rules, app);
	return pe_store_count_changes(out, n, app->store, rules, app->arena, app->err);
}

int pe_changes_counts(const int64_t **out, struct pe_app *app, const struct pe_revision *revisions,
		      size_t n)
{
	struct pe_changes_count *counts;
	int64_t *mc = pe_arena_new(app->arena, int64_t, n);
	bool any = false;
	size_t n_counts;

	*out = NULL;
	PE_TRY(load_counts(&counts, &n_counts, app));
	for (size_t i = 0; i < n; i++) {
		const struct pe_changes_count *count = count_of(counts, n_counts, &revisions[i]);

		mc[i] = count != NULL ? (int64_t)count->mc : -1;
		any = any || (count != NULL && count->files > 0);
	}
	if (any)
		*out = mc;
	return PE_OK;
}

/* --- Keeping a stretch of history --- */

void pe_changes_report(const struct pe_app *app, const struct pe_revision *revision, size_t done,
		       size_t total)
{
	const struct pe_progress_event event = {
		.phase = PE_PROGRESS_METHODS,
		.done = done,
		.total = total,
		.revision = revision->id,
		.subject = revision->subject,
	};

	if (app->progress.report != NULL)
		app->progress.report(&event, app->progress.payload);
}

/* One commit that cannot be read does not keep the others back; the first is named. */
static int keep_all(struct pe_app *app, const struct pe_revision *const *revisions, size_t n)
{
	struct pe_comparer *comparer = pe_comparer_new(app, true);
	bool noted = false;
	int rc = PE_OK;

	for (size_t i = 0; i < n && rc != PE_ESTOPPED && pe_comparer_keeps(comparer); i++) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_revision_changes changes;

		pe_changes_report(app, revisions[i], i, n);
		rc = pe_changes_of(&changes, comparer, revisions[i], NULL, &arena);
		if (rc != PE_OK && rc != PE_ESTOPPED && rc != PE_ENOTFOUND && !noted) {
			pe_app_note(app, "the changed methods of %.10s are not known: %s",
				    revisions[i]->id, app->err->message);
			noted = true;
		}
	}
	pe_comparer_free(comparer);
	if (rc != PE_ESTOPPED)
		*app->err = (struct pe_err)PE_ERR_INIT;
	return rc == PE_ESTOPPED ? rc : PE_OK;
}

int pe_changes_keep(struct pe_app *app, const struct pe_revision *const *revisions, size_t n)
{
	const struct pe_revision **missing =
		pe_arena_new(app->arena, const struct pe_revision *, n);
	struct pe_changes_count *counts;
	size_t n_counts, n_missing = 0;

	PE_TRY(load_counts(&counts, &n_counts, app));
	for (size_t i = 0; i < n; i++)
		if (count_of(counts, n_counts, revisions[i]) == NULL)
			missing[n_missing++] = revisions[i];
	return keep_all(app, missing, n_missing);
}
