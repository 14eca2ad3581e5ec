/*
 * Memory for libgit2, which checks some of its allocations and not the rest: a small one that fails ends perfevo, as
 * perfevo's own do, which loses nothing. A large one is for an object of the repository; libgit2 then reports an error.
 */
#include "core/base/arena.h"
#include "vcs/internal.h"

#include <git2/sys/alloc.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_BYTES = 1 << 20 };

static void *had(void *memory, size_t bytes)
{
	if (memory == NULL && bytes <= SMALL_BYTES)
		pe_out_of_memory(bytes);
	return memory;
}

static void *resize(void *old, size_t bytes, const char *file, int line)
{
	(void)file;
	(void)line;
	return had(realloc(old, bytes > 0 ? bytes : 1), bytes);
}

static void *allocate(size_t bytes, const char *file, int line)
{
	return resize(NULL, bytes, file, line);
}

#ifdef PE_GIT_ALLOCATES_EACH
/* Later versions make these of the others. */

static bool fits(size_t n, size_t size)
{
	return size == 0 || n <= SIZE_MAX / size;
}

static void *allocate_zeroed(size_t n, size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	return had(calloc(n, size), fits(n, size) ? n * size : SIZE_MAX);
}

static void *resize_array(void *old, size_t n, size_t size, const char *file, int line)
{
	return fits(n, size) ? resize(old, n * size, file, line) : NULL;
}

static void *allocate_array(size_t n, size_t size, const char *file, int line)
{
	return resize_array(NULL, n, size, file, line);
}

static char *copy_part(const char *text, size_t n, const char *file, int line)
{
	char *copy = n < SIZE_MAX ? allocate(n + 1, file, line) : NULL;

	if (copy == NULL)
		return NULL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return copy;
}

static char *copy_text(const char *text, const char *file, int line)
{
	return copy_part(text, strlen(text), file, line);
}

static char *copy_at_most(const char *text, size_t n, const char *file, int line)
{
	return copy_part(text, strnlen(text, n), file, line);
}
#endif

static void set(void)
{
	static git_allocator own = {
		.gmalloc = allocate,
		.grealloc = resize,
		.gfree = free,
#ifdef PE_GIT_ALLOCATES_EACH
		.gcalloc = allocate_zeroed,
		.gstrdup = copy_text,
		.gstrndup = copy_at_most,
		.gsubstrdup = copy_part,
		.greallocarray = resize_array,
		.gmallocarray = allocate_array,
#endif
	};

	git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &own);
}

void pe_vcs_set_allocator(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set);
}
