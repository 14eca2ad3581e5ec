/*
 * Place: a folder on disk that files are put into and taken out of.
 *
 * Paths come from trees that strangers wrote and meet what their builds left behind. Every step goes from one
 * open folder to the next without following links, so nothing is written or removed outside of the place,
 * even where `a` is a link to /etc and the tree has `a/b`.
 */
#ifndef PE_VCS_PLACE_H
#define PE_VCS_PLACE_H

#include "vcs/content.h"

#include <limits.h>
#include <sys/stat.h>

enum { PE_CHECKOUT_DIRS_OPEN = 16 };

/** Close it with pe_checkout_dir_close(). */
struct pe_checkout_dir {
	const char *dir; /* borrowed */
	int fd;
	/* Folders on the way to the last path stay open for the next one: paths come sorted. */
	char at[PATH_MAX]; /* the last of them, "a/b" */
	struct {
		int fd;
		size_t len; /* its part of `at` */
	} open[PE_CHECKOUT_DIRS_OPEN];
	size_t n_open;
};

/**
 * Open a folder; it is made, with its parents, when it is not there.
 *
 * @param trusted  a folder above it, or NULL: links on the way to it are followed, below it they are replaced
 */
int pe_checkout_dir_open(struct pe_checkout_dir *place, const char *trusted, const char *dir,
			 struct pe_err *err);
/** Open the same folder once more, for another thread; false: it cannot be. */
bool pe_checkout_dir_again(struct pe_checkout_dir *again, const struct pe_checkout_dir *place);

void pe_checkout_dir_close(struct pe_checkout_dir *place);

/** Make sure that a folder ("a/b/") stands there; what is in its place is removed. */
int pe_checkout_dir_dir(struct pe_checkout_dir *place, const char *path, struct pe_err *err);

/** Write a file or link anew, over what is in its place; st is filled in. */
int pe_checkout_dir_write(struct pe_checkout_dir *place, const struct pe_row *row,
			  struct pe_content *content, struct stat *st, struct pe_err *err);

/** Whether a file or link holds this content. Content in pieces is used up by the question. */
bool pe_checkout_dir_holds(struct pe_checkout_dir *place, const struct pe_row *row,
			   struct pe_content *content);

/** lstat(2); false when there is nothing, or when a folder on the way is not one. */
bool pe_checkout_dir_stat(struct pe_checkout_dir *place, const char *path, struct stat *st);

/** Give a file the permissions of its row. */
int pe_checkout_dir_chmod(struct pe_checkout_dir *place, const struct pe_row *row,
			  struct pe_err *err);

/**
 * Remove a file or a folder ("a/b/"). Absent is fine. Counts files into *removed.
 *
 * @param contents  a folder goes with all that is in it; false: only when it is empty
 */
int pe_checkout_dir_remove(struct pe_checkout_dir *place, const char *path, bool contents,
			   size_t *removed, struct pe_err *err);

/**
 * Remove everything in one folder ("a/b/", or "" for the place itself) that has no row, with all that is in it. What
 * has a row stays as it is; a folder among it is cleaned by another call.
 *
 * @param keep  NULL: nothing stays
 */
int pe_checkout_dir_clean(struct pe_checkout_dir *place, const char *path,
			  const struct pe_tree *keep, size_t *removed, struct pe_err *err);

#endif
