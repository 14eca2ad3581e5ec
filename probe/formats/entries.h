/*
 * Entries: which functions of which modules a program entered. perfevo writes a file with their addresses, which
 * PERFEVO_ENTRIES names; libperfevo_rt.so maps it, puts a trap at each of them, and marks those that are reached. The first
 * call of a function costs a signal, all others nothing. Processes of one program share the file.
 *
 *   struct pe_entries_head, n_modules * struct pe_entries_module, n * uint64_t (addresses, ascending in each module),
 *   n bytes (1: entered)
 */
#pragma once

#include <stdint.h>

#define PE_ENTRIES_ENV  "PERFEVO_ENTRIES"
#define PE_ENTRIES_NAME "entries"

/** "ENT" and the version of the format. */
#define PE_ENTRIES_MAGIC 0x01544e45u

struct pe_entries_head {
	uint32_t magic, n_modules;
	uint64_t n; /**< functions of all modules */
};

enum pe_entries_flags {
	PE_ENTRIES_WATCHED = 1 << 0, /**< a process set its traps */
	PE_ENTRIES_FAILED = 1 << 1,  /**< a process could not set its traps */
	PE_ENTRIES_OPENED = 1 << 2,  /**< a process read the module as a file */
};

struct pe_entries_module {
	uint64_t device, inode;
	uint64_t first, n; /**< its functions */
	uint32_t flags;    /**< enum pe_entries_flags, written by the library */
	uint32_t reserved;
};
