/*
 * A parcel is "perfevo parcel 1\n", an entry for all that is in the folder, a folder before what is in it, and an end:
 *
 *	<kind> <mode> <time in ns> <bytes> <path>\0<that many bytes>
 *
 * kind is f, d or l (a link, whose bytes are its target); mode is octal. The end is "end\0", behind which nothing stands.
 */
#define _GNU_SOURCE /* memmem(3) */
#include "core/base/parcel.h"

#include "core/base/arena.h"
#include "core/base/files.h"
#include "core/base/vec.h"
#include "core/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char HEAD[] = "perfevo parcel 1\n", END[] = "end";

enum { AT_ONCE = 256 << 10, MOST_HEAD = PATH_MAX + 96 };

static const int64_t NS_PER_S = 1000000000;

/* Both directions through a stream of their own: the caller's descriptor stays. */
static FILE *stream_of(int fd, const char *mode)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *stream = copy >= 0 ? fdopen(copy, mode) : NULL;

	if (stream == NULL && copy >= 0)
		close(copy);
	return stream;
}

/* --- Packing --- */

struct packing {
	FILE *out;
	const struct pe_parcel_bounds *bounds;
	char *buffer; /* AT_ONCE, behind as many bytes as what is unwanted may begin in */
	size_t n_unwanted;
	uint64_t bytes;
	struct pe_err *err;
	int rc;
};

static int refuse(struct packing *packing, const char *path, const char *what)
{
	packing->rc = pe_fail(packing->err, PE_EUNSUPPORTED, "%s %s", path, what);
	return -1;
}

static int fail_to_write(struct packing *packing)
{
	packing->rc = pe_fail_errno(packing->err, "cannot write a parcel");
	return -1;
}

static int put_head(struct packing *packing, char kind, const struct pe_walk_step *step,
		    const struct stat *st, uint64_t bytes)
{
	const int64_t ns = (int64_t)st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;

	packing->bytes += bytes;
	if (packing->bytes > packing->bounds->most_bytes)
		return refuse(packing, step->path, "is more than may be handed on");
	if (fprintf(packing->out, "%c %o %" PRId64 " %" PRIu64 " %s", kind,
		    (unsigned)st->st_mode & 0777, ns, bytes, step->path) < 0 ||
	    putc('\0', packing->out) == EOF)
		return fail_to_write(packing);
	return 0;
}

/* What is unwanted may lie across two pieces: the end of the one before stands in front of each. */
static int put_content(struct packing *packing, int fd, const struct pe_walk_step *step,
		       uint64_t left)
{
	const char *unwanted = packing->bounds->unwanted;
	char *piece = packing->buffer + packing->n_unwanted;
	size_t before = 0;

	while (left > 0) {
		ssize_t n = read(fd, piece, left < AT_ONCE ? (size_t)left : AT_ONCE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return refuse(packing, step->path, "cannot be read whole");
		if (unwanted != NULL && memmem(piece - before, before + (size_t)n, unwanted,
					       packing->n_unwanted) != NULL)
			return refuse(packing, step->path, "names the folder that it lies in");
		if (fwrite(piece, 1, (size_t)n, packing->out) != (size_t)n)
			return fail_to_write(packing);
		left -= (uint64_t)n;
		before += (size_t)n;
		if (before > packing->n_unwanted)
			before = packing->n_unwanted;
		memmove(piece - before, piece + n - before, before);
	}
	return 0;
}

static int put_file(struct packing *packing, const struct pe_walk_step *step)
{
	int fd = openat(step->dir, step->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		rc = refuse(packing, step->path, "cannot be read");
	else
		rc = put_head(packing, 'f', step, &st, (uint64_t)st.st_size);
	if (rc == 0)
		rc = put_content(packing, fd, step, (uint64_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int put_link(struct packing *packing, const struct pe_walk_step *step, const struct stat *st)
{
	const char *unwanted = packing->bounds->unwanted;
	char target[PATH_MAX];
	ssize_t n = readlinkat(step->dir, step->name, target, sizeof(target));

	if (n <= 0 || n == (ssize_t)sizeof(target))
		return refuse(packing, step->path, "cannot be read");
	if (unwanted != NULL && memmem(target, (size_t)n, unwanted, packing->n_unwanted) != NULL)
		return refuse(packing, step->path, "leads to the folder that it lies in");
	if (put_head(packing, 'l', step, st, (uint64_t)n) != 0)
		return -1;
	return fwrite(target, 1, (size_t)n, packing->out) == (size_t)n ? 0 : fail_to_write(packing);
}

static int pack_met(const struct pe_walk_step *step, void *payload)
{
	struct packing *packing = payload;
	struct stat st;

	if (strlen(step->path) >= PATH_MAX)
		return refuse(packing, step->name, "lies in more folders than a path can have");
	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return refuse(packing, step->path, "cannot be looked at");
	if (step->is_dir)
		return put_head(packing, 'd', step, &st, 0) == 0 ? PE_WALK_ENTER : -1;
	if (S_ISLNK(st.st_mode))
		return put_link(packing, step, &st);
	if (!S_ISREG(st.st_mode))
		return refuse(packing, step->path, "is neither file, folder nor link");
	return put_file(packing, step);
}

int pe_parcel_pack(int out, int dir, const struct pe_parcel_bounds *bounds, struct pe_err *err)
{
	struct packing packing = {.bounds = bounds, .err = err, .out = stream_of(out, "w")};
	const struct pe_folder_walk walk = {.meet = pack_met, .payload = &packing};

	if (packing.out == NULL)
		return pe_fail_errno(err, "cannot write a parcel");
	packing.n_unwanted = bounds->unwanted != NULL ? strlen(bounds->unwanted) : 0;
	packing.buffer = pe_realloc(NULL, packing.n_unwanted + AT_ONCE, 1);
	if (fputs(HEAD, packing.out) == EOF)
		fail_to_write(&packing);
	else if (pe_walk_folder(dir, &walk, NULL) != 0 && packing.rc == PE_OK)
		packing.rc = pe_fail_errno(err, "cannot pack a folder");
	if (packing.rc == PE_OK && fwrite(END, 1, sizeof(END), packing.out) != sizeof(END))
		fail_to_write(&packing);
	if (fclose(packing.out) != 0 && packing.rc == PE_OK)
		fail_to_write(&packing);
	free(packing.buffer);
	return packing.rc;
}

/* --- Unpacking --- */

struct entry {
	char kind;
	unsigned mode;
	int64_t ns;
	uint64_t bytes;
	const char *path;
};

struct unpacking {
	FILE *in;
	int dir;
	uint64_t left; /* that files may still have */
	struct pe_arena arena;
	PE_VEC(struct entry) folders; /* which get their modes and times when all is in them */
	char *buffer;
	struct pe_err *err;
};

static int no_parcel(struct unpacking *unpacking)
{
	return pe_fail(unpacking->err, PE_EINVALID, "it is no parcel, or not all of one");
}

/* As pe_walk_folder() tells paths: parts that are names, with single slashes between them. */
static bool is_plain_path(const char *path)
{
	for (;;) {
		const size_t n = strcspn(path, "/");

		if (n == 0 || n > NAME_MAX || (n <= 2 && strncmp(path, "..", n) == 0))
			return false;
		if (path[n] == '\0')
			return true;
		path += n + 1;
	}
}

/* PE_ENOTFOUND: the end. */
static int read_entry(struct entry *out, struct unpacking *unpacking)
{
	char head[MOST_HEAD];
	int c = 0, at = 0;
	size_t n = 0;

	while (n < sizeof(head) && (c = getc(unpacking->in)) > 0)
		head[n++] = (char)c;
	if (c != '\0' || n == sizeof(head))
		return no_parcel(unpacking);
	head[n] = '\0';
	if (strcmp(head, END) == 0)
		return getc(unpacking->in) == EOF ? PE_ENOTFOUND : no_parcel(unpacking);
	if (sscanf(head, "%c %4o %" SCNd64 " %" SCNu64 "%n", &out->kind, &out->mode, &out->ns,
		   &out->bytes, &at) != 4 ||
	    head[at] != ' ' || strlen(head + at + 1) >= PATH_MAX || !is_plain_path(head + at + 1))
		return no_parcel(unpacking);
	out->mode &= 0777;
	out->path = pe_arena_strdup(&unpacking->arena, head + at + 1);
	return PE_OK;
}

static void times_of(struct timespec times[2], const struct entry *entry)
{
	times[0] = (struct timespec){.tv_nsec = UTIME_NOW};
	times[1].tv_sec = (time_t)(entry->ns / NS_PER_S);
	times[1].tv_nsec = (long)(entry->ns % NS_PER_S);
	if (times[1].tv_nsec < 0) {
		times[1].tv_nsec += NS_PER_S;
		times[1].tv_sec--;
	}
}

static int take_content(struct unpacking *unpacking, int fd, uint64_t left)
{
	while (left > 0) {
		const size_t want = left < AT_ONCE ? (size_t)left : AT_ONCE;

		if (fread(unpacking->buffer, 1, want, unpacking->in) != want)
			return no_parcel(unpacking);
		for (size_t done = 0; done < want;) {
			const ssize_t n = write(fd, unpacking->buffer + done, want - done);

			if (n < 0 && errno != EINTR)
				return pe_fail_errno(unpacking->err, "cannot unpack a file");
			done += n > 0 ? (size_t)n : 0;
		}
		left -= want;
	}
	return PE_OK;
}

/* What is there already, a parcel has twice. */
static int cannot_make(struct unpacking *unpacking, const struct entry *entry)
{
	return errno == EEXIST ? no_parcel(unpacking)
			       : pe_fail_errno(unpacking->err, "cannot make %s", entry->path);
}

static int take_file(struct unpacking *unpacking, int parent, const char *name,
		     const struct entry *entry)
{
	int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct timespec times[2];
	int rc;

	if (fd < 0)
		return cannot_make(unpacking, entry);
	rc = take_content(unpacking, fd, entry->bytes);
	times_of(times, entry);
	if (rc == PE_OK && (fchmod(fd, entry->mode) != 0 || futimens(fd, times) != 0))
		rc = pe_fail_errno(unpacking->err, "cannot unpack %s", entry->path);
	if (close(fd) != 0 && rc == PE_OK)
		rc = pe_fail_errno(unpacking->err, "cannot unpack %s", entry->path);
	return rc;
}

static int take_link(struct unpacking *unpacking, int parent, const char *name,
		     const struct entry *entry)
{
	char target[PATH_MAX];
	struct timespec times[2];

	if (entry->bytes == 0 || entry->bytes >= sizeof(target) ||
	    fread(target, 1, (size_t)entry->bytes, unpacking->in) != entry->bytes ||
	    memchr(target, '\0', (size_t)entry->bytes) != NULL)
		return no_parcel(unpacking);
	target[entry->bytes] = '\0';
	times_of(times, entry);
	if (symlinkat(target, parent, name) != 0)
		return cannot_make(unpacking, entry);
	/* Not every file system keeps times of links. */
	utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW);
	return PE_OK;
}

static int take_folder(struct unpacking *unpacking, int parent, const char *name,
		       const struct entry *entry)
{
	if (entry->bytes != 0)
		return no_parcel(unpacking);
	if (mkdirat(parent, name, 0700) != 0)
		return cannot_make(unpacking, entry);
	pe_vec_push(&unpacking->folders, *entry);
	return PE_OK;
}

static int take_entry(struct unpacking *unpacking, const struct entry *entry)
{
	const char *name;
	int parent, rc;

	if (entry->bytes > unpacking->left)
		return pe_fail(unpacking->err, PE_EINVALID, "the parcel has more than %s may take",
			       entry->path);
	unpacking->left -= entry->bytes;
	parent = pe_files_open_parent(unpacking->dir, entry->path, &name);
	if (parent < 0)
		return no_parcel(unpacking);
	switch (entry->kind) {
	case 'f':
		rc = take_file(unpacking, parent, name, entry);
		break;
	case 'l':
		rc = take_link(unpacking, parent, name, entry);
		break;
	case 'd':
		rc = take_folder(unpacking, parent, name, entry);
		break;
	default:
		rc = no_parcel(unpacking);
	}
	close(parent);
	return rc;
}

/* From the inside out: a folder that forbids writing takes no more. */
static int finish_folder(struct unpacking *unpacking, const struct entry *entry)
{
	const char *name;
	int parent = pe_files_open_parent(unpacking->dir, entry->path, &name);
	struct timespec times[2];
	int rc = PE_OK;

	times_of(times, entry);
	if (parent < 0 || fchmodat(parent, name, entry->mode, 0) != 0 ||
	    utimensat(parent, name, times, AT_SYMLINK_NOFOLLOW) != 0)
		rc = pe_fail_errno(unpacking->err, "cannot unpack %s", entry->path);
	if (parent >= 0)
		close(parent);
	return rc;
}

int pe_parcel_unpack(int dir, int in, uint64_t most_bytes, struct pe_err *err)
{
	struct unpacking unpacking = {.dir = dir,
				      .left = most_bytes,
				      .err = err,
				      .arena = PE_ARENA_INIT,
				      .in = stream_of(in, "r")};
	char head[sizeof(HEAD) - 1];
	struct entry entry;
	int rc;

	if (unpacking.in == NULL)
		return pe_fail_errno(err, "cannot read a parcel");
	unpacking.buffer = pe_realloc(NULL, AT_ONCE, 1);
	rc = fread(head, 1, sizeof(head), unpacking.in) == sizeof(head) &&
			     memcmp(head, HEAD, sizeof(head)) == 0
		     ? PE_OK
		     : no_parcel(&unpacking);
	while (rc == PE_OK) {
		rc = read_entry(&entry, &unpacking);
		if (rc == PE_OK)
			rc = take_entry(&unpacking, &entry);
	}
	if (rc == PE_ENOTFOUND)
		rc = PE_OK;
	for (size_t i = unpacking.folders.n; rc == PE_OK && i-- > 0;)
		rc = finish_folder(&unpacking, &unpacking.folders.data[i]);
	pe_vec_release(&unpacking.folders);
	pe_arena_release(&unpacking.arena);
	free(unpacking.buffer);
	fclose(unpacking.in);
	return rc;
}
