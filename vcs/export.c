/* Export: some paths of a revision, looked up or written over what a folder holds. */
#include "vcs/checkout.h"

#include "core/base/files.h"

int pe_repo_path_ids(char (*out)[PE_OID_HEX], struct pe_repo *repo, const char *revision,
		     const struct pe_strings *paths, struct pe_err *err)
{
	pe_auto_commit *commit = NULL;
	pe_auto_tree *tree = NULL;
	struct pe_origin *origin;
	git_oid id;
	int rc;

	PE_TRY(pe_vcs_origin(&origin, repo, err));
	PE_TRY(pe_vcs_commit_of(&commit, origin, revision, err));
	rc = git_commit_tree(&tree, commit);
	if (rc < 0)
		return pe_vcs_fail_object(err, rc, origin, git_commit_tree_id(commit),
					  "a folder's list");
	for (size_t i = 0; i < paths->n; i++) {
		PE_TRY(pe_tree_path_id(&id, tree, paths->at[i], origin, err));
		git_oid_tostr(out[i], git_oid_is_zero(&id) ? 1 : PE_OID_HEX, &id);
	}
	return PE_OK;
}

/* A file that is right already keeps its mtime: builds that compare mtimes have nothing to do for it. */
static int export_row(int folder, const struct pe_tree *tree, const struct pe_row *row,
		      struct pe_err *err)
{
	pe_auto_content content = {0};
	bool written;

	if (row_is_dir(row))
		return pe_checkout_make_folder(folder, row, err);
	PE_TRY(pe_content_load(&content, tree, row, err));
	return pe_checkout_put(&written, folder, row, &content, err);
}

int pe_repo_export(struct pe_repo *repo, const char *revision, const struct pe_strings *paths,
		   const char *dir, struct pe_hash *hash, struct pe_err *err)
{
	pe_auto_rows tree = {0};
	pe_auto_fd folder = -1;

	PE_TRY(pe_tree_list_paths(&tree, repo, revision, paths, err));
	pe_vcs_flush_attributes(repo);
	PE_TRY(pe_checkout_open(&folder, NULL, dir, err));
	for (size_t i = 0; i < tree.rows.n; i++) {
		const struct pe_row *row = &tree.rows.data[i];

		PE_TRY(export_row(folder, &tree, row, err));
		if (row_is_dir(row) || hash == NULL)
			continue;
		pe_hash_string(hash, row->path);
		pe_hash_number(hash, row->mode);
		pe_hash_string(hash, git_oid_tostr_s(&row->id));
	}
	return PE_OK;
}
