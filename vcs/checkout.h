/*
 * Checkout: files and folders of a tree, on disk.
 *
 * Paths come from trees that strangers wrote and meet what their builds left behind. Every step goes from one open folder to
 * the next without following links, so nothing is written outside of the folder, even where `a` is a link to /etc and the
 * tree has `a/b`. A file is written under a name that was free, never into a file that is there.
 *
 * libgit2's checkout (1.5) cannot do this. It writes into a file that has a second name (fill, "writes new files instead
 * of into old ones"), waits for the reader of a FIFO (hostile, "special files in the place of tracked ones are replaced"),
 * takes equal size and mtime for equal content (fill, "restores a change that hides its mtime"), fails where a build left
 * a link in place of a folder (fill, "is not deceived by a folder behind a link") or folders that forbid writing,
 * leaves a folder that has a `.git` in it (fill, "removes repositories that a build left"), and does not convert a file
 * again whose attributes alone changed (attributes, "that change rewrite the files they change").
 */
#pragma once

#include "vcs/content.h"

/**
 * Open a folder; it is made, with its parents, when it is not there.
 *
 * @param trusted  a folder above it, or NULL: links on the way to it are followed, below it they are replaced
 * @param fd       set to a descriptor, or to -1
 */
int pe_checkout_open(int *fd, const char *trusted, const char *dir, struct pe_err *err);

/** Make sure that the folder of a row stands there; what is in its place is removed. */
int pe_checkout_make_folder(int folder, const struct pe_row *row, struct pe_err *err);

/**
 * Write a file or link anew, over what is in its place. One that has its content and permissions already is kept, with its
 * mtime.
 *
 * @param written  false: it was kept
 */
int pe_checkout_put(bool *written, int folder, const struct pe_row *row,
		    const struct pe_content *content, struct pe_err *err);
