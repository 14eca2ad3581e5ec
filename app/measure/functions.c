/* realpath(3). */
#define _XOPEN_SOURCE 700
#include "app/measure/functions.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/profile/import_names.h"
#include "analysis/profile/merge_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of files, in the order of how likely they define a function. */
enum rank {
	NOWHERE,
	OTHER_HEADER,
	OTHER_SOURCE,
	HEADER,
	SOURCE,
};

struct part {
	struct pe_function_count of;
	enum rank rank;
};

/* --- Paths --- */

/* Whether a file is compiled on its own: its functions may be static. */
static bool is_source(const char *path)
{
	static const char *const endings[] = {".c",   ".cc", ".cpp", ".cxx",
					      ".c++", ".C",  ".m",   ".mm"};
	const char *dot = strrchr(path, '.');

	return dot != NULL && pe_has_string(endings, sizeof(endings) / sizeof(*endings), dot);
}

static const char *component_of(enum rank *rank, const char *file, const char *const trees[2],
				struct pe_arena *arena)
{
	pe_auto_text clean = PE_TEXT_INIT;
	const char *inside, *path;

	*rank = NOWHERE;
	if (strcmp(file, "???") == 0)
		return "";
	pe_text_add_clean_path(&clean, file);
	path = pe_arena_strdup(arena, pe_text_str(&clean));
	inside = trees[0] != NULL ? pe_inside_below(path, trees[0]) : NULL;
	if (inside == NULL && trees[1] != NULL)
		inside = pe_inside_below(path, trees[1]);
	if (inside != NULL)
		*rank = is_source(inside) ? SOURCE : HEADER;
	else if (*path != '\0')
		*rank = is_source(path) ? OTHER_SOURCE : OTHER_HEADER;
	return inside != NULL ? inside : path;
}

/* --- Names --- */

static struct part name_part(const struct pe_function_count *counted, const char *const trees[2],
			     struct pe_arena *arena)
{
	struct part part = {.of = *counted};
	struct pe_frame frame = {.signature = ""};
	/* The symbol version of "memcpy@@GLIBC_2.14" is dropped. */
	const char *version = strchr(counted->name, '@');
	size_t n = version != NULL && version > counted->name ? (size_t)(version - counted->name)
							      : strlen(counted->name);
	const char *plain = pe_merge_plain_name(pe_arena_strndup(arena, counted->name, n), arena);
	/* Splitting takes one byte more than the name has. */
	char *name = pe_arena_alloc(arena, strlen(plain) + 2, 1);

	memcpy(name, plain, strlen(plain));
	pe_names_split_signature(&frame, name);
	part.of.name = frame.name;
	part.of.signature = frame.signature;
	part.of.component = component_of(&part.rank, counted->component, trees, arena);
	return part;
}

static int compare_names(const struct part *a, const struct part *b)
{
	int order = strcmp(a->of.name, b->of.name);

	return order != 0 ? order : strcmp(a->of.signature, b->of.signature);
}

/* --- Words of source files --- */

enum { MOST_SOURCE_BYTES = 32 << 20 };

/* A source file of a tree that was read; text: "" where it cannot be. */
struct source {
	const char *path, *text;
};

struct sources {
	const char *tree;
	struct pe_arena *arena;
	PE_VEC(struct source) read;
};

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (at[n] == '_' || (at[n] >= '0' && at[n] <= '9') || (at[n] >= 'A' && at[n] <= 'Z') ||
	       (at[n] >= 'a' && at[n] <= 'z') || (unsigned char)at[n] >= 0x80)
		n++;
	return n;
}

static const char *text_of(struct sources *sources, const char *path)
{
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_fd fd = -1;

	for (size_t i = 0; i < sources->read.n; i++)
		if (strcmp(sources->read.data[i].path, path) == 0)
			return sources->read.data[i].text;
	fd = pe_files_open_placed_in(sources->tree, path, MOST_SOURCE_BYTES);
	if (fd < 0 || pe_text_read_fd(&text, fd) != 0)
		pe_text_clear(&text);
	pe_vec_push(&sources->read,
		    ((struct source){path, pe_arena_strdup(sources->arena, pe_text_str(&text))}));
	return sources->read.data[sources->read.n - 1].text;
}

/* The last word of a name outside of template arguments: "add" of "list<int>::add". */
static const char *last_word(size_t *n, const char *name)
{
	const char *found = name;
	int depth = 0;

	for (const char *at = name; *at != '\0'; at += *n > 0 ? *n : 1) {
		*n = word_length(at);
		depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
		if (*n > 0 && depth == 0)
			found = at;
	}
	*n = word_length(found);
	return found;
}

static bool mentions(struct sources *sources, const struct part *part)
{
	size_t n;
	const char *word = last_word(&n, part->of.name);
	const char *text = text_of(sources, part->of.component);

	word = pe_arena_strndup(sources->arena, word, n);
	for (const char *at = text; n > 0 && (at = strstr(at, word)) != NULL; at += n)
		if (word_length(at) == n && (at == text || word_length(at - 1) <= n))
			return true;
	return false;
}

/* --- Merging --- */

/* Order the parts of one name from the most likely place of its definition to the least. */
static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = compare_names(x, y);

	if (order == 0 && x->rank != y->rank)
		order = x->rank < y->rank ? 1 : -1;
	return order != 0 ? order : strcmp(x->of.component, y->of.component);
}

static void add(struct pe_function_counts *out, const struct pe_function_count *one)
{
	struct pe_function_count *last = out->n > 0 ? &out->at[out->n - 1] : NULL;

	if (last != NULL && strcmp(last->name, one->name) == 0 &&
	    strcmp(last->signature, one->signature) == 0 &&
	    strcmp(last->component, one->component) == 0)
		last->instructions += one->instructions;
	else
		out->at[out->n++] = *one;
}

/*
 * Move code that is inlined from other source files to the function, as in a program that is compiled as one file or
 * optimised at link time: if only one source file mentions the name, it defines it.
 */
static void find_home(struct sources *sources, struct part *parts, size_t n)
{
	size_t home = SIZE_MAX;

	for (size_t i = 0; i < n && parts[i].rank == SOURCE; i++) {
		if (!mentions(sources, &parts[i]))
			continue;
		if (home != SIZE_MAX &&
		    strcmp(parts[i].of.component, parts[home].of.component) != 0)
			return;
		home = i;
	}
	for (size_t i = 0; home != SIZE_MAX && i < n && parts[i].rank == SOURCE; i++)
		parts[i].of.component = parts[home].of.component;
}

/* Merge the parts of one name. */
static void join(struct pe_function_counts *out, struct sources *all, struct part *parts, size_t n)
{
	bool sources = parts[0].rank == SOURCE || parts[0].rank == OTHER_SOURCE;
	struct pe_function_count rest = parts[0].of;
	bool apart = false;

	if (sources && n > 1 && parts[1].rank == SOURCE)
		find_home(all, parts, n);

	rest.instructions = 0;
	for (size_t i = 1; i < n && sources && parts[i].rank == parts[0].rank; i++)
		apart |= strcmp(parts[i].of.component, parts[0].of.component) != 0;
	if (apart)
		rest.component = "";
	for (size_t i = 0; i < n; i++) {
		if (apart && parts[i].rank == parts[0].rank)
			add(out, &parts[i].of);
		else
			rest.instructions += parts[i].of.instructions;
	}
	if (rest.instructions > 0)
		add(out, &rest);
}

struct pe_function_counts pe_functions_name(const struct pe_function_counts *counted,
					    const char *tree, struct pe_arena *arena)
{
	pe_auto_free char *resolved = counted->n > 0 ? realpath(tree, NULL) : NULL;
	const char *const trees[2] = {tree, resolved};
	struct part *parts = pe_arena_new(arena, struct part, counted->n);
	struct pe_function_counts out = {
		pe_arena_new(arena, struct pe_function_count, counted->n + 1), 0};
	struct sources sources = {.tree = tree, .arena = arena};
	size_t first = 0;

	for (size_t i = 0; i < counted->n; i++)
		parts[i] = name_part(&counted->at[i], trees, arena);
	pe_sort(parts, counted->n, compare_parts);
	for (size_t i = 1; i <= counted->n; i++) {
		if (i < counted->n && compare_names(&parts[first], &parts[i]) == 0)
			continue;
		join(&out, &sources, &parts[first], i - first);
		first = i;
	}
	pe_vec_release(&sources.read);
	return out;
}

const char *pe_functions_component(const char *file, const char *tree, struct pe_arena *arena)
{
	const char *const trees[2] = {tree, NULL};
	enum rank rank;

	return component_of(&rank, file, trees, arena);
}
