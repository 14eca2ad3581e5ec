/*
 * Traces: the calling context trees that libperfevo_calls.so leaves behind, one file a process image, named
 * <pid>-<start>.calls, in the directory that PERFEVO_CALLS_DIR names. The file is mapped while the program runs,
 * so it is complete however the program ends.
 *
 *   page 0   struct pe_trace_header
 *   chunks   whole pages, up to the header's `end`; each begins with a struct pe_trace_chunk
 *              PE_TRACE_NODES   slots of 64 bytes, one a node, taken from the front
 *              PE_TRACE_MODULE  one program or library: struct pe_trace_module, then its path
 *
 * A node's number is its offset in the file divided by 64; 0 is no node. A chunk of nodes is used by one
 * thread at a time, and a thread that ends leaves its tree to a later one. So readers sum the trees of all
 * threads.
 *
 * A page of zeros in place of a chunk's beginning was allocated and never used. Unused nodes are zero.
 *
 * A process that forks begins a new file in the child, with the path that its parent was on (calls: 0);
 * execve(2) begins one for the new program. vfork(2) does not: the child works in its parent's memory.
 */
#pragma once

#include <stdint.h>

#define PE_TRACE_MAGIC       "PETRACE" /* eight bytes with the terminator */
#define PE_TRACE_CHUNK_MAGIC UINT64_C(0xfe4b4e4843455001)
#define PE_TRACE_SUFFIX      ".calls"
/** The directory for the files; without it nothing is recorded. */
#define PE_TRACE_DIR_ENV "PERFEVO_CALLS_DIR"
/** Most bytes of one file, in decimal; default PE_TRACE_DEFAULT_LIMIT. */
#define PE_TRACE_LIMIT_ENV     "PERFEVO_CALLS_LIMIT"
#define PE_TRACE_DEFAULT_LIMIT (UINT64_C(16) << 30)

enum {
	PE_TRACE_VERSION = 2,
	PE_TRACE_PAGE = 4096,
	PE_TRACE_SLOT = 64,
	PE_TRACE_BUILD_ID_MAX = 64,
};

/** Flags of a whole process. */
enum pe_trace_flags {
	/** The process has its own malloc(3): its allocations are unknown. */
	PE_TRACE_BYPASSED = 1 << 0,
	PE_TRACE_FORKED = 1 << 1, /**< of a forked child, not of a program's start */
	/** The file could not grow (full disk, limit), or memory was short: later calls are only in `lost`. */
	PE_TRACE_STOPPED = 1 << 2,
	/** Too many stacks or signals within each other: some calls are only in `lost`. */
	PE_TRACE_LOST = 1 << 3,
};

/** The first page; the rest of it is zero. */
struct pe_trace_header {
	char magic[8];
	uint32_t version;
	uint32_t size; /**< sizeof(struct pe_trace_header) */
	uint32_t pid, parent;
	uint64_t started_ns; /**< monotonic clock */
	uint32_t flags;      /**< enum pe_trace_flags */
	uint32_t threads;    /**< that called an instrumented function or allocated */
	uint64_t end;  /**< bytes allocated in the file, with this page; a multiple of the page */
	uint64_t lost; /**< calls that were not recorded */
	/** Allocations outside of any thread's tree: before the program started, and where there was no tree. */
	uint64_t allocations, allocated_bytes, frees;
	uint64_t peak_bytes; /**< most in use at once, in usable sizes */
	char program[2048];  /**< path of the program, cut to fit */
};

enum pe_trace_chunk_kind {
	PE_TRACE_NODES = 1,
	PE_TRACE_MODULE = 2,
};

/** The first slot of a chunk. */
struct pe_trace_chunk {
	uint64_t magic; /**< PE_TRACE_CHUNK_MAGIC: no node begins like this */
	uint32_t kind;  /**< enum pe_trace_chunk_kind */
	uint32_t pages; /**< size of the chunk */
	uint64_t reserved[6];
};

/** After the first slot of its chunk; the path follows, terminated. */
struct pe_trace_module {
	uint64_t start, end; /**< of its mapping */
	uint64_t bias;       /**< to be subtracted from an address there to get the file's own */
	uint32_t complete;   /**< 0: it was not finished */
	uint32_t reserved;
	uint32_t path_bytes;
	uint32_t build_id_bytes;
	uint8_t build_id[PE_TRACE_BUILD_ID_MAX];
};

enum pe_trace_node_state {
	PE_TRACE_NODE_USED = 1 << 30,
	/** A recursive call, counted at node `target`, which is on the path to here. */
	PE_TRACE_NODE_ALIAS = 1 << 29,
	PE_TRACE_NODE_FOLDED = 1 << 28, /**< calls from below are counted here */
	PE_TRACE_NODE_ROOT = 1 << 27,   /**< of a thread: no method */
};

/** Counts of one method on one path of callers. */
struct pe_trace_node {
	uint64_t
		function; /**< where the hook returned to: in the method, or in the copy that was inlined */
	uint64_t site; /**< where the method returned to; of an inlined copy, where its host did */
	uint32_t parent;
	uint32_t target; /**< of an alias */
	uint32_t reserved;
	uint32_t state; /**< enum pe_trace_node_state */
	uint64_t calls;
	uint64_t allocations, allocated_bytes, frees;
};

_Static_assert(sizeof(struct pe_trace_header) <= PE_TRACE_PAGE, "the header fits its page");
_Static_assert(sizeof(struct pe_trace_chunk) == PE_TRACE_SLOT, "a chunk's head is a slot");
_Static_assert(sizeof(struct pe_trace_node) == PE_TRACE_SLOT, "a node is a slot");
