#include "probe/launcher/confine_mounts.h"

#include "probe/launcher/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* mount_setattr(2), Linux 5.12; older C libraries lack its number. */
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

enum { READ_ONLY = 1, NO_SETUID = 2, NO_DEVICES = 4, WHOLE_TREE = 0x8000 };

struct attributes {
	uint64_t set, clear, propagation, userns;
};

/* All folders in memory together; where a cgroup bounds a command, its files there count as its memory. */
static const char SIZE_OF_OWN[] = "mode=0700,size=25%";

static int reach(const char *root, const char *path);

/* Set and clear attributes of the mount at a path. */
static bool change(const char *root, const char *path, uint64_t set, uint64_t clear, bool whole)
{
	const struct attributes attributes = {.set = set, .clear = clear};
	pe_auto_fd fd = reach(root, path);

	return fd >= 0 &&
	       syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | (whole ? WHOLE_TREE : 0),
		       &attributes, sizeof(attributes)) == 0;
}

bool pe_confine_kernel_at_least(unsigned major, unsigned minor)
{
	struct utsname system;
	unsigned have_major, have_minor;

	return uname(&system) == 0 &&
	       sscanf(system.release, "%u.%u", &have_major, &have_minor) == 2 &&
	       (have_major > major || (have_major == major && have_minor >= minor));
}

/* --- Names below the root --- */

/* Open a path as chroot(2) would find it: links, also absolute ones, stay below the root. -1 with errno. */
static int reach(const char *root, const char *path)
{
	enum { MOST_TRIES = 1000 };
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	pe_auto_fd at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = -1;

	/* While another process renames or mounts something, the kernel cannot check "..": openat2(2), EAGAIN. */
	for (int i = 0; at >= 0 && fd < 0 && (i == 0 || (errno == EAGAIN && i < MOST_TRIES)); i++)
		fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
	return fd;
}

/* Make a file or folder in the folder that a path leads to. */
static bool make_in(int folder, const char *name, bool is_folder)
{
	pe_auto_fd fd = -1;

	if (is_folder)
		return mkdirat(folder, name, 0755) == 0 || errno == EEXIST;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd >= 0;
}

/* Open the folder that holds the last part of a path, and make it where it is missing. */
static int reach_parent(const char *root, const char *path)
{
	char part[PATH_MAX];
	size_t n = 0;
	int parent = reach(root, "/");

	while (parent >= 0) {
		int next;
		const char *name = path + n + 1;
		size_t length = strcspn(name, "/");

		if (name[length] == '\0')
			return parent;
		n += 1 + length;
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		next = reach(root, part);
		if (next < 0 && errno == ENOENT && make_in(parent, strrchr(part, '/') + 1, true))
			next = reach(root, part);
		close(parent);
		parent = next;
	}
	return -1;
}

/* Open a mount point, and make it where it is missing. */
static int reach_made(const char *root, const char *path, bool is_folder)
{
	int fd = reach(root, path);
	pe_auto_fd parent = -1;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	parent = reach_parent(root, path);
	return parent >= 0 && make_in(parent, strrchr(path, '/') + 1, is_folder) ? reach(root, path)
										 : -1;
}

static bool make_point(const char *root, const char *path, bool is_folder)
{
	pe_auto_fd fd = reach_made(root, path, is_folder);

	return fd >= 0;
}

static bool mount_at(int fd, const char *from, const char *type, unsigned long flags,
		     const char *options)
{
	char at[64];

	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	return mount(from, at, type, flags, options) == 0;
}

/* Mount on a path, and set the attributes of the mount. */
static bool mount_on(const char *root, const char *path, const char *from, const char *type,
		     unsigned long flags, const void *options, uint64_t set)
{
	pe_auto_fd fd = reach(root, path);

	return fd >= 0 && mount_at(fd, from, type, flags, options) &&
	       (set == 0 || change(root, path, set, 0, true));
}

/* --- Places --- */

/* Bind a place of the machine's own tree. Places that are missing or that we may not see are left out. */
static bool bind(const char *root, const char *from, const char *path, uint64_t set)
{
	struct stat what;

	if (stat(from, &what) != 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
	return make_point(root, path, S_ISDIR(what.st_mode)) &&
	       mount_on(root, path, from, NULL, MS_BIND | MS_REC, NULL, set);
}

static bool mount_own(const char *root, const char *path, const char *options)
{
	return make_point(root, path, true) &&
	       mount_on(root, path, "tmpfs", "tmpfs", MS_NOSUID | MS_NODEV, options, 0);
}

int pe_confine_open_own(const char *folder)
{
	char own[PATH_MAX], view[PATH_MAX];

	snprintf(own, sizeof(own), "%s/own", folder);
	snprintf(view, sizeof(view), "%s/" PE_CONFINE_VIEW, folder);
	if (mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0700,size=64k") != 0 ||
	    mount(NULL, folder, NULL, MS_UNBINDABLE, NULL) != 0 || mkdir(view, 0755) != 0 ||
	    mkdir(own, 0700) != 0 ||
	    mount("tmpfs", own, "tmpfs", MS_NOSUID | MS_NODEV, SIZE_OF_OWN) != 0)
		return -1;
	return open(own, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Bind a folder of the holder that all users may write to, as /tmp is. */
static bool bind_own(const char *root, const char *path, struct pe_confine_own *own)
{
	char name[48], from[96];
	pe_auto_fd fd = reach_made(root, path, true);

	snprintf(name, sizeof(name), "%zu-%u", own->holder, own->n);
	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", own->folder, name);
	return fd >= 0 &&
	       (mkdirat(own->folder, name, 0700) == 0 ? chmod(from, 01777) == 0
						      : errno == EEXIST) &&
	       mount_at(fd, from, NULL, MS_BIND, NULL);
}

/* Mount an empty folder around a path, with nothing in it but a folder at the path. */
static bool mount_around(const char *root, const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	return mount_own(root, folder, "mode=0755,size=64k") && make_point(root, path, true) &&
	       change(root, folder, READ_ONLY, 0, false);
}

static bool both_there(const char *root, const char *path)
{
	struct stat what;
	pe_auto_fd fd = lstat(path, &what) == 0 ? reach(root, path) : -1;

	return fd >= 0;
}

/* Cover a file or folder by an empty one. */
static bool hide(const char *root, const char *path)
{
	struct stat what;

	if (!both_there(root, path) || stat(path, &what) != 0)
		return true;
	if (!S_ISDIR(what.st_mode))
		return mount_on(root, path, "/dev/null", NULL, MS_BIND, NULL, 0);
	return mount_own(root, path, "mode=0755,size=64k");
}

static bool make_link(const char *root, const char *target, const char *path)
{
	pe_auto_fd parent = reach_parent(root, path);

	return parent >= 0 &&
	       (symlinkat(target, parent, strrchr(path, '/') + 1) == 0 || errno == EEXIST);
}

/* Devices without effect or data, terminals of its own, and a /dev/shm. */
static bool mount_devices(const char *root, struct pe_confine_own *own)
{
	static const char *const nodes[] = {"/dev/null",   "/dev/zero",    "/dev/full",
					    "/dev/random", "/dev/urandom", "/dev/tty"};
	static const char *const links[][2] = {{"pts/ptmx", "/dev/ptmx"},
					       {"/proc/self/fd", "/dev/fd"},
					       {"/proc/self/fd/0", "/dev/stdin"},
					       {"/proc/self/fd/1", "/dev/stdout"},
					       {"/proc/self/fd/2", "/dev/stderr"}};
	pe_auto_fd fd = -1;

	if (!mount_own(root, "/dev", "mode=0755,size=64k"))
		return false;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		if (!bind(root, nodes[i], nodes[i], 0))
			return false;
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (!make_link(root, links[i][0], links[i][1]))
			return false;
	/* Some kernels give no terminals of its own to a namespace: then there are none. */
	fd = reach_made(root, "/dev/pts", true);
	if (fd < 0)
		return false;
	mount_at(fd, "devpts", "devpts", MS_NOSUID | MS_NOEXEC,
		 "newinstance,ptmxmode=0666,mode=0620");
	return bind_own(root, "/dev/shm", own);
}

/*
 * /proc is read-only: root owns the kernel's settings by their mode, and through /proc/PID/oom_score_adj a command could
 * make the kernel spare it when memory is short. Keys are the machine's in every namespace.
 */
static bool mount_processes(const char *root)
{
	return bind(root, "/proc", "/proc", READ_ONLY) && hide(root, "/proc/keys") &&
	       hide(root, "/proc/key-users");
}

bool pe_confine_mount(const char *root, enum pe_wire_place kind, const char *path,
		      const char *target, struct pe_confine_own *own)
{
	if (strlen(path) >= PATH_MAX || (path[0] != '/' && path[0] != '\0')) {
		errno = EINVAL;
		return false;
	}
	switch (kind) {
	case PE_PLACE_MACHINE:
		return mount("/", root, NULL, MS_BIND | MS_REC, NULL) == 0 &&
		       change(root, "/", READ_ONLY, 0, true);
	case PE_PLACE_NOTHING:
		return mount("tmpfs", root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=1m") ==
		       0;
	case PE_PLACE_READ:
		return bind(root, path, path, READ_ONLY);
	case PE_PLACE_WRITE:
		return bind(root, path, target[0] != '\0' ? target : path, NO_SETUID);
	case PE_PLACE_TREE:
		return mount_around(root, path);
	case PE_PLACE_OWN:
		return bind_own(root, path, own);
	case PE_PLACE_CELLS:
		return mount_own(root, path, "mode=0755,size=1m");
	case PE_PLACE_HIDDEN:
		return hide(root, path);
	case PE_PLACE_LINK:
		return make_link(root, target, path);
	case PE_PLACE_DEVICES:
		return mount_devices(root, own);
	case PE_PLACE_PROCESSES:
		return mount_processes(root);
	}
	errno = EINVAL;
	return false;
}

void pe_confine_clear(const char *root)
{
	umount2(root, MNT_DETACH);
}

bool pe_confine_same(const char *root, const char *path, const char *outside)
{
	struct stat left, right;
	pe_auto_fd fd = reach(root, path);

	return fd >= 0 && fstat(fd, &left) == 0 && stat(outside, &right) == 0 &&
	       left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

bool pe_confine_seal(const char *root, enum pe_wire_place kind, const char *path)
{
	switch (kind) {
	case PE_PLACE_NOTHING:
		return change(root, "/", READ_ONLY, 0, false);
	case PE_PLACE_CELLS:
	case PE_PLACE_DEVICES:
		return change(root, path, READ_ONLY, 0, false);
	case PE_PLACE_HIDDEN:
		return !both_there(root, path) || change(root, path, READ_ONLY, 0, false);
	default:
		return true;
	}
}
