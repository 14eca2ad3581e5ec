/*
 * Executed: the part of a program that a run executes, told apart from the rest. Two builds in which that part is the
 * same do the same in that run, whatever else of them differs.
 *
 * Which functions a run enters is seen (core/exec/entries.h). What these read follows: variables and constants that their
 * code points at, and what those point at. In it always is what nobody calls by name: code and variables without symbols,
 * functions and variables of other sections than the usual ones, variables of threads, the loader's lists, and what the
 * start-up of a library reaches, for that may run before anybody looks. Where things lie in memory is no part of it.
 *
 * Taken for granted: what is read of an object is reached through a pointer to it or to one beside it in the same section
 * of constants; a program that walks past an object to its neighbour is undefined.
 *
 *   struct pe_code_parts   the modules of a program, opened
 *   struct pe_code_module  one of them: what can be watched
 *   struct pe_code_used    what a run used of one
 */
#ifndef PE_METHODS_CODE_EXECUTED_H
#define PE_METHODS_CODE_EXECUTED_H

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
		name; /**< as in the symbol table; NULL: the symbol has no size, and few tools know it */
	uint64_t addr; /**< as the file is linked */
};

/** One module of a program. */
struct pe_code_module {
	const char *path;                    /**< of the ELF file */
	const char *relative;                /**< the same, from the tree */
	const struct pe_code_entry *entries; /**< by address */
	size_t n;
	bool known; /**< false: its parts cannot be told apart (stripped, another machine's) */
	/**
	 * It asks the processor what it can do (cpuid, xgetbv), or the loader resolves functions of it (ifunc). Not known of
	 * what has the C library in itself, which does both.
	 */
	bool asks;
};

/** What a run used of a module. */
struct pe_code_used {
	const char *relative;
	bool whole;              /**< nobody saw what of it */
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

/** Welcomes NULL. */
void pe_code_parts_close(struct pe_code_parts *parts);

/** Its modules, the program first. */
const struct pe_code_module *pe_code_parts_modules(const struct pe_code_parts *parts, size_t *n);

/**
 * Hash what a run would execute and read of itself, if it entered these functions. Modules that it did not use have no part
 * in it; one that is not there, or has not all of the functions, has another hash than any that is whole.
 *
 * @return  PE_EUNSUPPORTED: the parts of a used module cannot be told apart
 */
int pe_code_parts_hash(struct pe_xxh *out, struct pe_code_parts *parts,
		       const struct pe_code_used *used, size_t n, struct pe_err *err);

#endif
