/*
 * Outfile: a file that is written as a whole. Readers see the old content or the new, never a part, and a power cut
 * leaves one of the two: the bytes go to a file of another name beside it, to the disk, and then into place.
 */
#pragma once

#include "core/base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** A file being written; filled in by pe_outfile_open() and given back by pe_outfile_close(). */
struct pe_outfile {
	int fd;                  /**< write here */
	int folder;              /**< the folder of the file; -1: it is written in place */
	const char *path;        /**< as named, for messages; borrowed */
	struct pe_text target;   /**< the path without links */
	char part[NAME_MAX + 1]; /**< its name until it is whole */
};

/**
 * Open the output that a user named. "-" is standard output. Links are followed where the kernel follows them. What is no regular file (a device, a FIFO, what /dev/stdout stands for) is written in place,
 * and so is the file that standard output or standard error is redirected to; a block device is refused. A regular file
 * is replaced and keeps its mode and, where this user may set it, its owner.
 *
 * @return  PE_ESYS or PE_EFULL
 */
int pe_outfile_open(struct pe_outfile *out, const char *path, struct pe_err *err);

/** Write n bytes. A reader that closed its end (EPIPE) is no failure. */
int pe_outfile_write(struct pe_outfile *out, const char *bytes, size_t n, struct pe_err *err);

/**
 * Put the file into its place, or remove what was written of it.
 *
 * @param rc  PE_OK: it is whole; else the failure that is returned, and the old file stays
 */
int pe_outfile_close(struct pe_outfile *out, int rc, struct pe_err *err);

/** Open, write, close: for a text that is there as a whole. */
int pe_outfile_write_file(const struct pe_text *text, const char *path, struct pe_err *err);

/** Whether a name of the command line stands for standard output. */
bool pe_outfile_is_standard(const char *path);
