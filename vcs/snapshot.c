/*
 * Snapshot: the user's tree with all that is not committed, as a commit that only perfevo sees. Contents go to
 * loose objects in perfevo's own folder, which every repository that is opened later reads beside the user's
 * objects; the index is brought up to date in memory alone. Nothing of the user's is written.
 */
#include "vcs/internal.h"

#include <errno.h>
#include <git2/sys/repository.h>
#include <sys/stat.h>

/* The folder in the common git directory. */
#define OWN_FOLDER "perfevo"

static void objects_dir(struct pe_text *out, const struct pe_repo *repo)
{
	pe_text_addf(out, "%s/" OWN_FOLDER "/objects", repo->common_dir);
}

void pe_vcs_read_snapshots(git_repository *git, const struct pe_repo *repo)
{
	pe_auto_text dir = PE_TEXT_INIT;
	pe_auto_odb *odb = NULL;
	struct stat st;

	objects_dir(&dir, repo);
	/* Without them only snapshots are missing, and reading one then fails with that message. */
	if (stat(pe_text_str(&dir), &st) == 0 && git_repository_odb(&odb, git) == 0)
		git_odb_add_disk_alternate(odb, pe_text_str(&dir));
}

static int make_dir(const char *path, struct pe_err *err)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return PE_OK;
	return pe_fail_errno(err, "cannot make %s, the folder for uncommitted files", path);
}

static int make_objects_dir(struct pe_text *dir, const struct pe_repo *repo, struct pe_err *err)
{
	pe_auto_text own = PE_TEXT_INIT;

	pe_text_addf(&own, "%s/" OWN_FOLDER, repo->common_dir);
	objects_dir(dir, repo);
	PE_TRY(make_dir(pe_text_str(&own), err));
	return make_dir(pe_text_str(dir), err);
}

/* Reads the user's objects, writes to our own. */
static int open_odb(git_odb **out, const struct pe_repo *repo, const char *own)
{
	pe_auto_text users = PE_TEXT_INIT;
	git_odb_backend *backend = NULL;

	PE_TRY(git_odb_new(out));
	PE_TRY(git_odb_backend_loose(&backend, own, -1, 0, 0, 0));
	PE_TRY(git_odb_add_backend(*out, backend, 2));
	pe_text_addf(&users, "%s/objects", repo->common_dir);
	return git_odb_add_disk_alternate(*out, pe_text_str(&users));
}

/* The user's repository once more, with objects going to our own folder. */
static int open_writing(git_repository **out, const struct pe_repo *repo, struct pe_err *err)
{
	pe_auto_text dir = PE_TEXT_INIT;
	pe_auto_odb *odb = NULL;
	int rc;

	PE_TRY(make_objects_dir(&dir, repo, err));
	rc = pe_vcs_open_trusted(out, git_repository_path(repo->git),
				 GIT_REPOSITORY_OPEN_NO_SEARCH);
	/* Only an unusual layout has to be set; setting the same again leaks in libgit2. */
	if (rc == 0 && git_repository_workdir(*out) == NULL)
		rc = git_repository_set_workdir(*out, repo->workdir, 0);
	if (rc == 0)
		rc = open_odb(&odb, repo, pe_text_str(&dir));
	if (rc == 0)
		rc = git_repository_set_odb(*out, odb);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot read the uncommitted tree") : PE_OK;
}

/* The tree of all tracked files as they are on disk. */
static int write_tree(git_tree **out, git_repository *git, struct pe_err *err)
{
	pe_auto_index *index = NULL;
	git_oid id;
	int rc = git_repository_index(&index, git);

	if (rc == 0 && git_index_has_conflicts(index))
		return pe_fail(err, PE_EINVALID,
			       "the uncommitted tree has unmerged files: resolve them first");
	if (rc == 0)
		rc = git_index_update_all(index, NULL, NULL, NULL);
	if (rc == 0)
		rc = git_index_write_tree_to(&id, index, git);
	if (rc == 0)
		rc = git_tree_lookup(out, git, &id);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot read the uncommitted tree") : PE_OK;
}

/* One and the same for one content on one commit: times are the commit's. */
static int write_commit(git_oid *out, git_repository *git, const git_commit *head,
			const git_tree *tree, struct pe_err *err)
{
	const git_commit *parents[] = {head};
	pe_auto_signature *self = NULL;
	int rc = git_signature_new(&self, "perfevo", "perfevo@localhost", git_commit_time(head), 0);

	if (rc == 0)
		rc = git_commit_create(out, git, NULL, self, self, NULL, "uncommitted changes",
				       tree, 1, parents);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot store the uncommitted tree") : PE_OK;
}

static int count_untracked(size_t *out, git_repository *git, struct pe_err *err)
{
	git_status_options options = {
		.version = GIT_STATUS_OPTIONS_VERSION,
		.show = GIT_STATUS_SHOW_WORKDIR_ONLY,
		.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED,
	};
	git_status_list *list = NULL;
	int rc = git_status_list_new(&list, git, &options);

	*out = 0;
	for (size_t i = 0; rc == 0 && i < git_status_list_entrycount(list); i++)
		*out += (git_status_byindex(list, i)->status & GIT_STATUS_WT_NEW) != 0;
	git_status_list_free(list);
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot list untracked files") : PE_OK;
}

/* HEAD, as the handle that writes has it: libgit2 passes over parents that another handle looked up. */
static int find_head(git_commit **out, git_repository *git, struct pe_repo *repo,
		     struct pe_err *err)
{
	pe_auto_commit *head = NULL;
	int rc;

	PE_TRY(pe_vcs_commit(&head, repo, "HEAD", err));
	rc = git_commit_lookup(out, git, git_commit_id(head));
	return rc < 0 ? pe_vcs_fail(err, rc, "cannot read HEAD") : PE_OK;
}

static int take(git_oid *out, git_repository *git, struct pe_repo *repo, struct pe_err *err)
{
	pe_auto_commit *head = NULL;
	pe_auto_tree *tree = NULL;

	PE_TRY(find_head(&head, git, repo, err));
	PE_TRY(write_tree(&tree, git, err));
	if (!git_oid_equal(git_tree_id(tree), git_commit_tree_id(head)))
		return write_commit(out, git, head, tree, err);
	git_oid_cpy(out, git_commit_id(head));
	return PE_OK;
}

int pe_repo_snapshot(struct pe_revision *out, size_t *untracked, struct pe_repo *repo,
		     struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_repository *git = NULL;
	pe_auto_commit *commit = NULL;
	git_oid id;
	int rc;

	if (repo->workdir == NULL)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s is a bare repository: it has no uncommitted tree", repo->name);
	PE_TRY(open_writing(&git, repo, err));
	PE_TRY(take(&id, git, repo, err));
	PE_TRY(count_untracked(untracked, git, err));
	pe_vcs_read_snapshots(repo->git, repo);
	if (repo->origins.n > 0)
		pe_vcs_read_snapshots(repo->origins.data[0]->git, repo);
	rc = git_commit_lookup(&commit, repo->git, &id);
	if (rc < 0)
		return pe_vcs_fail(err, rc, "cannot read the uncommitted tree");
	pe_vcs_revision(out, commit, arena);
	return PE_OK;
}
