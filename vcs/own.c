/*
 * Own work: whether a tracked file is as its user left it here. Authors and committers are what a commit says of itself, so
 * what counts is the reflog: git writes "commit: SUBJECT" into it for what was committed in this clone, and something else
 * for what came by a checkout, merge, pull, cherry-pick or am.
 */
#include "vcs/internal.h"

#include <string.h>

/* Reflogs of years have thousands of entries. */
enum { ENTRIES = 1000 };

static bool blob_at(git_oid *out, const git_commit *commit, const char *path)
{
	git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	bool there = git_commit_tree(&tree, commit) == 0 &&
		     git_tree_entry_bypath(&entry, tree, path) == 0;

	if (there)
		git_oid_cpy(out, git_tree_entry_id(entry));
	git_tree_entry_free(entry);
	git_tree_free(tree);
	return there;
}

/* Whether a commit gave a file this content: not where it took it over from what it stands on. */
static bool introduces(const git_commit *commit, const char *path, const git_oid *content)
{
	git_commit *parent = NULL;
	git_oid id;
	bool had;

	if (git_commit_parentcount(commit) > 1 || !blob_at(&id, commit, path) ||
	    !git_oid_equal(&id, content))
		return false;
	had = git_commit_parent(&parent, commit, 0) == 0 && blob_at(&id, parent, path) &&
	      git_oid_equal(&id, content);
	git_commit_free(parent);
	return !had;
}

static bool was_committed_here(git_repository *git, const char *path, const git_oid *content)
{
	git_reflog *log = NULL;
	bool found = false;

	if (git_reflog_read(&log, git, "HEAD") != 0)
		return false;
	for (size_t i = 0; !found && i < git_reflog_entrycount(log) && i < ENTRIES; i++) {
		const git_reflog_entry *entry = git_reflog_entry_byindex(log, i);
		const char *message = git_reflog_entry_message(entry);
		git_commit *commit = NULL;

		if (message == NULL || strncmp(message, "commit", 6) != 0 ||
		    git_commit_lookup(&commit, git, git_reflog_entry_id_new(entry)) != 0)
			continue;
		found = introduces(commit, path, content);
		git_commit_free(commit);
	}
	git_reflog_free(log);
	return found;
}

bool pe_repo_is_own_work(struct pe_repo *repo, const char *path)
{
	git_reference *head = NULL;
	git_commit *commit = NULL;
	git_oid tracked, now;
	bool own = true;

	if (git_repository_head(&head, repo->git) == 0 &&
	    git_reference_peel((git_object **)&commit, head, GIT_OBJECT_COMMIT) == 0 &&
	    blob_at(&tracked, commit, path) &&
	    (repo->workdir == NULL ||
	     (git_repository_hashfile(&now, repo->git, path, GIT_OBJECT_BLOB, NULL) == 0 &&
	      git_oid_equal(&now, &tracked))))
		own = was_committed_here(repo->git, path, &tracked);
	git_commit_free(commit);
	git_reference_free(head);
	return own;
}
