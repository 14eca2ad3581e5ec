/*
 * Bytes: what a process read and wrote by system calls, as the kernel has counted it in /proc/PID/io (proc(5)): also
 * for its threads, and for its children that it waited for. What is mapped into memory is no part of it.
 */
#ifndef PE_LAUNCHER_BYTES_H
#define PE_LAUNCHER_BYTES_H

#include "probe/formats/launch.h"

#include <sys/types.h>

/**
 * Add those of a process that ended and was not reaped to a sum, which is no longer valid where the kernel does not count, or may
 * not tell us.
 */
void pe_bytes_add(struct pe_proc_cost *cost, pid_t pid);

#endif
