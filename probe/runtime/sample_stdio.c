/* Waits of streams: the C library reads, writes and opens their files within itself, unseen. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
/* Headers define getline(3) inline otherwise. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif
#include "probe/runtime/sample.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

/* The names may be macros. */
#undef getc
#undef fgetc

#define STREAM(type, name, parameters, arguments)                                                  \
	PE_PUBLIC type name parameters;                                                            \
	type name parameters                                                                       \
	{                                                                                          \
		const struct pe_sample_wait wait = pe_sample_wait_begin();                         \
		const int fd = wait.sampler != NULL ? fileno(stream) : -1;                         \
		const type result = PE_NEXT(name) arguments;                                       \
		pe_sample_wait_end(&wait, PE_SAMPLES_FILE, (uint32_t)fd,                           \
				   __builtin_return_address(0));                                   \
		return result;                                                                     \
	}

STREAM(size_t, fread, (void *restrict at, size_t size, size_t n, FILE *restrict stream),
       (at, size, n, stream))
STREAM(size_t, fwrite, (const void *restrict at, size_t size, size_t n, FILE *restrict stream),
       (at, size, n, stream))
typedef char *line;
STREAM(line, fgets, (char *restrict at, int n, FILE *restrict stream), (at, n, stream))
STREAM(line, __fgets_chk, (char *restrict at, size_t room, int n, FILE *restrict stream),
       (at, room, n, stream))
STREAM(size_t, __fread_chk,
       (void *restrict at, size_t room, size_t size, size_t n, FILE *restrict stream),
       (at, room, size, n, stream))
STREAM(ssize_t, getline, (char **restrict at, size_t *restrict n, FILE *restrict stream),
       (at, n, stream))
STREAM(ssize_t, getdelim, (char **restrict at, size_t *restrict n, int end, FILE *restrict stream),
       (at, n, end, stream))
STREAM(int, fputs, (const char *restrict text, FILE *restrict stream), (text, stream))
STREAM(int, fclose, (FILE * stream), (stream))

PE_PUBLIC int fflush(FILE *stream)
{
	const struct pe_sample_wait wait = pe_sample_wait_begin();
	const int fd = wait.sampler != NULL && stream != NULL ? fileno(stream) : -1;
	const int result = PE_NEXT(fflush)(stream);

	pe_sample_wait_end(&wait, PE_SAMPLES_FILE, (uint32_t)fd, __builtin_return_address(0));
	return result;
}

#define OPENS(type, name, parameters, arguments)                                                   \
	WAITS(type, name, parameters, arguments, PE_SAMPLES_OPEN, 0)

typedef FILE *opened;
OPENS(opened, fopen, (const char *restrict path, const char *restrict mode), (path, mode))
OPENS(opened, fopen64, (const char *restrict path, const char *restrict mode), (path, mode))

/* The mode is there where a file may be made. */
#define OPENS_MODE(name, parameters, last, arguments)                                              \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		struct pe_sample_wait wait;                                                        \
		mode_t mode = 0;                                                                   \
		int result;                                                                        \
                                                                                                   \
		if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {                                      \
			va_list rest;                                                              \
                                                                                                   \
			va_start(rest, last);                                                      \
			mode = va_arg(rest, mode_t);                                               \
			va_end(rest);                                                              \
		}                                                                                  \
		wait = pe_sample_wait_begin();                                                     \
		result = PE_NEXT(name) arguments;                                                  \
		pe_sample_wait_end(&wait, PE_SAMPLES_OPEN, 0, __builtin_return_address(0));        \
		return result;                                                                     \
	}

OPENS_MODE(open, (const char *path, int flags, ...), flags, (path, flags, mode))
OPENS_MODE(open64, (const char *path, int flags, ...), flags, (path, flags, mode))
OPENS_MODE(openat, (int dir, const char *path, int flags, ...), flags, (dir, path, flags, mode))
OPENS_MODE(openat64, (int dir, const char *path, int flags, ...), flags, (dir, path, flags, mode))
