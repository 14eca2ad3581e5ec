/* Recordings: the files that the processes of a program left in folders, one a process image. */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"

#include <stddef.h>

/**
 * Take one file, mapped until the function returns.
 *
 * @param path   for messages
 * @param bytes  NULL: the file is empty
 */
typedef int pe_recording_fn(const char *path, const void *bytes, size_t n, void *payload,
			    struct pe_err *err);

/**
 * Hand over all files PID-START<suffix> of some folders by their start, a time in nanoseconds: a process begins before
 * those that it starts. Other files are skipped, and no link is followed.
 *
 * @param arena  for temporary data
 * @return       PE_ENOTFOUND: there is no such folder; PE_ESYS; else what the function returns, whose error ends it
 */
int pe_recordings_each(const char *const *folders, size_t n_folders, const char *suffix,
		       pe_recording_fn *take, void *payload, struct pe_arena *arena,
		       struct pe_err *err);
