#include "cmd/methods.h"

#include "configs/config.h"
#include "core/base/vec.h"
#include "methods/extract.h"

#include <stdlib.h>
#include <string.h>

/* Raised whenever the comparison itself, or what is left out of it, answers otherwise. */
enum { RULES_REVISION = 1 };

/* Methods of contents that the store does not have yet are written when they are so many bytes. */
enum { PENDING_BYTES = 1 << 20 };

struct pending {
	const char *blob, *language; /* live until the comparison is over */
	struct pe_text data;
};

struct pe_comparer {
	struct pe_cmd_ctx *ctx;
	struct pe_paths paths;
	struct pe_extractor *extractor; /* NULL: nothing was parsed yet */
	bool keep;
	char rules[PE_HASH_HEX];
	PE_VEC(struct pending) pending;
	size_t pending_bytes;
};

/* One side of a comparison in the making. */
struct side {
	PE_VEC(struct pe_method) methods;
};

/* --- Rules --- */

static void add_patterns(struct pe_hash *hash, const struct pe_strings *patterns)
{
	pe_hash_number(hash, patterns->n);
	for (size_t i = 0; i < patterns->n; i++)
		pe_hash_string(hash, patterns->at[i]);
}

static struct pe_paths paths_of(const struct pe_cmd_ctx *ctx)
{
	return ctx->config != NULL ? ctx->config->paths : (struct pe_paths){0};
}

/* What decides the answer besides the two trees. */
static void hash_rules(char hex[PE_HASH_HEX], const struct pe_paths *paths)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, RULES_REVISION);
	pe_hash_number(&hash, pe_extract_version());
	add_patterns(&hash, &paths->include);
	add_patterns(&hash, &paths->exclude);
	pe_hash_hex(&hash, hex);
}

struct pe_comparer *pe_comparer_new(struct pe_cmd_ctx *ctx, bool keep)
{
	struct pe_comparer *comparer = pe_realloc(NULL, 1, sizeof(*comparer));

	*comparer = (struct pe_comparer){
		.ctx = ctx,
		.paths = paths_of(ctx),
		.keep = keep && ctx->store != NULL,
	};
	hash_rules(comparer->rules, &comparer->paths);
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
	if (comparer->extractor != NULL)
		pe_extractor_free(comparer->extractor);
	free(comparer);
}

/* --- Keeping --- */

static int put_all(struct pe_comparer *comparer, const struct pe_stored_changes *changes)
{
	struct pe_cmd_ctx *ctx = comparer->ctx;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < comparer->pending.n; i++) {
		const struct pending *one = &comparer->pending.data[i];

		rc = pe_store_put_extraction(ctx->store, one->blob, one->language,
					     pe_extract_version(), &one->data, ctx->err);
	}
	if (rc == PE_OK && changes != NULL)
		rc = pe_store_put_changes(ctx->store, changes, ctx->err);
	return rc;
}

/*
 * Write what was found out, in one transaction. It is opened only now: another process does not have to wait
 * while this one parses. The answer is worth more than its keeping, so a failure only ends the latter.
 */
static void flush(struct pe_comparer *comparer, const struct pe_stored_changes *changes)
{
	struct pe_cmd_ctx *ctx = comparer->ctx;
	int rc;

	if (!comparer->keep || (comparer->pending.n == 0 && changes == NULL))
		return;
	rc = pe_store_begin(ctx->store, ctx->err);
	if (rc == PE_OK) {
		rc = put_all(comparer, changes);
		if (rc == PE_OK)
			rc = pe_store_commit(ctx->store, ctx->err);
		else
			pe_store_rollback(ctx->store);
	}
	drop_pending(comparer);
	if (rc != PE_OK) {
		pe_cmd_note(ctx, "%s; going on, but changed methods are not kept",
			    ctx->err->message);
		*ctx->err = (struct pe_err)PE_ERR_INIT;
		comparer->keep = false;
	}
}

/* --- Reading contents --- */

static int find_extraction(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
			   const char *blob, const char *language, struct pe_arena *arena)
{
	struct pe_cmd_ctx *ctx = comparer->ctx;
	struct pe_text data = PE_TEXT_INIT;
	int rc = PE_ENOTFOUND;

	if (ctx->store != NULL)
		rc = pe_store_get_extraction(&data, ctx->store, blob, language,
					     pe_extract_version(), ctx->err);
	if (rc == PE_OK &&
	    pe_methods_unpack(out, path, pe_text_str(&data), data.len, arena, NULL) != PE_OK)
		rc = PE_ENOTFOUND; /* damaged: it is read again and put in its place */
	pe_text_release(&data);
	return rc;
}

static int extract(struct pe_methods *out, struct pe_comparer *comparer, const char *path,
		   const char *blob, const struct pe_language *language, struct pe_arena *arena)
{
	struct pe_text source = PE_TEXT_INIT;
	int rc = pe_repo_blob(&source, comparer->ctx->repo, blob, comparer->ctx->err);

	if (rc == PE_OK) {
		struct pending pending = {blob, pe_language_name(language), PE_TEXT_INIT};

		if (comparer->extractor == NULL)
			comparer->extractor = pe_extractor_new();
		pe_extract(out, comparer->extractor, language, path, pe_text_str(&source),
			   source.len, arena);
		if (comparer->keep) {
			pe_methods_pack(&pending.data, out);
			comparer->pending_bytes += pending.data.len;
			pe_vec_push(&comparer->pending, pending);
		}
	} else {
		pe_err_context(comparer->ctx->err, "%s", path);
	}
	pe_text_release(&source);
	if (comparer->pending_bytes >= PENDING_BYTES)
		flush(comparer, NULL);
	return rc;
}

/* Append the methods of one content; unread becomes what could not be parsed in it. */
static int add_content(struct side *side, size_t *unread, struct pe_comparer *comparer,
		       const char *path, const char *blob, struct pe_arena *arena)
{
	const struct pe_language *language = pe_language_of(path);
	struct pe_methods methods = {0};
	int rc;

	if (blob[0] == '\0')
		return PE_OK;
	rc = find_extraction(&methods, comparer, path, blob, pe_language_name(language), arena);
	if (rc == PE_ENOTFOUND)
		rc = extract(&methods, comparer, path, blob, language, arena);
	for (size_t i = 0; rc == PE_OK && i < methods.n; i++)
		pe_vec_push(&side->methods, methods.at[i]);
	*unread = methods.unread;
	return rc;
}

/* --- Comparing --- */

static bool is_wanted(const char *path, void *payload)
{
	const struct pe_comparer *comparer = payload;

	return pe_language_of(path) != NULL && pe_paths_have(&comparer->paths, path);
}

static bool is_interrupted(const struct pe_cmd_ctx *ctx)
{
	return ctx->interrupts != NULL && *ctx->interrupts > 0;
}

static int read_sides(struct pe_changes *out, struct side *before, struct side *after,
		      struct pe_comparer *comparer, const struct pe_changed_files *files,
		      struct pe_arena *arena)
{
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < files->n; i++) {
		const struct pe_changed_file *file = &files->at[i];
		size_t unread = 0;

		if (file->generated || file->vendored)
			continue;
		if (is_interrupted(comparer->ctx))
			return PE_ESTOPPED;
		rc = add_content(before, &unread, comparer, file->path, file->before, arena);
		if (rc == PE_OK)
			rc = add_content(after, &unread, comparer, file->path, file->after, arena);
		out->unread += unread;
		out->files++;
	}
	return rc;
}

static struct pe_methods into_arena(struct side *side, struct pe_arena *arena)
{
	struct pe_methods methods = {pe_arena_new(arena, struct pe_method, side->methods.n),
				     side->methods.n, 0, 0};

	if (methods.n > 0)
		memcpy(methods.at, side->methods.data, methods.n * sizeof(*methods.at));
	return methods;
}

static int compare(struct pe_changes *out, struct pe_comparer *comparer,
		   const struct pe_changes_query *query, struct pe_arena *arena)
{
	struct pe_cmd_ctx *ctx = comparer->ctx;
	struct side before = {{NULL, 0, 0}}, after = {{NULL, 0, 0}};
	struct pe_changed_files files;
	int rc = pe_repo_changes(&files, ctx->repo, query, arena, ctx->err);

	if (rc == PE_OK)
		rc = read_sides(out, &before, &after, comparer, &files, arena);
	if (rc == PE_OK) {
		struct pe_methods *both = pe_arena_new(arena, struct pe_methods, 2);

		both[0] = into_arena(&before, arena);
		both[1] = into_arena(&after, arena);
		pe_methods_diff(&out->methods, &both[0], &both[1], arena);
	}
	pe_vec_release(&before.methods);
	pe_vec_release(&after.methods);
	return rc;
}

/* --- To the store and back --- */

static struct pe_stored_method stored_method(const struct pe_method *method)
{
	if (method == NULL)
		return (struct pe_stored_method){0};
	return (struct pe_stored_method){method->component, method->name, method->signature,
					 method->first_line, method->last_line};
}

static struct pe_stored_changes stored(const struct pe_changes *changes, const char *rules,
				       struct pe_arena *arena)
{
	const struct pe_method_changes *methods = &changes->methods;
	struct pe_stored_changes out = {
		.revision = changes->after,
		.before = changes->before,
		.rules = rules,
		.files = changes->files,
		.unread = changes->unread,
		.at = pe_arena_new(arena, struct pe_stored_change, methods->n),
		.n = methods->n,
	};

	for (size_t i = 0; i < methods->n; i++) {
		const struct pe_method_change *change = &methods->at[i];

		out.at[i] = (struct pe_stored_change){
			.kind = pe_method_change_name(change->kind),
			.before = stored_method(change->before),
			.after = stored_method(change->after),
			.likeness = change->likeness,
			.uncertain = (change->before != NULL && change->before->uncertain) ||
				     (change->after != NULL && change->after->uncertain),
		};
	}
	return out;
}

static const struct pe_method *method_of(const struct pe_stored_method *row, bool uncertain,
					 struct pe_arena *arena)
{
	struct pe_method *method;

	if (row->name == NULL)
		return NULL;
	method = pe_arena_new(arena, struct pe_method, 1);
	*method = (struct pe_method){
		.component = row->component,
		.name = row->name,
		.signature = row->signature != NULL ? row->signature : "",
		.first_line = row->first_line,
		.last_line = row->last_line,
		.uncertain = uncertain,
	};
	return method;
}

static enum pe_method_change_kind kind_of(const char *name)
{
	int kind = 0;

	while (kind + 1 < PE_N_METHOD_CHANGES &&
	       strcmp(name, pe_method_change_name((enum pe_method_change_kind)kind)) != 0)
		kind++;
	return (enum pe_method_change_kind)kind;
}

static void from_stored(struct pe_changes *out, const struct pe_stored_changes *rows,
			struct pe_arena *arena)
{
	struct pe_method_changes *methods = &out->methods;

	out->files = rows->files;
	out->unread = rows->unread;
	methods->n = rows->n;
	methods->at = pe_arena_new(arena, struct pe_method_change, rows->n);
	for (size_t i = 0; i < rows->n; i++) {
		const struct pe_stored_change *row = &rows->at[i];

		methods->at[i] = (struct pe_method_change){
			.kind = kind_of(row->kind),
			.before = method_of(&row->before, row->uncertain, arena),
			.after = method_of(&row->after, row->uncertain, arena),
			.likeness = row->likeness,
		};
		methods->count[methods->at[i].kind]++;
	}
}

static int load(struct pe_changes *out, struct pe_comparer *comparer, struct pe_arena *arena)
{
	struct pe_stored_changes rows = {
		.revision = out->after, .before = out->before, .rules = comparer->rules};
	int rc;

	if (comparer->ctx->store == NULL)
		return PE_ENOTFOUND;
	rc = pe_store_get_changes(&rows, comparer->ctx->store, arena, comparer->ctx->err);
	if (rc == PE_OK)
		from_stored(out, &rows, arena);
	return rc;
}

static const char *first_parent(const struct pe_revision *revision)
{
	return revision->n_parents > 0 ? revision->parents[0] : "";
}

int pe_changes_of(struct pe_changes *out, struct pe_comparer *comparer,
		  const struct pe_revision *after, const char *before, struct pe_arena *arena)
{
	bool neighbours = before == NULL || strcmp(before, first_parent(after)) == 0;
	struct pe_changes_query query = {
		.before = neighbours ? NULL : before,
		.after = after->id,
		.wanted = is_wanted,
		.payload = comparer,
	};
	struct pe_stored_changes rows;
	int rc = PE_ENOTFOUND;

	memset(out, 0, sizeof(*out));
	out->after = pe_arena_strdup(arena, after->id);
	out->before = pe_arena_strdup(arena, neighbours ? first_parent(after) : before);
	if (neighbours)
		rc = load(out, comparer, arena);
	if (rc != PE_ENOTFOUND)
		return rc;
	rc = compare(out, comparer, &query, arena);
	if (rc == PE_OK && neighbours)
		rows = stored(out, comparer->rules, arena);
	flush(comparer, rc == PE_OK && neighbours ? &rows : NULL);
	return rc;
}

/* --- Counts --- */

static int compare_counts(const void *a, const void *b)
{
	const struct pe_changes_count *x = a, *y = b;

	return strcmp(x->revision, y->revision);
}

/* The count of a revision, if it was compared with its present first parent; counts stand by revision. */
static const struct pe_changes_count *count_of(const struct pe_changes_count *counts, size_t n,
					       const struct pe_revision *revision)
{
	struct pe_changes_count wanted;
	const struct pe_changes_count *found = NULL;

	memcpy(wanted.revision, revision->id, sizeof(wanted.revision));
	if (n > 0)
		found = bsearch(&wanted, counts, n, sizeof(wanted), compare_counts);
	return found != NULL && strcmp(found->before, first_parent(revision)) == 0 ? found : NULL;
}

static int load_counts(struct pe_changes_count **out, size_t *n, struct pe_cmd_ctx *ctx)
{
	const struct pe_paths paths = paths_of(ctx);
	char rules[PE_HASH_HEX];

	hash_rules(rules, &paths);
	return pe_store_count_changes(out, n, ctx->store, rules, ctx->arena, ctx->err);
}

int pe_changes_counts(const int64_t **out, struct pe_cmd_ctx *ctx,
		      const struct pe_revision *revisions, size_t n)
{
	struct pe_changes_count *counts;
	int64_t *mc = pe_arena_new(ctx->arena, int64_t, n);
	bool any = false;
	size_t n_counts;
	int rc = load_counts(&counts, &n_counts, ctx);

	*out = NULL;
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		const struct pe_changes_count *count = count_of(counts, n_counts, &revisions[i]);

		mc[i] = count != NULL ? (int64_t)count->mc : -1;
		any = any || (count != NULL && count->files > 0);
	}
	if (rc == PE_OK && any)
		*out = mc;
	return rc;
}

/* --- Keeping a stretch of history --- */

static void report(const struct pe_cmd_ctx *ctx, const struct pe_revision *revision, size_t done,
		   size_t total)
{
	const struct pe_progress_event event = {
		.phase = PE_PROGRESS_METHODS,
		.done = done,
		.total = total,
		.revision = revision->id,
		.subject = revision->subject,
	};

	if (ctx->progress.report != NULL)
		ctx->progress.report(&event, ctx->progress.payload);
}

/* One commit that cannot be read does not keep the others back; the first is named. */
static int keep_all(struct pe_cmd_ctx *ctx, const struct pe_revision *const *revisions, size_t n)
{
	struct pe_comparer *comparer = pe_comparer_new(ctx, true);
	bool noted = false;
	int rc = PE_OK;

	for (size_t i = 0; i < n && rc != PE_ESTOPPED && comparer->keep; i++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_changes changes;

		report(ctx, revisions[i], i, n);
		rc = pe_changes_of(&changes, comparer, revisions[i], NULL, &arena);
		if (rc != PE_OK && rc != PE_ESTOPPED && rc != PE_ENOTFOUND && !noted) {
			pe_cmd_note(ctx, "the changed methods of %.10s are not known: %s",
				    revisions[i]->id, ctx->err->message);
			noted = true;
		}
		pe_arena_release(&arena);
	}
	pe_comparer_free(comparer);
	if (rc != PE_ESTOPPED)
		*ctx->err = (struct pe_err)PE_ERR_INIT;
	return rc == PE_ESTOPPED ? rc : PE_OK;
}

int pe_changes_keep(struct pe_cmd_ctx *ctx, const struct pe_revision *const *revisions, size_t n)
{
	const struct pe_revision **missing =
		pe_arena_new(ctx->arena, const struct pe_revision *, n);
	struct pe_changes_count *counts;
	size_t n_counts, n_missing = 0;
	int rc = load_counts(&counts, &n_counts, ctx);

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (count_of(counts, n_counts, revisions[i]) == NULL)
			missing[n_missing++] = revisions[i];
	return rc == PE_OK ? keep_all(ctx, missing, n_missing) : rc;
}
