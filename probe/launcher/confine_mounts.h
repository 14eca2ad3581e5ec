/* Mounts: the places of a confined root folder, one at a time. */
#pragma once

#include "probe/formats/launch.h"

#include <stdbool.h>
#include <stddef.h>

/** Name of the root folder's mount point in the session's folder. */
#define PE_CONFINE_VIEW "view"

/** Folders in memory: one file system holds all of them and bounds their size together. */
struct pe_confine_own {
	int folder;    /**< open, the caller's to close; -1: there is none yet */
	size_t holder; /**< number of the holder whose folders are mounted */
	unsigned n;    /**< number of the folder among the request's places */
};

/**
 * Mount a session's own file system on a folder, with the mount point of a root folder and the folders in memory. Neither
 * can be seen where a folder around it is bound.
 *
 * @return  the folders in memory, open; -1 with errno
 */
int pe_confine_open_own(const char *folder);

/**
 * Make one place below a root folder. Files and folders that are not there are left out.
 *
 * @param path    absolute, without symbolic links (of PE_PLACE_LINK: but for the last part)
 * @param own     of the session, for PE_PLACE_OWN and PE_PLACE_DEVICES; else NULL
 * @param target  of a link; of PE_PLACE_WRITE: where it is mounted, "" for its own path
 * @return        false with errno
 */
bool pe_confine_mount(const char *root, enum pe_wire_place kind, const char *path,
		      const char *target, struct pe_confine_own *own);

/** Remove the write access that making places needed, once all are made. False with errno. */
bool pe_confine_seal(const char *root, enum pe_wire_place kind, const char *path);

/** Remove all mounts of a root folder. One that has none is allowed. */
void pe_confine_clear(const char *root);

/** Whether a path below the root leads to the same file as one of the machine's own tree. */
bool pe_confine_same(const char *root, const char *path, const char *outside);

/** Whether the running kernel is of this version or a later one. */
bool pe_confine_kernel_at_least(unsigned major, unsigned minor);
