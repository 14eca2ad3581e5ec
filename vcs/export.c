/* Export: some paths of a revision, looked up or written over what a folder holds. */
#include "vcs/place.h"

#include <string.h>

int pe_repo_path_ids(char (*out)[PE_OID_HEX], struct pe_repo *repo, const char *revision,
		     const struct pe_strings *paths, struct pe_err *err)
{
	git_commit *commit = NULL;
	git_tree *tree = NULL;
	struct pe_origin *origin;
	git_oid id;
	int rc = pe_vcs_origin(&origin, repo, err);

	if (rc != 0)
		return rc;
	if (git_oid_fromstr(&id, revision) < 0)
		return pe_fail(err, PE_EINVALID, "'%s' is not the id of a commit", revision);
	rc = git_commit_lookup(&commit, origin->git, &id);
	if (rc == 0)
		rc = git_commit_tree(&tree, commit);
	if (rc < 0)
		rc = pe_vcs_fail_object(err, rc, origin, &id, "a commit");
	for (size_t i = 0; i < paths->n && rc == 0; i++) {
		rc = pe_tree_path_id(&id, tree, paths->at[i], origin, err);
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
static int export_row(struct pe_checkout_dir *place, const struct pe_tree *tree, struct pe_row *row,
		      struct pe_err *err)
{
	struct pe_content content = {0};
	struct stat st;
	int rc;

	if (row_is_dir(row))
		return pe_checkout_dir_dir(place, row->path, err);
	rc = pe_content_load(&content, tree, row, err);
	if (rc == 0 && content.data != NULL && pe_checkout_dir_stat(place, row->path, &st) &&
	    (row_is_file(row) ? S_ISREG(st.st_mode) : S_ISLNK(st.st_mode)) &&
	    ((row->mode & 0100) == (st.st_mode & 0100) || !row_is_file(row)) &&
	    pe_checkout_dir_holds(place, row, &content)) {
		pe_content_release(&content);
		return 0;
	}
	if (rc == 0)
		rc = pe_checkout_dir_write(place, row, &content, &st, err);
	pe_content_release(&content);
	return rc;
}

int pe_repo_export(struct pe_repo *repo, const char *revision, const struct pe_strings *paths,
		   const char *dir, struct pe_hash *hash, struct pe_err *err)
{
	struct pe_tree tree = {0};
	struct pe_checkout_dir place = {.fd = -1};
	char oid[PE_OID_HEX];
	int rc = pe_tree_list_paths(&tree, repo, revision, paths, err);

	for (size_t i = 0; i < repo->origins.n; i++)
		git_attr_cache_flush(repo->origins.data[i]->git);
	if (rc == 0)
		rc = pe_checkout_dir_open(&place, NULL, dir, err);
	for (size_t i = 0; rc == 0 && i < tree.rows.n; i++) {
		struct pe_row *row = &tree.rows.data[i];

		rc = export_row(&place, &tree, row, err);
		if (rc == 0 && !row_is_dir(row) && hash != NULL) {
			pe_hash_string(hash, row->path);
			pe_hash_number(hash, row->mode);
			pe_hash_string(hash, git_oid_tostr(oid, sizeof(oid), &row->id));
		}
	}
	pe_checkout_dir_close(&place);
	pe_tree_release(&tree);
	return rc;
}
