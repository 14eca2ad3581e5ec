/*
 * File limit: a write beyond what RLIMIT_FSIZE allows ends a process (SIGXFSZ). What perfevo writes in a program that was
 * given such a limit is left out instead.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

/** Give a part of a file its blocks: a full disk is an error here, not a SIGBUS where it is mapped. */
static inline bool pe_file_has_blocks(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[4096];

	if (!pe_file_may_reach(from + bytes))
		return false;
	if (fallocate(fd, 0, (off_t)from, (off_t)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return false;
	for (uint64_t at = from; at < from + bytes; at += sizeof(zeros))
		if (pwrite(fd, zeros, sizeof(zeros), (off_t)at) != (ssize_t)sizeof(zeros))
			return false;
	return true;
}
