/* Files: the few things perfevo does to folders of its own cache. */
#ifndef PE_CORE_BASE_FILES_H
#define PE_CORE_BASE_FILES_H

#include "core/base/err.h"

#include <stdint.h>

/** Make a folder with its parents. An existing one is fine. */
int pe_files_make_dir(const char *path, struct pe_err *err);

/** Remove a file or a folder with all that is in it; links are removed, not followed. Absent is fine. */
int pe_files_remove(const char *path, struct pe_err *err);

/** Bytes that a folder takes on its file system (allocated blocks), files with several links counted once a link. */
uint64_t pe_files_size(const char *path);

/** Bytes that an unprivileged process may still write on the file system of a path; UINT64_MAX: unknown. */
uint64_t pe_files_free(const char *path);

#endif
