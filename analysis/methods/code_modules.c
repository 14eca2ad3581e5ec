/*
 * The libraries of a program within the tree: all that have the name of a needed one, whichever of them the search paths in
 * the file and LD_LIBRARY_PATH lead to. A program that can load libraries while it runs may load any that the tree has.
 */
#include "analysis/methods/code_modules.h"

#include "core/base/array.h"
#include "core/base/inside.h"
#include "core/base/sort.h"
#include "core/base/text.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FOLDERS_DEEP = 64 };

/* Open a file once. A library that is no ELF file (a linker script) is passed over. */
static int open_module(struct pe_modules *modules, const char *path, bool needed,
		       struct pe_arena *arena, struct pe_err *err)
{
	const char *resolved = pe_inside_resolve(path, modules->tree, arena);
	struct pe_image *image = pe_arena_new(arena, struct pe_image, 1);
	const char *inside;
	int rc;

	for (size_t i = 0; resolved != NULL && i < modules->seen.n; i++)
		if (strcmp(modules->seen.data[i], resolved) == 0)
			return PE_OK;
	path = pe_inside_file(path, modules->tree, arena);
	rc = pe_image_open(image, path, arena, err);
	if (rc == PE_EUNSUPPORTED && !needed)
		return PE_OK;
	PE_TRY(rc);
	image->masks[0] = modules->tree;
	image->masks[1] = modules->given;
	inside = pe_path_below(image->path, modules->tree);
	image->relative = inside != NULL ? inside : image->path;
	pe_vec_push(&modules->seen, resolved != NULL ? resolved : image->path);
	pe_vec_push(&modules->list, image);
	return PE_OK;
}

static bool is_file(const struct pe_modules *modules, const char *path, struct pe_arena *arena)
{
	struct stat status;

	return stat(pe_inside_file(path, modules->tree, arena), &status) == 0 &&
	       S_ISREG(status.st_mode);
}

static bool is_library(const char *name)
{
	const char *suffix = strstr(name, ".so");

	return suffix != NULL && (suffix[3] == '\0' || suffix[3] == '.');
}

static void shelve(struct pe_modules *modules, const char *folder, int depth,
		   struct pe_arena *arena)
{
	DIR *dir = depth < MOST_FOLDERS_DEEP ? opendir(folder) : NULL;
	const struct dirent *entry;
	struct stat status;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		const char *path;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    strcmp(entry->d_name, ".git") == 0)
			continue;
		path = pe_arena_printf(arena, "%s/%s", folder, entry->d_name);
		if (lstat(path, &status) != 0)
			continue;
		if (S_ISDIR(status.st_mode))
			shelve(modules, path, depth + 1, arena);
		else if (is_library(entry->d_name) && is_file(modules, path, arena))
			pe_vec_push(&modules->shelf, path);
	}
	if (dir != NULL)
		closedir(dir);
}

static void fill_shelf(struct pe_modules *modules, struct pe_arena *arena)
{
	if (modules->shelved)
		return;
	modules->shelved = true;
	shelve(modules, modules->tree, 0, arena);
	pe_sort(modules->shelf.data, modules->shelf.n, pe_string_order);
}

static int follow(struct pe_modules *modules, const char *name, struct pe_arena *arena,
		  struct pe_err *err)
{
	const char *path =
		strchr(name, '/') != NULL ? pe_inside_resolve(name, modules->tree, arena) : NULL;
	bool inside = false;

	if (path != NULL && pe_path_below(path, modules->tree) != NULL)
		return open_module(modules, path, false, arena, err);
	fill_shelf(modules, arena);
	for (size_t i = 0; i < modules->shelf.n; i++)
		if (strcmp(pe_path_name(modules->shelf.data[i]), pe_path_name(name)) == 0) {
			inside = true;
			PE_TRY(open_module(modules, modules->shelf.data[i], false, arena, err));
		}
	if (!inside)
		pe_vec_push(&modules->libraries, pe_arena_strdup(arena, name));
	return PE_OK;
}

/* libtool leaves a script that starts the program in .libs. */
static int open_program(struct pe_modules *modules, const char *program, struct pe_arena *arena,
			struct pe_err *err)
{
	static const char *const places[] = {".libs/", ".libs/lt-"};
	const char *resolved = pe_inside_resolve(program, modules->tree, arena);
	const char *path = resolved != NULL ? resolved : program;
	int rc = open_module(modules, path, true, arena, err);

	for (size_t i = 0; rc == PE_EUNSUPPORTED && i < 2; i++) {
		const size_t base = (size_t)(pe_path_name(path) - path);
		struct pe_err ignored = PE_ERR_INIT;

		if (open_module(modules,
				pe_arena_printf(arena, "%.*s%s%s", (int)base, path, places[i],
						path + base),
				true, arena, &ignored) == PE_OK)
			rc = PE_OK;
	}
	return rc;
}

int pe_modules_open(struct pe_modules *out, const char *tree, struct pe_arena *arena,
		    struct pe_err *err)
{
	size_t n = strlen(tree);

	*out = (struct pe_modules){.tree = pe_inside_resolve(tree, NULL, arena)};
	if (out->tree == NULL)
		return pe_fail(err, PE_ENOTFOUND, "%s does not exist", tree);
	while (n > 1 && tree[n - 1] == '/')
		n--;
	out->given = pe_arena_strndup(arena, tree, n);
	if (tree[0] != '/' || strcmp(out->given, out->tree) == 0)
		out->given = NULL;
	return PE_OK;
}

int pe_modules_add(struct pe_modules *modules, const char *program, struct pe_arena *arena,
		   struct pe_err *err)
{
	const size_t first = modules->list.n;

	PE_TRY(open_program(modules, program, arena, err));
	for (size_t i = first; i < modules->list.n; i++) {
		const struct pe_image *image = modules->list.data[i];

		for (size_t k = 0; k < image->n_needed; k++)
			PE_TRY(follow(modules, image->needed[k], arena, err));
		if (!image->loads)
			continue;
		fill_shelf(modules, arena);
		for (size_t k = 0; k < modules->shelf.n; k++)
			PE_TRY(open_module(modules, modules->shelf.data[k], false, arena, err));
	}
	return PE_OK;
}

void pe_modules_close(struct pe_modules *modules)
{
	for (size_t i = 0; i < modules->list.n; i++)
		pe_image_close(modules->list.data[i]);
	pe_vec_release(&modules->list);
	pe_vec_release(&modules->libraries);
	pe_vec_release(&modules->seen);
	pe_vec_release(&modules->shelf);
}
