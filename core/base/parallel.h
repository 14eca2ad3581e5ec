/*
 * Parallel: independent computations on all processors. Threads begin and end within the call, so that none exists while
 * the process forks, handles a signal or measures.
 */
#pragma once

#include <stddef.h>

/**
 * Call a function for each number below n, on as many threads as this process may use processors, the caller's among
 * them, and return when all calls have. Where no thread can be had, the caller does all of it.
 *
 * @param work  is called in any order, and at the same time for several numbers: it writes to what is its number's
 *              alone, and calls nothing that keeps a state of the process (memory is all right; of the store a handle of its own)
 */
void pe_parallel(size_t n, void (*work)(void *payload, size_t number), void *payload);
