/*
 * The trace of this process: a file that grows by chunks, each mapped at its offset in a range of
 * addresses that was reserved at the start. So a node never moves.
 *
 * A chunk's blocks are allocated before it is mapped: a full disk is an error here, not a SIGBUS in the
 * program. The file is opened anew for every chunk, since programs close descriptors that they did not open.
 * Chunks are handed out without a lock: each has its own part of the file.
 */
#include "probe/runtime/calls.h"

#include "probe/runtime/file_limit.h"
#include "probe/runtime/record.h"
#include "probe/runtime/touch.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Node numbers have 32 bits, of which aliases and states need none. */
#define MOST_BYTES  (UINT64_C(1) << 38)
#define LEAST_BYTES (UINT64_C(1) << 20)

static uint32_t absent; /* PE_CALLS_ABSENT */
uint32_t *pe_calls_phase = &absent;
char *pe_calls_base;

static char path[PATH_MAX + 64];
static char directory[PATH_MAX]; /* kept: the program may clear its environment, or go elsewhere */
static struct pe_trace_header *header;
static uint64_t reserved; /* bytes of addresses */
static uint64_t handed;   /* bytes of the file, of which some may not be there yet */
/* What came before there was a header. */
static struct pe_trace_header early;

struct pe_trace_header *pe_calls_header(void)
{
	return header;
}

void *pe_calls_map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at != MAP_FAILED ? at : NULL;
}

static uint64_t read_limit(void)
{
	const char *given = getenv(PE_TRACE_LIMIT_ENV);
	uint64_t limit = given != NULL ? strtoull(given, NULL, 10) : 0;

	if (limit == 0)
		limit = PE_TRACE_DEFAULT_LIMIT;
	if (limit > MOST_BYTES)
		limit = MOST_BYTES;
	return limit / PE_TRACE_PAGE * PE_TRACE_PAGE;
}

/* Reserve addresses for the whole file; fewer where a limit forbids that many. */
static bool reserve(void)
{
	for (reserved = read_limit(); reserved >= PE_TRACE_PAGE; reserved = reserved / 2) {
		void *at = mmap(NULL, reserved, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		reserved = reserved / PE_TRACE_PAGE * PE_TRACE_PAGE;
		if (at != MAP_FAILED) {
			pe_calls_base = at;
			return true;
		}
		if (reserved < LEAST_BYTES)
			break;
	}
	return false;
}

static bool map_part(int fd, uint64_t offset, uint64_t bytes)
{
	return pe_file_has_blocks(fd, offset, bytes) &&
	       mmap(pe_calls_base + offset, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    fd, (off_t)offset) != MAP_FAILED;
}

static void describe(struct pe_trace_header *fresh, uint32_t flags)
{
	ssize_t n = pe_touch_readlink("/proc/self/exe", fresh->program, sizeof(fresh->program) - 1);

	memcpy(fresh->magic, PE_TRACE_MAGIC, sizeof(fresh->magic));
	fresh->version = PE_TRACE_VERSION;
	fresh->size = sizeof(*fresh);
	fresh->pid = (uint32_t)getpid();
	fresh->parent = (uint32_t)getppid();
	fresh->started_ns = pe_touch_now();
	fresh->flags = flags;
	fresh->end = PE_TRACE_PAGE;
	fresh->program[n > 0 ? n : 0] = '\0';
}

static bool make_file(uint32_t flags)
{
	static struct pe_trace_header fresh;
	bool made;
	int fd;

	fresh = (struct pe_trace_header){0};
	describe(&fresh, flags);
	snprintf(path, sizeof(path), "%s/%u-%llu" PE_TRACE_SUFFIX, directory, (unsigned)fresh.pid,
		 (unsigned long long)fresh.started_ns);
	fd = pe_touch_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	made = reserve() && map_part(fd, 0, PE_TRACE_PAGE);
	close(fd);
	if (!made) {
		unlink(path);
		return false;
	}
	handed = PE_TRACE_PAGE;
	header = (struct pe_trace_header *)(void *)pe_calls_base;
	memcpy(header, &fresh, sizeof(fresh));
	return true;
}

/* What was counted before is the first image's; a forked child leaves it to its parent. */
static void bring_early(void)
{
	header->flags |= early.flags;
	header->allocations = early.allocations;
	header->allocated_bytes = early.allocated_bytes;
	header->frees = early.frees;
	if (header->peak_bytes < early.peak_bytes)
		header->peak_bytes = early.peak_bytes;
}

static uint32_t begin_first(void)
{
	pe_record_find_directory(directory, PE_TRACE_DIR_ENV);
	if (directory[0] == '\0' || !make_file(0))
		return PE_CALLS_OFF;
	bring_early();
	return PE_CALLS_RUNNING;
}

/*
 * The parent's trace stays mapped until the open calls are copied from it. In a handler that interrupted a
 * hook, that hook goes on in the child with addresses of the old trace: there is no new one then.
 */
static uint32_t begin_forked(struct pe_calls_thread *thread)
{
	char *old_base = pe_calls_base;
	struct pe_trace_header *old = header;
	uint64_t old_reserved = reserved;
	uint32_t flags = old->flags & (PE_TRACE_BYPASSED | PE_TRACE_STOPPED);

	if (!make_file(flags | PE_TRACE_FORKED)) {
		pe_calls_base = old_base;
		header = NULL;
		return PE_CALLS_OFF;
	}
	header->peak_bytes = old->peak_bytes;
	pe_calls_trees_forget();
	pe_calls_modules_forget();
	if (thread->level > 0 ||
	    (thread->epoch != PE_CALLS_NEW && thread->epoch != PE_CALLS_RUNNING)) {
		header->flags |= PE_TRACE_STOPPED;
		return PE_CALLS_STOPPED;
	}
	if (thread->epoch != PE_CALLS_NEW && !pe_calls_stacks_adopt(thread, old_base)) {
		header->flags |= PE_TRACE_STOPPED;
		return PE_CALLS_STOPPED;
	}
	munmap(old_base, old_reserved);
	return PE_CALLS_RUNNING;
}

static bool begun; /* this process, or one that it was forked from */

uint32_t pe_calls_begin(struct pe_calls_thread *thread)
{
	extern char **environ;
	uint32_t expected = PE_CALLS_ABSENT, phase;
	sigset_t all, before;

	/* Too early: there is one thread, and no hook runs yet. */
	if (environ == NULL)
		return PE_CALLS_ABSENT;
	/* A handler must not find the trace half made by the thread that it interrupted. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pe_calls_phase == &absent) {
		uint32_t *page = pe_record_wiped_page();

		/* Without one a child would write into its parent's trace. */
		if (page != NULL)
			pe_calls_phase = page;
		else
			absent = PE_CALLS_OFF;
	}
	if (__atomic_compare_exchange_n(pe_calls_phase, &expected, PE_CALLS_BEING_MADE, 0,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		/* The chunks of a new trace are made while it is not yet running. */
		phase = begun && header != NULL ? begin_forked(thread)
			: begun                 ? PE_CALLS_OFF
						: begin_first();
		begun = true;
		__atomic_store_n(pe_calls_phase, phase, __ATOMIC_RELEASE);
	}
	while ((phase = pe_calls_load_phase()) == PE_CALLS_BEING_MADE)
		sched_yield();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return phase;
}

void pe_calls_stop(void)
{
	__atomic_fetch_or(&header->flags, PE_TRACE_STOPPED, __ATOMIC_RELAXED);
	__atomic_store_n(pe_calls_phase, PE_CALLS_STOPPED, __ATOMIC_RELEASE);
}

void pe_calls_lose(enum pe_trace_flags flag)
{
	__atomic_fetch_or(&header->flags, (uint32_t)flag, __ATOMIC_RELAXED);
	__atomic_fetch_add(&header->lost, 1, __ATOMIC_RELAXED);
}

uint32_t pe_calls_chunk(enum pe_trace_chunk_kind kind, uint32_t pages)
{
	uint64_t bytes = (uint64_t)pages * PE_TRACE_PAGE;
	uint64_t offset = __atomic_fetch_add(&handed, bytes, __ATOMIC_RELAXED);
	uint64_t end = __atomic_load_n(&header->end, __ATOMIC_RELAXED);
	struct pe_trace_chunk *chunk;
	bool mapped;
	int fd;

	if (offset + bytes > reserved)
		return 0;
	fd = pe_touch_open(path, O_RDWR | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	mapped = map_part(fd, offset, bytes);
	close(fd);
	if (!mapped)
		return 0;
	chunk = (struct pe_trace_chunk *)(void *)(pe_calls_base + offset);
	chunk->kind = kind;
	chunk->pages = pages;
	__atomic_store_n(&chunk->magic, PE_TRACE_CHUNK_MAGIC, __ATOMIC_RELEASE);
	while (end < offset + bytes &&
	       !__atomic_compare_exchange_n(&header->end, &end, offset + bytes, 1, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return (uint32_t)(offset / PE_TRACE_SLOT);
}

/* Where a value of the whole process goes. */
static struct pe_trace_header *process(void)
{
	return header != NULL ? header : &early;
}

void pe_calls_peak(uint64_t bytes)
{
	uint64_t *at = &process()->peak_bytes;
	uint64_t peak = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (bytes > peak && !__atomic_compare_exchange_n(at, &peak, bytes, 1, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED))
		;
}

void pe_calls_bypassed(void)
{
	__atomic_fetch_or(&process()->flags, PE_TRACE_BYPASSED, __ATOMIC_RELAXED);
}

void pe_calls_unplaced(uint64_t allocations, uint64_t bytes, uint64_t frees)
{
	struct pe_trace_header *at = process();

	__atomic_fetch_add(&at->allocations, allocations, __ATOMIC_RELAXED);
	__atomic_fetch_add(&at->allocated_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&at->frees, frees, __ATOMIC_RELAXED);
}
