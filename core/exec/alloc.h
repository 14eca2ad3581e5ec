/*
 * Alloc: the allocations of a run, as the counting library of probe/runtime/ recorded them. A value that leaves out a
 * program is no value at all: pe_alloc_complete() tells which.
 */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Sums over the records of a process tree; see probe/formats/alloc.h for what is counted how. */
struct pe_alloc_cost {
	uint64_t count; /**< allocations */
	uint64_t bytes; /**< as asked for */
	uint64_t frees;
	uint64_t live_bytes; /**< not freed at the end of each process, in usable sizes */
	/** most bytes in use at once in one process: the largest of the processes */
	uint64_t peak_bytes;
	unsigned processes; /**< that reported, forked children included */
	/** of these: with an allocator of their own linked in, so that nothing was counted */
	unsigned bypassed;
	unsigned missing;       /**< programs that were started and did not report */
	int first_pid;          /**< of the program that reported first; 0: none did */
	char missing_name[256]; /**< one of the missing, or of the bypassed when none is missing */
};

struct pe_alloc_record;

/**
 * Read the records in a directory.
 *
 * @param see  receives each record (probe/formats/alloc.h); NULL: none
 * @return  PE_OK, also without any record (processes is 0: nothing was counted, which is not zero
 *          allocations); PE_ENOTFOUND: no such directory; PE_EUNSUPPORTED: records of another version;
 *          PE_ESYS
 */
int pe_alloc_collect(struct pe_alloc_cost *out, const char *dir,
		     void (*see)(const struct pe_alloc_record *record, void *payload),
		     void *payload, struct pe_err *err);

/**
 * Whether the sums cover the whole tree.
 *
 * @param pid     of the command itself (struct pe_proc_result); 0: not known, and not looked at
 * @param reason  receives a phrase when they do not: "'prog' was started and could not be counted"
 */
bool pe_alloc_complete(const struct pe_alloc_cost *cost, int pid, char *reason, size_t size);

/**
 * Whether the counting library can get into a program, judged by the file. A script is its interpreter's
 * matter, and that one is looked at.
 *
 * @param path    the file; a name without a slash is not looked up
 * @param reason  receives a phrase when it cannot: "it is statically linked"; untouched otherwise
 * @return        true also for a file that cannot be read: running it will tell
 */
bool pe_alloc_countable(const char *path, char *reason, size_t size);
