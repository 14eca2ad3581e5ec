/*
 * Functions of a simulated run: reads one process' record in cachegrind's format (Valgrind's manual, "Cachegrind File
 * Format") and adds it to those of the others.
 *
 *	events: Ir
 *	fl=/src/main.c
 *	fn=main
 *	3 12                line 3 executed 12 instructions
 *	summary: 12
 *
 * The process under measurement can write into its record: nothing of it is believed, and what it takes is bounded.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/hash_index.h"
#include "core/model/functions.h"

#include <stdbool.h>

enum {
	PE_SIMULATE_FUNCTIONS = 200000,        /**< of all processes */
	PE_SIMULATE_LINE_BYTES = 64 * 1024,    /**< longest line */
	PE_SIMULATE_RECORDS_BYTES = 1 << 30,   /**< of all processes */
	PE_SIMULATE_NAME_BYTES = 64 * 1048576, /**< of all names */
};

/** Functions of several processes. Zero-initialise; released by pe_simulated_functions_release(). */
struct pe_simulated_functions {
	PE_VEC(struct pe_function_count) at; /**< component: the path in the debug information */
	struct pe_hash_index index;          /**< over at */
	struct pe_arena names;
	size_t name_bytes;
	size_t bytes; /**< that were read */
	bool lost; /**< some record does not hold together, or it is too much: what is here is not all */
};

/**
 * Add the record of a process. Where it is not whole, its functions do not add up to the total, or all of it is too much,
 * they are lost.
 *
 * @param fd     at its beginning
 * @param total  the instructions of the process
 */
void pe_simulated_functions_read(struct pe_simulated_functions *functions, int fd, uint64_t total);

/** The functions of all processes, copied into the arena; none where some are lost. */
struct pe_function_counts
pe_simulated_functions_take(const struct pe_simulated_functions *functions, struct pe_arena *arena);

void pe_simulated_functions_release(struct pe_simulated_functions *functions);
