/* Alloc: how new.c counts what reaches the allocator without passing malloc(3). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Added to the running method in libperfevo_calls.so; libperfevo_rt.so does without that cost. */
#ifdef PE_COUNT_CALLS
#include "probe/runtime/calls.h"
#else
#define pe_calls_allocated(bytes) ((void)(bytes))
#define pe_calls_freed()          ((void)0)
#define pe_calls_peak(bytes)      ((void)(bytes))
#define pe_calls_bypassed()       ((void)0)
#define pe_calls_unloaded()       ((void)0)
#endif

/** Calls of the malloc family by this thread so far, those from within another one left out. */
uint64_t pe_alloc_calls(void);

/** Whether this thread is in a counted call, or counting: allocations in there are the allocator's own. */
bool pe_alloc_inside(void);

/** Until it is called with what it returned, nothing that this thread allocates is counted. */
bool pe_alloc_pause(bool paused);

/** Whether a function is in the same library as the malloc(3) that calls are passed on to. */
bool pe_alloc_provides(const void *function);

/** Count a block of that allocator. */
void pe_alloc_count(void *block, size_t asked);

/** Its usable size, for pe_alloc_count_free() when it is gone. */
int64_t pe_alloc_usable(void *block);

/** Count a freed block of `bytes`. */
void pe_alloc_count_free(int64_t bytes);
