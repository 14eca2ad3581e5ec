/* realpath(3) is XSI. */
#define _XOPEN_SOURCE 700
#include "core/exec/modules.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/walk.h"
#include "core/base/xxh.h"
#include "probe/formats/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MOST_PROCESSES = 1024,
	MOST_LIST_BYTES = 1 << 20,
	PIECE_BYTES = 64 * 1024,
};

static const uint64_t MOST_BYTES = UINT64_C(1) << 30;

void pe_module_files_release(struct pe_module_files *files)
{
	pe_vec_release(&files->known);
	pe_arena_release(&files->arena);
}

/* --- Contents --- */

static bool read_pieces(struct pe_xxh *hash, int fd)
{
	char bytes[PIECE_BYTES];
	bool begun = false;
	ssize_t n;

	/* A piece is what read(2) gives of a regular file: all that there is room for, but at its end. */
	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		if (!begun && (n < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0))
			return false;
		begun = true;
		pe_xxh_bytes(hash, bytes, (size_t)n);
	}
	return begun && n == 0;
}

/* NULL: it is nothing that is executed, or cannot be read. */
static const char *digest_of(const char *path, struct stat *info, struct pe_arena *arena)
{
	pe_auto_fd fd = pe_files_open_found(path, MOST_BYTES);
	char text[PE_XXH_TEXT];
	struct pe_xxh hash;
	bool whole;

	if (fd < 0)
		return NULL;
	pe_xxh_init(&hash);
	whole = fstat(fd, info) == 0 && read_pieces(&hash, fd);
	pe_xxh_write(&hash, text);
	return whole ? pe_arena_strdup(arena, text) : NULL;
}

static bool is_same(const struct pe_module_file *file, const struct stat *info)
{
	return file->device == info->st_dev && file->inode == info->st_ino &&
	       file->size == info->st_size && file->changed.tv_sec == info->st_ctim.tv_sec &&
	       file->changed.tv_nsec == info->st_ctim.tv_nsec;
}

static const char *look_up(struct pe_module_files *files, const char *path)
{
	struct pe_module_file *file = NULL;
	struct stat info;

	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
		return NULL;
	for (size_t i = 0; i < files->known.n && file == NULL; i++)
		if (strcmp(files->known.data[i].path, path) == 0)
			file = &files->known.data[i];
	if (file != NULL && is_same(file, &info))
		return file->digest;
	if (file == NULL) {
		const struct pe_module_file one = {.path = pe_arena_strdup(&files->arena, path)};

		pe_vec_push(&files->known, one);
		file = &files->known.data[files->known.n - 1];
	}
	file->digest = digest_of(path, &info, &files->arena);
	file->device = info.st_dev;
	file->inode = info.st_ino;
	file->size = info.st_size;
	file->changed = info.st_ctim;
	return file->digest;
}

/* --- Lists --- */

struct reading {
	struct pe_module_files *files;
	char tree[PATH_MAX]; /* without links */
	const char *own;
	struct pe_mapped *found;
	size_t n;
	struct pe_arena *arena;
};

static bool is_left_out(const struct reading *reading, const char *path)
{
	const size_t n = strlen(reading->tree);
	char real[PATH_MAX];

	if (*path != '/' || strlen(path) >= sizeof(real) || strpbrk(path, "\n\r\t\033") != NULL ||
	    (reading->own != NULL && strcmp(path, reading->own) == 0))
		return true;
	if (realpath(path, real) == NULL)
		return true;
	return n > 0 && strncmp(real, reading->tree, n) == 0 && real[n] == '/';
}

static void add(struct reading *reading, const char *path)
{
	const char *digest;

	for (size_t i = 0; i < reading->n; i++)
		if (strcmp(reading->found[i].path, path) == 0)
			return;
	if (reading->n == PE_MODULES_MOST || is_left_out(reading, path))
		return;
	digest = look_up(reading->files, path);
	if (digest != NULL)
		reading->found[reading->n++] =
			(struct pe_mapped){pe_arena_strdup(reading->arena, path), digest};
}

static void read_list(struct reading *reading, int dir, const char *name)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct stat info;

	if (fstatat(dir, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_size > MOST_LIST_BYTES ||
	    pe_files_read_at(&text, dir, name) != PE_OK)
		return;
	/* The last one may be cut short: what ends it is not its own terminator. */
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		if (memchr(text.data + at, '\0', text.len - at) != NULL)
			add(reading, text.data + at);
}

const struct pe_module_set *pe_modules_collect(struct pe_module_files *files, const char *dir,
					       const char *tree, const char *own,
					       struct pe_arena *arena)
{
	struct reading reading = {.files = files, .own = own, .arena = arena};
	struct pe_module_set *modules;
	pe_auto_fd fd = pe_files_open_below(NULL, dir, false);
	const char **names = fd >= 0 ? pe_walk_names(fd, arena) : NULL;
	size_t lists = 0;

	if (names == NULL)
		return NULL;
	if (realpath(tree, reading.tree) == NULL)
		reading.tree[0] = '\0';
	reading.found = pe_arena_new(arena, struct pe_mapped, PE_MODULES_MOST);
	for (; lists < MOST_PROCESSES && *names != NULL; names++)
		if (pe_ends_in(*names, PE_MODULES_SUFFIX)) {
			read_list(&reading, fd, *names);
			lists++;
		}
	if (lists == 0)
		return NULL;
	pe_modules_sort(reading.found, &reading.n);
	modules = pe_arena_new(arena, struct pe_module_set, 1);
	*modules = (struct pe_module_set){reading.found, reading.n, files->since_s};
	return modules;
}
