#include "core/base/file_list.h"
#include "core/base/sort.h"

#include "core/base/clock.h"
#include "core/base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const int64_t NS_PER_S = 1000000000;

int64_t pe_file_list_now_ns(void)
{
	struct timespec now;

#ifdef CLOCK_REALTIME_COARSE
	if (clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0)
		return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
#endif
	return pe_clock_file_ns();
}

void pe_listed_file_set(struct pe_listed_file *file, const struct stat *st)
{
	file->mode = (uint32_t)st->st_mode;
	file->size = (uint64_t)st->st_size;
	file->inode = (uint64_t)st->st_ino;
	file->ctime_ns = (int64_t)st->st_ctim.tv_sec * NS_PER_S + st->st_ctim.tv_nsec;
}

bool pe_listed_file_equal(const struct pe_listed_file *one, const struct pe_listed_file *other)
{
	return one->mode == other->mode && one->size == other->size && one->inode == other->inode &&
	       one->ctime_ns == other->ctime_ns;
}

bool pe_file_list_is_unsure(const struct pe_file_list *list, const struct pe_listed_file *file)
{
	int64_t tick = file->ctime_ns % NS_PER_S == 0 ? 2 * NS_PER_S : PE_FILE_TICK_NS;

	return list->of_another_boot || file->ctime_ns + tick > list->taken_ns;
}

const struct pe_listed_file *pe_file_list_find(const struct pe_file_list *list, const char *path)
{
	size_t at = 0;

	pe_search(at, list->files.n, i, strcmp(list->files.data[i].path, path) < 0);
	return at < list->files.n && strcmp(list->files.data[at].path, path) == 0
		       ? &list->files.data[at]
		       : NULL;
}

PE_SORT_BY(compare_paths, struct pe_listed_file, path);

void pe_file_list_sort(struct pe_file_list *list)
{
	if (list->files.n > 0)
		qsort(list->files.data, list->files.n, sizeof(struct pe_listed_file),
		      compare_paths);
}

/* Title, boot, time and number of files, each on a line; then a file after the other, ended by a NUL: paths have newlines. */
void pe_file_list_write(struct pe_text *out, const struct pe_file_list *list, const char *title)
{
	char boot[PE_BOOT_ID];

	pe_clock_boot(boot);
	pe_text_addf(out, "%s\n%s\n%" PRIx64 " %zx\n", title, boot, (uint64_t)list->taken_ns,
		     list->files.n);
	for (size_t i = 0; i < list->files.n; i++) {
		const struct pe_listed_file *file = &list->files.data[i];

		pe_text_addf(out, "%" PRIx32 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %s %s",
			     file->mode, file->size, file->inode, (uint64_t)file->ctime_ns,
			     file->id, file->path);
		pe_text_addc(out, '\0');
	}
}

static bool parse_file(struct pe_listed_file *file, const char *line)
{
	uint64_t ctime_ns;
	int at = 0;

	*file = (struct pe_listed_file){.path = NULL};
	if (sscanf(line, "%" SCNx32 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %40[0-9a-f-]%n",
		   &file->mode, &file->size, &file->inode, &ctime_ns, file->id, &at) != 5 ||
	    line[at] != ' ' || line[at + 1] == '\0')
		return false;
	file->ctime_ns = (int64_t)ctime_ns;
	file->path = line + at + 1;
	return true;
}

/* The text ends with a NUL of its own: the last file's may have been cut off. */
static bool parse(struct pe_file_list *out, const char *at, const char *end, const char *title)
{
	char boot[PE_BOOT_ID], now[PE_BOOT_ID];
	size_t n = strlen(title), count;
	uint64_t taken_ns;
	int head = 0;

	if (strncmp(at, title, n) != 0 || at[n] != '\n' ||
	    sscanf(at + n, "\n%36[0-9a-f-]\n%" SCNx64 " %zx%n", boot, &taken_ns, &count, &head) !=
		    3 ||
	    at[n + (size_t)head] != '\n')
		return false;
	pe_clock_boot(now);
	out->of_another_boot = strcmp(boot, now) != 0;
	out->taken_ns = (int64_t)taken_ns;
	for (at += n + (size_t)head + 1; at < end; at += strlen(at) + 1) {
		struct pe_listed_file file;

		if (!parse_file(&file, at) ||
		    (out->files.n > 0 &&
		     strcmp(out->files.data[out->files.n - 1].path, file.path) >= 0))
			return false;
		pe_vec_push(&out->files, file);
	}
	return at == end && out->files.n == count;
}

bool pe_file_list_parse(struct pe_file_list *out, const struct pe_text *text, const char *title,
			struct pe_arena *arena)
{
	/* Paths are borrowed from this copy. */
	const char *copy = pe_arena_strndup(arena, pe_text_str(text), text->len);

	*out = (struct pe_file_list){.taken_ns = 0};
	if (parse(out, copy, copy + text->len, title))
		return true;
	pe_vec_release(&out->files);
	return false;
}
