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

/** Close it with place_close(). */
struct place {
	const char *dir; /* borrowed */
	int fd;
	char *parent; /* the folder last used, "a/b"; NULL: none */
	int parent_fd;
};

/** Open a folder; it is made, with its parents, when it is not there. */
int place_open(struct place *place, const char *dir, struct pe_err *err);
void place_close(struct place *place);

/** Make sure that a folder ("a/b/") stands there; what is in its place is removed. */
int place_dir(struct place *place, const char *path, struct pe_err *err);

/** Write a file or link anew, over what is in its place; st is filled in. */
int place_write(struct place *place, const struct row *row, struct content *content,
		struct stat *st, struct pe_err *err);

/** Whether a file or link holds this content. Content in pieces is used up by the question. */
bool place_holds(struct place *place, const struct row *row, struct content *content);

/** lstat(2); false when there is nothing, or when a folder on the way is not one. */
bool place_stat(struct place *place, const char *path, struct stat *st);

/** Give a file the permissions of its row. */
int place_chmod(struct place *place, const struct row *row, struct pe_err *err);

/** Remove a file; a folder ("a/b/") only when it is empty. Absent is fine. Counts files into *removed. */
int place_remove(struct place *place, const char *path, size_t *removed, struct pe_err *err);

/** Remove everything that has no row; NULL: everything. */
int place_clean(struct place *place, const struct tree *keep, size_t *removed, struct pe_err *err);

#endif
