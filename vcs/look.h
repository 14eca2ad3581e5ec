/*
 * Look: what stat data says about files and folders that an earlier fill left.
 */
#ifndef PE_VCS_LOOK_H
#define PE_VCS_LOOK_H

#include "vcs/place.h"

/** Nanoseconds since 1970. */
static inline int64_t pe_look_ns(struct timespec time)
{
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/** Whether it is a file where the row is one, else a link. */
bool pe_look_right_kind(const struct pe_row *row, const struct stat *st);

/** Whether it can be executed where the row can. */
bool pe_look_right_mode(const struct pe_row *row, const struct stat *st);

/**
 * Whether the stat data alone proves that nobody wrote to a file, or changed the names in a folder, since the row's was
 * taken. What is as young as the manifest could have changed twice within one tick of the file system's clock, and
 * proves nothing.
 *
 * @param written_ns  when the manifest was written that has the row
 */
bool pe_look_untouched(const struct pe_row *row, const struct stat *st, int64_t written_ns);

/**
 * Set pe_row.untouched of all files and links that are the same and that nobody touched. Of many files on all
 * processors, as git does it.
 */
void pe_look_files(struct pe_tree *tree, const struct pe_checkout_dir *place, int64_t written_ns);

#endif
