/* Mounts: the places of a confined root folder, one at a time. */
#ifndef PE_LAUNCHER_CONFINE_MOUNTS_H
#define PE_LAUNCHER_CONFINE_MOUNTS_H

#include "probe/formats/launch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Folders in memory: one file system holds all of them and bounds their size together. */
struct pe_confine_own {
	int folder;    /**< open, the caller's to close; -1: there is none yet */
	size_t holder; /**< number of the holder whose folders are mounted */
	unsigned n;    /**< number of the folder among the request's places */
};

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

/**
 * Mount another holder's folder in place of the previous one's; for PE_PLACE_DEVICES it is /dev/shm. Folders below other
 * mounts stay as they are. False with errno.
 */
bool pe_confine_remount(const char *root, enum pe_wire_place kind, const char *path,
			struct pe_confine_own *own);

/** Remove the write access that making places needed, once all are made. False with errno. */
bool pe_confine_seal(const char *root, enum pe_wire_place kind, const char *path);

/** Allow or forbid files to be made in the mount of a place itself, not in those below it. False with errno. */
bool pe_confine_set_writable(const char *root, const char *path, bool writable);

/**
 * Open a path below a root folder, also while other processes mount and rename.
 *
 * @param flags    of open(2)
 * @param resolve  of openat2(2), such as RESOLVE_IN_ROOT
 * @return         -1 with errno
 */
int pe_confine_open(const char *root, const char *path, int flags, uint64_t resolve);

/** Remove the topmost mount at a path. False with errno. */
bool pe_confine_unmount(const char *root, const char *path);

/** Whether a path below the root leads to the same file as one of the machine's own tree. */
bool pe_confine_same(const char *root, const char *path, const char *outside);

/** Whether the running kernel is of this version or a later one. */
bool pe_confine_kernel_at_least(unsigned major, unsigned minor);

#endif
