/*
 * Cost: what wait4(2) does not tell of a process tree. User-space instructions come from perf_event_open(2), the bytes that
 * were read and written by system calls from /proc/PID/io (proc(5)); mapped memory does not count.
 *
 * The launcher opens a counter before it starts a command, which inherits it. The launcher itself is not counted: the
 * counter starts with the first new image (enable_on_exec) and follows every descendant (inherit). It is read when all
 * of them were reaped, because the kernel adds their counts to it then.
 */
#pragma once

#include "probe/formats/launch.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Whether the machine counts. Some virtual machines open counters that stay zero. */
bool pe_counter_works(void);

/** Open a counter for the next command; -1: none. The caller closes it. */
int pe_counter_open(void);

/**
 * The count of a finished tree.
 *
 * @return  false when there is none, or when the kernel shared the counter with others for part of the time
 *          and the value would be an estimate
 */
bool pe_counter_read(uint64_t *out, int fd);

/**
 * Add the bytes of a process that ended and was not reaped to a sum, with those of its threads and of the children that it
 * waited for. The sum becomes invalid where the kernel does not count, or may not show it.
 */
void pe_bytes_add(struct pe_proc_cost *cost, pid_t pid);
