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

#include <sys/stat.h>

/** Close it with pe_checkout_dir_close(). */
struct pe_checkout_dir {
	const char *dir; /* borrowed */
	int fd;
	char *parent; /* the folder last used, "a/b"; NULL: none */
	int parent_fd;
};

/**
 * Open a folder; it is made, with its parents, when it is not there.
 *
 * @param trusted  a folder above it, or NULL: links on the way to it are followed, below it they are replaced
 */
int pe_checkout_dir_open(struct pe_checkout_dir *place, const char *trusted, const char *dir,
			 struct pe_err *err);
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

/** Remove a file; a folder ("a/b/") only when it is empty. Absent is fine. Counts files into *removed. */
int pe_checkout_dir_remove(struct pe_checkout_dir *place, const char *path, size_t *removed,
			   struct pe_err *err);

/** Remove everything that has no row; NULL: everything. */
int pe_checkout_dir_clean(struct pe_checkout_dir *place, const struct pe_tree *keep,
			  size_t *removed, struct pe_err *err);

#endif
