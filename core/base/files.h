/*
 * Files: what perfevo does to folders of its own cache. Builds of strangers ran in there: below the folder that
 * the user named, no link is followed, and nothing that is no regular file is opened.
 */
#pragma once

#include "core/base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** A local descriptor that is closed where its block is left, whichever way; -1: none. `pe_auto_fd fd = open(...);` */
#define pe_auto_fd __attribute__((cleanup(pe_files_close))) int

/** What pe_auto_fd calls. errno stays what it is. */
void pe_files_close(const int *fd);

/**
 * Open a file to read. A FIFO without a writer reads as empty; one with a writer (a shell's <()) is waited for.
 *
 * @return  a descriptor; -1 with errno
 */
int pe_files_open(const char *path);

/** Write all bytes. -1 with errno. */
int pe_files_write(int fd, const void *bytes, size_t n);

/**
 * Open a file that a tree, a build or a benchmark may have placed: a regular file of bounded size beneath a folder, by way of
 * no link and no "..". Such files are opened by this function alone (scripts/lint.sh).
 *
 * @param dir         an open folder
 * @param most_bytes  0: no bound
 * @return            a descriptor; -1 with errno: ELOOP a link, EXDEV a way out, EINVAL no regular file, EFBIG
 */
int pe_files_open_placed(int dir, const char *path, uint64_t most_bytes);

/**
 * Open a regular file of bounded size by a name that foreign code may have chosen, as a program finds it: links lead on. A
 * device or a FIFO is not opened. For what links legitimately lead to: programs, libraries, files that a run has opened.
 *
 * @param most_bytes  0: no bound
 * @return            a descriptor; -1 with errno: EINVAL no regular file, EFBIG
 */
int pe_files_open_found(const char *path, uint64_t most_bytes);

/** Add such a file to a text. 0; -1 with errno. */
int pe_files_read_found(struct pe_text *text, const char *path, uint64_t most_bytes);

/** pe_files_open_placed() by the name of the folder, which is trusted: links on the way to it are followed. */
int pe_files_open_placed_in(const char *folder, const char *path, uint64_t most_bytes);

/** Whether a link is among the folders that the first n bytes of a path below an open folder name. */
bool pe_files_has_link(int dir, const char *path, size_t n);

/** Sync a folder, so that the names in it outlast a power cut; not every file system can. */
void pe_files_sync_names(int dir);

/** Make a folder with its parents, whose names then outlast a power cut. An existing one is fine. */
int pe_files_make_dir(const char *path, struct pe_err *err);

/**
 * Make sure that a folder belongs to this user, and that no other may write to it. A missing one is made, with its
 * parents, for this user alone.
 *
 * @return  PE_EINVALID: another user owns it, or may write to it or replace it
 */
int pe_files_own_dir(const char *path, struct pe_err *err);

/** Remove a file or a folder with all that is in it; links are removed, not followed. Absent is fine. */
int pe_files_remove(const char *path, struct pe_err *err);

/**
 * Remove what has a name in an open folder, as pe_files_remove().
 *
 * @param removed  files and links are added to it
 * @return         0; -1 with errno
 */
int pe_files_remove_at(int dir, const char *name, size_t *removed);

/** unlinkat(2), also in a folder that forbids writing: builds leave such ones (module caches). */
int pe_files_unlink_at(int dir, const char *name, int flags);

/**
 * Open a folder inside another one; a link is none. With make, it is made, and whatever else has its name gives way.
 *
 * @return  a descriptor; -1 with errno
 */
int pe_files_enter(int dir, const char *name, bool make);

/**
 * Open a folder step by step from one that is trusted, following no link below it.
 *
 * @param trusted  absolute; links on the way to it are the user's own; NULL: the whole path is trusted
 * @param path     below it, or the same
 * @param make     make the folders that are missing, for their owner alone, in place of links and files
 * @return         a descriptor; -1 with errno
 */
int pe_files_open_below(const char *trusted, const char *path, bool make);

/**
 * Open the folder that a path below an open folder lies in, following no link.
 *
 * @param name  set to the path's last part
 * @return      a descriptor; -1 with errno
 */
int pe_files_open_parent(int dir, const char *path, const char **name);

/** Add a regular file of an open folder to a text. 0; -1 with errno: ELOOP for a link, EINVAL for what is none. */
int pe_files_read_at(struct pe_text *text, int dir, const char *name);

/**
 * Make a new file that is to take the place of another one of an open folder.
 *
 * @param part  set to its name
 * @return      a descriptor; -1 with errno
 */
int pe_files_open_part(int dir, const char *name, char part[NAME_MAX + 1], int access, mode_t mode);

/**
 * Write a file of an open folder whole or not at all, in place of whatever has its name (a link is replaced).
 *
 * @param mode  0600, or 0666 for a file that others are to read; less the process's umask
 * @return      0; -1 with errno
 */
int pe_files_write_at(const struct pe_text *text, int dir, const char *name, mode_t mode);

/** Remove what killed processes left of pe_files_write_at(): for whoever holds the lock on an open folder. */
void pe_files_remove_parts(int dir);

/**
 * Open a file without a name, for reading and writing: no link can be put in its place.
 *
 * @param dir  an open folder of the file system that it goes to
 * @return     a descriptor above 2; -1 with errno
 */
int pe_files_open_unnamed(int dir);

/** Open a file in memory that holds some bytes, to be read. -1 with errno. */
int pe_files_open_memory(const void *bytes, size_t n);

/** Make an empty folder in an open one, for its owner alone, in place of whatever has its name. 0; -1 with errno. */
int pe_files_make_fresh(int dir, const char *name);

/** Bytes that a folder takes on its file system (allocated blocks), files with several links counted once a link. */
uint64_t pe_files_size(const char *path);

/** Bytes that an unprivileged process may still write on the file system of a path; UINT64_MAX: unknown. */
uint64_t pe_files_free(const char *path);
