/* Descriptor: files that are closed where their block is left. */
#pragma once

#include <errno.h>
#include <unistd.h>

/** A local descriptor that is closed where its block is left, whichever way; -1: none. */
#define pe_auto_fd __attribute__((cleanup(pe_descriptor_close))) int

/** What pe_auto_fd calls. errno stays what it is. */
static inline void pe_descriptor_close(const int *fd)
{
	const int error = errno;

	if (*fd >= 0)
		close(*fd);
	errno = error;
}
