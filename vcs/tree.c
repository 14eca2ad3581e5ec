#include "vcs/tree.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_ROWS = 1 << 21 };

struct lister {
	struct pe_tree *tree;
	struct pe_repo *repo;
	struct pe_text path;
	uint32_t root;
	const struct pe_strings *only; /* plain paths; NULL: all but what the repository excludes */
	struct pe_err *err;
};

static int list_tree(struct lister *lister, const git_oid *id);

void pe_tree_release(struct pe_tree *tree)
{
	for (size_t i = 0; i < tree->roots.n; i++)
		pe_vec_release(&tree->roots.data[i].submodules);
	pe_vec_release(&tree->roots);
	pe_vec_release(&tree->rows);
	pe_arena_release(&tree->arena);
}

const struct pe_row *pe_tree_find(const struct pe_tree *tree, const char *path)
{
	size_t at = 0;

	pe_search(at, tree->rows.n, i, strcmp(tree->rows.data[i].path, path) < 0);
	return at < tree->rows.n && strcmp(tree->rows.data[at].path, path) == 0
		       ? &tree->rows.data[at]
		       : NULL;
}

static struct pe_tree_root *current_root(const struct lister *lister)
{
	return &lister->tree->roots.data[lister->root];
}

static uint32_t add_root(struct lister *lister, struct pe_origin *origin, const git_oid *commit,
			 const char *prefix)
{
	struct pe_tree_root root = {.origin = origin};

	git_oid_cpy(&root.commit, commit);
	root.prefix = pe_arena_strdup(&lister->tree->arena, prefix);
	pe_vec_push(&lister->tree->roots, root);
	return (uint32_t)(lister->tree->roots.n - 1);
}

/* A few kilobytes of objects that name each other name billions of files. */
static int check_size(const struct lister *lister)
{
	if (lister->tree->rows.n < MOST_ROWS)
		return 0;
	return pe_fail(
		lister->err, PE_EINVALID,
		"the tree holds more than %d files and folders; this revision is not written",
		MOST_ROWS);
}

bool pe_vcs_is_bounded(git_repository *git, const git_oid *attributes)
{
	enum { MOST_STARS = 16, MOST_DOUBLE = 3, MOST_BYTES = 1 << 20 };
	pe_auto_blob *blob = NULL;
	pe_auto_text text = PE_TEXT_INIT;
	bool bounded = true;

	/* What cannot be read is answered where it is used. */
	if (git_blob_lookup(&blob, git, attributes) != 0)
		return true;
	if (git_blob_rawsize(blob) > MOST_BYTES)
		return false;
	pe_text_addn(&text, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
	for (const char *at = pe_text_str(&text); bounded && *at != '\0'; at += *at == '\n') {
		unsigned stars = 0, doubles = 0;

		for (; *at != '\0' && *at != '\n'; at++) {
			stars += *at == '*';
			doubles += at[0] == '*' && at[1] == '*';
		}
		bounded = stars <= MOST_STARS && doubles <= MOST_DOUBLE;
	}
	return bounded;
}

/* The time that git's patterns take grows with the length of a path to the power of their stars. */
static int check_attributes(const struct lister *lister, const char *name, const git_oid *id)
{
	if (strcmp(name, ".gitattributes") != 0 ||
	    pe_vcs_is_bounded(current_root(lister)->origin->git, id))
		return 0;
	return pe_fail(
		lister->err, PE_EINVALID,
		"'%s.gitattributes' is larger than 1 MiB, or has a line with more than 16 '*' or three '**'; this revision is not written",
		lister->path.data);
}

/* A row for the current path. */
static void add_entry(struct lister *lister, const git_oid *id, uint32_t mode)
{
	struct pe_row row = {.mode = mode, .root = lister->root};

	git_oid_cpy(&row.id, id);
	row.path = pe_arena_strndup(&lister->tree->arena, lister->path.data, lister->path.len);
	if (row_is_file(&row) && strcmp(path_name(row.path), ".gitattributes") == 0)
		current_root(lister)->has_attributes = true;
	pe_vec_push(&lister->tree->rows, row);
}

/* git refuses such names too (verify_path); a tree that has them was made to break out. */
static int check_name(struct lister *lister, const char *name)
{
	if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0 || strcasecmp(name, ".git") == 0)
		return pe_fail(
			lister->err, PE_EINVALID,
			"the tree holds '%s%s', a name that git forbids; this revision is not written",
			pe_text_str(&lister->path), name);
	if (strlen(name) > NAME_MAX)
		return pe_fail(lister->err, PE_EINVALID,
			       "the tree holds a name longer than %d bytes: '%s%.100s...'",
			       NAME_MAX, pe_text_str(&lister->path), name);
	if (lister->path.len + strlen(name) + 1 >= PATH_MAX)
		return pe_fail(lister->err, PE_EINVALID,
			       "the tree holds a path longer than %d bytes: '%.200s...'",
			       PATH_MAX - 1, pe_text_str(&lister->path));
	return 0;
}

static int read_submodules(struct lister *lister, struct pe_tree_root *root)
{
	pe_auto_commit *commit = NULL;
	pe_auto_tree *tree = NULL;
	pe_auto_tree_entry *entry = NULL;
	pe_auto_blob *blob = NULL;
	int rc;

	root->submodules_read = true;
	rc = git_commit_lookup(&commit, root->origin->git, &root->commit);
	if (rc == 0)
		rc = git_commit_tree(&tree, commit);
	if (rc == 0 && git_tree_entry_bypath(&entry, tree, ".gitmodules") == 0 &&
	    git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
		rc = git_blob_lookup(&blob, root->origin->git, git_tree_entry_id(entry));
		if (rc == 0 && git_blob_rawsize(blob) > 0)
			pe_vcs_submodules_parse(&root->submodules,
						pe_arena_strndup(&lister->tree->arena,
								 git_blob_rawcontent(blob),
								 (size_t)git_blob_rawsize(blob)),
						&lister->tree->arena);
	}
	if (rc < 0)
		rc = pe_vcs_fail_object(lister->err, rc, root->origin, &root->commit,
					"'.gitmodules'");
	return rc;
}

/* The section of .gitmodules for the submodule at the current path; NULL without one. */
static int find_submodule(const struct pe_submodule **out, struct lister *lister)
{
	struct pe_tree_root *root = current_root(lister);
	size_t prefix = strlen(root->prefix);
	size_t n = lister->path.len - prefix - 1; /* without the slash */

	*out = NULL;
	if (!root->submodules_read)
		PE_TRY(read_submodules(lister, root));
	for (size_t i = 0; i < root->submodules.n; i++) {
		const struct pe_submodule *one = &root->submodules.data[i];

		if (one->path != NULL && strlen(one->path) == n &&
		    memcmp(one->path, lister->path.data + prefix, n) == 0)
			*out = one;
	}
	return PE_OK;
}

/* The tree of a commit, listed below the current path. */
static int list_commit(struct lister *lister, struct pe_origin *origin, const git_oid *id)
{
	pe_auto_commit *commit = NULL;
	int rc = git_commit_lookup(&commit, origin->git, id);

	return rc < 0 ? pe_vcs_fail_object(lister->err, rc, origin, id, "a commit")
		      : list_tree(lister, git_commit_tree_id(commit));
}

/*
 * A submodule without a section in .gitmodules is an empty folder for git, and so is one that the user's
 * configuration leaves out.
 */
static int list_submodule(struct lister *lister, const git_oid *id)
{
	const struct pe_submodule *submodule;
	struct pe_origin *origin = NULL;
	uint32_t outer = lister->root;
	int rc = find_submodule(&submodule, lister);

	add_entry(lister, id, 0160000);
	if (rc != 0 || submodule == NULL)
		return rc;
	rc = pe_vcs_origin_submodule(&origin, lister->repo, current_root(lister)->origin, submodule,
				     id, lister->err);
	if (rc != 0 || origin == NULL)
		return rc;
	lister->root = add_root(lister, origin, id, lister->path.data);
	rc = list_commit(lister, origin, id);
	lister->root = outer;
	return rc;
}

/* Whether the current path is left out; of some paths alone, the folders on the way to them are not. */
static bool is_left_out(const struct lister *lister)
{
	const char *path = lister->path.data;

	for (size_t i = 0; lister->only == NULL && i < lister->repo->exclude.n; i++)
		if (pe_path_below(path, lister->repo->exclude.at[i]) != NULL)
			return true;
	for (size_t i = 0; lister->only != NULL && i < lister->only->n; i++)
		if (lister->only->at[i][0] == '\0' ||
		    pe_path_below(path, lister->only->at[i]) != NULL ||
		    pe_path_below(lister->only->at[i], path) != NULL)
			return false;
	return lister->only != NULL;
}

/* One entry; the current path ends with the folder that it is in. */
static int list_entry(struct lister *lister, const git_tree_entry *entry)
{
	const char *name = git_tree_entry_name(entry);
	const git_oid *id = git_tree_entry_id(entry);
	git_filemode_t mode = git_tree_entry_filemode(entry);
	size_t outer = lister->path.len;
	int rc = PE_OK;

	PE_TRY(check_name(lister, name));
	PE_TRY(check_size(lister));
	if (mode != GIT_FILEMODE_TREE && mode != GIT_FILEMODE_COMMIT)
		PE_TRY(check_attributes(lister, name, id));
	pe_text_add(&lister->path, name);
	if (mode == GIT_FILEMODE_TREE || mode == GIT_FILEMODE_COMMIT)
		pe_text_addc(&lister->path, '/');
	if (is_left_out(lister)) {
		/* No row: neither read nor written. */
	} else if (mode == GIT_FILEMODE_COMMIT) {
		rc = list_submodule(lister, id);
	} else if (mode != GIT_FILEMODE_TREE) {
		add_entry(lister, id, (uint32_t)mode);
	} else {
		add_entry(lister, id, 040000);
		rc = list_tree(lister, id);
	}
	lister->path.len = outer;
	lister->path.data[outer] = '\0';
	return rc;
}

static int list_tree(struct lister *lister, const git_oid *id)
{
	const struct pe_origin *origin = current_root(lister)->origin;
	pe_auto_tree *tree = NULL;
	int rc = git_tree_lookup(&tree, origin->git, id);

	if (rc < 0)
		return pe_vcs_fail_object(lister->err, rc, origin, id, "a folder's list");
	for (size_t i = 0; i < git_tree_entrycount(tree); i++)
		PE_TRY(list_entry(lister, git_tree_entry_byindex(tree, i)));
	return PE_OK;
}

PE_SORT_BY(compare_rows, struct pe_row, path);

/*
 * git's order differs from ours for submodules, and a tree made by hand may have any. Two rows for one path,
 * or a file where a folder is, would make the result depend on the order of writing.
 */
static int put_in_order(struct pe_tree *tree, struct pe_err *err)
{
	struct pe_row *rows = tree->rows.data;
	char path[PATH_MAX];

	pe_sort(rows, tree->rows.n, compare_rows);
	for (size_t i = 0; i < tree->rows.n; i++) {
		bool is_dir = row_is_dir(&rows[i]);

		snprintf(path, sizeof(path), "%.*s", (int)strlen(rows[i].path) - is_dir,
			 rows[i].path);
		if ((i > 0 && strcmp(rows[i - 1].path, rows[i].path) == 0) ||
		    (is_dir && pe_tree_find(tree, path) != NULL))
			return pe_fail(err, PE_EINVALID, "the tree holds '%s' twice", path);
	}
	return PE_OK;
}

/* A path as git has it: without "./" in front and slashes at the end. */
static char *plain_path(struct pe_arena *arena, const char *path)
{
	size_t n;

	while (path[0] == '.' && path[1] == '/')
		path += 1 + strspn(path + 1, "/");
	n = strlen(path);
	while (n > 0 && path[n - 1] == '/')
		n--;
	return pe_arena_strndup(arena, n == 1 && path[0] == '.' ? "" : path,
				n == 1 && path[0] == '.' ? 0 : n);
}

/* Whether a file or a folder was listed. */
static bool has(const struct pe_tree *tree, const char *plain)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s/", plain);
	return plain[0] == '\0' || pe_tree_find(tree, plain) != NULL ||
	       pe_tree_find(tree, folder) != NULL;
}

static int list_revision(struct lister *lister, const char *id)
{
	struct pe_origin *origin;
	git_oid commit;

	PE_TRY(pe_vcs_origin(&origin, lister->repo, lister->err));
	if (git_oid_fromstr(&commit, id) < 0)
		return pe_fail(lister->err, PE_EINVALID, "'%s' is not the id of a commit", id);
	pe_text_add(&lister->path, "");
	lister->root = add_root(lister, origin, &commit, "");
	PE_TRY(list_commit(lister, origin, &commit));
	return put_in_order(lister->tree, lister->err);
}

int pe_tree_list(struct pe_tree *tree, struct pe_repo *repo, const char *id, struct pe_err *err)
{
	struct lister lister = {.tree = tree, .repo = repo, .err = err};
	int rc = list_revision(&lister, id);

	if (rc != PE_OK)
		pe_err_context(err, "%.12s", id);
	pe_text_release(&lister.path);
	return rc;
}

int pe_tree_list_paths(struct pe_tree *tree, struct pe_repo *repo, const char *id,
		       const struct pe_strings *paths, struct pe_err *err)
{
	const char **plain = pe_arena_new(&tree->arena, const char *, paths->n);
	const struct pe_strings only = {plain, paths->n};
	struct lister lister = {.tree = tree, .repo = repo, .only = &only, .err = err};
	int rc;

	for (size_t i = 0; i < paths->n; i++)
		plain[i] = plain_path(&tree->arena, paths->at[i]);
	rc = list_revision(&lister, id);
	pe_text_release(&lister.path);
	PE_TRY(rc);
	for (size_t i = 0; i < paths->n; i++)
		if (!has(tree, plain[i]))
			return pe_fail(err, PE_ENOTFOUND, "'%s' is not in revision %.12s",
				       paths->at[i], id);
	/* Only the requested paths were seen: attributes may stand anywhere else in the tree. */
	for (size_t i = 0; i < tree->roots.n; i++)
		tree->roots.data[i].has_attributes = true;
	return PE_OK;
}

int pe_tree_path_id(git_oid *out, git_tree *tree, const char *path, const struct pe_origin *origin,
		    struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_tree_entry *entry = NULL;
	const char *plain = plain_path(&arena, path);
	int rc;

	memset(out, 0, sizeof(*out));
	if (plain[0] == '\0') {
		git_oid_cpy(out, git_tree_id(tree));
		return PE_OK;
	}
	git_error_clear();
	rc = git_tree_entry_bypath(&entry, tree, plain);
	if (rc == 0)
		git_oid_cpy(out, git_tree_entry_id(entry));
	else if (rc == GIT_ENOTFOUND && git_error_last() != NULL &&
		 git_error_last()->klass == GIT_ERROR_ODB)
		return pe_vcs_fail_object(err, rc, origin, git_tree_id(tree),
					  "a folder's list on the way to a path");
	return PE_OK;
}
