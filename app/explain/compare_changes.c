/*
 * Changes: marks frames by the changes of source and machine code, and maps call sites. The result for machine code is
 * stored, so that a page without builds has the same answer as a comparison.
 */
#include "app/changes/code.h"
#include "app/explain/compare.h"
#include "app/changes/frame_finder.h"

#include "analysis/methods/extract.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { OLD, NEW };

struct marking {
	struct pe_comparing *comparing;
	struct pe_frame_finder finder;
	struct pe_frame_change *states; /* by frame */
	uint32_t *renamed;              /* by frame */
	bool any_renamed;
	PE_VEC(struct pe_stored_code) codes; /* in the order of marking */
};

/* --- Source --- */

/* Mark every frame with a readable source as unchanged. */
static void list_frames(struct marking *marking)
{
	struct pe_comparing *comparing = marking->comparing;
	const struct pe_config *config = comparing->app->config;

	for (uint32_t f = 0; f < comparing->frames.n; f++)
		marking->renamed[f] = PE_FRAME_NONE;
	pe_frame_finder_open(&marking->finder, &comparing->frames,
			     config != NULL ? &config->paths : NULL, comparing->n_old_frames,
			     comparing->app->arena);
	for (size_t i = 0; i < marking->finder.entries.n; i++)
		marking->states[marking->finder.entries.data[i].frame].source = PE_SOURCE_SAME;
}

static void mark_change(struct marking *marking, const struct pe_method_change *change)
{
	static const enum pe_source_change sources[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = PE_SOURCE_ADDED,       [PE_METHOD_DELETED] = PE_SOURCE_DELETED,
		[PE_METHOD_MODIFIED] = PE_SOURCE_MODIFIED, [PE_METHOD_RENAMED] = PE_SOURCE_RENAMED,
		[PE_METHOD_MOVED] = PE_SOURCE_RENAMED,
	};
	enum pe_source_change source = sources[change->kind];
	struct pe_found_frames olds = {NULL, 0}, news = {NULL, 0};

	/* A renamed method with a slightly different body is modified. */
	if (source == PE_SOURCE_RENAMED && change->likeness < 1)
		source = PE_SOURCE_MODIFIED;
	if (change->before != NULL)
		olds = pe_frame_finder_find(&marking->finder, change->before, OLD);
	if (change->after != NULL)
		news = pe_frame_finder_find(&marking->finder, change->after, NEW);
	for (size_t i = 0; i < olds.n; i++)
		marking->states[olds.at[i]].source = (uint8_t)source;
	for (size_t i = 0; i < news.n; i++)
		marking->states[news.at[i]].source = (uint8_t)source;
	if (olds.n != 1 || news.n != 1 || olds.at[0] == news.at[0])
		return;
	marking->renamed[olds.at[0]] = news.at[0];
	marking->any_renamed = true;
}

/* Files excluded by attributes were not compared. */
static void forget_left_out(struct marking *marking)
{
	const struct pe_comparing *comparing = marking->comparing;

	for (size_t f = 0; f < comparing->n_files; f++) {
		const struct pe_changed_file *file = &comparing->files[f].file;

		if (!file->generated && !file->vendored)
			continue;
		for (size_t i = pe_frame_finder_first(&marking->finder, file->path, "");
		     i < marking->finder.entries.n &&
		     strcmp(marking->finder.entries.data[i].component, file->path) == 0;
		     i++)
			marking->states[marking->finder.entries.data[i].frame].source =
				PE_SOURCE_UNKNOWN;
	}
}

/* --- Machine code --- */

/* @param reason  why it was recompiled with the same source; NULL: unknown */
static void mark_code(struct marking *marking, const struct pe_method *method, int side,
		      enum pe_binary_change code, const char *reason)
{
	struct pe_found_frames found;

	if (method == NULL)
		return;
	found = pe_frame_finder_find(&marking->finder, method, side);
	for (size_t i = 0; i < found.n; i++) {
		marking->states[found.at[i]].code = (uint8_t)code;
		marking->states[found.at[i]].reason = reason;
	}
	pe_vec_push(&marking->codes, (struct pe_stored_code){
					     .in_new = side == NEW,
					     .method = *method,
					     .recompiled = (int)code - PE_BINARY_SAME,
					     .reason = reason != NULL ? reason : "",
				     });
}

static void mark_all_same(struct marking *marking)
{
	for (size_t i = 0; i < marking->finder.entries.n; i++)
		marking->states[marking->finder.entries.data[i].frame].code = PE_BINARY_SAME;
}

static void mark_crossing(struct marking *marking, const struct pe_crossing *crossing,
			  const struct pe_method_changes *changes)
{
	mark_all_same(marking);
	for (size_t i = 0; i < changes->n; i++) {
		enum pe_effect effect = crossing->methods[i].effect;
		enum pe_binary_change code = effect == PE_EFFECT_NONE     ? PE_BINARY_SAME
					     : effect == PE_EFFECT_ABSENT ? PE_BINARY_UNKNOWN
									  : PE_BINARY_RECOMPILED;

		mark_code(marking, changes->at[i].before, OLD, code, NULL);
		mark_code(marking, changes->at[i].after, NEW, code, NULL);
	}
	for (size_t i = 0; i < crossing->n_indirect; i++) {
		const struct pe_indirect *one = &crossing->indirect[i];
		struct pe_method method = {
			.component = one->component,
			.name = one->name,
			.signature = one->signature != NULL ? one->signature : "",
		};

		if (one->component == NULL)
			continue;
		method.first_line = method.last_line = one->before_line;
		mark_code(marking, &method, OLD, PE_BINARY_RECOMPILED, one->reason);
		method.first_line = method.last_line = one->after_line;
		mark_code(marking, &method, NEW, PE_BINARY_RECOMPILED, one->reason);
	}
}

/* The names of the compared benchmarks, sorted. */
static const char *name_benchmarks(const struct pe_comparing *comparing)
{
	struct pe_arena *arena = comparing->app->arena;
	const char **names = pe_arena_new(arena, const char *, comparing->pairs.n + 1);
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t p = 0; p < comparing->pairs.n; p++)
		names[p] = comparing->pairs.data[p].name;
	pe_sort(names, comparing->pairs.n, pe_string_order);
	for (size_t p = 0; p < comparing->pairs.n; p++)
		pe_text_addf(&text, "%s\n", names[p]);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static struct pe_stored_crossing crossing_of(const struct pe_comparing *comparing)
{
	return (struct pe_stored_crossing){
		.machine = comparing->session.machine_key,
		.before = comparing->revisions[0].id,
		.after = comparing->revisions[1].id,
		.recipe = comparing->session.recipe_hash,
		.benchmarks = name_benchmarks(comparing),
	};
}

static int store_codes(const struct marking *marking)
{
	const struct pe_comparing *comparing = marking->comparing;
	struct pe_stored_crossing crossing = crossing_of(comparing);

	crossing.at = marking->codes.data;
	crossing.n = marking->codes.n;
	return pe_store_put_crossing(comparing->app->store, &crossing, comparing->app->err);
}

static int load_codes(struct marking *marking)
{
	static const enum pe_binary_change codes[] = {PE_BINARY_UNKNOWN, PE_BINARY_SAME,
						      PE_BINARY_RECOMPILED};
	struct pe_comparing *comparing = marking->comparing;
	struct pe_stored_crossing crossing = crossing_of(comparing);
	int rc = pe_store_get_crossing(&crossing, comparing->app->store, comparing->app->arena,
				       comparing->app->err);

	comparing->no_code = rc == PE_ENOTFOUND;
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	mark_all_same(marking);
	for (size_t i = 0; i < crossing.n; i++) {
		const struct pe_stored_code *one = &crossing.at[i];
		const int code = one->recompiled + 1;

		mark_code(marking, &one->method, one->in_new ? NEW : OLD,
			  codes[code >= 0 && code < 3 ? code : 0],
			  one->reason[0] != '\0' ? one->reason : NULL);
	}
	return PE_OK;
}

/* --- Map of lines --- */

static bool is_source(const char *path, void *payload)
{
	(void)payload;
	return pe_language_of(path) != NULL;
}

static int list_files(struct pe_comparing *comparing)
{
	struct pe_app *app = comparing->app;
	const struct pe_changes_query query = {.before = comparing->revisions[0].id,
					       .after = comparing->revisions[1].id,
					       .wanted = is_source};
	struct pe_changed_files files;

	PE_TRY(pe_repo_changes(&files, app->repo, &query, app->arena, app->err));
	comparing->n_files = files.n;
	comparing->files = pe_arena_new(app->arena, struct pe_comparing_file, files.n);
	for (size_t i = 0; i < files.n; i++)
		comparing->files[i].file = files.at[i];
	return PE_OK;
}

static int compare_file(const void *key, const void *element)
{
	return strcmp(key, ((const struct pe_comparing_file *)element)->file.path);
}

uint32_t pe_comparing_site(uint32_t caller, uint32_t line, void *payload)
{
	struct pe_comparing *comparing = payload;
	struct pe_app *app = comparing->app;
	struct pe_comparing_file *file = NULL;

	if (comparing->n_files > 0)
		file = bsearch(comparing->frames.at[caller].component, comparing->files,
			       comparing->n_files, sizeof(*file), compare_file);
	if (file == NULL)
		return line;
	if (file->file.before[0] == '\0' || file->file.after[0] == '\0')
		return 0;
	/* Lines of a file that cannot be read keep their numbers. */
	if (!file->read)
		pe_repo_line_map(&file->map, app->repo, file->file.before, file->file.after,
				 app->arena, NULL);
	file->read = true;
	return pe_line_map_find(&file->map, line);
}

/* --- Both --- */

/* Compare the machine code. With PE_EUNSUPPORTED it stays unknown, and there is a note. */
static int cross(struct marking *marking, const struct pe_revision_changes *changes)
{
	struct pe_comparing *comparing = marking->comparing;
	struct pe_app *app = comparing->app;
	struct pe_crossing crossing = {.methods = NULL};
	int rc = pe_crossing_of(&crossing, app, changes, &comparing->revisions[0],
				&comparing->revisions[1], comparing->opts->bench);

	if (rc == PE_EUNSUPPORTED) {
		pe_app_note(app, "machine code is not compared: %s", app->err->message);
		*app->err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	PE_TRY(rc);
	mark_crossing(marking, &crossing, &changes->methods);
	return store_codes(marking);
}

/*
 * Fill in PARCS's table 2. Only its own report has it, because it reads all files: compared with an empty tree, every method
 * of a side is added.
 */
static int fill_source(struct pe_comparing *comparing, struct pe_comparer *comparer,
		       const struct pe_method_changes *methods)
{
	struct pe_compare_source *source = &comparing->out.source;

	source->added = methods->count[PE_METHOD_ADDED];
	source->deleted = methods->count[PE_METHOD_DELETED];
	source->modified = methods->count[PE_METHOD_MODIFIED];
	source->renamed = methods->count[PE_METHOD_RENAMED];
	source->moved = methods->count[PE_METHOD_MOVED];
	for (int side = 0; side < 2; side++) {
		pe_auto_arena scratch = PE_ARENA_INIT;
		struct pe_revision_changes all;

		PE_TRY(pe_changes_of(&all, comparer, &comparing->revisions[side], "", &scratch));
		source->files[side] = all.files;
		source->methods[side] = all.methods.n;
	}
	source->known = true;
	return PE_OK;
}

static int find_changes(struct marking *marking, struct pe_comparer *comparer, bool code)
{
	struct pe_comparing *comparing = marking->comparing;
	struct pe_revision_changes changes;

	PE_TRY(pe_changes_of(&changes, comparer, &comparing->revisions[1],
			     comparing->revisions[0].id, comparing->app->arena));
	PE_TRY(list_files(comparing));
	for (size_t i = 0; i < changes.methods.n; i++)
		mark_change(marking, &changes.methods.at[i]);
	forget_left_out(marking);
	if (!code)
		return PE_OK;
	PE_TRY(comparing->opts->kept ? load_codes(marking) : cross(marking, &changes));
	return comparing->opts->stages ? fill_source(comparing, comparer, &changes.methods) : PE_OK;
}

int pe_comparing_changes(struct pe_comparing *comparing, bool code)
{
	struct pe_arena *arena = comparing->app->arena;
	const uint32_t n = comparing->frames.n;
	struct marking marking = {.comparing = comparing};
	struct pe_comparer *comparer;
	int rc = PE_OK;

	/* The sources' changes of these frames are known already. */
	if (!code && comparing->changes.at != NULL && comparing->changes.n == n)
		return PE_OK;
	marking.states = pe_arena_new(arena, struct pe_frame_change, n);
	marking.renamed = pe_arena_new(arena, uint32_t, n);
	list_frames(&marking);
	if (strcmp(comparing->revisions[0].id, comparing->revisions[1].id) == 0) {
		mark_all_same(&marking); /* two benchmarks of one revision are the same program */
	} else {
		comparer = pe_comparer_new(comparing->app, true);
		rc = find_changes(&marking, comparer, code);
		pe_comparer_free(comparer);
	}
	if (rc == PE_OK) {
		comparing->changes = (struct pe_changes){marking.states, n};
		comparing->renamed = marking.any_renamed ? marking.renamed : NULL;
	}
	pe_frame_finder_close(&marking.finder);
	pe_vec_release(&marking.codes);
	return rc;
}
