/* Export: some paths of a revision, looked up or written over what a folder holds. */
#include "vcs/place.h"

#include <string.h>

int pe_repo_path_ids(char (*out)[PE_OID_HEX], struct pe_repo *repo, const char *revision,
		     const struct pe_strings *paths, struct pe_err *err)
{
	git_commit *commit = NULL;
	git_tree *tree = NULL;
	struct origin *origin;
	git_oid id;
	int rc = vcs_origin(&origin, repo, err);

	if (rc != 0)
		return rc;
	if (git_oid_fromstr(&id, revision) < 0)
		return pe_fail(err, PE_EINVALID, "'%s' is not the id of a commit", revision);
	rc = git_commit_lookup(&commit, origin->git, &id);
	if (rc == 0)
		rc = git_commit_tree(&tree, commit);
	if (rc < 0)
		rc = vcs_fail_object(err, rc, origin, &id, "a commit");
	for (size_t i = 0; i < paths->n && rc == 0; i++) {
		rc = tree_path_id(&id, tree, paths->at[i], origin, err);
		if (git_oid_is_zero(&id))
			out[i][0] = '\0';
		else
			git_oid_tostr(out[i], PE_OID_HEX, &id);
	}
	git_tree_free(tree);
	git_commit_free(commit);
	return rc;
}

/* A file that is right already keeps its mtime: builds that compare mtimes have nothing to do for it. */
static int export_row(struct place *place, const struct tree *tree, struct row *row,
		      struct pe_err *err)
{
	struct content content = {0};
	struct stat st;
	int rc;

	if (row_is_dir(row))
		return place_dir(place, row->path, err);
	rc = content_load(&content, tree, row, err);
	if (rc == 0 && content.data != NULL && place_stat(place, row->path, &st) &&
	    (row_is_file(row) ? S_ISREG(st.st_mode) : S_ISLNK(st.st_mode)) &&
	    ((row->mode & 0100) == (st.st_mode & 0100) || !row_is_file(row)) &&
	    place_holds(place, row, &content)) {
		content_release(&content);
		return 0;
	}
	if (rc == 0 && content.pointer)
		rc = pe_fail(err, PE_EUNSUPPORTED,
			     "'%s' is kept in Git LFS and is not here: run 'git lfs fetch --all'",
			     row->path);
	if (rc == 0)
		rc = place_write(place, row, &content, &st, err);
	content_release(&content);
	return rc;
}

int pe_repo_export(struct pe_repo *repo, const char *revision, const struct pe_strings *paths,
		   const char *dir, struct pe_hash *hash, struct pe_err *err)
{
	struct tree tree = {0};
	struct place place = {.fd = -1, .parent_fd = -1};
	char oid[PE_OID_HEX];
	int rc = tree_list_paths(&tree, repo, revision, paths, err);

	for (size_t i = 0; i < repo->origins.n; i++)
		git_attr_cache_flush(repo->origins.data[i]->git);
	if (rc == 0)
		rc = place_open(&place, dir, err);
	for (size_t i = 0; rc == 0 && i < tree.rows.n; i++) {
		struct row *row = &tree.rows.data[i];

		rc = export_row(&place, &tree, row, err);
		if (rc == 0 && !row_is_dir(row) && hash != NULL) {
			pe_hash_string(hash, row->path);
			pe_hash_number(hash, row->mode);
			pe_hash_string(hash, git_oid_tostr(oid, sizeof(oid), &row->id));
		}
	}
	place_close(&place);
	tree_release(&tree);
	return rc;
}
