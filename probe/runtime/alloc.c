/*
 * The malloc family, counted. Each function passes on to the next definition in the program's search order
 * (libc, or an allocator that the program loads), so the program keeps the allocator it chose.
 *
 * dlsym(3) may allocate while it looks those up: such calls are served from a small buffer, and never
 * counted. A call from within another one (an allocator whose calloc uses malloc) is one allocation: the
 * inner call is passed on without being counted.
 *
 * An allocator that is linked into the program itself comes first in the search order, and nothing is counted.
 * The probe at start-up detects that, and the record is marked with PE_ALLOC_BYPASSED.
 */
#include "probe/runtime/alloc.h"

#include "probe/runtime/record.h"
#include "probe/runtime/touch.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

/* What is defined here, declared here: libc's headers differ in attributes, and lack some without extensions. */
PE_PUBLIC void *malloc(size_t size);
PE_PUBLIC void *calloc(size_t n, size_t size);
PE_PUBLIC void *realloc(void *block, size_t size);
PE_PUBLIC void *reallocarray(void *block, size_t n, size_t size);
PE_PUBLIC void free(void *block);
PE_PUBLIC int posix_memalign(void **out, size_t alignment, size_t size);
PE_PUBLIC void *aligned_alloc(size_t alignment, size_t size);
PE_PUBLIC void *memalign(size_t alignment, size_t size);
PE_PUBLIC void *valloc(size_t size);
PE_PUBLIC void *pvalloc(size_t size);

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	size_t (*usable_size)(void *);
} next;

static const struct {
	const char *name;
	void *slot;
} wanted[] = {
	{"malloc", &next.malloc},
	{"calloc", &next.calloc},
	{"realloc", &next.realloc},
	{"free", &next.free},
	{"posix_memalign", &next.posix_memalign},
	{"aligned_alloc", &next.aligned_alloc},
	{"memalign", &next.memalign},
	{"malloc_usable_size", &next.usable_size},
};

enum { UNRESOLVED, RESOLVING, RESOLVED };

static int phase;
static _Thread_local bool inside;     /* this thread is in a counted call already */
static _Thread_local bool inner_call; /* and a call came from within it */
static _Thread_local uint64_t calls;  /* outermost ones, of this thread */
/*
 * This thread is in dlsym(3), which calls calloc(3) before glibc 2.34. Volatile: the compiler assumes from dlsym's header
 * that it calls nothing of ours, and would leave out the reads there.
 */
static _Thread_local volatile bool resolving;

static _Alignas(max_align_t) char boot[8192];
static size_t boot_used;

static bool is_boot(const void *block)
{
	const char *at = block;

	return at >= boot && at < boot + sizeof(boot);
}

/* Each block has its size before it, for realloc(3). Zeroed, as the buffer is. */
static void *boot_alloc(size_t size)
{
	const size_t align = _Alignof(max_align_t);
	size_t bytes = align + (size + align - 1) / align * align;
	char *block;

	if (size > sizeof(boot) || bytes > sizeof(boot) - boot_used) {
		errno = ENOMEM;
		return NULL;
	}
	block = boot + boot_used + align;
	memcpy(block - sizeof(size), &size, sizeof(size));
	boot_used += bytes;
	return block;
}

static void look_up(void)
{
	resolving = true;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *symbol = dlsym(RTLD_NEXT, wanted[i].name);

		memcpy(wanted[i].slot, &symbol, sizeof(symbol));
	}
	resolving = false;
}

/* Whether the next definitions were found; false only within the look-up itself. */
static bool resolve(void)
{
	int expected = UNRESOLVED;

	if (__builtin_expect(__atomic_load_n(&phase, __ATOMIC_ACQUIRE) == RESOLVED, 1))
		return true;
	if (resolving)
		return false;
	if (__atomic_compare_exchange_n(&phase, &expected, RESOLVING, 0, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		int error = errno;

		look_up();
		errno = error;
		__atomic_store_n(&phase, RESOLVED, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) != RESOLVED)
		sched_yield();
	return true;
}

/* Whether this call is the outermost one, and is to be counted. */
static bool enter(void)
{
	inner_call = inside;
	calls += !inside;
	inside = true;
	return !inner_call;
}

static void leave(void)
{
	inside = false;
}

static size_t usable(void *block)
{
	return next.usable_size != NULL ? next.usable_size(block) : 0;
}

/* No other thread counts: nothing has to be locked, which would cost as much as the allocation. */
static bool alone(void)
{
#if __has_include(<sys/single_threaded.h>)
	return __libc_single_threaded != 0;
#else
	return false;
#endif
}

static uint64_t add(uint64_t *counter, uint64_t n)
{
	return alone() ? (*counter += n) : __atomic_add_fetch(counter, n, __ATOMIC_RELAXED);
}

/* The sum of all changes is exact; so is the peak, as the greatest value that the sum went through. */
static void change_live(struct pe_alloc_record *record, int64_t bytes)
{
	int64_t live = (int64_t)add((uint64_t *)&pe_record_live, (uint64_t)bytes);
	uint64_t peak = __atomic_load_n(&record->peak_bytes, __ATOMIC_RELAXED);

	add(&record->live_bytes, (uint64_t)bytes);
	/* What goes reaches no peak. */
	if (bytes <= 0 || live <= 0)
		return;
	while ((uint64_t)live > peak &&
	       !__atomic_compare_exchange_n(&record->peak_bytes, &peak, (uint64_t)live, 1,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	pe_calls_peak((uint64_t)live);
}

static void count_block(size_t asked, int64_t live)
{
	struct pe_alloc_record *record = pe_record();

	add(&record->allocations, 1);
	add(&record->allocated_bytes, asked);
	pe_calls_allocated(asked);
	change_live(record, live);
}

static void count_one_free(struct pe_alloc_record *record)
{
	add(&record->frees, 1);
	pe_calls_freed();
}

static void count_free(void *block)
{
	struct pe_alloc_record *record = pe_record();

	count_one_free(record);
	change_live(record, -(int64_t)usable(block));
}

uint64_t pe_alloc_calls(void)
{
	return calls;
}

bool pe_alloc_inside(void)
{
	return inside;
}

bool pe_alloc_pause(bool paused)
{
	bool before = inside;

	inside = paused;
	return before;
}

/* Allocations of dlsym(3) itself are not counted. */
void *pe_next_symbol(const char *name)
{
	bool before = pe_alloc_pause(true);
	void *symbol = dlsym(RTLD_NEXT, name);

	pe_alloc_pause(before);
	return symbol;
}

bool pe_alloc_provides(const void *function)
{
	void *allocate = NULL;
	Dl_info ours, theirs;

	if (!resolve())
		return false;
	memcpy(&allocate, &next.malloc, sizeof(allocate));
	return dladdr(allocate, &ours) != 0 && dladdr(function, &theirs) != 0 &&
	       ours.dli_fbase == theirs.dli_fbase;
}

void pe_alloc_count(void *block, size_t asked)
{
	inside = true;
	count_block(asked, (int64_t)usable(block));
	inside = false;
}

int64_t pe_alloc_usable(void *block)
{
	int64_t bytes;

	inside = true;
	bytes = (int64_t)usable(block);
	inside = false;
	return bytes;
}

void pe_alloc_count_free(int64_t bytes)
{
	struct pe_alloc_record *record = pe_record();

	count_one_free(record);
	change_live(record, -bytes);
}

/* Finish a counted call that returned a new block, or none. */
static void *counted(void *block, size_t asked)
{
	if (block != NULL)
		count_block(asked, (int64_t)usable(block));
	leave();
	return block;
}

void *malloc(size_t size)
{
	if (!resolve())
		return boot_alloc(size);
	if (!enter())
		return next.malloc(size);
	return counted(next.malloc(size), size);
}

void *calloc(size_t n, size_t size)
{
	if (!resolve())
		return size != 0 && n > SIZE_MAX / size ? NULL : boot_alloc(n * size);
	if (!enter())
		return next.calloc(n, size);
	return counted(next.calloc(n, size), n * size);
}

static void *realloc_boot(const void *block, size_t size)
{
	size_t old;
	void *copy = malloc(size);

	memcpy(&old, (const char *)block - sizeof(old), sizeof(old));
	return copy != NULL ? memcpy(copy, block, old < size ? old : size) : NULL;
}

static void *realloc_counted(void *block, size_t size)
{
	int64_t before = block != NULL ? (int64_t)usable(block) : 0;
	void *moved = next.realloc(block, size);

	if (moved != NULL) {
		count_block(size, (int64_t)usable(moved) - before);
		if (block != NULL)
			count_one_free(pe_record());
	} else if (block != NULL && size == 0) {
		/* glibc frees the block. */
		count_one_free(pe_record());
		change_live(pe_record(), -before);
	}
	leave();
	return moved;
}

void *realloc(void *block, size_t size)
{
	if (is_boot(block))
		return realloc_boot(block, size);
	if (!resolve())
		return boot_alloc(size);
	if (!enter())
		return next.realloc(block, size);
	return realloc_counted(block, size);
}

void *reallocarray(void *block, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, n * size);
}

void free(void *block)
{
	if (block == NULL || is_boot(block) || !resolve())
		return;
	if (!enter()) {
		next.free(block);
		return;
	}
	count_free(block);
	next.free(block);
	leave();
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	int error;

	if (!resolve() || next.posix_memalign == NULL)
		return ENOMEM;
	if (!enter())
		return next.posix_memalign(out, alignment, size);
	error = next.posix_memalign(out, alignment, size);
	counted(error == 0 ? *out : NULL, size);
	return error;
}

/* The rest differ only in where they go on to; one that the next allocator lacks has no memory to give. */
static void *aligned(void *(*allocate)(size_t, size_t), size_t alignment, size_t size, size_t asked)
{
	if (allocate == NULL) {
		errno = ENOMEM;
		return NULL;
	}
	if (!enter())
		return allocate(alignment, size);
	return counted(allocate(alignment, size), asked);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return aligned(resolve() ? next.aligned_alloc : NULL, alignment, size, size);
}

void *memalign(size_t alignment, size_t size)
{
	return aligned(resolve() ? next.memalign : NULL, alignment, size, size);
}

void *valloc(size_t size)
{
	return aligned(resolve() ? next.memalign : NULL, (size_t)sysconf(_SC_PAGESIZE), size, size);
}

void *pvalloc(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return aligned(resolve() ? next.memalign : NULL, page, (size + page - 1) / page * page,
		       size);
}

/*
 * Does the program's malloc lead here? Asked the way the program asks, through the search order, and by
 * calling it, because addresses of functions may differ from what runs.
 */
__attribute__((constructor)) static void probe(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "malloc");
	void *release = dlsym(RTLD_DEFAULT, "free");
	void *(*program_malloc)(size_t);
	void (*program_free)(void *);
	int error = errno;

	if (symbol == NULL || release == NULL)
		return;
	memcpy(&program_malloc, &symbol, sizeof(symbol));
	memcpy(&program_free, &release, sizeof(release));
	/* As an inner call, which is passed on without being counted. */
	inside = true;
	inner_call = false;
	program_free(program_malloc(1));
	inside = false;
	if (!inner_call) {
		pe_record()->flags |= PE_ALLOC_BYPASSED;
		pe_calls_bypassed();
	}
	errno = error;
}
