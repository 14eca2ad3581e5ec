#define _DEFAULT_SOURCE /* d_type */
#include "core/base/walk.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/sort.h"
#include "core/base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_DIR = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* A folder on the way down. Its names: the type as readdir(3) tells it, the name, a NUL. */
struct level {
	struct pe_text names;
	size_t at;       /* the name that is met now */
	size_t path_len; /* of the folder itself, with its slash */
	dev_t device;
	ino_t inode;
};

struct walking {
	const struct pe_folder_walk *walk;
	int fd; /* the folder that is walked through now */
	struct pe_text path;
	PE_VEC(struct level) levels;
};

int pe_walk_open(int dir, const char *name)
{
	int fd = openat(dir, name, OPEN_DIR);
	struct stat st;

	/* What cannot be opened and is no link stays itself: chmod(2) would follow one. */
	if (fd < 0 && errno == EACCES && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISDIR(st.st_mode) && fchmodat(dir, name, st.st_mode | S_IRWXU, 0) == 0)
		fd = openat(dir, name, OPEN_DIR);
	return fd;
}

/* A second descriptor for readdir(3), which needs one of its own. */
static int open_again(int fd)
{
	int copy = openat(fd, ".", OPEN_DIR);
	struct stat st;

	if (copy < 0 && errno == EACCES && fstat(fd, &st) == 0 &&
	    fchmod(fd, st.st_mode | S_IRWXU) == 0)
		copy = openat(fd, ".", OPEN_DIR);
	return copy;
}

static int read_names(struct pe_text *names, int fd)
{
	int copy = open_again(fd);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (stream == NULL) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	for (errno = 0; (entry = readdir(stream)) != NULL;) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		pe_text_addc(names, (char)entry->d_type);
		pe_text_addn(names, entry->d_name, strlen(entry->d_name) + 1);
	}
	if (errno != 0) {
		int error = errno;

		closedir(stream);
		errno = error;
		return -1;
	}
	return closedir(stream);
}

static struct level *top(struct walking *walking)
{
	return &walking->levels.data[walking->levels.n - 1];
}

static int push(struct walking *walking)
{
	struct level level = {.path_len = walking->path.len};
	struct stat st;

	if (fstat(walking->fd, &st) != 0)
		return -1;
	level.device = st.st_dev;
	level.inode = st.st_ino;
	if (read_names(&level.names, walking->fd) != 0) {
		pe_text_release(&level.names);
		return -1;
	}
	pe_vec_push(&walking->levels, level);
	return 0;
}

static void cut_path(struct walking *walking, size_t n)
{
	if (walking->path.data != NULL)
		walking->path.data[n] = '\0';
	walking->path.len = n;
}

/* The current name as a step; its type is looked up where the file system did not give it. */
static int step_here(struct pe_walk_step *step, struct walking *walking)
{
	struct level *level = top(walking);
	int type = (unsigned char)level->names.data[level->at];
	struct stat st;

	*step = (struct pe_walk_step){.dir = walking->fd,
				      .name = level->names.data + level->at + 1,
				      .is_dir = type == DT_DIR};
	cut_path(walking, level->path_len);
	pe_text_add(&walking->path, step->name);
	step->path = walking->path.data;
	if (type != DT_UNKNOWN)
		return 0;
	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	step->is_dir = S_ISDIR(st.st_mode);
	return 0;
}

static void next_name(struct walking *walking)
{
	struct level *level = top(walking);

	level->at += strlen(level->names.data + level->at + 1) + 2;
}

static int go_down(struct walking *walking, const char *name)
{
	int next = pe_walk_open(walking->fd, name);

	if (next < 0)
		return -1;
	close(walking->fd);
	walking->fd = next;
	pe_text_addc(&walking->path, '/');
	return push(walking);
}

static int go_up(struct walking *walking)
{
	int parent = openat(walking->fd, "..", OPEN_DIR);
	struct pe_walk_step step;
	struct stat st;
	int rc;

	if (parent < 0)
		return -1;
	close(walking->fd);
	walking->fd = parent;
	if (fstat(parent, &st) != 0)
		return -1;
	pe_text_release(&top(walking)->names);
	walking->levels.n--;
	if (st.st_dev != top(walking)->device || st.st_ino != top(walking)->inode) {
		errno = ESTALE; /* somebody moved the folder while we were in it */
		return -1;
	}
	rc = step_here(&step, walking);
	step.is_dir = true;
	if (rc == 0 && walking->walk->leave != NULL)
		rc = walking->walk->leave(&step, walking->walk->payload);
	next_name(walking);
	return rc;
}

static int walk_on(struct walking *walking)
{
	struct pe_walk_step step;
	int verdict;

	for (;;) {
		if (top(walking)->at >= top(walking)->names.len) {
			if (walking->levels.n == 1)
				return 0;
			if (go_up(walking) < 0)
				return -1;
			continue;
		}
		if (step_here(&step, walking) < 0) {
			if (errno != ENOENT)
				return -1;
			next_name(walking);
			continue;
		}
		verdict = walking->walk->meet(&step, walking->walk->payload);
		if (verdict < 0)
			return -1;
		if (verdict == PE_WALK_PASS)
			next_name(walking);
		else if (go_down(walking, step.name) < 0)
			return -1;
	}
}

int pe_walk_folder(int dir, const struct pe_folder_walk *walk, struct pe_text *path)
{
	struct walking walking = {.walk = walk, .fd = open_again(dir)};
	int rc = walking.fd >= 0 ? push(&walking) : -1;
	int error;

	if (rc == 0)
		rc = walk_on(&walking);
	error = errno;
	if (path != NULL && rc < 0)
		pe_text_add(path, pe_text_str(&walking.path));
	for (size_t i = 0; i < walking.levels.n; i++)
		pe_text_release(&walking.levels.data[i].names);
	pe_vec_release(&walking.levels);
	pe_text_release(&walking.path);
	if (walking.fd >= 0)
		close(walking.fd);
	errno = error;
	return rc < 0 ? -1 : 0;
}

const char **pe_walk_names(int dir, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) out = {NULL, 0, 0};
	pe_auto_text names = PE_TEXT_INIT;

	if (read_names(&names, dir) != 0)
		return NULL;
	for (size_t at = 0; at < names.len; at += strlen(names.data + at + 1) + 2)
		pe_vec_push(&out, pe_arena_strdup(arena, names.data + at + 1));
	pe_sort(out.data, out.n, pe_string_order);
	return pe_vec_copy(arena, &out);
}

const char **pe_walk_names_of(const char *folder, struct pe_arena *arena)
{
	pe_auto_fd dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir >= 0 ? pe_walk_names(dir, arena) : NULL;
}
