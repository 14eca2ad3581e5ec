/*
 * Internal: what the files of this room share. The only header of perfevo that mentions libgit2.
 *
 * Two kinds of handle stand on the user's repository:
 *   struct pe_repo  the repository as the user sees it: refs, history, worktree
 *   struct pe_origin   a repository that trees are read from (the user's, or that of a submodule): opened bare,
 *                   with an empty index in memory, so that neither the user's checkout nor the index
 *                   decides what a file of an old commit looks like
 */
#pragma once

#include "core/base/text.h"
#include "core/base/vec.h"
#include "vcs/repo.h"

#include <git2.h>

/*
 * Handles of libgit2 that are freed where their block is left, whichever way: `pe_auto_commit *commit = NULL;`. NULL is
 * allowed.
 */
#define PE_VCS_FREE(type)                                                                          \
	static inline void pe_vcs_free_##type(git_##type **handle)                                 \
	{                                                                                          \
		git_##type##_free(*handle);                                                        \
	}
PE_VCS_FREE(blob)
PE_VCS_FREE(commit)
PE_VCS_FREE(config)
PE_VCS_FREE(config_iterator)
PE_VCS_FREE(diff)
PE_VCS_FREE(index)
PE_VCS_FREE(object)
PE_VCS_FREE(odb)
PE_VCS_FREE(odb_object)
PE_VCS_FREE(reference)
PE_VCS_FREE(repository)
PE_VCS_FREE(signature)
PE_VCS_FREE(tree)
PE_VCS_FREE(tree_entry)
#define PE_VCS_AUTO(type)       __attribute__((cleanup(pe_vcs_free_##type))) git_##type
#define pe_auto_blob            PE_VCS_AUTO(blob)
#define pe_auto_commit          PE_VCS_AUTO(commit)
#define pe_auto_config          PE_VCS_AUTO(config)
#define pe_auto_config_iterator PE_VCS_AUTO(config_iterator)
#define pe_auto_diff            PE_VCS_AUTO(diff)
#define pe_auto_index           PE_VCS_AUTO(index)
#define pe_auto_object          PE_VCS_AUTO(object)
#define pe_auto_odb             PE_VCS_AUTO(odb)
#define pe_auto_odb_object      PE_VCS_AUTO(odb_object)
#define pe_auto_reference       PE_VCS_AUTO(reference)
#define pe_auto_repository      PE_VCS_AUTO(repository)
#define pe_auto_signature       PE_VCS_AUTO(signature)
#define pe_auto_tree            PE_VCS_AUTO(tree)
#define pe_auto_tree_entry      PE_VCS_AUTO(tree_entry)
#define pe_auto_git_buf         __attribute__((cleanup(git_buf_dispose))) git_buf

/** A name that points at a commit: a branch or a tag, without "refs/heads/" and its like. */
struct pe_ref_name {
	git_oid commit;
	char *name;
	enum ref_kind { REF_TAG, REF_BRANCH, REF_REMOTE } kind; /* in the order of preference */
};

typedef PE_VEC(struct pe_ref_name) ref_names;
typedef PE_VEC(git_oid) oid_vec;
typedef PE_VEC(struct pe_origin *) origin_vec;

struct pe_repo {
	git_repository *git;
	char *common_dir, *workdir, *name;
	char identity[PE_HASH_HEX];
	oid_vec shallow; /* commits whose parents were cut off, sorted */
	ref_names names; /* by commit, then kind, then name; read at the first use */
	bool names_read;
	struct pe_strings exclude; /* of trees */
	origin_vec origins;        /* [0] is the repository itself, once a tree was loaded */
};

struct pe_origin {
	git_repository *git;
	char *git_dir; /* common directory, no trailing slash */
	char *workdir; /* where the user has it checked out; NULL: nowhere */
	char *own_dir; /* git directory of the linked worktree that we were opened in; NULL: none */
	char *lfs_dir; /* holds objects/ of Git LFS */
	char *name;    /* for sentences: "" for the repository itself, else "submodule 'x'" */
	bool partial;  /* a partial clone */
	bool converts; /* core.autocrlf or attributes outside of the tree may change any file */
};

/* repo.c */

/** Fail with git's own words after ours: PE_ENOTFOUND for what does not exist, else PE_EVCS. */
int pe_vcs_fail(struct pe_err *err, int rc, const char *format, ...) PE_PRINTF(3, 4);

/** git's last message, never NULL. */
const char *pe_vcs_message(void);

/** A copy on the heap that ends the program for want of memory; NULL stays NULL. */
char *pe_vcs_strdup(const char *string);

/** Whether the patterns of a .gitattributes file take bounded time: a line has no more than 16 '*', and three '**'. */
bool pe_vcs_is_bounded(git_repository *git, const git_oid *attributes);

/** A copy without slashes at its end. */
char *pe_vcs_strdup_dir(const char *path);

/** Whether a commit's parents were cut off by a shallow clone. */
bool pe_vcs_is_shallow_end(const struct pe_repo *repo, const git_oid *commit);

/** The commit that a specification names, as libgit2's object; the caller frees it. */
int pe_vcs_commit(git_commit **out, struct pe_repo *repo, const char *spec, struct pe_err *err);

/** Fill in a revision from a commit; everything in the arena. */
void pe_vcs_revision(struct pe_revision *out, git_commit *commit, struct pe_arena *arena);

/** Open a repository whoever owns it: one that the user has allowed, or that belongs to an allowed one. */
int pe_vcs_open_trusted(git_repository **out, const char *path, unsigned flags);

/* refs.c */

/** Branches and tags of the repository, sorted; empty when they cannot be read. */
const ref_names *pe_vcs_names(struct pe_repo *repo);
/** The first of the names of a commit, tags before branches; names->n: it has none. */
size_t pe_vcs_first_name(const ref_names *names, const git_oid *id);
/** Whether a tag points at a commit. */
bool pe_vcs_has_tag(struct pe_repo *repo, const git_oid *id);
/** Free the names, not the list itself. */
void pe_vcs_names_release(ref_names *names);

/** The branch or tag whose name is nearest to a word; NULL when none is near. Borrowed. */
const char *pe_vcs_nearest_name(struct pe_repo *repo, const char *word);

/* encoding.c */

/** Text of a commit as valid UTF-8: converted from its encoding (NULL: UTF-8), bad bytes replaced. */
char *pe_vcs_utf8(struct pe_arena *arena, const char *bytes, size_t n, const char *encoding);

/**
 * Convert bytes between encodings.
 *
 * @return  false when an encoding is unknown or the bytes are not valid in it; out is then unchanged
 */
bool pe_vcs_convert(struct pe_text *out, const char *bytes, size_t n, const char *to,
		    const char *from);

/* snapshot.c */

/** Let a handle on the user's repository see snapshots of uncommitted trees, where there are any. */
void pe_vcs_read_snapshots(git_repository *git, const struct pe_repo *repo);

/* submodule.c */

/** A section of .gitmodules. Strings live in the arena it was read into; NULL: unset. */
struct pe_submodule {
	const char *name, *path, *url;
};

typedef PE_VEC(struct pe_submodule) submodule_vec;

/** Read .gitmodules. */
void pe_vcs_submodules_parse(submodule_vec *out, const char *text, struct pe_arena *arena);

/** The origin of the user's own repository, opened at the first use. */
int pe_vcs_origin(struct pe_origin **out, struct pe_repo *repo, struct pe_err *err);

/**
 * The origin of a submodule that holds a commit.
 *
 * @param path  of the submodule inside its parent
 * @param out   NULL when the user's configuration leaves this submodule out
 * @return      PE_EUNSUPPORTED with the way to get it
 */
int pe_vcs_origin_submodule(struct pe_origin **out, struct pe_repo *repo,
			    const struct pe_origin *parent, const struct pe_submodule *submodule,
			    const git_oid *commit, struct pe_err *err);

/** Forget the attributes that libgit2 keeps: those of another commit must not answer for the next one. */
void pe_vcs_flush_attributes(const struct pe_repo *repo);

/** Look up what an id in hexadecimal digits names; the caller frees it. */
int pe_vcs_commit_of(git_commit **out, const struct pe_origin *origin, const char *id,
		     struct pe_err *err);
int pe_vcs_blob_of(git_blob **out, const struct pe_origin *origin, const char *id,
		   struct pe_err *err);

/** Fail for a missing object; the sentence mentions partial clones. */
int pe_vcs_fail_object(struct pe_err *err, int rc, const struct pe_origin *origin,
		       const git_oid *id, const char *what);

/**
 * Look a commit up; where libgit2 cannot parse it (an author's malformed line), the nearest ancestor by first parents that it
 * can, as if the commit did not exist.
 *
 * @param out  NULL when there is none
 * @return     of libgit2, with its message; GIT_ENOTFOUND: the object is not there
 */
int pe_vcs_commit_readable(git_commit **out, struct pe_repo *repo, const git_oid *id);

/** Close the repository of a tree, and free it with its names. NULL is allowed. */
void pe_vcs_origin_close(struct pe_origin *origin);
