/*
 * Tree: everything that a revision holds, as rows sorted by path, submodules included.
 *
 * The path of a folder ends with a slash, so that in the order of strcmp(3) it stands right before what is in it.
 */
#pragma once

#include "vcs/internal.h"

/** A file, link, folder or submodule of a tree. */
struct pe_row {
	const char *path;
	git_oid id;
	uint32_t mode; /* as git has it: 0100644, 0100755, 0120000, 040000, 0160000 */
	uint32_t root; /* index of its struct pe_tree_root */
};

/** What rows are read from: the revision itself, or a submodule at its recorded commit. */
struct pe_tree_root {
	struct pe_origin *origin;
	git_oid commit;
	const char *prefix;  /* path of the root inside the whole tree, "" or "lib/" */
	bool has_attributes; /* a .gitattributes stands somewhere in it */
	submodule_vec submodules;
	bool submodules_read;
};

/** Zero-initialise; the strings of rows live in the arena. */
struct pe_tree {
	struct pe_arena arena;
	PE_VEC(struct pe_row) rows;
	PE_VEC(struct pe_tree_root) roots;
};

void pe_tree_release(struct pe_tree *tree);

/** A tree that is released where its block is left. */
#define pe_auto_rows __attribute__((cleanup(pe_tree_release))) struct pe_tree

/**
 * List a whole revision.
 *
 * @return  PE_EINVALID for a path that cannot be written safely; PE_EUNSUPPORTED for a submodule that is not here
 */
int pe_tree_list(struct pe_tree *tree, struct pe_repo *repo, const char *id, struct pe_err *err);

/** List what stands at some paths of a revision. PE_ENOTFOUND names the first that is not there. */
int pe_tree_list_paths(struct pe_tree *tree, struct pe_repo *repo, const char *id,
		       const struct pe_strings *paths, struct pe_err *err);

/** The row of a path, or NULL. */
const struct pe_row *pe_tree_find(const struct pe_tree *tree, const char *path);

/** The id of what stands at a path of a tree object; all zero when there is nothing. */
int pe_tree_path_id(git_oid *out, git_tree *tree, const char *path, const struct pe_origin *origin,
		    struct pe_err *err);

/** Whether a row is a regular file (not a link, folder or submodule). */
static inline bool row_is_file(const struct pe_row *row)
{
	return (row->mode & 0170000) == 0100000;
}

/** Whether a row is a folder on disk: a tree or a submodule. */
static inline bool row_is_dir(const struct pe_row *row)
{
	return row->mode == 040000 || row->mode == 0160000;
}

/** The last part of a path without a slash at its end. */
static inline const char *path_name(const char *path)
{
	const char *name = path;

	for (; *path != '\0'; path++)
		if (*path == '/' && path[1] != '\0')
			name = path + 1;
	return name;
}
