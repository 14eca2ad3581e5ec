/*
 * A path is made absolute, its "//" and "/./" removed, and kept when it is below the root. ".." and links
 * stay as they are: the reader of the list has the tree, and time, to resolve them. But the run may change a
 * link: so on the first time the kernel is asked where an opened file is, and also where a path leads that
 * is spelt otherwise, through /proc/self/cwd or a link elsewhere.
 *
 * Each path is written once. The table of written ones is in ordinary memory: a forked child has a copy
 * and need not repeat its parent's paths, a child of vfork(2) shares it.
 */
#include "probe/runtime/touch.h"

#include "probe/runtime/file_limit.h"
#include "probe/runtime/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 32 * 1024 };
_Static_assert((int)PE_PATHS_MAX < (int)SLOTS, "looking for a free slot ends");

enum { UNKNOWN, BEING_READ, OFF, ON };

static int phase;
static bool outside;            /* paths outside of the root are recorded, too */
static char roots[2][PATH_MAX]; /* as given, and with its links resolved */
static size_t root_sizes[2];
static uint64_t written[SLOTS]; /* hashes; 0: free */
static unsigned n_written;

const char pe_touch_nothing[] = "";
_Thread_local bool pe_touch_reached;

__attribute__((constructor)) static void find_next(void)
{
	pe_next_find_all();
}

int pe_touch_open(const char *path, int flags, mode_t mode)
{
	return (int)PE_NEXT(syscall)(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t pe_touch_readlink(const char *path, char *out, size_t size)
{
	return PE_NEXT(syscall)(SYS_readlinkat, AT_FDCWD, path, out, size);
}

bool pe_touch_exists(int dir, const char *path)
{
	int error = errno;
	char byte;
	long rc;

	/* Of all calls the one that does not follow links, on all kernels. EINVAL: it is none, but there. */
	rc = PE_NEXT(syscall)(SYS_readlinkat, dir, path, &byte, sizeof(byte));
	if (rc < 0)
		rc = errno == EINVAL ? 0 : -1;
	errno = error;
	return rc >= 0;
}

static void set_flag(enum pe_alloc_flags flag)
{
	__atomic_fetch_or(&pe_record()->flags, (uint32_t)flag, __ATOMIC_RELAXED);
}

/* Where a descriptor leads to; 0: to no file, or not known. */
static size_t path_of_fd(char *path, size_t size, int fd)
{
	char name[48];
	long n;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = pe_touch_readlink(name, path, size - 1);
	if (n <= 0 || *path != '/')
		return 0;
	path[n] = '\0';
	return (size_t)n;
}

static void read_root(void)
{
	const char *given = getenv(PE_TOUCH_ROOT_ENV);
	size_t n = given != NULL ? strlen(given) : 0;
	int fd;

	while (n > 0 && given[n - 1] == '/')
		n--;
	if (n == 0 || *given != '/' || n >= sizeof(roots[0]) || *pe_record_directory() == '\0')
		return;
	outside = getenv(PE_TOUCH_OUTSIDE_ENV) != NULL;
	memcpy(roots[0], given, n);
	root_sizes[0] = n;
	fd = pe_touch_open(given, O_PATH | O_CLOEXEC, 0);
	if (fd >= 0) {
		root_sizes[1] = path_of_fd(roots[1], sizeof(roots[1]), fd);
		close(fd);
	}
	set_flag(PE_ALLOC_PATHS);
	/* No such folder, or no /proc: places of files cannot be found. */
	if (root_sizes[1] == 0)
		set_flag(PE_ALLOC_PATHS_UNSEEN);
}

static bool find_out(void)
{
	extern char **environ;
	int expected = UNKNOWN, error = errno;

	if (environ == NULL)
		return false;
	pe_record();
	if (__atomic_compare_exchange_n(&phase, &expected, BEING_READ, 0, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		read_root();
		__atomic_store_n(&phase, root_sizes[0] > 0 ? ON : OFF, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) == BEING_READ)
		sched_yield();
	errno = error;
	return phase == ON;
}

bool pe_touch_wanted(void)
{
	int now = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);

	return now == ON || (now != OFF && find_out());
}

uint64_t pe_touch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void pe_touch_unseen(void)
{
	if (pe_touch_wanted())
		set_flag(PE_ALLOC_PATHS_UNSEEN);
}

void pe_touch_connected(void)
{
	if (pe_touch_wanted())
		set_flag(PE_ALLOC_CONNECTED);
}

static bool below_a_root(const char *path)
{
	for (int i = 0; i < 2; i++) {
		size_t n = root_sizes[i];

		if (n > 0 && strncmp(path, roots[i], n) == 0 && (path[n] == '/' || path[n] == '\0'))
			return true;
	}
	return false;
}

/* Append a path's components to an absolute path of n bytes; SIZE_MAX: too long. */
static size_t add_components(char *out, size_t n, const char *path, bool *has_dots)
{
	while (*path != '\0') {
		size_t part = strcspn(path, "/");

		if (part == 2 && path[0] == '.' && path[1] == '.')
			*has_dots = true;
		if (part > 0 && !(part == 1 && *path == '.')) {
			if (n + 1 + part >= PATH_MAX)
				return SIZE_MAX;
			out[n] = '/';
			memcpy(out + n + 1, path, part);
			n += 1 + part;
		}
		path += part;
		path += *path == '/';
	}
	out[n] = '\0';
	return n;
}

/* As if no component were a link. */
__attribute__((noinline)) static bool below_without_dots(const char *path)
{
	char flat[PATH_MAX];
	size_t n = 0;

	for (const char *at = path; *at != '\0';) {
		size_t part = 1 + strcspn(at + 1, "/");

		if (part == 3 && at[1] == '.' && at[2] == '.') {
			while (n > 0 && flat[--n] != '/')
				;
		} else {
			memcpy(flat + n, at, part);
			n += part;
		}
		at += part;
	}
	flat[n] = '\0';
	return below_a_root(flat);
}

static uint64_t hash_of(char kind, const char *path)
{
	uint64_t hash = (14695981039346656037u ^ (unsigned char)kind) * 1099511628211u;

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * 1099511628211u;
	return hash != 0 ? hash : 1;
}

/* Whether it was there before. Two paths of the same 64 bits are taken for one: some 1 in 10^11. */
static bool remember(uint64_t hash)
{
	for (size_t at = hash % SLOTS;; at = (at + 1) % SLOTS) {
		uint64_t there = __atomic_load_n(&written[at], __ATOMIC_RELAXED);

		if (there == 0) {
			if (__atomic_load_n(&n_written, __ATOMIC_RELAXED) >= PE_PATHS_MAX) {
				set_flag(PE_ALLOC_PATHS_LOST);
				return true;
			}
			if (__atomic_compare_exchange_n(&written[at], &there, hash, 0,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
				__atomic_fetch_add(&n_written, 1, __ATOMIC_RELAXED);
				return false;
			}
		}
		if (there == hash)
			return true;
	}
}

static bool append(char kind, uint64_t time_ns, const char *path)
{
	const struct pe_alloc_record *record = pe_record();
	size_t size = 1 + strlen(path) + 1;
	struct pe_path_entry entry = {PE_PATHS_MAGIC, (uint32_t)size, time_ns};
	const struct iovec parts[] = {
		{&entry, sizeof(entry)}, {&kind, 1}, {(char *)(size_t)path, size - 1}};
	char name[PATH_MAX + 64];
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "%s/%u-%llu" PE_PATHS_SUFFIX, pe_record_directory(),
		 (unsigned)record->pid, (unsigned long long)record->started_ns);
	fd = pe_touch_open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	n = pe_file_may_grow(fd, sizeof(entry) + size) ? writev(fd, parts, 3) : -1;
	close(fd);
	return n == (ssize_t)(sizeof(entry) + size);
}

/* Whether it is written for the first time. */
static bool write_down(char kind, uint64_t time_ns, const char *path)
{
	if (remember(hash_of(kind, path)))
		return false;
	if (!append(kind, time_ns, path))
		set_flag(PE_ALLOC_PATHS_LOST);
	return true;
}

/* The current folder, or that of a descriptor; 0: there is none, and the program's own call fails too. */
static size_t find_base(char *path, int dir)
{
	long n;

	if (dir != AT_FDCWD)
		return path_of_fd(path, PATH_MAX, dir);
	n = PE_NEXT(syscall)(SYS_getcwd, path, (size_t)PATH_MAX);
	if (n <= 1 || *path != '/') {
		if (n < 0 && errno == ERANGE)
			set_flag(PE_ALLOC_PATHS_LOST);
		return 0;
	}
	return (size_t)n - 1;
}

/* Where the kernel finds a path, links of /proc among those on its way; 0: nowhere. */
static size_t ask_kernel(char *out, const char *path)
{
	int fd = pe_touch_open(path, O_PATH | O_CLOEXEC, 0);
	size_t n = fd >= 0 ? path_of_fd(out, PATH_MAX, fd) : 0;

	if (fd >= 0)
		close(fd);
	return n;
}

/*
 * The target of an absolute path that is spelt outside of the root: through /proc/self/cwd, /dev/fd/3, or a link of a
 * folder elsewhere. For a file that is made, or missing, its folder is resolved.
 */
__attribute__((noinline)) static size_t resolve(char *out, char kind, char *full)
{
	/* "/" is flattened to "". */
	char *slash = strrchr(full, '/');
	size_t n = kind != PE_PATH_MADE && slash != NULL ? ask_kernel(out, full) : 0;

	if (n > 0 || slash == NULL || slash == full)
		return n;
	*slash = '\0';
	n = ask_kernel(out, full);
	*slash = '/';
	if (n == 0 || n + strlen(slash) >= PATH_MAX)
		return 0;
	memcpy(out + n, slash, strlen(slash) + 1);
	return n + strlen(slash);
}

static bool starts_with(const char *path, const char *start)
{
	return strncmp(path, start, strlen(start)) == 0;
}

/* No file, or one of perfevo's own. */
static bool is_passed_over(const char *path)
{
	return starts_with(path, "/proc/") || starts_with(path, "/sys/") ||
	       (starts_with(path, "/dev/") && !starts_with(path, "/dev/shm/") &&
		!starts_with(path, "/dev/mqueue/") && !starts_with(path, PE_PATHS_IPC) &&
		!starts_with(path, PE_PATHS_SOCKET)) ||
	       starts_with(path, pe_record_directory());
}

/* As it is spelt: a link on its way may lead elsewhere for another commit. */
static void touch_outside(char kind, uint64_t time_ns, const char *full)
{
	char outer = kind == PE_PATH_MADE || kind == PE_PATH_ADDED      ? PE_PATH_WROTE
		     : kind == PE_PATH_LISTED || kind == PE_PATH_WALKED ? PE_PATH_SEARCHED
									: PE_PATH_USED;

	if (outside && *full != '\0' && !is_passed_over(full))
		write_down(outer, time_ns, full);
}

static bool touch(char kind, uint64_t time_ns, int dir, const char *path)
{
	const char inner = kind == PE_PATH_ADDED ? PE_PATH_READ : kind;
	char full[PATH_MAX], real[PATH_MAX];
	bool has_dots = false;
	size_t n = 0;

	if (*path != '/' && (n = find_base(full, dir)) == 0)
		return true;
	if (n == 1) /* "/" */
		n = 0;
	n = add_components(full, n, path, &has_dots);
	if (n == SIZE_MAX) {
		set_flag(PE_ALLOC_PATHS_LOST);
		return true;
	}
	if (below_a_root(full) || (has_dots && below_without_dots(full)))
		return !write_down(inner, time_ns, full);
	n = resolve(real, kind, full);
	if (n > 0 && below_a_root(real)) {
		/* The link that leads into the tree may lead into another commit's once that was set up. */
		if (kind != PE_PATH_MADE && kind != PE_PATH_ADDED)
			touch_outside(kind, time_ns, full);
		return !write_down(inner, time_ns, real);
	}
	touch_outside(kind, time_ns, full);
	return n > 0;
}

bool pe_touch_path(enum pe_path_kind kind, uint64_t time_ns, int dir, const char *path)
{
	int error = errno;
	bool settled = true;

	if (path != NULL && *path != '\0' && pe_touch_wanted())
		settled = touch((char)kind, time_ns, dir, path);
	errno = error;
	return settled;
}

void pe_touch_fd(enum pe_path_kind kind, uint64_t time_ns, int fd)
{
	int error = errno;
	char path[PATH_MAX];

	if (pe_touch_wanted() && path_of_fd(path, sizeof(path), fd) > 0) {
		if (below_a_root(path))
			write_down(kind == PE_PATH_ADDED ? PE_PATH_READ : (char)kind, time_ns,
				   path);
		else
			touch_outside((char)kind, time_ns, path);
	}
	errno = error;
}

void pe_touch_program(const char *path)
{
	int error = errno;

	if (pe_touch_wanted())
		write_down(PE_PATH_PROGRAM, pe_touch_now(), path);
	errno = error;
}

void pe_touch_look(int dir, const char *path, bool failed)
{
	if (path == pe_touch_nothing)
		pe_touch_reached = true;
	if (pe_touch_wanted() && !(failed && errno == EFAULT))
		pe_touch_path(PE_PATH_READ, pe_touch_now(), dir, path);
}

/* execvp(3) tries each folder on PATH within libc. Without a PATH it goes where no tree is. */
static void search_path(const char *file)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];

	while (at != NULL) {
		size_t n = strcspn(at, ":");
		int written_bytes = snprintf(path, sizeof(path), "%.*s%s%s", (int)n, at,
					     n > 0 ? "/" : "", file);

		if (written_bytes > 0 && (size_t)written_bytes < sizeof(path))
			pe_touch_look(AT_FDCWD, path, false);
		at = at[n] == ':' ? at + n + 1 : NULL;
	}
}

void pe_touch_start(const char *file, bool search)
{
	if (file == NULL || !pe_touch_wanted())
		return;
	pe_touch_libraries();
	if (search && strchr(file, '/') == NULL)
		search_path(file);
	else
		pe_touch_look(AT_FDCWD, file, false);
}
