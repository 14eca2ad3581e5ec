#include "app/changes/changed_methods.h"

#include "configs/config.h"
#include "core/base/array.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"
#include "analysis/methods/extract.h"
#include "analysis/methods/worker.h"

#include <stdlib.h>
#include <string.h>

/* Raised whenever the comparison itself, or what is left out of it, answers otherwise. */
enum { RULES_REVISION = 2 };

/* Pending methods of new contents are written to the store at this size. */
enum { PENDING_BYTES = 1 << 20 };

struct pending {
	const char *blob, *read_as; /* live until the comparison is over */
	struct pe_text data;
};

struct pe_comparer {
	struct pe_app *app;
	struct pe_paths paths;
	bool keep; /* write what is found out */
	char rules[PE_HASH_HEX];
	PE_VEC(struct pending) pending;
	size_t pending_bytes;
};

/* One side of a comparison in the making. */
struct side {
	PE_VEC(struct pe_method) methods;
	bool ran_out; /* of a content parsing was given up */
};

/* Hash what decides the answer besides the two trees: the extraction's version and `paths:`. */
static void hash_rules(char hex[PE_HASH_HEX], const struct pe_app *app)
{
	static const struct pe_paths all;
	const struct pe_paths *paths = app->config != NULL ? &app->config->paths : &all;
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, RULES_REVISION);
	pe_hash_number(&hash, pe_extract_version());
	pe_strings_hash(&hash, &paths->include);
	pe_strings_hash(&hash, &paths->exclude);
	pe_hash_hex(&hash, hex);
}

/* Id of the first parent; "" at a root, which is compared with an empty tree. */
static const char *predecessor_of(const struct pe_revision *revision)
{
	return revision->n_parents > 0 ? revision->parents[0] : "";
}

struct pe_comparer *pe_comparer_new(struct pe_app *app, bool keep)
{
	struct pe_comparer *comparer = pe_realloc(NULL, 1, sizeof(*comparer));

	*comparer = (struct pe_comparer){
		.app = app,
		.keep = keep && app->store != NULL,
	};
	if (app->config != NULL)
		comparer->paths = app->config->paths;
	hash_rules(comparer->rules, app);
	return comparer;
}

static void drop_pending(struct pe_comparer *comparer)
{
	for (size_t i = 0; i < comparer->pending.n; i++)
		pe_text_release(&comparer->pending.data[i].data);
	comparer->pending.n = 0;
	comparer->pending_bytes = 0;
}

void pe_comparer_free(struct pe_comparer *comparer)
{
	if (comparer == NULL)
		return;
	drop_pending(comparer);
	pe_vec_release(&comparer->pending);
	free(comparer);
}

/* --- Keeping --- */

static int put_all(struct pe_comparer *comparer, const struct pe_revision_changes *changes)
{
	struct pe_app *app = comparer->app;
	pe_auto_transaction store = app->store;

	PE_TRY(pe_store_begin(store, app->err));
	for (size_t i = 0; i < comparer->pending.n; i++) {
		const struct pending *one = &comparer->pending.data[i];

		PE_TRY(pe_store_put_extraction(store, one->blob, one->read_as, pe_extract_version(),
					       &one->data, app->err));
	}
	if (changes != NULL)
		PE_TRY(pe_store_put_changes(store,
					    &(struct pe_compared){.revision = changes->after,
								  .before = changes->before,
								  .rules = comparer->rules,
								  .files = changes->files,
								  .unread = changes->unread},
					    &changes->methods, app->err));
	return pe_store_commit(store, app->err);
}

/*
 * Write the results, in one transaction. It is opened only now, so that another process does not wait while this one
 * parses. A failure to store them loses no answer, so it only ends the storing.
 */
static void flush(struct pe_comparer *comparer, const struct pe_revision_changes *changes)
{
	struct pe_app *app = comparer->app;
	int rc;

	if (!comparer->keep || (comparer->pending.n == 0 && changes == NULL))
		return;
	rc = put_all(comparer, changes);
	drop_pending(comparer);
	if (rc != PE_OK) {
		pe_app_note(app, "%s; continuing, but changed methods are not stored",
			    app->err->message);
		*app->err = (struct pe_err)PE_ERR_INIT;
		comparer->keep = false;
	}
}

/* --- Reading contents --- */

/* A content, and what decides how it is read: equal ones have equal methods. */
struct reading {
	const struct pe_language *language;
	const char *blob, *read_as;
};

static int find_extraction(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
			   const char *blob, const char *read_as, struct pe_arena *arena)
{
	struct pe_app *app = comparer->app;
	pe_auto_text data = PE_TEXT_INIT;

	if (app->store == NULL)
		return PE_ENOTFOUND;
	PE_TRY(pe_store_get_extraction(&data, app->store, blob, read_as, pe_extract_version(),
				       app->err));
	/* Damaged data is read again and replaced. */
	return pe_methods_unpack(out, path, pe_text_str(&data), data.len, arena, NULL) == PE_OK
		       ? PE_OK
		       : PE_ENOTFOUND;
}

static int extract(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
		   struct reading reading, struct pe_arena *arena)
{
	struct pe_app *app = comparer->app;
	pe_auto_text source = PE_TEXT_INIT;
	struct pending pending = {reading.blob, reading.read_as, PE_TEXT_INIT};
	int rc = pe_repo_blob(&source, app->repo, reading.blob, app->err);

	if (rc == PE_OK)
		rc = pe_worker_extract(out, &pending.data,
				       &(struct pe_source_file){.language = reading.language,
								.path = path,
								.text = pe_text_str(&source),
								.n = source.len},
				       app->interrupts, arena, app->err);
	if (rc != PE_OK && rc != PE_ESTOPPED)
		pe_err_context(app->err, "%s", path);
	/* A result that was cut short is not stored. */
	if (rc != PE_OK || !comparer->keep || out->ran_out) {
		pe_text_release(&pending.data);
		return rc;
	}
	comparer->pending_bytes += pending.data.len;
	pe_vec_push(&comparer->pending, pending);
	if (comparer->pending_bytes >= PENDING_BYTES)
		flush(comparer, NULL);
	return PE_OK;
}

/* The methods of one content. */
static int read_content(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
			const char *blob, struct pe_arena *arena)
{
	const struct pe_language *language = pe_language_of(path);
	/* How a content is read may hang on the ending too: a header may turn out to be C++. */
	const char *ending = strrchr(path, '.');
	const char *read_as = pe_arena_printf(arena, "%s%s", pe_language_name(language),
					      ending != NULL ? ending : "");
	int rc = find_extraction(out, comparer, path, blob, read_as, arena);

	return rc != PE_ENOTFOUND ? rc
				  : extract(out, comparer, path,
					    (struct reading){language, blob, read_as}, arena);
}

/* Append the methods of one content; unread becomes what could not be parsed in it. */
static int add_content(struct side *side, size_t *unread, struct pe_comparer *comparer,
		       const char *path, const char *blob, struct pe_arena *arena)
{
	struct pe_methods methods = {0};

	*unread = 0;
	if (blob[0] == '\0')
		return PE_OK;
	PE_TRY(read_content(&methods, comparer, path, blob, arena));
	for (size_t i = 0; i < methods.n; i++)
		pe_vec_push(&side->methods, methods.at[i]);
	side->ran_out = side->ran_out || methods.ran_out;
	*unread = methods.unread;
	return PE_OK;
}

int pe_comparer_read(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
		     const char *blob, struct pe_arena *arena)
{
	*out = (struct pe_methods){0};
	PE_TRY(read_content(out, comparer, path, blob, arena));
	flush(comparer, NULL);
	return PE_OK;
}

/* --- Comparing --- */

static bool is_wanted(const char *path, void *payload)
{
	const struct pe_comparer *comparer = payload;

	return pe_language_of(path) != NULL && pe_paths_have(&comparer->paths, path);
}

static bool is_interrupted(const struct pe_app *app)
{
	return app->interrupts != NULL && *app->interrupts > 0;
}

static int read_sides(struct pe_revision_changes *out, struct side *before, struct side *after,
		      struct pe_comparer *comparer, const struct pe_changed_files *files,
		      struct pe_arena *arena)
{
	out->unread += files->cut;
	for (size_t i = 0; i < files->n; i++) {
		const struct pe_changed_file *file = &files->at[i];
		size_t unread = 0;

		if (file->generated || file->vendored)
			continue;
		if (is_interrupted(comparer->app))
			return PE_ESTOPPED;
		PE_TRY(add_content(before, &unread, comparer, file->path, file->before, arena));
		PE_TRY(add_content(after, &unread, comparer, file->path, file->after, arena));
		out->unread += unread;
		out->files++;
	}
	return PE_OK;
}

PE_SORT_DOWN_BY(by_parts, struct pe_unread_file, parts, path);

/* Name the files whose newer content has parts that could not be parsed. What the store keeps of contents is read. */
static int find_unread_files(struct pe_revision_changes *out, struct pe_comparer *comparer,
			     const struct pe_changes_query *query, struct pe_arena *arena)
{
	struct pe_changed_files files;
	struct pe_methods methods;

	PE_TRY(pe_repo_changes(&files, comparer->app->repo, query, arena, comparer->app->err));
	out->unread_files = pe_arena_new(arena, struct pe_unread_file, files.n);
	for (size_t i = 0; i < files.n; i++) {
		const struct pe_changed_file *file = &files.at[i];

		if (file->generated || file->vendored || file->after[0] == '\0')
			continue;
		PE_TRY(is_interrupted(comparer->app)
			       ? PE_ESTOPPED
			       : read_content(&methods, comparer, file->path, file->after, arena));
		if (methods.unread > 0)
			out->unread_files[out->n_unread_files++] =
				(struct pe_unread_file){file->path, methods.unread};
	}
	pe_sort(out->unread_files, out->n_unread_files, by_parts);
	return PE_OK;
}

static struct pe_methods into_arena(struct side *side, struct pe_arena *arena)
{
	return (struct pe_methods){.at = pe_vec_copy(arena, &side->methods), .n = side->methods.n};
}

static int compare(struct pe_revision_changes *out, struct pe_comparer *comparer,
		   const struct pe_changes_query *query, struct pe_arena *arena)
{
	struct pe_app *app = comparer->app;
	pe_auto_free struct side before = {.ran_out = false}, after = {.ran_out = false};
	struct pe_methods *both = pe_arena_new(arena, struct pe_methods, 2);
	struct pe_changed_files files;

	PE_TRY(pe_repo_changes(&files, app->repo, query, arena, app->err));
	PE_TRY(read_sides(out, &before, &after, comparer, &files, arena));
	both[0] = into_arena(&before, arena);
	both[1] = into_arena(&after, arena);
	pe_methods_diff(&out->methods, &both[0], &both[1], arena);
	out->ran_out = before.ran_out || after.ran_out;
	return PE_OK;
}

/* Load the stored changes between out->before and out->after. PE_ENOTFOUND: none by these rules, or there is no store. */
static int load(struct pe_revision_changes *out, struct pe_app *app, const char *rules,
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

int pe_changes_of(struct pe_revision_changes *out, struct pe_comparer *comparer,
		  const struct pe_revision *after, const char *before, struct pe_arena *arena)
{
	bool neighbours = before == NULL || strcmp(before, predecessor_of(after)) == 0;
	struct pe_changes_query query = {
		.before = neighbours ? NULL : before,
		.after = after->id,
		.wanted = is_wanted,
		.payload = comparer,
	};
	struct pe_app *app = comparer->app;
	int rc = PE_ENOTFOUND;

	memset(out, 0, sizeof(*out));
	out->after = pe_arena_strdup(arena, after->id);
	out->before = pe_arena_strdup(arena, neighbours ? predecessor_of(after) : before);
	if (neighbours)
		rc = load(out, app, comparer->rules, arena);
	if (rc == PE_ENOTFOUND) {
		rc = compare(out, comparer, &query, arena);
		flush(comparer, rc == PE_OK && neighbours && !out->ran_out ? out : NULL);
	}
	PE_TRY(rc);
	return out->unread > 0 ? find_unread_files(out, comparer, &query, arena) : PE_OK;
}

/* --- Counts --- */

/* The count of a revision, if it was compared with its present first parent; counts stand by revision. */
static const struct pe_changes_count *count_of(const struct pe_changes_count *counts, size_t n,
					       const struct pe_revision *revision)
{
	size_t at = 0;

	pe_search(at, n, i, strcmp(counts[i].revision, revision->id) < 0);
	return at < n && strcmp(counts[at].revision, revision->id) == 0 &&
			       strcmp(counts[at].before, predecessor_of(revision)) == 0
		       ? &counts[at]
		       : NULL;
}

static int load_counts(struct pe_changes_count **out, size_t *n, struct pe_app *app)
{
	char rules[PE_HASH_HEX];

	hash_rules(rules, app);
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

	for (size_t i = 0; i < n && rc != PE_ESTOPPED && comparer->keep; i++) {
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
