/*
 * Touched: which programs of a tree a run executed and which of its files it opened, as the counting library
 * saw it. A revision in which all of these are the same does the same: its results can be carried over.
 */
#ifndef PE_CORE_BENCH_TOUCHED_H
#define PE_CORE_BENCH_TOUCHED_H

#include "core/base/arena.h"
#include "core/bench/workload.h"

#include <stdbool.h>

/** What a process tree touched below a measured tree. Paths are relative to it, sorted, each once. */
struct pe_touched {
	struct pe_strings programs; /**< executed: scripts are among the files, their interpreters here */
	struct pe_strings files;    /**< opened for reading, or looked for and not found */
	struct pe_strings folders;  /**< listed */
	/**
	 * Everything was seen: every program that was started reported, no list overflowed. False: nothing may
	 * be carried over.
	 */
	bool complete;
	const char *reason;         /**< why not */
};

/**
 * Read the lists that a run with PERFEVO_ALLOC_DIR=dir left.
 *
 * Files that the run wrote before it read them are left out: they are its own products.
 *
 * @param tree  absolute path of the measured tree; symbolic links in it and in the recorded paths resolved
 * @param pid   of the command itself
 * @return      as pe_alloc_collect()
 */
int pe_touched_collect(struct pe_touched *out, const char *dir, const char *tree, int pid,
		       struct pe_arena *arena, struct pe_err *err);

#endif
