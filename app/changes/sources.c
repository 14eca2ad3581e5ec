/*
 * The sources of a change: for each file that differs the lines outside of its methods that only one of its two
 * contents has, and the files of the newer revision, read on demand.
 */
#include "app/changes/sources.h"

#include "app/changes/outside.h"
#include "core/base/array.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/extract.h"
#include "analysis/methods/worker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A file that differs, reduced to the lines outside of methods that only one of its two contents has. */
struct changed_lines {
	const char *path;
	const char **macros; /* names of the macros among them, sorted */
	size_t n_macros;
	bool declarations; /* others are among them */
};

/* A file of the newer revision. */
struct source_file {
	const char *path;
	struct pe_text text; /* empty: it is not there, or cannot be read */
	struct pe_methods methods;
};

struct pe_sources {
	struct pe_app *app;
	const char *after;
	struct pe_arena *arena;
	struct pe_worker *worker;
	struct changed_lines *changed; /* by path */
	size_t n_changed;
	const char
		*build; /* the first file by path that differs and tells how to build; NULL: none */
	PE_VEC(struct source_file *) sources; /* by path */
};

/* --- What differs --- */

/* The lines of a reduced content, sorted, in the arena. */
static const char **sorted_lines(size_t *n, const struct pe_text *outside, struct pe_arena *arena)
{
	char *copy = pe_arena_strdup(arena, pe_text_str(outside));
	const char **lines;
	size_t count = 0;

	for (const char *at = copy; *at != '\0'; at++)
		count += *at == '\n';
	lines = pe_arena_new(arena, const char *, count);
	*n = count;
	for (size_t i = 0; i < count; i++) {
		char *end = strchr(copy, '\n');

		*end = '\0';
		lines[i] = copy;
		copy = end + 1;
	}
	pe_sort(lines, count, pe_string_order);
	return lines;
}

typedef PE_VEC(const char *) strings;

/* Take the lines of one side that the other does not have. */
static void take_missing(struct changed_lines *out, strings *macros, const char **from, size_t n,
			 const char **other, size_t n_other, struct pe_arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const char *name;
		size_t length;

		if (n_other > 0 &&
		    bsearch(&from[i], other, n_other, sizeof(*other), pe_string_order) != NULL)
			continue;
		name = pe_outside_macro(from[i], &length);
		if (name != NULL)
			pe_vec_push(macros, pe_arena_strndup(arena, name, length));
		else
			out->declarations = true;
	}
}

/* --- Reading --- */

/* Read a content and the methods in it. What cannot be read is taken as empty: it only costs a reason. */
static void read_content(struct pe_text *text, struct pe_methods *methods,
			 struct pe_sources *sources, const char *path, const char *blob)
{
	const struct pe_language *language = pe_language_of(path);
	struct pe_err unread = PE_ERR_INIT;

	memset(methods, 0, sizeof(*methods));
	if (blob[0] == '\0' || pe_repo_blob(text, sources->app->repo, blob, &unread) != PE_OK) {
		pe_text_clear(text);
		return;
	}
	if (language != NULL &&
	    pe_worker_extract(methods, sources->worker,
			      &(struct pe_source_file){.language = language,
						       .path = path,
						       .text = pe_text_str(text),
						       .n = text->len},
			      sources->arena, &unread) != PE_OK)
		memset(methods, 0, sizeof(*methods));
}

static void find_difference(struct changed_lines *out, struct pe_sources *sources,
			    const struct pe_changed_file *file)
{
	const char *const blobs[2] = {file->before, file->after};
	const char **lines[2];
	size_t n[2];
	pe_auto_free strings macros = {NULL, 0, 0};

	out->path = file->path;
	for (int side = 0; side < 2; side++) {
		pe_auto_text text = PE_TEXT_INIT, outside = PE_TEXT_INIT;
		struct pe_methods methods;

		read_content(&text, &methods, sources, file->path, blobs[side]);
		pe_outside_add(&outside, pe_text_str(&text), &methods);
		lines[side] = sorted_lines(&n[side], &outside, sources->arena);
	}
	for (int side = 0; side < 2; side++)
		take_missing(out, &macros, lines[side], n[side], lines[1 - side], n[1 - side],
			     sources->arena);
	out->n_macros = macros.n;
	out->macros = pe_vec_copy(sources->arena, &macros);
	pe_sort(out->macros, out->n_macros, pe_string_order);
}

static const char *ending_of(const char *path)
{
	const char *name = strrchr(path, '/'), *dot = strrchr(path, '.');

	return dot != NULL && (name == NULL || dot > name) ? dot + 1 : "";
}

/* Whether a name stands among others, which NULL ends. */
static bool stands_in(const char *const *list, const char *name)
{
	while (*list != NULL && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* What a C or C++ compiler may read. */
static bool is_compiled(const char *path)
{
	static const char *const endings[] = {"c",   "h",   "cc",  "cpp", "cxx", "c++", "C",
					      "hh",  "hpp", "hxx", "h++", "H",   "inc", "inl",
					      "ipp", "tcc", "def", "tpp", NULL};

	return stands_in(endings, ending_of(path));
}

/* What tells a build system, or the user's own, what to do. */
static bool is_build(const char *path)
{
	static const char *const files[] = {
		"CMakeLists.txt", "CMakePresets.json", "makefile",    "Makefile",
		"GNUmakefile",    "configure",         "meson.build", "meson.options",
		"BUILD",          "BUILD.bazel",       "SConstruct",  "SConscript",
		"build.sh",       "Cargo.toml",        "build.ninja", NULL,
	};
	static const char *const endings[] = {"cmake", "mk", "am", "ac", "in", "bzl", NULL};
	return stands_in(files, pe_path_name(path)) || stands_in(endings, ending_of(path));
}

/* Other files are left out before they are read. */
static bool is_wanted(const char *path, void *payload)
{
	(void)payload;
	return is_compiled(path) || is_build(path);
}

int pe_sources_open(struct pe_sources **out, struct pe_app *app, const char *before,
		    const char *after, struct pe_arena *arena)
{
	const struct pe_changes_query query = {
		.before = before,
		.after = after,
		.wanted = is_wanted,
	};
	struct pe_sources *sources = pe_arena_new(arena, struct pe_sources, 1);
	struct pe_changed_files files;

	*out = NULL;
	PE_TRY(pe_repo_changes(&files, app->repo, &query, arena, app->err));
	*sources = (struct pe_sources){
		.app = app,
		.after = pe_arena_strdup(arena, after),
		.arena = arena,
		.worker = pe_worker_new(app->interrupts),
		.changed = pe_arena_new(arena, struct changed_lines, files.n),
	};
	for (size_t i = 0; i < files.n; i++) {
		const char *path = files.at[i].path;

		if (is_compiled(path))
			find_difference(&sources->changed[sources->n_changed++], sources,
					&files.at[i]);
		else if (sources->build == NULL)
			sources->build = path;
	}
	*out = sources;
	return PE_OK;
}

void pe_sources_close(struct pe_sources *sources)
{
	if (sources == NULL)
		return;
	for (size_t i = 0; i < sources->sources.n; i++)
		pe_text_release(&sources->sources.data[i]->text);
	pe_vec_release(&sources->sources);
	pe_worker_free(sources->worker);
}

/* A file of the newer revision, read at most once; it stands between its neighbours by path. */
static struct source_file *find_source(struct pe_sources *sources, const char *path)
{
	size_t at = 0;
	const struct pe_strings paths = {&path, 1};
	struct pe_err unread = PE_ERR_INIT;
	char blob[1][PE_OID_HEX];
	struct source_file *source;

	pe_search(at, sources->sources.n, i, strcmp(sources->sources.data[i]->path, path) < 0);
	if (at < sources->sources.n && strcmp(sources->sources.data[at]->path, path) == 0)
		return sources->sources.data[at];
	source = pe_arena_new(sources->arena, struct source_file, 1);
	source->path = pe_arena_strdup(sources->arena, path);
	if (pe_repo_path_ids(blob, sources->app->repo, sources->after, &paths, &unread) == PE_OK)
		read_content(&source->text, &source->methods, sources, source->path, blob[0]);
	pe_vec_push(&sources->sources, source);
	memmove(&sources->sources.data[at + 1], &sources->sources.data[at],
		(sources->sources.n - 1 - at) * sizeof(source));
	sources->sources.data[at] = source;
	return source;
}

size_t pe_sources_only_methods(const struct pe_sources *sources)
{
	size_t n = 0;

	for (size_t i = 0; i < sources->n_changed; i++)
		n += !sources->changed[i].declarations && sources->changed[i].n_macros == 0;
	return n;
}

/* " (macro A)", " (macros A, B and 3 more)" */
static void add_macros(struct pe_text *out, const struct changed_lines *changed)
{
	enum { MOST = 3 };
	pe_auto_text names = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < changed->n_macros; i++) {
		/* One that is defined otherwise is there twice. */
		if (i > 0 && strcmp(changed->macros[i], changed->macros[i - 1]) == 0)
			continue;
		if (n++ < MOST)
			pe_text_addf(&names, "%s%s", n > 1 ? ", " : "", changed->macros[i]);
	}
	if (n > MOST)
		pe_text_addf(&names, " and %zu more", n - MOST);
	if (n > 0)
		pe_text_addf(out, " (macro%s %s)", n > 1 ? "s" : "", pe_text_str(&names));
}

const char *pe_sources_outside(const struct pe_sources *sources)
{
	enum { MOST = 5 };
	pe_auto_text text = PE_TEXT_INIT;
	size_t n = 0;

	for (size_t i = 0; i < sources->n_changed; i++) {
		const struct changed_lines *changed = &sources->changed[i];

		if ((changed->n_macros == 0 && !changed->declarations) || n++ >= MOST)
			continue;
		pe_text_addf(&text, "%s%s", text.len > 0 ? ", " : "", changed->path);
		add_macros(&text, changed);
	}
	if (sources->build != NULL && n++ < MOST)
		pe_text_addf(&text, "%s%s", text.len > 0 ? ", " : "", sources->build);
	if (n > MOST)
		pe_text_addf(&text, " and %zu more files", n - MOST);
	return n > 0 ? pe_arena_strdup(sources->arena, pe_text_str(&text)) : NULL;
}

/* --- Methods --- */

const struct pe_method *pe_sources_method(struct pe_sources *sources, const char *file,
					  uint32_t line)
{
	const struct pe_methods *methods = &find_source(sources, file)->methods;
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
	const struct pe_methods *methods = &find_source(sources, file)->methods;

	for (size_t i = 0; i < methods->n; i++)
		if (strcmp(pe_unqualified(methods->at[i].name), name) == 0)
			return &methods->at[i];
	return NULL;
}

/* --- Names in a text --- */

/* The next identifier or number, with its length; comments and constants are passed over. NULL: none. */
static const char *next_word(const char *at, const char *end, size_t *n)
{
	while (at < end) {
		for (*n = 0; at + *n < end && (isalnum((unsigned char)at[*n]) || at[*n] == '_');)
			++*n;
		if (*n > 0)
			return at;
		at = pe_outside_piece(at);
	}
	return NULL;
}

/* The start of a line, counted from 1; the end of the text where there are fewer. */
static const char *line_start(const char *text, uint32_t line)
{
	while (line > 1 && *text != '\0')
		line -= *text++ == '\n';
	return text;
}

/* Where a method's text begins, and ends. */
static const char *text_of(const char **end, const struct source_file *source,
			   const struct pe_method *method)
{
	const char *start = line_start(pe_text_str(&source->text), method->first_line);

	*end = line_start(start, method->last_line - method->first_line + 2);
	return start;
}

const char *pe_sources_mentioned(struct pe_sources *sources, const struct pe_method *method,
				 const struct pe_strings *names)
{
	const struct source_file *source = find_source(sources, method->component);
	const char *end, *at = text_of(&end, source, method);
	size_t n;

	for (; names->n > 0 && (at = next_word(at, end, &n)) != NULL; at += n) {
		/* A macro of Rust is named with its "!". */
		for (size_t more = at + n < end && at[n] == '!' ? 2 : 1; more-- > 0;) {
			const char *word = pe_arena_strndup(sources->arena, at, n + more);
			const char *const *found = bsearch(&word, names->at, names->n,
							   sizeof(*names->at), pe_string_order);

			if (found != NULL)
				return *found;
		}
	}
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
