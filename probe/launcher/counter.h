/*
 * Counter: user-space instructions of a process tree, through perf_event_open(2).
 *
 * The launcher opens a counter before it starts a command, which inherits it. The launcher itself is not counted: the
 * counter starts with the first new image (enable_on_exec) and follows every descendant (inherit). It is read when all
 * of them were reaped, because the kernel adds their counts to it then.
 */
#ifndef PE_LAUNCHER_COUNTER_H
#define PE_LAUNCHER_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
