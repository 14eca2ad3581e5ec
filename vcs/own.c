/*
 * Own work: whether a tracked file is as its user left it here, and whether commits were made here. Authors and committers are what a commit says of itself, so
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

/* --- Commits --- */

/* Histories of this clone: where it was, and where its branch was, which another worktree may have had checked out. */
struct made_here {
	git_repository *git;
	git_reflog *logs[2];
};

static void open_logs(struct made_here *here, git_repository *git)
{
	git_reference *head = NULL;

	*here = (struct made_here){.git = git};
	git_reflog_read(&here->logs[0], git, "HEAD");
	if (git_repository_head(&head, git) == 0)
		git_reflog_read(&here->logs[1], git, git_reference_name(head));
	git_reference_free(head);
}

static bool begins(const char *message, const char *word)
{
	return message != NULL && strncmp(message, word, strlen(word)) == 0;
}

/* A merge that only moved the branch made nothing. */
static bool tells_of_making(const char *message, const git_commit *commit)
{
	return begins(message, "commit") ||
	       (git_commit_parentcount(commit) > 1 &&
		(begins(message, "merge") || begins(message, "pull")) &&
		strstr(message, "ast-forward") == NULL);
}

static bool same_author(const git_commit *a, const git_commit *b)
{
	const git_signature *left = git_commit_author(a), *right = git_commit_author(b);

	return left->when.time == right->when.time && strcmp(left->email, right->email) == 0 &&
	       strcmp(left->name, right->name) == 0;
}

/* git-patch-id(1) of what a commit with one parent changes. */
static bool patch_of(git_oid *out, git_repository *git, const git_commit *commit)
{
	git_commit *parent = NULL;
	git_tree *old = NULL, *new = NULL;
	git_diff *diff = NULL;
	bool done = git_commit_parentcount(commit) == 1 &&
		    git_commit_parent(&parent, commit, 0) == 0 &&
		    git_commit_tree(&old, parent) == 0 && git_commit_tree(&new, commit) == 0 &&
		    git_diff_tree_to_tree(&diff, git, old, new, NULL) == 0 &&
		    git_diff_patchid(out, diff, NULL) == 0;

	git_diff_free(diff);
	git_tree_free(new);
	git_tree_free(old);
	git_commit_free(parent);
	return done;
}

/* Whether a commit is, elsewhere in the history, what was committed here: by its author, his clock and the patch. */
static bool is_rebased(git_repository *git, const git_commit *commit, const git_oid *made)
{
	git_commit *original = NULL;
	git_oid left, right;
	bool same = git_commit_lookup(&original, git, made) == 0 && same_author(commit, original) &&
		    patch_of(&left, git, commit) && patch_of(&right, git, original) &&
		    git_oid_equal(&left, &right);

	git_commit_free(original);
	return same;
}

static bool was_made_here(const struct made_here *here, const git_commit *commit)
{
	const git_oid *id = git_commit_id(commit);

	for (size_t l = 0; l < 2; l++) {
		size_t n = here->logs[l] != NULL ? git_reflog_entrycount(here->logs[l]) : 0;

		for (size_t i = 0; i < n && i < ENTRIES; i++) {
			const git_reflog_entry *entry = git_reflog_entry_byindex(here->logs[l], i);
			const char *message = git_reflog_entry_message(entry);
			const git_oid *made = git_reflog_entry_id_new(entry);

			if (git_oid_equal(made, id) ? tells_of_making(message, commit)
						    : begins(message, "commit") &&
							      is_rebased(here->git, commit, made))
				return true;
		}
	}
	return false;
}

bool pe_repo_are_own_commits(struct pe_repo *repo, const char *base, const char *tip)
{
	git_revwalk *walk = NULL;
	struct made_here here;
	git_oid from, to, id;
	size_t n = 0;
	bool own = git_oid_fromstr(&from, base) == 0 && git_oid_fromstr(&to, tip) == 0 &&
		   git_revwalk_new(&walk, repo->git) == 0 && git_revwalk_push(walk, &to) == 0 &&
		   git_revwalk_hide(walk, &from) == 0;

	open_logs(&here, repo->git);
	while (own && git_revwalk_next(&id, walk) == 0) {
		git_commit *commit = NULL;

		own = n++ < ENTRIES && git_commit_lookup(&commit, repo->git, &id) == 0 &&
		      was_made_here(&here, commit);
		git_commit_free(commit);
	}
	git_reflog_free(here.logs[0]);
	git_reflog_free(here.logs[1]);
	git_revwalk_free(walk);
	return own;
}
