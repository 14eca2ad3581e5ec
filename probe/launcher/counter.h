/*
 * Counter: user-space instructions of a process tree, through perf_event_open(2).
 *
 * The command opens the counter on itself just before execve(2), since only it knows the time of that, and passes
 * the descriptor to the launcher. The counter starts with the new image (enable_on_exec) and follows every
 * descendant (inherit). It is read when all of them were reaped, because the kernel adds their counts to it then.
 */
#ifndef PE_LAUNCHER_COUNTER_H
#define PE_LAUNCHER_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/** Socket pair that passes counters; both -1 when the machine does not count. */
struct pe_counter {
	int give, take;
};

/** Check once whether the machine counts. */
void pe_counter_open(struct pe_counter *counter);

/** Close what pe_counter_open() opened. */
void pe_counter_close(struct pe_counter *counter);

/** Whether pe_counter_give() has a chance. */
bool pe_counter_works(const struct pe_counter *counter);

/** In the child, right before execve(2): count from there on. Does nothing without a counter. */
void pe_counter_give(const struct pe_counter *counter);

/** In the launcher, when the command was reaped: the child's counter, or -1. The caller closes it. */
int pe_counter_take(const struct pe_counter *counter);

/**
 * The count of a finished tree.
 *
 * @return  false when there is none, or when the kernel shared the counter with others for part of the time
 *          and the value would be an estimate
 */
bool pe_counter_read(uint64_t *out, int fd);

#endif
