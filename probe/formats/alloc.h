/*
 * Allocation records: what libperfevo_rt.so leaves behind, one file a process image, named
 * <pid>-<start>.alloc, in the directory that PERFEVO_ALLOC_DIR names. The file is mapped while the program
 * runs, so it is complete however the program ends.
 *
 * A process that forks begins a new record in the child, at the child's first allocation; execve(2) begins
 * one for the new program. vfork(2) does not: until its execve the child works in its parent's memory, and
 * its allocations are its parent's.
 *
 * Notes are written beside the records, named <pid>-<time>.exec, with a program's name: at that time the
 * process was about to execute that program. A note without a later record of the same process stands for a
 * program that could not be counted.
 */
#pragma once

#include <stdint.h>

#define PE_ALLOC_MAGIC   "PEALLOC" /* eight bytes with the terminator */
#define PE_ALLOC_DIR_ENV "PERFEVO_ALLOC_DIR"
#define PE_ALLOC_SUFFIX  ".alloc"
#define PE_EXEC_SUFFIX   ".exec"

enum { PE_ALLOC_VERSION = 1 };

enum pe_alloc_flags {
	/** The process has its own malloc(3) (an allocator linked into it): nothing was counted. */
	PE_ALLOC_BYPASSED = 1 << 0,
	/** The record is of a forked child, not of a program's start. */
	PE_ALLOC_FORKED = 1 << 1,
	/** Paths were requested (probe/formats/paths.h). Without this flag there is no list of them. */
	PE_ALLOC_PATHS = 1 << 2,
	/** The list of paths is incomplete: too many, or the file could not be written. */
	PE_ALLOC_PATHS_LOST = 1 << 3,
	/** The program reaches files in ways that are not watched. */
	PE_ALLOC_PATHS_UNSEEN = 1 << 4,
	/** With paths: the program communicated with another process or machine by a socket. */
	PE_ALLOC_CONNECTED = 1 << 5,
};

/**
 * One record. An allocation is a call of the malloc family, or of an allocator's own operator new, that
 * returned a block; a call from within another one is part of it. realloc(3) of a block
 * counts as an allocation of the new size and a free, whether or not the block moved, because whether it
 * moves depends on its neighbours. So blocks in use = allocations - frees.
 */
struct pe_alloc_record {
	char magic[8];
	uint32_t version;
	uint32_t size; /**< sizeof(struct pe_alloc_record) */
	uint32_t pid, parent;
	uint64_t started_ns; /**< monotonic clock */
	uint32_t flags;      /**< enum pe_alloc_flags */
	uint32_t reserved;
	uint64_t allocations;
	uint64_t allocated_bytes; /**< as asked for; calloc(n, m) asks for n * m */
	uint64_t frees;           /**< of blocks, not of NULL */
	/**
	 * Bytes in use now and at most, in usable sizes (malloc_usable_size(3)): these are known both at an
	 * allocation and at a free. A forked child starts with its parent's.
	 */
	uint64_t live_bytes, peak_bytes;
	char program[256]; /**< path of the program, cut to fit */
};
