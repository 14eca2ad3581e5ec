/*
 * Walk: all that is in a folder, with a constant number of descriptors and without a path that grows: a build may leave
 * folders nested deeper than a process may have files open, and deeper than PATH_MAX. The way back up is "..", and
 * what it leads to is compared with what was left. No link is followed.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>

/** What stands in a folder. Borrowed for the call. */
struct pe_walk_step {
	int dir;          /**< the open folder that it is in */
	const char *name; /**< in that folder */
	const char *path; /**< below the folder where the walk began */
	bool is_dir;
};

/** What becomes of a step; a negative number ends the walk. */
enum pe_walk_verdict { PE_WALK_PASS = 0, PE_WALK_ENTER = 1 };

struct pe_folder_walk {
	/** Called for everything, a folder before what is in it; PE_WALK_ENTER: look into the folder, too. */
	int (*meet)(const struct pe_walk_step *step, void *payload);
	/** Called for a folder that was entered, when all that is in it was met; NULL. */
	int (*leave)(const struct pe_walk_step *step, void *payload);
	void *payload;
};

/**
 * Walk through a folder, in no order. Names are read before the first of a folder is met: it may be removed.
 *
 * @param dir   an open folder; borrowed
 * @param path  receives where the walk was when it failed; NULL: not wanted
 * @return      0; -1 with errno
 */
int pe_walk_folder(int dir, const struct pe_folder_walk *walk, struct pe_text *path);

/** Open a folder, not a link to one; it is made readable when it forbids that. -1 with errno. */
int pe_walk_open(int dir, const char *name);

/**
 * The names in an open folder, but for "." and "..": sorted, with NULL behind them, in the arena.
 *
 * @return  NULL with errno
 */
const char **pe_walk_names(int dir, struct pe_arena *arena);

/** The same of a folder by its own name: links on the way to it are followed. */
const char **pe_walk_names_of(const char *folder, struct pe_arena *arena);
