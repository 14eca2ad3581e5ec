#define _XOPEN_SOURCE 700 /* realpath(3), readlink(2) */

#include "core/base/inside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* as the kernel has it */

/* What follows the tree in a path as a command saw it: "", or a slash and more. NULL: the path leads elsewhere. */
static const char *rest_inside(const char *path)
{
	const size_t n = sizeof(PE_INSIDE_TREE) - 1;

	if (strncmp(path, PE_INSIDE_TREE, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return path + n;
}

/* Where the last part of a path begins that ends at `end`. */
static const char *last_part(const char *path, const char *end)
{
	while (end > path && end[-1] != '/')
		end--;
	return end;
}

/* Behind "0017/tree/", where the tree's own end is "0002/tree". */
static const char *behind_slot(const char *path, const char *name)
{
	const size_t digits = strspn(path, "0123456789"), n = strlen(name);

	if (digits == 0 || strncmp(path + digits, name, n) != 0 || path[digits + n] != '/')
		return NULL;
	return path + digits + n + 1;
}

/* A path below a neighbouring slot, or below one of a neighbouring repository: ROOT/x/slots/0017/tree next to ROOT/y/slots/0002/tree. */
static const char *below_neighbour(const char *path, const char *tree)
{
	static const char slots[] = "slots/";
	const char *name = strrchr(tree, '/');
	const char *slot = name != NULL ? last_part(tree, name) : tree, *repository, *rest;

	if (slot <= tree + 1)
		return NULL;
	if (strncmp(path, tree, (size_t)(slot - tree)) == 0)
		return behind_slot(path + (slot - tree), name);
	repository = slot - sizeof(slots) + 1;
	if (repository <= tree + 1 || strncmp(repository, slots, sizeof(slots) - 1) != 0)
		return NULL;
	repository = last_part(tree, repository - 1);
	if (repository <= tree + 1 || strncmp(path, tree, (size_t)(repository - tree)) != 0)
		return NULL;
	rest = strchr(path + (repository - tree), '/');
	if (rest == NULL || strncmp(rest + 1, slots, sizeof(slots) - 1) != 0)
		return NULL;
	return behind_slot(rest + sizeof(slots), name);
}

const char *pe_inside_below(const char *path, const char *tree)
{
	const char *inside = rest_inside(path);
	const size_t n = tree != NULL ? strlen(tree) : 0;

	if (inside != NULL)
		return *inside != '\0' ? inside + 1 : NULL;
	if (n == 0)
		return NULL;
	return strncmp(path, tree, n) == 0 && path[n] == '/' ? path + n + 1
							     : below_neighbour(path, tree);
}

const char *pe_inside_out(const char *path, const char *tree, struct pe_arena *arena)
{
	const char *rest = tree != NULL ? rest_inside(path) : NULL;

	return rest != NULL ? pe_arena_printf(arena, "%s%s", tree, rest) : path;
}

/* The path with the first link on its way put in; NULL: there is none. */
static const char *follow_one(const char *path, const char *tree, struct pe_arena *arena)
{
	char target[PATH_MAX];
	ssize_t size = -1;
	size_t folder = 0, n = tree != NULL ? strlen(tree) : 0;

	/* Links on the way to the tree are the user's. */
	if (tree == NULL || strncmp(path, tree, n) != 0 || path[n] != '/')
		n = 0;
	while (size < 0 && path[n] != '\0') {
		folder = n + strspn(path + n, "/");
		n = folder + strcspn(path + folder, "/");
		size = readlink(pe_arena_strndup(arena, path, n), target, sizeof(target) - 1);
	}
	if (size < 0)
		return NULL;
	target[size] = '\0';
	if (target[0] == '/')
		return pe_arena_printf(arena, "%s%s", pe_inside_out(target, tree, arena), path + n);
	return pe_arena_printf(arena, "%.*s%s%s", (int)folder, path, target, path + n);
}

const char *pe_inside_resolve(const char *path, const char *tree, struct pe_arena *arena)
{
	path = pe_inside_out(path, tree, arena);
	for (int links = 0; path != NULL && links < MOST_LINKS; links++) {
		pe_auto_free char *real = realpath(path, NULL);

		if (real != NULL)
			return pe_arena_strdup(arena, real);
		if (errno != ENOENT && errno != EACCES)
			return NULL;
		path = follow_one(path, tree, arena);
	}
	errno = ENOENT;
	return NULL;
}

const char *pe_inside_file(const char *path, const char *tree, struct pe_arena *arena)
{
	const char *out = pe_inside_out(path, tree, arena), *real = NULL;

	if (tree != NULL && access(out, F_OK) != 0)
		real = pe_inside_resolve(out, tree, arena);
	return real != NULL ? real : out;
}
