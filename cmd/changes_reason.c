#include "cmd/changes_reason.h"

#include "core/base/vec.h"
#include "methods/extract.h"
#include "methods/worker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A file that differs, reduced to the lines outside of methods that only one of its two contents has. */
struct changed {
	const char *path;
	const char **macros; /* names of the macros among them, sorted */
	size_t n_macros;
	bool declarations; /* others are among them */
};

/* A macro that means something else than before, itself or by what it uses. */
struct tainted {
	const char *name;
	const char *root; /* the changed macro that it comes to */
	const char *path; /* of the root */
};

/* A file of the newer revision. */
struct source {
	const char *path;
	struct pe_text text; /* empty: it is not there, or cannot be read */
	struct pe_methods methods;
	struct pe_text outside;                 /* see add_outside() */
	bool closed;                            /* what follows was found out */
	PE_VEC(const struct changed *) headers; /* that it includes, itself left out */
	PE_VEC(struct tainted) tainted;         /* by name */
};

struct pe_sources {
	struct pe_cmd_ctx *ctx;
	const char *after;
	struct pe_arena *arena;
	struct pe_worker *worker;
	struct changed *changed; /* by path */
	size_t n_changed;
	const char *build;               /* see pe_sources_build() */
	PE_VEC(struct source *) sources; /* by path */
};

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

/* --- Lines outside of methods --- */

/* Where the reduction of a content stands. */
struct reduction {
	struct pe_text *out;
	const bool *hidden; /* by line: it belongs to a method */
	size_t line;
	bool blank; /* a space is due before the next character */
};

static void emit(struct reduction *to, const char *bytes, size_t n)
{
	bool first = to->out->len == 0 || to->out->data[to->out->len - 1] == '\n';

	if (to->hidden[to->line])
		return;
	if (to->blank && !first)
		pe_text_addc(to->out, ' ');
	to->blank = false;
	pe_text_addn(to->out, bytes, n);
}

static void end_line(struct reduction *to)
{
	if (to->out->len > 0 && to->out->data[to->out->len - 1] != '\n')
		pe_text_addc(to->out, '\n');
	to->blank = false;
}

/* The end of a comment, of a string or character constant, or of one character that begins at `at`. */
static const char *piece_end(const char *at)
{
	const char *end;

	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end != NULL ? end + 2 : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (*at != '"' && *at != '\'')
		return at + 1;
	for (end = at + 1; *end != '\0' && *end != *at && *end != '\n'; end++)
		end += end[0] == '\\' && end[1] != '\0' && end[1] != '\n';
	return end + (*end == *at);
}

static const bool *hide_methods(const char *text, const struct pe_methods *methods)
{
	size_t n = 2;
	bool *hidden;

	for (const char *at = text; *at != '\0'; at++)
		n += *at == '\n';
	hidden = pe_realloc(NULL, n, sizeof(*hidden));
	memset(hidden, 0, n * sizeof(*hidden));
	for (size_t i = 0; i < methods->n; i++)
		for (size_t line = methods->at[i].first_line;
		     line <= methods->at[i].last_line && line < n; line++)
			hidden[line] = true;
	return hidden;
}

/*
 * Append what a content says outside of its methods, a logical line each: without comments, with one space for
 * any white space, without empty lines.
 */
static void add_outside(struct pe_text *out, const char *text, const struct pe_methods *methods)
{
	struct reduction to = {.out = out, .hidden = hide_methods(text, methods), .line = 1};

	for (const char *at = text, *end; *at != '\0'; at = end) {
		bool comment = at[0] == '/' && (at[1] == '*' || at[1] == '/');

		end = piece_end(at);
		if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
			end = strchr(at, '\n') + 1;
			to.blank = true;
		} else if (*at == '\n') {
			end_line(&to);
		} else if (comment || isspace((unsigned char)*at)) {
			to.blank = true;
		} else {
			emit(&to, at, (size_t)(end - at));
		}
		for (const char *passed = at; passed < end; passed++)
			to.line += *passed == '\n';
	}
	end_line(&to);
	free((void *)to.hidden);
}

/* The name that a reduced line defines as a macro, with its length; NULL: it does not. */
static const char *macro_name(const char *line, size_t *n)
{
	if (*line++ != '#')
		return NULL;
	line += *line == ' ';
	if (strncmp(line, "define ", 7) != 0)
		return NULL;
	line += 7;
	for (*n = 0; isalnum((unsigned char)line[*n]) || line[*n] == '_';)
		++*n;
	return line;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

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
	qsort(lines, count, sizeof(*lines), compare_strings);
	return lines;
}

typedef PE_VEC(const char *) strings;

/* Take the lines of one side that the other does not have. */
static void take_missing(struct changed *out, strings *macros, const char **from, size_t n,
			 const char **other, size_t n_other, struct pe_arena *arena)
{
	for (size_t i = 0; i < n; i++) {
		const char *name;
		size_t length;

		if (n_other > 0 &&
		    bsearch(&from[i], other, n_other, sizeof(*other), compare_strings) != NULL)
			continue;
		name = macro_name(from[i], &length);
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
	if (blob[0] == '\0' || pe_repo_blob(text, sources->ctx->repo, blob, &unread) != PE_OK) {
		pe_text_clear(text);
		return;
	}
	if (language != NULL &&
	    pe_worker_extract(methods, sources->worker, language, path, pe_text_str(text),
			      text->len, sources->arena, &unread) != PE_OK)
		memset(methods, 0, sizeof(*methods));
}

static void find_difference(struct changed *out, struct pe_sources *sources,
			    const struct pe_changed_file *file)
{
	const char *const blobs[2] = {file->before, file->after};
	const char **lines[2];
	size_t n[2];
	strings macros = {NULL, 0, 0};

	out->path = file->path;
	for (int side = 0; side < 2; side++) {
		struct pe_text text = PE_TEXT_INIT, outside = PE_TEXT_INIT;
		struct pe_methods methods;

		read_content(&text, &methods, sources, file->path, blobs[side]);
		add_outside(&outside, pe_text_str(&text), &methods);
		lines[side] = sorted_lines(&n[side], &outside, sources->arena);
		pe_text_release(&text);
		pe_text_release(&outside);
	}
	for (int side = 0; side < 2; side++)
		take_missing(out, &macros, lines[side], n[side], lines[1 - side], n[1 - side],
			     sources->arena);
	out->n_macros = macros.n;
	out->macros = pe_arena_new(sources->arena, const char *, macros.n);
	if (macros.n > 0)
		memcpy(out->macros, macros.data, macros.n * sizeof(*macros.data));
	qsort(out->macros, out->n_macros, sizeof(*out->macros), compare_strings);
	pe_vec_release(&macros);
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
	const char *slash = strrchr(path, '/');

	return stands_in(files, slash != NULL ? slash + 1 : path) ||
	       stands_in(endings, ending_of(path));
}

/* Other files are left out before they are read. */
static bool is_wanted(const char *path, void *payload)
{
	(void)payload;
	return is_compiled(path) || is_build(path);
}

int pe_sources_open(struct pe_sources **out, struct pe_cmd_ctx *ctx, const char *before,
		    const char *after, struct pe_arena *arena)
{
	const struct pe_changes_query query = {
		.before = before,
		.after = after,
		.wanted = is_wanted,
	};
	struct pe_sources *sources = pe_arena_new(arena, struct pe_sources, 1);
	struct pe_changed_files files;
	int rc = pe_repo_changes(&files, ctx->repo, &query, arena, ctx->err);

	*out = NULL;
	if (rc != PE_OK)
		return rc;
	*sources = (struct pe_sources){
		.ctx = ctx,
		.after = pe_arena_strdup(arena, after),
		.arena = arena,
		.worker = pe_worker_new(ctx->interrupts),
		.changed = pe_arena_new(arena, struct changed, files.n),
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
	for (size_t i = 0; i < sources->sources.n; i++) {
		struct source *source = sources->sources.data[i];

		pe_text_release(&source->text);
		pe_text_release(&source->outside);
		pe_vec_release(&source->headers);
		pe_vec_release(&source->tainted);
	}
	pe_vec_release(&sources->sources);
	pe_worker_free(sources->worker);
}

/* A file of the newer revision, read at most once; it stands between its neighbours by path. */
static struct source *find_source(struct pe_sources *sources, const char *path)
{
	size_t low = 0, high = sources->sources.n;
	const struct pe_strings paths = {&path, 1};
	struct pe_err unread = PE_ERR_INIT;
	char blob[1][PE_OID_HEX];
	struct source *source;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(sources->sources.data[middle]->path, path);

		if (order == 0)
			return sources->sources.data[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	source = pe_arena_new(sources->arena, struct source, 1);
	source->path = pe_arena_strdup(sources->arena, path);
	if (pe_repo_path_ids(blob, sources->ctx->repo, sources->after, &paths, &unread) == PE_OK)
		read_content(&source->text, &source->methods, sources, source->path, blob[0]);
	add_outside(&source->outside, pe_text_str(&source->text), &source->methods);
	pe_vec_push(&sources->sources, source);
	memmove(&sources->sources.data[low + 1], &sources->sources.data[low],
		(sources->sources.n - 1 - low) * sizeof(source));
	sources->sources.data[low] = source;
	return source;
}

const char *pe_sources_build(const struct pe_sources *sources)
{
	return sources->build;
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

/* --- Includes --- */

typedef PE_VEC(struct source *) reached;

/* Join a folder and a name, resolving "." and "..". */
static const char *join(const char *folder, size_t n, const char *name, size_t length,
			struct pe_arena *arena)
{
	struct pe_text path = PE_TEXT_INIT;
	const char *joined;

	pe_text_addn(&path, folder, n);
	while (length > 0) {
		const char *slash = memchr(name, '/', length);
		size_t part = slash != NULL ? (size_t)(slash - name) : length;

		if (part == 2 && memcmp(name, "..", 2) == 0) {
			while (path.len > 0 && path.data[path.len - 1] != '/')
				path.len--;
			path.len -= path.len > 0;
			if (path.data != NULL)
				path.data[path.len] = '\0';
		} else if (part > 0 && !(part == 1 && *name == '.')) {
			if (path.len > 0)
				pe_text_addc(&path, '/');
			pe_text_addn(&path, name, part);
		}
		name += part + (slash != NULL);
		length -= part + (slash != NULL);
	}
	joined = pe_arena_strdup(arena, pe_text_str(&path));
	pe_text_release(&path);
	return joined;
}

/*
 * The file that an #include means: beside the including one, else below a folder above it or the `include`
 * folder there, as compilers are told with -I. What only the build makes is not found.
 */
static struct source *find_included(struct pe_sources *sources, const char *includer,
				    const char *name, size_t length)
{
	const char *slash = strrchr(includer, '/');
	size_t n = slash != NULL ? (size_t)(slash - includer) : 0;

	for (;;) {
		const char *folder = join(includer, n, "include", 7, sources->arena);
		struct source *beside =
			find_source(sources, join(includer, n, name, length, sources->arena));

		if (beside->text.len == 0)
			beside = find_source(sources, join(folder, strlen(folder), name, length,
							   sources->arena));
		if (beside->text.len > 0)
			return beside;
		if (n == 0)
			return NULL;
		while (n > 0 && includer[n - 1] != '/')
			n--;
		n -= n > 0;
	}
}

static void reach(reached *all, struct source *source)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->data[i] == source)
			return;
	pe_vec_push(all, source);
}

/* The name in `#include "name"` with its length; NULL: the line is none. */
static const char *included_name(const char *line, size_t *n)
{
	if (*line++ != '#')
		return NULL;
	line += *line == ' ';
	if (strncmp(line, "include", 7) != 0)
		return NULL;
	line += 7;
	line += *line == ' ';
	if (*line != '"' && *line != '<')
		return NULL;
	*n = strcspn(line + 1, *line == '"' ? "\"\n" : ">\n");
	return line + 1;
}

/* All that a file includes, itself first. */
static void reach_all(reached *all, struct pe_sources *sources, struct source *first)
{
	reach(all, first);
	for (size_t i = 0; i < all->n; i++) {
		struct source *from = all->data[i];
		const char *line = pe_text_str(&from->outside);

		while (*line != '\0') {
			const char *next = strchr(line, '\n') + 1;
			size_t n;
			const char *name = included_name(line, &n);
			struct source *to =
				name != NULL ? find_included(sources, from->path, name, n) : NULL;

			if (to != NULL)
				reach(all, to);
			line = next;
		}
	}
}

/* --- Macros --- */

static const struct tainted *find_tainted(const struct source *source, const char *name, size_t n)
{
	for (size_t i = 0; i < source->tainted.n; i++) {
		const struct tainted *one = &source->tainted.data[i];

		if (strncmp(one->name, name, n) == 0 && one->name[n] == '\0')
			return one;
	}
	return NULL;
}

/* The next identifier or number, with its length; comments and constants are passed over. NULL: none. */
static const char *next_word(const char *at, const char *end, size_t *n)
{
	while (at < end) {
		for (*n = 0; at + *n < end && (isalnum((unsigned char)at[*n]) || at[*n] == '_');)
			++*n;
		if (*n > 0)
			return at;
		at = piece_end(at);
	}
	return NULL;
}

/* The first identifier of some bytes that is a tainted macro. */
static const struct tainted *find_use(const struct source *source, const char *at, const char *end)
{
	size_t n;

	for (; (at = next_word(at, end, &n)) != NULL; at += n) {
		const struct tainted *found = find_tainted(source, at, n);

		if (found != NULL)
			return found;
	}
	return NULL;
}

/* Taint the macros of one file that use a tainted one; says whether there was any that was not yet. */
static bool spread(struct source *source, const struct source *from, struct pe_arena *arena)
{
	const char *line = pe_text_str(&from->outside);
	bool any = false;

	while (*line != '\0') {
		const char *end = strchr(line, '\n');
		size_t n = 0;
		const char *name = macro_name(line, &n);
		const struct tainted *use;

		if (name != NULL && find_tainted(source, name, n) == NULL) {
			use = find_use(source, name + n, end);
			if (use != NULL) {
				struct tainted one = {pe_arena_strndup(arena, name, n), use->root,
						      use->path};

				pe_vec_push(&source->tainted, one);
				any = true;
			}
		}
		line = end + 1;
	}
	return any;
}

static const struct changed *find_changed(const struct pe_sources *sources, const char *path)
{
	for (size_t i = 0; i < sources->n_changed; i++)
		if (strcmp(sources->changed[i].path, path) == 0)
			return &sources->changed[i];
	return NULL;
}

/* Find out, once for a file, which changed headers it includes and which macros mean something else in it. */
static void close_source(struct pe_sources *sources, struct source *source)
{
	reached all = {NULL, 0, 0};
	bool more;

	if (source->closed)
		return;
	source->closed = true;
	reach_all(&all, sources, source);
	for (size_t i = 0; i < all.n; i++) {
		const struct changed *changed = find_changed(sources, all.data[i]->path);

		if (changed == NULL)
			continue;
		for (size_t m = 0; m < changed->n_macros; m++) {
			struct tainted one = {changed->macros[m], changed->macros[m],
					      changed->path};

			if (find_tainted(source, one.name, strlen(one.name)) == NULL)
				pe_vec_push(&source->tainted, one);
		}
		if (i > 0 && (changed->declarations || changed->n_macros > 0))
			pe_vec_push(&source->headers, changed);
	}
	do {
		more = false;
		for (size_t i = 0; source->tainted.n > 0 && i < all.n; i++)
			more = spread(source, all.data[i], sources->arena) || more;
	} while (more);
	pe_vec_release(&all);
}

/* The start of a line, counted from 1; the end of the text where there are fewer. */
static const char *line_start(const char *text, uint32_t line)
{
	while (line > 1 && *text != '\0')
		line -= *text++ == '\n';
	return text;
}

/* Where a method's text begins, and ends. */
static const char *text_of(const char **end, const struct source *source,
			   const struct pe_method *method)
{
	const char *start = line_start(pe_text_str(&source->text), method->first_line);

	*end = line_start(start, method->last_line - method->first_line + 2);
	return start;
}

const char *pe_sources_macro(struct pe_sources *sources, const struct pe_method *method)
{
	struct source *source = find_source(sources, method->component);
	const struct tainted *use;
	const char *start, *end;

	close_source(sources, source);
	if (source->tainted.n == 0)
		return NULL;
	start = text_of(&end, source, method);
	use = find_use(source, start, end);
	return use != NULL ? pe_arena_printf(sources->arena, "macro %s of %s changed", use->root,
					     use->path)
			   : NULL;
}

const char *pe_sources_mentioned(struct pe_sources *sources, const struct pe_method *method,
				 const struct pe_strings *names)
{
	const struct source *source = find_source(sources, method->component);
	const char *end, *at = text_of(&end, source, method);
	size_t n;

	for (; names->n > 0 && (at = next_word(at, end, &n)) != NULL; at += n) {
		const char *word = pe_arena_strndup(sources->arena, at, n);
		const char *const *found =
			bsearch(&word, names->at, names->n, sizeof(*names->at), compare_strings);

		if (found != NULL)
			return *found;
	}
	return NULL;
}

const char *pe_sources_declarations(struct pe_sources *sources, const char *file)
{
	struct source *source = find_source(sources, file);
	const struct changed *own = find_changed(sources, file);

	close_source(sources, source);
	if (own != NULL && own->declarations)
		return pe_arena_printf(sources->arena, "declarations of %s changed", file);
	if (source->headers.n == 1)
		return pe_arena_printf(sources->arena, "header %s changed",
				       source->headers.data[0]->path);
	if (source->headers.n == 2)
		return pe_arena_printf(sources->arena, "headers %s and %s changed",
				       source->headers.data[0]->path,
				       source->headers.data[1]->path);
	if (source->headers.n > 2)
		return pe_arena_printf(sources->arena, "header %s and %zu others changed",
				       source->headers.data[0]->path, source->headers.n - 1);
	return NULL;
}
