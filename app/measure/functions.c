/* realpath(3). */
#define _XOPEN_SOURCE 700
#include "app/measure/functions.h"

#include "core/base/inside.h"
#include "analysis/profile/import_names.h"
#include "analysis/profile/merge_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What says more of where a function is defined comes later. */
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

/* A path without "." and "x/..", in place. */
static void simplify(char *path)
{
	char *out = path, *at = path;
	bool rooted = *path == '/';

	while (*at != '\0') {
		size_t n = strcspn(at, "/");
		bool last = at[n] == '\0';
		char *next = at + n + !last;
		bool up = n == 2 && at[0] == '.' && at[1] == '.';

		if (n == 0 || (n == 1 && at[0] == '.')) {
			at = next;
			continue;
		}
		if (up && out > path + rooted && strncmp(out - 3, "../", 3) != 0) {
			out--;
			while (out > path && out[-1] != '/')
				out--;
		} else if (!up || !rooted) {
			if (rooted && out == path)
				out++;
			memmove(out, at, n);
			out += n;
			/* Behind the last part is the end, which may be the end of what can be written. */
			if (!last)
				*out++ = '/';
		}
		at = next;
	}
	if (out > path + rooted && out[-1] == '/')
		out--;
	*out = '\0';
}

/* Files that are compiled by themselves, and whose names of functions may be of the file alone. */
static bool is_source(const char *path)
{
	static const char *const endings[] = {".c",   ".cc", ".cpp", ".cxx",
					      ".c++", ".C",  ".m",   ".mm"};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(*endings); i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

static const char *component_of(enum rank *rank, const char *file, const char *const trees[2],
				struct pe_arena *arena)
{
	char *path = pe_arena_strdup(arena, file);
	const char *inside;

	*rank = NOWHERE;
	if (strcmp(path, "???") == 0)
		return "";
	simplify(path);
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
	/* "memcpy@@GLIBC_2.14": which version of it is the library's business. */
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

/* Of one name: from where it is most likely defined to where it is least. */
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

/* The parts of one name. */
static void join(struct pe_function_counts *out, const struct part *parts, size_t n)
{
	bool sources = parts[0].rank == SOURCE || parts[0].rank == OTHER_SOURCE;
	struct pe_function_count rest = parts[0].of;
	bool apart = false;

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
	size_t first = 0;

	for (size_t i = 0; i < counted->n; i++)
		parts[i] = name_part(&counted->at[i], trees, arena);
	if (counted->n > 0)
		qsort(parts, counted->n, sizeof(*parts), compare_parts);
	for (size_t i = 1; i <= counted->n; i++) {
		if (i < counted->n && compare_names(&parts[first], &parts[i]) == 0)
			continue;
		join(&out, &parts[first], i - first);
		first = i;
	}
	return out;
}

const char *pe_functions_component(const char *file, const char *tree, struct pe_arena *arena)
{
	const char *const trees[2] = {tree, NULL};
	enum rank rank;

	return component_of(&rank, file, trees, arena);
}
