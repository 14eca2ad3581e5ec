/*
 * Tmp repo: a real git repository made on the spot, by the real git command.
 *
 * One fixed author, a clock that ticks 60 s a commit, and surroundings without GIT_* variables or anybody's
 * configuration: the ids of its commits are the same everywhere. A failing git command ends the test with its
 * output.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>

/** Commit time of the first commit: 2024-01-01 00:00:00 UTC. */
#define TMP_REPO_EPOCH_S 1704067200

struct tmp_repo {
	char *root;      /**< a new folder under TMPDIR; everything of this test may go there */
	char *dir;       /**< root/repo: the repository with its work tree */
	int64_t clock_s; /**< time of the next commit */
	char head[41];   /**< id of the last commit made by tmp_repo_commit() */
};

/**
 * Make an empty repository on branch main. From here on the process has no GIT_* variable, and HOME is
 * root/home with a .gitconfig that names the author.
 */
void tmp_repo_init(struct tmp_repo *repo);

/** Remove all of it. Welcomes a zeroed object. */
void tmp_repo_release(struct tmp_repo *repo);

/** Run `git -C folder <arguments>` through the shell, with the clock's time for commits and tags; the folder is relative to root. */
void tmp_repo_git_in(const struct tmp_repo *repo, const char *dir, const char *format, ...)
	PE_PRINTF(3, 4);
#define tmp_repo_git(repo, ...) tmp_repo_git_in(repo, "repo", __VA_ARGS__)

/** Run any shell command in root. */
void tmp_repo_sh(const struct tmp_repo *repo, const char *format, ...) PE_PRINTF(2, 3);

/** What a shell command in root prints, without the newline at its end. It lives until the test ends. */
char *tmp_repo_output(const struct tmp_repo *repo, const char *format, ...) PE_PRINTF(2, 3);

/** Write a file of the work tree, with the folders above it. */
void tmp_repo_write(const struct tmp_repo *repo, const char *path, const char *content);
void tmp_repo_write_bytes(const struct tmp_repo *repo, const char *path, const void *bytes,
			  size_t n);

/** Commit the whole work tree (also when nothing changed); the clock ticks. Returns repo->head. */
const char *tmp_repo_commit(struct tmp_repo *repo, const char *subject);

/** A path below root, which lives until the test ends. */
char *tmp_repo_path(const struct tmp_repo *repo, const char *name);
