/* Clock: the two clocks perfevo reads. */
#pragma once

#include <stdint.h>

/** Nanoseconds of the monotonic clock: for durations. */
uint64_t pe_clock_ns(void);

/**
 * Seconds since 1970: for dates. PERFEVO_NOW in the environment (a number of seconds) takes its place, so
 * that tests and reproducible reports can set the date.
 */
int64_t pe_clock_now_s(void);

/** Nanoseconds since 1970 by the clock that file systems stamp files with (CLOCK_REALTIME). */
int64_t pe_clock_file_ns(void);

/** The time that the kernel would stamp a file with now: up to a tick behind pe_clock_file_ns(). */
int64_t pe_clock_stamp_ns(void);

/** That clock ticks 100 to 1,000 times a second, where a file system does not count in seconds: no tick is longer. */
enum { PE_CLOCK_TICK_NS = 20 * 1000 * 1000 };

/** Digits of a boot's name, with its terminator. */
enum { PE_BOOT_ID = 37 };

/**
 * The name of this run of the kernel: what a program wrote and did not sync can be relied on as long as it lasts, and not
 * after a power cut. "-" where the system has none.
 */
void pe_clock_boot(char out[PE_BOOT_ID]);
