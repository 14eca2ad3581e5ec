/*
 * Hooked: what a hook has to read from the repository: which repository git means, the folder of its hooks, what is
 * staged, and the first new commit of a push.
 */
#pragma once

#include "vcs/repo.h"

/**
 * Open the repository that git itself would open: the one of GIT_DIR and GIT_WORK_TREE, where they are set;
 * else as pe_repo_open() in the current folder. For hooks, whose folder may belong to another repository.
 */
int pe_repo_open_as_git(struct pe_repo **out, struct pe_err *err);

/** The git directory of this worktree: absolute, without a trailing slash; in the arena. */
const char *pe_repo_git_dir(const struct pe_repo *repo, struct pe_arena *arena);

enum pe_hooks_origin {
	PE_HOOKS_OWN,        /**< hooks/ in the common git directory */
	PE_HOOKS_CONFIGURED, /**< core.hooksPath of this repository or worktree */
	PE_HOOKS_SHARED,     /**< core.hooksPath of the user or the system: every repository's */
};

/** Where git looks for hooks. */
struct pe_hooks_place {
	const char *folder; /**< absolute */
	enum pe_hooks_origin origin;
	const char *setting; /**< core.hooksPath as it is written; NULL for PE_HOOKS_OWN */
};

/** Find the folder as git does; strings in the arena. */
int pe_repo_hooks_place(struct pe_hooks_place *out, struct pe_repo *repo, struct pe_arena *arena,
			struct pe_err *err);

/**
 * Append the content of a file as it is staged: in the index that GIT_INDEX_FILE names (git commit -a and git commit
 * FILE use one of their own), else in the worktree's.
 *
 * @return  PE_ENOTFOUND, without a sentence: no such file is staged; PE_EUNSUPPORTED: an index that this libgit2
 *          cannot read (split, sparse)
 */
int pe_repo_staged(struct pe_text *out, struct pe_repo *repo, const char *path, struct pe_err *err);

/**
 * The last commit on the tip's first-parent line that the receiver of a push already has. It has the ancestors of
 * `known`; without `known`, or where that commit is not here (another user pushed it), those of the remote's
 * branches at the last fetch; without any of this remote's (it was given as a URL), of any remote's.
 *
 * @param out     id; the tip itself: nothing is new; "": no ancestor is known to be there
 * @param tip     id of a commit
 * @param known   id, or NULL
 * @param remote  name, or NULL
 */
int pe_repo_fork_point(char out[PE_OID_HEX], struct pe_repo *repo, const char *tip,
		       const char *known, const char *remote, struct pe_err *err);
