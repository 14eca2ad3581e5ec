/*
 * Dependencies: which programs of a tree a run executed and which of its files it opened, as the counting library
 * saw it. A revision in which all of these are the same does the same: its results can be reused.
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/benchmark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a process tree touched below a measured tree. Paths are relative to it, sorted, each once. */
struct pe_dependencies {
	struct pe_strings
		programs; /**< executed: scripts are among the files, their interpreters here */
	/**
	 * Opened for reading, or looked up and missing; shared libraries too. A folder that was looked up and not listed is
	 * among them: it only has to exist. So is every symbolic link that a path led through, compared by its text and not by
	 * its target; the target is listed as well.
	 */
	struct pe_strings files;
	struct pe_strings folders; /**< listed; "." is the tree itself */
	/**
	 * Made by the run itself before it looked for them, files and folders, of these the topmost: they have no part in the
	 * lists above, and none in what a listed folder is compared by.
	 */
	struct pe_strings made;
	/**
	 * Outside of the tree: read, executed, loaded or looked for, by absolute paths; of a folder that was listed with a "/"
	 * behind it. What the command and its preparation made before they read it is not among them; what a setup made is.
	 */
	struct pe_strings outside;
	/** Outside of the tree: what a build or setup wrote and left. */
	struct pe_strings written;
	/**
	 * Everything was seen: every program that was started reported, no list overflowed. False: nothing may
	 * be reused.
	 */
	bool complete;
	const char *reason; /**< why not */
	/**
	 * An input besides files, whose answer may differ next time: "'git' was asked"; NULL: none was found.
	 */
	const char *impure;
	/** A compiler cache took part: it has recorded the files that compilers found missing, and does not look them up. */
	bool cached;
};

/** A command that was watched. */
struct pe_watched {
	int pid;
	uint64_t
		from_ns; /**< when it began, by pe_clock_ns(): another one before it may have had its pid */
	/** of a run: when its setup was over, by pe_clock_ns() */
	uint64_t set_up_ns;
	const char *input; /**< the file given as stdin, relative to the tree; NULL: none */
};

/**
 * Read the lists that a run with PERFEVO_ALLOC_DIR=dir and PERFEVO_TOUCH_ROOT=tree left.
 *
 * Files that the run wrote before it read them are left out: they are its own products. So are Python's
 * caches of compiled modules, which follow from their sources.
 *
 * @param tree  absolute path of the measured tree; symbolic links in it and in the recorded paths resolved
 * @param watched  n commands, in order, each of which must have reported; others may have run before them with the same
 *                 directory (a setup)
 * @return         as pe_alloc_collect()
 */
int pe_dependencies_collect(struct pe_dependencies *out, const char *dir, const char *tree,
			    const struct pe_watched *watched, size_t n, struct pe_arena *arena,
			    struct pe_err *err);

/** Whether sorted paths have one. */
bool pe_strings_have(const struct pe_strings *sorted, const char *path);

/** Whether sorted paths have one, or a folder above it. */
bool pe_strings_have_above(const struct pe_strings *sorted, const char *path);
