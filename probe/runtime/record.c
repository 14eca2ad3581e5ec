/*
 * A process must not count in its parent's record, and fork(2) need not pass through us: there are
 * clone(2) and bare system calls. So the flag "the record is ready" is in a page that the kernel wipes in
 * every child with a memory of its own (MADV_WIPEONFORK); a child of vfork(2) shares the page, and with it
 * the record of the memory that it works in.
 *
 *   struct state   the contents of that page
 */
#include "probe/runtime/record.h"

#include "probe/runtime/file_limit.h"

#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ABSENT, BEING_MADE, READY }; /* a wiped page reads as ABSENT */

struct state {
	int phase;
	struct pe_alloc_record *record;
};

int64_t pe_record_live;

static struct state *state; /* in the wiped page */
static struct state plain_state;
static struct pe_alloc_record unmapped; /* counts while, or because, there is no file */
static struct pe_alloc_record *mapped;  /* the one in use, or in a new child its parent's */
static bool begun;               /* this process, or one that it was forked from, had a record */
static char directory[PATH_MAX]; /* kept: the program may clear its environment */

void *pe_record_wiped_page(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || madvise(at, page, MADV_WIPEONFORK) == 0)
		return at != MAP_FAILED ? at : NULL;
	munmap(at, page);
	return NULL;
}

void pe_record_find_directory(char out[PATH_MAX], const char *variable)
{
	const char *given = getenv(variable);

	if (given != NULL && *given == '/' && strlen(given) < PATH_MAX)
		memcpy(out, given, strlen(given) + 1);
}

/* Fill in what is fixed before anything is counted. */
static void describe(struct pe_alloc_record *record)
{
	ssize_t n =
		pe_touch_readlink("/proc/self/exe", record->program, sizeof(record->program) - 1);

	memcpy(record->magic, PE_ALLOC_MAGIC, sizeof(record->magic));
	record->version = PE_ALLOC_VERSION;
	record->size = sizeof(*record);
	record->pid = (uint32_t)getpid();
	record->parent = (uint32_t)getppid();
	record->started_ns = pe_touch_now();
	record->program[n > 0 ? n : 0] = '\0';
}

/*
 * Create the file and map it. It is written before it is mapped, so that a full disk is an error here and
 * not a SIGBUS in the program later.
 */
static struct pe_alloc_record *map_file(const struct pe_alloc_record *content)
{
	char path[PATH_MAX + 64];
	void *at = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s/%u-%llu" PE_ALLOC_SUFFIX, directory,
		 (unsigned)content->pid, (unsigned long long)content->started_ns);
	fd = pe_touch_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	if (pe_file_may_reach(sizeof(*content)) &&
	    write(fd, content, sizeof(*content)) == (ssize_t)sizeof(*content))
		at = mmap(NULL, sizeof(*content), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		return at;
	unlink(path);
	return NULL;
}

/* The first image of a process brings what was counted before it could have a file. */
static struct pe_alloc_record *make_record(void)
{
	struct pe_alloc_record fresh = unmapped;

	if (directory[0] == '\0')
		return &unmapped;
	if (begun) {
		uint32_t flags = mapped != NULL ? mapped->flags : unmapped.flags;

		fresh = (struct pe_alloc_record){.flags = flags | PE_ALLOC_FORKED};
		fresh.live_bytes = fresh.peak_bytes = (uint64_t)pe_record_live;
		if (mapped != NULL)
			munmap(mapped, sizeof(*mapped));
	}
	begun = true;
	describe(&fresh);
	mapped = map_file(&fresh);
	if (mapped != NULL)
		return mapped;
	unmapped = fresh;
	return &unmapped;
}

static struct pe_alloc_record *attach(void)
{
	extern char **environ;
	int expected = ABSENT;
	int error = errno;

	/* Without such a page children count in their parent's record. */
	if (state == NULL)
		state = pe_record_wiped_page();
	if (state == NULL)
		state = &plain_state;
	/* The dynamic loader allocates before libc has set up the environment; there is one thread until then. */
	if (environ == NULL)
		return &unmapped;
	if (!__atomic_compare_exchange_n(&state->phase, &expected, BEING_MADE, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_ACQUIRE)) {
		while (__atomic_load_n(&state->phase, __ATOMIC_ACQUIRE) != READY)
			sched_yield();
		errno = error;
		return state->record;
	}
	if (directory[0] == '\0')
		pe_record_find_directory(directory, PE_ALLOC_DIR_ENV);
	state->record = make_record();
	__atomic_store_n(&state->phase, READY, __ATOMIC_RELEASE);
	errno = error;
	return state->record;
}

struct pe_alloc_record *pe_record(void)
{
	struct state *now = state;

	if (__builtin_expect(now != NULL && __atomic_load_n(&now->phase, __ATOMIC_ACQUIRE) == READY,
			     1))
		return now->record;
	return attach();
}

const char *pe_record_directory(void)
{
	return directory;
}

/* Make the record at start-up, so that a program that never allocates leaves one, too. */
__attribute__((constructor)) static void present(void)
{
	pe_record();
}
