/* Record: where the counts of this process go. */
#pragma once

#include "probe/formats/alloc.h"

#include <limits.h>
#include <stddef.h>

/**
 * The record of this process: mapped from its file, or a private one where there is none (not requested,
 * or the directory cannot be written). Never NULL; safe from any thread; calls nothing that allocates.
 */
struct pe_alloc_record *pe_record(void);

/** A page that reads as zeros here and in each forked child; NULL: the kernel has none (before Linux 4.14, qemu-user). */
void *pe_record_wiped_page(void);

/** Copy the absolute path of a directory from an environment variable, which the program may clear; "": it has none. */
void pe_record_find_directory(char out[PATH_MAX], const char *variable);

/** The directory of the records, as the environment named it at the start; "": not requested. */
const char *pe_record_directory(void);

/** Bytes in use by this process, kept beside the record because a forked child starts with them. */
extern int64_t pe_record_live;
