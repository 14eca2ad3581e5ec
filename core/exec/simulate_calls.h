/*
 * System calls of a simulated run: reads what valgrind writes down with --trace-syscalls=yes, a process' log after the other.
 *
 *	SYSCALL[8403,1](12) sys_brk ( 0x0 ) --> [pre-success] Success(0x4035000)
 *	SYSCALL[8403,1](0) sys_read ( 4, 0x1ffeffedc8, 832 ) --> [async] ...
 *	SYSCALL[8403,1](0) ... [async] --> Success(0x340)            goes on with it, and is no call
 *	==8403== Process terminating with default action of signal 11
 *
 * A log begins with its process, and anew where that becomes another program. Paths are written there as they are, so the
 * process under measurement can have any line in it: nothing of it is believed, and what it takes is bounded.
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/system_calls.h"

#include <stdbool.h>

enum {
	PE_SIMULATE_CALLS = 640, /**< numbers that are distinguished: those of Linux, and more */
	PE_SIMULATE_LOGS_BYTES = 1 << 29, /**< of all processes */
};

/** Calls of several processes. Zero-initialise. */
struct pe_simulated_calls {
	uint64_t count[PE_SIMULATE_CALLS];
	char name[PE_SIMULATE_CALLS][PE_SYSTEM_CALL_NAME];
	uint64_t others; /**< of numbers that are none of Linux */
	size_t bytes;    /**< that were read */
	bool lost;       /**< a log cannot be read, or it is too much: what is here is not all */
};

/**
 * Add the log of a process.
 *
 * @param fd     at its beginning
 * @param arena  owns what is returned
 * @return       the first line of the log that is neither a call nor a remark about caches, without valgrind's mark of its
 *               process, 200 bytes of it; NULL: there is none
 */
const char *pe_simulated_calls_read(struct pe_simulated_calls *calls, int fd,
				    struct pe_arena *arena);

/** The calls of all processes, in the arena; none where some are lost. */
struct pe_system_calls pe_simulated_calls_take(const struct pe_simulated_calls *calls,
					       struct pe_arena *arena);
