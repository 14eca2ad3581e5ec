/*
 * File limit: a write beyond what RLIMIT_FSIZE allows ends a process (SIGXFSZ). What perfevo writes in a program that was
 * given such a limit is left out instead.
 */
#ifndef PE_RUNTIME_FILE_LIMIT_H
#define PE_RUNTIME_FILE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

/** May a file of this process be that many bytes long? Safe between vfork(2) and execve(2), and in a signal handler. */
static inline bool pe_file_may_reach(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
	       bytes <= limit.rlim_cur;
}

/** May that many bytes be appended to a file? As above. */
static inline bool pe_file_may_grow(int fd, uint64_t bytes)
{
	struct stat status;

	return pe_file_may_reach(fstat(fd, &status) == 0 ? (uint64_t)status.st_size + bytes
							 : bytes);
}

#endif
