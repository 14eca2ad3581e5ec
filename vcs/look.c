#include "vcs/look.h"

#include "core/base/parallel.h"

/* So many files are worth a thread: about half a millisecond. */
enum { ROWS_AT_ONCE = 500 };

bool pe_look_right_kind(const struct pe_row *row, const struct stat *st)
{
	return row_is_file(row) ? S_ISREG(st->st_mode) : S_ISLNK(st->st_mode);
}

bool pe_look_right_mode(const struct pe_row *row, const struct stat *st)
{
	return !row_is_file(row) || ((row->mode & 0100) != 0) == ((st->st_mode & 0100) != 0);
}

bool pe_look_untouched(const struct pe_row *row, const struct stat *st, int64_t written_ns)
{
	return row->size == (uint64_t)st->st_size && row->inode == (uint64_t)st->st_ino &&
	       row->mtime_ns == pe_look_ns(st->st_mtim) &&
	       row->ctime_ns == pe_look_ns(st->st_ctim) && row->mtime_ns < written_ns &&
	       row->ctime_ns < written_ns && pe_look_right_mode(row, st);
}

struct looking {
	struct pe_tree *tree;
	const struct pe_checkout_dir *place;
	int64_t written_ns;
};

static void look_at_rows(void *payload, size_t number)
{
	const struct looking *looking = payload;
	struct pe_row *rows = looking->tree->rows.data;
	size_t end = (number + 1) * ROWS_AT_ONCE, n = looking->tree->rows.n;
	struct pe_checkout_dir place;
	struct stat st;

	if (!pe_checkout_dir_again(&place, looking->place))
		return;
	for (size_t i = number * ROWS_AT_ONCE; i < end && i < n; i++) {
		struct pe_row *row = &rows[i];

		/* A pointer is asked for again each time: its object may have come meanwhile. */
		row->untouched = row->same && !row_is_dir(row) && !row->pointer &&
				 pe_checkout_dir_stat(&place, row->path, &st) &&
				 pe_look_right_kind(row, &st) &&
				 pe_look_untouched(row, &st, looking->written_ns);
	}
	pe_checkout_dir_close(&place);
}

void pe_look_files(struct pe_tree *tree, const struct pe_checkout_dir *place, int64_t written_ns)
{
	struct looking looking = {tree, place, written_ns};

	pe_parallel((tree->rows.n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, look_at_rows, &looking);
}
