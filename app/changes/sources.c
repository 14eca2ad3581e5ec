#include "app/changes/sources.h"

#include "core/base/search.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/extract.h"

#include <string.h>

/* A file of the revision. */
struct source_file {
	const char *path;
	struct pe_methods methods; /* none: it is not there, or cannot be read */
};

struct pe_sources {
	struct pe_app *app;
	struct pe_comparer *comparer;
	const char *revision;
	struct pe_arena *arena;
	PE_VEC(struct source_file *) files; /* by path */
};

/* --- Methods --- */

struct pe_sources *pe_sources_open(struct pe_app *app, const char *revision, struct pe_arena *arena)
{
	struct pe_sources *sources = pe_arena_new(arena, struct pe_sources, 1);

	*sources = (struct pe_sources){
		.app = app,
		.comparer = pe_comparer_new(app, false),
		.revision = revision,
		.arena = arena,
	};
	return sources;
}

void pe_sources_close(struct pe_sources *sources)
{
	if (sources == NULL)
		return;
	pe_comparer_free(sources->comparer);
	pe_vec_release(&sources->files);
}

/* Read a file. What cannot be read is taken as empty: it only costs a name. */
static void read_file(struct source_file *file, struct pe_sources *sources)
{
	struct pe_app *app = sources->app;
	const struct pe_strings paths = {&file->path, 1};
	char blob[1][PE_OID_HEX];

	if (pe_language_of(file->path) == NULL)
		return;
	if (pe_repo_path_ids(blob, app->repo, sources->revision, &paths, app->err) != PE_OK ||
	    (blob[0][0] != '\0' && pe_comparer_read(&file->methods, sources->comparer, file->path,
						    blob[0], sources->arena) != PE_OK)) {
		file->methods = (struct pe_methods){0};
		*app->err = (struct pe_err)PE_ERR_INIT;
	}
}

/* The methods of a file, which is read at most once; it is inserted between its neighbours by path. */
static const struct pe_methods *find_methods(struct pe_sources *sources, const char *path)
{
	size_t at = 0;
	struct source_file *file;

	pe_search(at, sources->files.n, i, strcmp(sources->files.data[i]->path, path) < 0);
	if (at < sources->files.n && strcmp(sources->files.data[at]->path, path) == 0)
		return &sources->files.data[at]->methods;
	file = pe_arena_new(sources->arena, struct source_file, 1);
	file->path = pe_arena_strdup(sources->arena, path);
	read_file(file, sources);
	pe_vec_push(&sources->files, file);
	memmove(&sources->files.data[at + 1], &sources->files.data[at],
		(sources->files.n - 1 - at) * sizeof(file));
	sources->files.data[at] = file;
	return &file->methods;
}

const struct pe_method *pe_sources_method(struct pe_sources *sources, const char *file,
					  uint32_t line)
{
	const struct pe_methods *methods = find_methods(sources, file);
	const struct pe_method *found = NULL;

	for (size_t i = 0; i < methods->n; i++) {
		const struct pe_method *one = &methods->at[i];

		if (one->first_line > line || one->last_line < line)
			continue;
		if (found == NULL ||
		    one->last_line - one->first_line <= found->last_line - found->first_line)
			found = one;
	}
	return found;
}

const struct pe_method *pe_sources_named(struct pe_sources *sources, const char *file,
					 const char *name)
{
	const struct pe_methods *methods = find_methods(sources, file);

	for (size_t i = 0; i < methods->n; i++)
		if (strcmp(pe_unqualified(methods->at[i].name), name) == 0)
			return &methods->at[i];
	return NULL;
}

const char *pe_unqualified(const char *name)
{
	const char *last = name;

	for (const char *at = name; *at != '\0'; at++) {
		if (strncmp(at, "operator", 8) == 0)
			break; /* of "operator.", "operator::" nothing is cut off */
		if (*at == '.' || (at[0] == ':' && at[1] == ':'))
			last = at + (*at == '.' ? 1 : 2);
	}
	return *last != '\0' ? last : name;
}

/* --- Outside of methods --- */

/* Whether a word stands in a list, between spaces. */
static bool is_listed(const char *list, const char *word)
{
	const size_t n = strlen(word);

	if (n == 0 || strchr(word, ' ') != NULL)
		return false;
	while ((list = strstr(list, word)) != NULL && (list[-1] != ' ' || list[n] != ' '))
		list++;
	return list != NULL;
}

/* Files without methods that tell a compiler or a build system what to do. */
static bool is_build(const char *path)
{
	static const char names[] =
		" CMakeLists.txt CMakePresets.json makefile Makefile GNUmakefile configure meson.build "
		"meson.options BUILD BUILD.bazel SConstruct SConscript build.sh Cargo.toml build.ninja ";
	const char *name = pe_path_name(path), *dot = strrchr(name, '.');

	return is_listed(names, name) ||
	       (dot != NULL && is_listed(" .cmake .mk .am .ac .in .bzl .inc .def .tcc ", dot));
}

/* Other files are left out before they are read. */
static bool is_wanted(const char *path, void *payload)
{
	(void)payload;
	return pe_language_of(path) != NULL || is_build(path);
}

/* Whether a file differs in more than its methods; true as well where it cannot be read. */
static int differs_outside(bool *out, struct pe_comparer *comparer,
			   const struct pe_changed_file *file, struct pe_arena *arena)
{
	const char *const blobs[2] = {file->before, file->after};
	struct pe_methods sides[2] = {{0}, {0}};

	*out = true;
	if (pe_language_of(file->path) == NULL)
		return PE_OK;
	for (int side = 0; side < 2; side++) {
		if (blobs[side][0] == '\0')
			continue;
		PE_TRY(pe_comparer_read(&sides[side], comparer, file->path, blobs[side], arena));
		if (sides[side].files == 0)
			return PE_OK;
	}
	*out = sides[0].rest.high != sides[1].rest.high || sides[0].rest.low != sides[1].rest.low;
	return PE_OK;
}

int pe_sources_outside(const char **out, struct pe_app *app, struct pe_comparer *comparer,
		       const struct pe_revision_changes *changes, struct pe_arena *arena)
{
	enum { MOST = 5 };
	const struct pe_changes_query query = {
		.before = changes->before, .after = changes->after, .wanted = is_wanted};
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_changed_files files;
	size_t n = 0;

	*out = NULL;
	PE_TRY(pe_repo_changes(&files, app->repo, &query, arena, app->err));
	for (size_t i = 0; i < files.n; i++) {
		bool differs;

		PE_TRY(differs_outside(&differs, comparer, &files.at[i], arena));
		if (differs && n++ < MOST)
			pe_text_addf(&text, "%s%s", text.len > 0 ? ", " : "", files.at[i].path);
	}
	if (n > MOST)
		pe_text_addf(&text, " and %zu more files", n - MOST);
	if (n > 0)
		*out = pe_arena_strdup(arena, text.data);
	return PE_OK;
}
