/*
 * Sample files: what libperfevo_sample.so leaves behind, one file a process image, named
 * <pid>-<start>.samples, in the directory that PERFEVO_SAMPLE_DIR names. The file is mapped while the program
 * runs, so it is complete however the program ends.
 *
 * A file is a header, the table of modules, and chunks:
 *
 *	0                             struct pe_samples_header
 *	PE_SAMPLES_THREADS_AT         struct pe_samples_thread, by thread, of the first PE_SAMPLES_THREADS
 *	PE_SAMPLES_MODULES_AT         struct pe_samples_module, one after the other, each with its path
 *	PE_SAMPLES_CHUNKS_AT + k * PE_SAMPLES_CHUNK_SIZE
 *	                              struct pe_samples_chunk, then struct pe_samples_node, or struct pe_samples_event
 *
 * Each thread has a tree of addresses of its own, so that nothing is locked in a signal handler. Its nodes
 * are numbered from 0 through all its chunks in the order of their sequence numbers; a parent comes before
 * its children. Its log is in chunks of its own: all counts of the tree, in the order of time. A chunk that was
 * allocated and never begun is zero.
 *
 * Addresses are those to look up: of the instruction for the innermost frame and for one that a signal
 * interrupted, else the return address less one. Numbers are in the machine's own byte order.
 *
 * A node with PE_SAMPLES_MARK in its address is no code: its thread waited at the call path above it, or started a process
 * there (enum pe_samples_mark). It has no nodes below.
 */
#pragma once

#include <stdint.h>

#define PE_SAMPLES_MAGIC   "PESAMPL" /* eight bytes with the terminator */
#define PE_SAMPLES_DIR_ENV "PERFEVO_SAMPLE_DIR"
#define PE_SAMPLES_SUFFIX  ".samples"

/** Mean nanoseconds between samples, of thread CPU time; without it PE_SAMPLES_INTERVAL_NS. */
#define PE_SAMPLES_INTERVAL_ENV "PERFEVO_SAMPLE_INTERVAL"
/** "perf" or "timer": no other clock is tried. "never": timers that never expire, so that there are no samples. */
#define PE_SAMPLES_CLOCK_ENV "PERFEVO_SAMPLE_CLOCK"

#define PE_SAMPLES_CHUNK_MAGIC  UINT32_C(0x4b434550) /* "PECK" */
#define PE_SAMPLES_LOG_MAGIC    UINT32_C(0x4c544550) /* "PETL" */
#define PE_SAMPLES_MODULE_MAGIC UINT32_C(0x444d4550) /* "PEMD" */

enum {
	PE_SAMPLES_VERSION = 4,
	PE_SAMPLES_INTERVAL_NS = 997000,
	PE_SAMPLES_THREADS_AT = 1024,
	PE_SAMPLES_THREADS = 96,
	PE_SAMPLES_MODULES_AT = 4096,
	PE_SAMPLES_CHUNKS_AT = 32768, /**< room for some 200 modules; each process image takes it */
	PE_SAMPLES_CHUNK_SIZE = 32768,
	PE_SAMPLES_BUILD_ID = 32, /**< bytes of a build id that are kept */
};

enum pe_samples_flags {
	PE_SAMPLES_FORKED = 1 << 0,       /**< of a forked child, not of a program's start */
	PE_SAMPLES_MODULES_LOST = 1 << 1, /**< the table of modules was full */
	PE_SAMPLES_THREADS_LOST = 1 << 2, /**< some threads could not be given a clock */
};

struct pe_samples_header {
	char magic[8];
	uint32_t version;
	uint32_t size; /**< sizeof(struct pe_samples_header) */
	uint32_t pid, parent;
	uint64_t started_ns; /**< monotonic clock */
	uint64_t interval_ns;
	uint32_t flags;        /**< enum pe_samples_flags */
	uint32_t chunks;       /**< allocated so far; the last may be beyond the end of the file */
	uint32_t modules_used; /**< bytes of the table of modules that are allocated */
	uint32_t threads;      /**< begun so far */
	/** Unloadings of libraries so far: the same address may mean another module from one to the next. */
	uint32_t generation;
	/** Samples that were due and dropped, for want of room for the path. In units of interval_ns. */
	uint64_t lost;
	char program[256]; /**< path of the program; the end of it where it is longer */
	uint32_t pipes
		[3]; /**< pe_samples_id() of the pipes that it began with as descriptors 0 to 2; 0: none */
};

/** How long a thread lived, as it was seen last. Zero: the process has no such thread. */
struct pe_samples_thread {
	uint64_t begun_ns, seen_ns; /**< monotonic clock */
	uint64_t cpu_ns;            /**< processor time in between */
	uint32_t id;                /**< for PE_SAMPLES_JOIN */
	uint32_t tid;
};

/** A module, followed by its path with a terminator, rounded up to a multiple of eight bytes. */
struct pe_samples_module {
	uint32_t magic; /**< written last; another value: not finished */
	uint32_t size;  /**< with the path */
	uint64_t start, end, bias;
	uint32_t generation; /**< in which it was seen */
	uint32_t n_build_id;
	uint8_t build_id[PE_SAMPLES_BUILD_ID];
};

struct pe_samples_chunk {
	uint32_t magic;
	uint32_t thread;   /**< from 0 in order of their start */
	uint32_t sequence; /**< among the chunks of this kind of this thread, from 0 */
	uint32_t used;     /**< nodes, or events */
	uint32_t tid;
	uint32_t reserved[3];
};

/** Parent of nodes without a parent. The address of such a node is the generation of all nodes below it. */
#define PE_SAMPLES_ROOT UINT32_MAX
/** As PE_SAMPLES_ROOT, for stacks that lack their beginning: too deep, or not to be unwound further. */
#define PE_SAMPLES_CUT (UINT32_MAX - 1)

struct pe_samples_node {
	uint64_t address;
	uint32_t parent;
	uint32_t samples; /**< in which this frame was innermost; of a mark, as its kind defines */
};

/** A count that was added to a node, with its time: an entry of a log. */
struct pe_samples_event {
	uint64_t end_ns; /**< monotonic clock */
	uint32_t node;
	uint32_t value; /**< added to the node's samples, and PE_SAMPLES_SEVERAL */
};

/** Flag of an event's value: the value is the sum of the waits since the previous event of a wait. Without it: one wait. */
#define PE_SAMPLES_SEVERAL (UINT32_C(1) << 31)

/** Flag in the address of a node that is a mark. Bits 32 to 39 are the kind, those below an id. */
#define PE_SAMPLES_MARK (UINT64_C(1) << 63)

/** Kinds of marks: of waits, whose value is microseconds without a processor, then of starts. */
enum pe_samples_mark {
	PE_SAMPLES_CHILD,  /**< for the process of this id, or for any: 0 */
	PE_SAMPLES_POPEN,  /**< for the process at the other end of this pipe */
	PE_SAMPLES_SYSTEM, /**< for the process of this PE_SAMPLES_STARTED_SYSTEM */
	PE_SAMPLES_PIPE,   /**< reading or writing this pipe */
	PE_SAMPLES_FILE,
	PE_SAMPLES_SOCKET, /**< with this connection on the same machine; 0: with another machine */
	PE_SAMPLES_FSYNC,
	PE_SAMPLES_OPEN,
	PE_SAMPLES_LOCK, /**< that the thread of this tid held when the wait began; 0: unknown */
	PE_SAMPLES_CONDITION, /**< that the thread of this tid signalled last, and barriers; 0: unknown */
	PE_SAMPLES_JOIN, /**< for the end of the threads of this id */
	PE_SAMPLES_SLEEP,
	PE_SAMPLES_POLL,
	PE_SAMPLES_N_WAITS,
	PE_SAMPLES_STARTED =
		PE_SAMPLES_N_WAITS, /**< the process of this id; the value has no meaning */
	PE_SAMPLES_STARTED_POPEN, /**< the process at the other end of this pipe; the value has no meaning */
	PE_SAMPLES_STARTED_SYSTEM, /**< id: a number; value: microseconds since this process began */
	PE_SAMPLES_N_MARKS
};

/** The id of a wait for a lock or condition, or in poll(2), that ended by its timeout: nobody woke the thread. */
#define PE_SAMPLES_TIMED_OUT UINT32_MAX

static inline uint64_t pe_samples_mark(enum pe_samples_mark kind, uint32_t id)
{
	return PE_SAMPLES_MARK | (uint64_t)kind << 32 | id;
}

/** Shorten a number to an id: its lower bits, never 0. */
static inline uint32_t pe_samples_id(uint64_t number)
{
	return (uint32_t)number != 0 ? (uint32_t)number : 1;
}

enum {
	PE_SAMPLES_CHUNK_NODES = (PE_SAMPLES_CHUNK_SIZE - sizeof(struct pe_samples_chunk)) /
				 sizeof(struct pe_samples_node),
	PE_SAMPLES_CHUNK_EVENTS = (PE_SAMPLES_CHUNK_SIZE - sizeof(struct pe_samples_chunk)) /
				  sizeof(struct pe_samples_event),
};

_Static_assert(sizeof(struct pe_samples_header) <= PE_SAMPLES_THREADS_AT &&
		       PE_SAMPLES_THREADS_AT +
				       PE_SAMPLES_THREADS * sizeof(struct pe_samples_thread) <=
			       PE_SAMPLES_MODULES_AT,
	       "header and threads fit before the modules");
