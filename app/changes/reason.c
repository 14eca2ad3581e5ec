#include "app/changes/reason.h"

#include "app/changes/outside.h"
#include "app/changes/sources.h"
#include "core/base/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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
/* --- Includes --- */

typedef PE_VEC(struct pe_source_file *) reached;

/* Join a folder and a name, resolving "." and "..". */
static const char *join(const char *folder, size_t n, const char *name, size_t length,
			struct pe_arena *arena)
{
	pe_auto_text path = PE_TEXT_INIT;

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
	return pe_arena_strdup(arena, pe_text_str(&path));
}

/*
 * The file of an #include: next to the including one, else below a folder above it or the `include` folder there, where
 * compilers look with -I. Files that only the build makes are not found.
 */
static struct pe_source_file *find_included(struct pe_sources *sources, const char *includer,
					    const char *name, size_t length)
{
	const char *slash = strrchr(includer, '/');
	size_t n = slash != NULL ? (size_t)(slash - includer) : 0;

	for (;;) {
		const char *folder = join(includer, n, "include", 7, sources->arena);
		struct pe_source_file *beside =
			pe_sources_find(sources, join(includer, n, name, length, sources->arena));

		if (beside->text.len == 0)
			beside = pe_sources_find(sources, join(folder, strlen(folder), name, length,
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

static void reach(reached *all, struct pe_source_file *source)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->data[i] == source)
			return;
	pe_vec_push(all, source);
}

/* All that a file includes, itself first. */
static void reach_all(reached *all, struct pe_sources *sources, struct pe_source_file *first)
{
	reach(all, first);
	for (size_t i = 0; i < all->n; i++) {
		struct pe_source_file *from = all->data[i];
		const char *line = pe_text_str(&from->outside);

		while (*line != '\0') {
			const char *next = strchr(line, '\n') + 1;
			size_t n;
			const char *name = pe_outside_included(line, &n);
			struct pe_source_file *to =
				name != NULL ? find_included(sources, from->path, name, n) : NULL;

			if (to != NULL)
				reach(all, to);
			line = next;
		}
	}
}

/* --- Macros --- */

static const struct pe_tainted *find_tainted(const struct pe_source_file *source, const char *name,
					     size_t n)
{
	for (size_t i = 0; i < source->tainted.n; i++) {
		const struct pe_tainted *one = &source->tainted.data[i];

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
		at = pe_outside_piece(at);
	}
	return NULL;
}

/* The first identifier of some bytes that is a tainted macro. */
static const struct pe_tainted *find_use(const struct pe_source_file *source, const char *at,
					 const char *end)
{
	size_t n;

	for (; (at = next_word(at, end, &n)) != NULL; at += n) {
		const struct pe_tainted *found = find_tainted(source, at, n);

		if (found != NULL)
			return found;
	}
	return NULL;
}

/* Mark the macros of one file that use a marked one. @return  whether one was newly marked */
static bool spread(struct pe_source_file *source, const struct pe_source_file *from,
		   struct pe_arena *arena)
{
	const char *line = pe_text_str(&from->outside);
	bool any = false;

	while (*line != '\0') {
		const char *end = strchr(line, '\n');
		size_t n = 0;
		const char *name = pe_outside_macro(line, &n);
		const struct pe_tainted *use;

		if (name != NULL && find_tainted(source, name, n) == NULL) {
			use = find_use(source, name + n, end);
			if (use != NULL) {
				struct pe_tainted one = {pe_arena_strndup(arena, name, n),
							 use->root, use->path};

				pe_vec_push(&source->tainted, one);
				any = true;
			}
		}
		line = end + 1;
	}
	return any;
}

static const struct pe_changed_lines *find_changed(const struct pe_sources *sources,
						   const char *path)
{
	for (size_t i = 0; i < sources->n_changed; i++)
		if (strcmp(sources->changed[i].path, path) == 0)
			return &sources->changed[i];
	return NULL;
}

/* Find out, once for a file, which changed headers it includes and which macros mean something else in it. */
static void close_source(struct pe_sources *sources, struct pe_source_file *source)
{
	pe_auto_free reached all = {NULL, 0, 0};
	bool more;

	if (source->closed)
		return;
	source->closed = true;
	reach_all(&all, sources, source);
	for (size_t i = 0; i < all.n; i++) {
		const struct pe_changed_lines *changed = find_changed(sources, all.data[i]->path);

		if (changed == NULL)
			continue;
		for (size_t m = 0; m < changed->n_macros; m++) {
			struct pe_tainted one = {changed->macros[m], changed->macros[m],
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
}

/* The start of a line, counted from 1; the end of the text where there are fewer. */
static const char *line_start(const char *text, uint32_t line)
{
	while (line > 1 && *text != '\0')
		line -= *text++ == '\n';
	return text;
}

/* Where a method's text begins, and ends. */
static const char *text_of(const char **end, const struct pe_source_file *source,
			   const struct pe_method *method)
{
	const char *start = line_start(pe_text_str(&source->text), method->first_line);

	*end = line_start(start, method->last_line - method->first_line + 2);
	return start;
}

const char *pe_sources_macro(struct pe_sources *sources, const struct pe_method *method)
{
	struct pe_source_file *source = pe_sources_find(sources, method->component);
	const struct pe_tainted *use;
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
	const struct pe_source_file *source = pe_sources_find(sources, method->component);
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

const char *pe_sources_declarations(struct pe_sources *sources, const char *file)
{
	struct pe_source_file *source = pe_sources_find(sources, file);
	const struct pe_changed_lines *own = find_changed(sources, file);

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
