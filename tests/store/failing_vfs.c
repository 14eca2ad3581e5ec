#include "failing_vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

struct failing_vfs failing_vfs;
void (*vfs_watch)(const struct vfs_call *call);

static sqlite3_vfs *below;
static sqlite3_vfs above;

struct file {
	sqlite3_file base;
	const char *name;    /* SQLite keeps it as long as the file is open; NULL: temporary */
	sqlite3_file *below; /* behind this struct */
};

static sqlite3_file *of(sqlite3_file *file)
{
	return ((struct file *)file)->below;
}

static void watch(sqlite3_file *file, struct vfs_call call)
{
	call.name = ((struct file *)file)->name;
	if (vfs_watch != NULL && call.name != NULL)
		vfs_watch(&call);
}

/* Whether this call is to fail. */
static bool fails(void)
{
	long now = ++failing_vfs.calls;
	bool yes = failing_vfs.fails != 0 &&
		   (failing_vfs.stays ? now >= failing_vfs.fails : now == failing_vfs.fails);

	failing_vfs.failed |= yes;
	return yes;
}

static int failure(int io)
{
	errno = failing_vfs.kind == FAILING_FULL ? ENOSPC : EIO;
	return failing_vfs.kind == FAILING_FULL ? SQLITE_FULL : io;
}

static int file_close(sqlite3_file *file)
{
	return of(file)->pMethods->xClose(of(file));
}

static int file_read(sqlite3_file *file, void *to, int n, sqlite3_int64 at)
{
	return of(file)->pMethods->xRead(of(file), to, n, at);
}

static int file_write(sqlite3_file *file, const void *from, int n, sqlite3_int64 at)
{
	watch(file, (struct vfs_call){.what = VFS_WRITE, .bytes = from, .at = at, .n = n});
	if (!fails())
		return of(file)->pMethods->xWrite(of(file), from, n, at);
	if (failing_vfs.kind != FAILING_IO && n > 1)
		of(file)->pMethods->xWrite(of(file), from, n / 2, at);
	return failure(SQLITE_IOERR_WRITE);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 n)
{
	watch(file, (struct vfs_call){.what = VFS_TRUNCATE, .n = n});
	return fails() ? failure(SQLITE_IOERR_TRUNCATE)
		       : of(file)->pMethods->xTruncate(of(file), n);
}

static int file_sync(sqlite3_file *file, int flags)
{
	watch(file, (struct vfs_call){.what = VFS_SYNC});
	return fails() ? failure(SQLITE_IOERR_FSYNC) : of(file)->pMethods->xSync(of(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *n)
{
	return of(file)->pMethods->xFileSize(of(file), n);
}

static int file_lock(sqlite3_file *file, int level)
{
	return of(file)->pMethods->xLock(of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
	return of(file)->pMethods->xUnlock(of(file), level);
}

static int file_check(sqlite3_file *file, int *reserved)
{
	return of(file)->pMethods->xCheckReservedLock(of(file), reserved);
}

static int file_control(sqlite3_file *file, int what, void *with)
{
	return of(file)->pMethods->xFileControl(of(file), what, with);
}

static int file_sector(sqlite3_file *file)
{
	return of(file)->pMethods->xSectorSize(of(file));
}

static int file_traits(sqlite3_file *file)
{
	return of(file)->pMethods->xDeviceCharacteristics(of(file));
}

static int file_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
	if (extend && fails())
		return failure(SQLITE_IOERR_SHMSIZE);
	return of(file)->pMethods->xShmMap(of(file), page, size, extend, at);
}

static int file_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	return of(file)->pMethods->xShmLock(of(file), offset, n, flags);
}

static void file_barrier(sqlite3_file *file)
{
	of(file)->pMethods->xShmBarrier(of(file));
}

static int file_unmap(sqlite3_file *file, int delete)
{
	return of(file)->pMethods->xShmUnmap(of(file), delete);
}

/* Version 2: without memory-mapped reading, so that all goes through here. */
static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check,
	.xFileControl = file_control,
	.xSectorSize = file_sector,
	.xDeviceCharacteristics = file_traits,
	.xShmMap = file_map,
	.xShmLock = file_shm_lock,
	.xShmBarrier = file_barrier,
	.xShmUnmap = file_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *got)
{
	struct file *one = (struct file *)file;
	int rc;

	(void)vfs;
	one->base.pMethods = NULL;
	one->name = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0 ? NULL : name;
	one->below = (sqlite3_file *)&one[1];
	if ((flags & SQLITE_OPEN_READWRITE) != 0 && fails())
		return failure(SQLITE_CANTOPEN);
	watch(file, (struct vfs_call){.what = VFS_OPEN, .flags = flags});
	rc = below->xOpen(below, name, one->below, flags, got);
	if (one->below->pMethods != NULL)
		one->base.pMethods = &methods;
	return rc;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
	(void)vfs;
	if (vfs_watch != NULL)
		vfs_watch(&(struct vfs_call){.what = VFS_DELETE, .name = name, .flags = sync});
	return fails() ? failure(SQLITE_IOERR_DELETE) : below->xDelete(below, name, sync);
}

void failing_vfs_install(void)
{
	memset(&failing_vfs, 0, sizeof(failing_vfs));
	if (below != NULL)
		return;
	below = sqlite3_vfs_find(NULL);
	above = *below;
	above.zName = "failing";
	above.szOsFile = (int)sizeof(struct file) + below->szOsFile;
	above.xOpen = vfs_open;
	above.xDelete = vfs_delete;
	sqlite3_vfs_register(&above, 1);
}
