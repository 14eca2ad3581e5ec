/*
 * File list: the files of a folder with their stat data, kept as a text, so that a later look tells which of them changed
 * without reading them.
 *
 * st_ctime is set by the kernel at each change of a file's content, mode or name, and no call sets it back. Stat data proves
 * nothing where a file changed so shortly before the list was taken that the file system's clock could not tell (as in git's
 * index), and nothing about content after a boot: what was not synced may have lost its bytes in a power cut.
 */
#ifndef PE_CORE_BASE_FILE_LIST_H
#define PE_CORE_BASE_FILE_LIST_H

#include "core/base/arena.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/** Hexadecimal digits of a content's id, with the terminator. */
enum { PE_LISTED_ID = 41 };

struct pe_listed_file {
	const char *path; /**< below the folder; borrowed */
	uint32_t mode;    /**< st_mode */
	uint64_t size, inode;
	int64_t ctime_ns;
	char id[PE_LISTED_ID]; /**< of the content, as whoever made the list computes it; "-": none */
};

/** Zero-initialise; release `files`. */
struct pe_file_list {
	PE_VEC(struct pe_listed_file) files;
	int64_t taken_ns;     /**< by the clock of files; what the list does not have came later */
	bool of_another_boot; /**< of a list that was read */
};

/** The clock of files ticks 100 to 1,000 times a second, where a file system does not count in seconds: no tick is longer. */
enum { PE_FILE_TICK_NS = 20 * 1000 * 1000 };

/** The time that the kernel would stamp a file with now: up to a tick behind the clock. */
int64_t pe_file_list_now_ns(void);

/** Set all but path and id. */
void pe_listed_file_set(struct pe_listed_file *file, const struct stat *st);

/** Whether the stat data of both is the same. */
bool pe_listed_file_equal(const struct pe_listed_file *one, const struct pe_listed_file *other);

/** Whether the content of a listed file could have changed under the stat data that it has. */
bool pe_file_list_is_unsure(const struct pe_file_list *list, const struct pe_listed_file *file);

/** The file of a path; the list is sorted. NULL: none. */
const struct pe_listed_file *pe_file_list_find(const struct pe_file_list *list, const char *path);

/** Sort by path, in the order of strcmp(3). */
void pe_file_list_sort(struct pe_file_list *list);

/** Append a list, under a title of one line. */
void pe_file_list_write(struct pe_text *out, const struct pe_file_list *list, const char *title);

/**
 * Read what pe_file_list_write() wrote.
 *
 * @return  false: it has another title, is cut off, or is not sorted; then the list is empty
 */
bool pe_file_list_parse(struct pe_file_list *out, const struct pe_text *text, const char *title,
			struct pe_arena *arena);

#endif
