/*
 * Failing VFS: SQLite's own, but for one call that fails. It stands between SQLite and the file system, counts what
 * changes files (writes, syncs, truncations, deletions, opening), and lets the n-th of them fail, once or from then on.
 * The test VFS of SQLite (test_vfs.c) has the idea.
 */
#pragma once

#include <stdbool.h>

enum failing_kind {
	FAILING_IO,   /**< EIO */
	FAILING_FULL, /**< ENOSPC: a write that wrote a half of it */
};

struct failing_vfs {
	long calls; /**< so far */
	long fails; /**< number of the call that fails, from 1; 0: none */
	bool stays; /**< so do all that follow it */
	enum failing_kind kind;
	bool failed; /**< whether one did */
};

/** A call that changes files, before it is made. */
struct vfs_call {
	enum { VFS_OPEN, VFS_WRITE, VFS_TRUNCATE, VFS_SYNC, VFS_DELETE } what;
	const char *name; /**< of the file */
	int flags;        /**< VFS_OPEN: SQLITE_OPEN_*; VFS_DELETE: whether the folder is synced */
	const void *bytes;
	long long at, n; /**< of the bytes; VFS_TRUNCATE: n is the new size */
};

/** Sees every such call of a file that has a name and stays; NULL: nobody does. Set by power.c. */
extern void (*vfs_watch)(const struct vfs_call *call);

/** The one that there is. */
extern struct failing_vfs failing_vfs;

/** Make it the default of this process; failing_vfs is set anew. */
void failing_vfs_install(void);
