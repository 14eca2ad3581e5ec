/*
 * Executed: the part of a program that a run executes. Two builds in which that part is the same do the same in that run,
 * whatever else of them differs.
 *
 * The functions that a run enters are recorded (core/exec/runner.h). What these read follows: variables and constants that
 * their code points at, and the targets of those. Always included is what is reached without a name: code and variables
 * without symbols, functions and variables of unusual sections, variables of threads, the loader's lists, and what the
 * start-up of a library reaches, which may run before recording begins. Placement in memory does not count.
 *
 * Assumed: an object is read through a pointer to it or to a neighbour in the same section of constants; a program that
 * walks past an object to its neighbour is undefined.
 *
 *   struct pe_code_parts   the modules of a program, opened
 *   struct pe_code_module  one of them: what can be watched
 *   struct pe_code_used    what a run used of one
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/xxh.h"

#include <stdbool.h>
#include <stdint.h>

/** A function whose first instruction is where its symbol says. */
struct pe_code_entry {
	const char *key; /**< the name that it keeps when it moves; no two of a module are alike */
	const char *
		name; /**< as in the symbol table; NULL: the symbol has no size, and few tools show it */
	uint64_t addr; /**< as the file is linked */
};

/** One module of a program. */
struct pe_code_module {
	const char *path;                    /**< of the ELF file */
	const char *relative;                /**< the same, from the tree */
	const struct pe_code_entry *entries; /**< by address */
	size_t n;
	bool known; /**< false: its parts cannot be separated (stripped, another machine's) */
	/**
	 * It asks the processor what it can do (cpuid, xgetbv), or the loader resolves functions of it (ifunc). Not known of
	 * what has the C library in itself, which does both.
	 */
	bool asks;
};

/** What a run used of a module. */
struct pe_code_used {
	const char *relative;
	bool whole;              /**< which part of it ran was not recorded */
	const char *const *keys; /**< of the functions that were entered, sorted */
	size_t n;
};

struct pe_code_parts;

/**
 * Open a program with the libraries of the tree that it loads or may load. In the arena; pe_code_parts_close() also after
 * a failure.
 *
 * @return  as pe_code_read()
 */
int pe_code_parts_open(struct pe_code_parts **out, const char *program, const char *tree,
		       struct pe_arena *arena, struct pe_err *err);

/** NULL is allowed. */
void pe_code_parts_close(struct pe_code_parts *parts);

/** Its modules, the program first. */
const struct pe_code_module *pe_code_parts_modules(const struct pe_code_parts *parts, size_t *n);

/**
 * Hash what a run that enters these functions would execute and read of the program. Modules that it did not use do not
 * count; one that is missing, or lacks a function, has another hash than any whole one.
 *
 * @return  PE_EUNSUPPORTED: the parts of a used module cannot be separated
 */
int pe_code_parts_hash(struct pe_xxh *out, struct pe_code_parts *parts,
		       const struct pe_code_used *used, size_t n, struct pe_err *err);
