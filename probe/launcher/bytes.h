/*
 * Bytes: the bytes that a process read and wrote by system calls, as the kernel counts them in /proc/PID/io (proc(5)),
 * with those of its threads and of the children that it waited for. Mapped memory does not count.
 */
#ifndef PE_LAUNCHER_BYTES_H
#define PE_LAUNCHER_BYTES_H

#include "probe/formats/launch.h"

#include <sys/types.h>

/**
 * Add the bytes of a process that ended and was not reaped to a sum. The sum becomes invalid where the kernel does not
 * count, or may not show it.
 */
void pe_bytes_add(struct pe_proc_cost *cost, pid_t pid);

#endif
