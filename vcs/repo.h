/*
 * Repo: a user's git repository, read through libgit2 and never written. perfevo's own folder in the common
 * git directory is the one exception: it holds the store, and snapshots of uncommitted trees.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/exec/ports.h"
#include "core/model/revision.h"
#include "core/model/benchmark.h"

#include <stdbool.h>

struct pe_repo;

/**
 * Open the repository that holds a path. GIT_DIR and its kin in the environment are ignored unless they are
 * the only way to find it (hooks set them).
 *
 * @param path  a folder inside it or a bare repository; NULL: the current folder
 * @return      PE_ENOTFOUND outside any repository; PE_EUNSUPPORTED for formats this libgit2 refuses
 *              (sha256, reftable) and for an ownership refusal, each with the way out; PE_EVCS
 */
int pe_repo_open(struct pe_repo **out, const char *path, struct pe_err *err);

/** Free a repository, and with it all strings that it lends. NULL is allowed. */
void pe_repo_close(struct pe_repo *repo);

/** The git directory shared by all worktrees; absolute, without a trailing slash. Borrowed. */
const char *pe_repo_common_dir(const struct pe_repo *repo);

/** The user's tree; absolute, without a trailing slash; NULL for a bare repository. Borrowed. */
const char *pe_repo_workdir(const struct pe_repo *repo);

/** A short name for people: the last folder of the path. Borrowed. */
const char *pe_repo_name(const struct pe_repo *repo);

/** 32 hexadecimal digits that name this repository on this machine (from its common directory). Borrowed. */
const char *pe_repo_identity(const struct pe_repo *repo);

/** "Name <address>" of the user, as git would write it into a commit; NULL: unset. In the arena. */
const char *pe_repo_user(struct pe_repo *repo, struct pe_arena *arena);

/**
 * Whether a file of the tree is its user's own work: not committed, or as a commit made it that was made in this clone.
 * What came from elsewhere is not, whatever author it names.
 *
 * @param path  from the top of the tree
 */
bool pe_repo_is_own_work(struct pe_repo *repo, const char *path);

/**
 * Whether all commits that one revision has beyond another were made in this clone, or are rebased copies of such. False
 * where it cannot be decided.
 *
 * @param base, tip  full ids
 */
bool pe_repo_are_own_commits(struct pe_repo *repo, const char *base, const char *tip);

/** Leave files and folders out of the trees that pe_repo_source() writes from now on. Borrowed. */
void pe_repo_exclude(struct pe_repo *repo, const struct pe_strings *paths);

/** The name of the branch that is checked out, "main"; NULL: HEAD is detached, or leads to no commit yet. In the arena. */
const char *pe_repo_branch(struct pe_repo *repo, struct pe_arena *arena);

/** Whether history was cut off by a shallow clone. */
bool pe_repo_is_shallow(const struct pe_repo *repo);

/**
 * The commit that a revision specification names (tags are peeled).
 *
 * @return  PE_ENOTFOUND: "no revision 'v2' (did you mean 'v2.0'?)"; PE_EINVALID when it names no commit
 */
int pe_repo_resolve(struct pe_revision *out, struct pe_repo *repo, const char *spec,
		    struct pe_arena *arena, struct pe_err *err);

/**
 * A commit by its whole id, from the objects that are here: no name is resolved, nothing is fetched.
 *
 * @return  PE_ENOTFOUND, without a sentence: it is not here, or is no commit
 */
int pe_repo_commit(struct pe_revision *out, struct pe_repo *repo, const char *id,
		   struct pe_arena *arena);

/**
 * The tracked files as they are on disk, as a commit on top of HEAD that no reference leads to. Its id follows
 * from HEAD and the content alone; where nothing is uncommitted it is HEAD itself. It is kept in perfevo's own
 * folder in the common git directory: neither the repository's objects nor its index are written.
 *
 * @param untracked  receives the number of files and folders that git does not track: they are left out
 * @return           PE_EUNSUPPORTED: a bare repository; PE_EINVALID: unmerged files; PE_ENOTFOUND: no commit yet
 */
int pe_repo_snapshot(struct pe_revision *out, size_t *untracked, struct pe_repo *repo,
		     struct pe_arena *arena, struct pe_err *err);

/** Which commits of a history. Zero-initialise; every filter that is set must hold. */
struct pe_range {
	/** "A..B" (without A), "B"; NULL: HEAD. "A...B" is refused with a sentence. */
	const char *spec;
	size_t last;      /**< at most this many, counted from the newest; 0: no limit */
	int64_t since_s;  /**< commit time at or after; 0: no limit */
	int64_t until_s;  /**< commit time at or before; 0: no limit */
	bool tags;        /**< only commits that a tag points at */
	bool all_parents; /**< follow every parent, not only the first */
	/** These instead of a walk (`--stdin`); each a revision specification. */
	struct pe_strings ids;
};

struct pe_revisions {
	struct pe_revision *at; /**< oldest first: a commit stands after its parents */
	size_t n;
	bool cut_short; /**< a shallow clone ended the walk before the range was through */
	size_t passed_over; /**< commits with a parent that cannot be parsed: an older one stands for it */
};

/**
 * The commits of a range. The default walk follows first parents by hand and costs what it returns.
 * `last` beyond the root gives what there is.
 */
int pe_repo_walk(struct pe_revisions *out, struct pe_repo *repo, const struct pe_range *range,
		 struct pe_arena *arena, struct pe_err *err);

/**
 * Which commits branches, tags, remote branches and the HEAD of each worktree lead to. Reads the whole history.
 *
 * @param out  ids->n answers
 * @param ids  commits, 40 hexadecimal digits each; one that is no longer there is not led to
 */
int pe_repo_reachable(bool *out, struct pe_repo *repo, const struct pe_strings *ids,
		      struct pe_err *err);

/**
 * The best common ancestor of two commits.
 *
 * @param one, other  ids
 * @return            PE_ENOTFOUND: there is none, or a shallow clone does not have it
 */
int pe_repo_merge_base(char out[PE_OID_HEX], struct pe_repo *repo, const char *one,
		       const char *other, struct pe_err *err);

/** Parse "2024-05-01", "2024-05-01T12:00:00Z", "@1700000000", "3 days ago", "2 weeks ago", "yesterday". */
int pe_repo_parse_date(int64_t *out_s, const char *text, int64_t now_s, struct pe_err *err);

/** The port that puts revisions into directories. Valid while the repository is open. */
struct pe_source pe_repo_source(struct pe_repo *repo);

/**
 * What stands at paths of a revision's tree.
 *
 * @param out  paths->n ids in hexadecimal (blob or tree), "" where there is nothing
 */
int pe_repo_path_ids(char (*out)[PE_OID_HEX], struct pe_repo *repo, const char *revision,
		     const struct pe_strings *paths, struct pe_err *err);

/**
 * Write paths of a revision (files or whole folders) into a directory, over what is there: for an `overlay:`
 * taken from a named revision. Adds name, mode and id of every file to the hash, sorted.
 */
int pe_repo_export(struct pe_repo *repo, const char *revision, const struct pe_strings *paths,
		   const char *dir, struct pe_hash *hash, struct pe_err *err);

/** A file that differs between two revisions. */
struct pe_changed_file {
	const char *path; /**< relative to the tree's root */
	/** its blobs; "" where there is no such file */
	char before[PE_OID_HEX], after[PE_OID_HEX];
	/** linguist-generated and linguist-vendored, by the attributes of the newer commit that has the file. */
	bool generated, vendored;
};

struct pe_changed_files {
	struct pe_changed_file *at; /**< by path */
	size_t n;
	bool cut; /**< more differs than is looked at: trees of the same few folders again and again */
};

/** A name in a folder of either tree under which not the same stands. */
struct pe_changed_name {
	const char *path; /**< relative to the tree's root; until the next one is met */
	bool before,
		after; /**< there is such a name; a folder on both sides is not met itself, what is in it is */
	bool was_dir, is_dir; /**< it is a folder there; a submodule and a link are none */
	bool is_file;         /**< a regular file wherever it is there */
};

/** Zero-initialise. */
struct pe_changes_query {
	/** Id; "": an empty tree; NULL: the first parent, for a commit without one an empty tree. */
	const char *before;
	const char *after; /**< id */
	/** Files that it refuses are left out, and are not examined further; NULL: all are wanted. */
	bool (*wanted)(const char *path, void *payload);
	/**
	 * Called with every name that differs, in content, mode or kind; returns whether to go on; no file is listed then.
	 * NULL is allowed.
	 */
	bool (*meet)(const struct pe_changed_name *name, void *payload);
	void *payload;
};

/**
 * The regular files whose content differs between two revisions. Links and submodules are left out, and so is
 * a file of which only the mode differs. Reads nothing but the folders on the way to a change.
 *
 * @return  PE_ENOTFOUND when before is NULL and a shallow clone cut the first parent off
 */
int pe_repo_changes(struct pe_changed_files *out, struct pe_repo *repo,
		    const struct pe_changes_query *query, struct pe_arena *arena,
		    struct pe_err *err);

/** Append the content of a blob, as git keeps it. PE_EUNSUPPORTED when a partial clone has not fetched it. */
int pe_repo_blob(struct pe_text *out, struct pe_repo *repo, const char *id, struct pe_err *err);

/** A branch or tag name to show for a revision ("v1.2", "main"), or NULL. Borrowed from the arena. */
const char *pe_repo_decoration(struct pe_repo *repo, const char *revision, struct pe_arena *arena);
