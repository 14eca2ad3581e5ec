/* The resolver by git: whether a name that differs between two commits is an item of a trace. */
#include "app/measure/trace.h"

#include "core/base/array.h"
#include "core/base/search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whether any path is below another. */
static bool contains_below(const struct pe_strings *sorted, const char *path)
{
	size_t at = 0, n = strlen(path);
	char folder[PATH_MAX];

	if (n + 2 > sizeof(folder))
		return true;
	memcpy(folder, path, n);
	memcpy(folder + n, "/", 2);
	pe_search(at, sorted->n, i, strcmp(sorted->at[i], folder) < 0);
	return at < sorted->n && strncmp(sorted->at[at], folder, n + 1) == 0;
}

static bool lists_folder_of(const struct pe_dependencies *touched, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];

	if (slash == NULL)
		return pe_strings_have(&touched->folders, ".");
	if ((size_t)(slash - path) + 1 > sizeof(folder))
		return true;
	memcpy(folder, path, (size_t)(slash - path));
	folder[slash - path] = '\0';
	return pe_strings_have(&touched->folders, folder);
}

static bool decides_trees(const char *path)
{
	const char *name = pe_path_name(path);

	return strcmp(name, ".gitattributes") == 0 || strcmp(name, ".gitmodules") == 0;
}

/* Whether no compiler searches for such a name unless a source contains it: then the source's content decides. */
static bool is_never_included(const char *path)
{
	static const char *const suffixes[] = {
		".md",  ".txt",  ".rst",  ".html", ".css", ".js",  ".py",  ".sh",  ".lua",
		".yml", ".yaml", ".json", ".toml", ".xml", ".svg", ".png", ".jpg", ".pdf",
	};
	const char *name = pe_path_name(path);
	const char *suffix = strrchr(name, '.');

	if (suffix != NULL && pe_has_string(suffixes, sizeof(suffixes) / sizeof(*suffixes), suffix))
		return true;
	return *name == '.' || strcmp(name, "README") == 0 || strcmp(name, "LICENSE") == 0;
}

bool pe_trace_differs(const struct pe_dependencies *touched, const struct pe_changed_name *name)
{
	bool is_dir = name->was_dir || name->is_dir;
	bool came_or_went = !name->before || !name->after || is_dir;

	if (decides_trees(name->path) || pe_strings_have(&touched->files, name->path) ||
	    pe_strings_have(&touched->programs, name->path) ||
	    pe_strings_have(&touched->folders, name->path) ||
	    pe_strings_have_above(&touched->made, name->path))
		return true;
	/* Items below a link or a submodule, and below a name that is a file on one side and a folder on the other. */
	if (!name->is_file && (!is_dir || (name->before && name->after)) &&
	    (contains_below(&touched->files, name->path) ||
	     contains_below(&touched->programs, name->path) ||
	     contains_below(&touched->folders, name->path) ||
	     contains_below(&touched->made, name->path)))
		return true;
	return came_or_went && ((touched->cached && !is_dir && !is_never_included(name->path)) ||
				lists_folder_of(touched, name->path));
}
