/* realpath(3) is XSI. */
#define _XOPEN_SOURCE 700
#include "core/exec/modules.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/base/walk.h"
#include "core/base/xxh.h"
#include "probe/formats/modules.h"

#include <elf.h>
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
static const char *digest_of(const char *path, struct pe_arena *arena)
{
	pe_auto_fd fd = pe_files_open_found(path, MOST_BYTES);
	char text[PE_XXH_TEXT];
	struct pe_xxh hash;
	bool whole;

	if (fd < 0)
		return NULL;
	pe_xxh_init(&hash);
	whole = read_pieces(&hash, fd);
	pe_xxh_write(&hash, text);
	return whole ? pe_arena_strdup(arena, text) : NULL;
}

/* --- Lists --- */

struct reading {
	char tree[PATH_MAX]; /* without links */
	const char *own;
	struct pe_mapped *found;
	size_t n;
	struct pe_arena *arena;
};

static bool is_left_out(const struct reading *reading, const char *path)
{
	char real[PATH_MAX];

	if (*path != '/' || strlen(path) >= sizeof(real) || strpbrk(path, "\n\r\t\033") != NULL ||
	    (reading->own != NULL && strcmp(path, reading->own) == 0))
		return true;
	if (realpath(path, real) == NULL)
		return true;
	return pe_path_below(real, reading->tree) != NULL;
}

static void add(struct reading *reading, const char *path)
{
	const char *digest;

	for (size_t i = 0; i < reading->n; i++)
		if (strcmp(reading->found[i].path, path) == 0)
			return;
	if (reading->n == PE_MODULES_MOST || is_left_out(reading, path))
		return;
	digest = digest_of(path, reading->arena);
	if (digest != NULL)
		reading->found[reading->n++] =
			(struct pe_mapped){pe_arena_strdup(reading->arena, path), digest};
}

static void read_list(struct reading *reading, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, MOST_LIST_BYTES);
	pe_auto_text text = PE_TEXT_INIT;

	if (fd < 0 || pe_text_read_fd(&text, fd) != 0)
		return;
	/* The last one may be cut short: what ends it is not its own terminator. */
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		if (memchr(text.data + at, '\0', text.len - at) != NULL)
			add(reading, text.data + at);
}

const struct pe_module_set *pe_modules_collect(const char *dir, const char *tree, const char *own,
					       int64_t since_s, struct pe_arena *arena)
{
	struct reading reading = {.own = own, .arena = arena};
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
	*modules = (struct pe_module_set){reading.found, reading.n, since_s};
	return modules;
}
