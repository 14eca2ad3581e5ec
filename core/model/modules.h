/*
 * Modules: the programs and shared libraries from outside of the measured tree that a run executed: an interpreter, the C
 * library. What a program counts depends on them, and no commit changes them.
 */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe_mapped {
	const char *path;
	const char *digest; /**< of its content, in words */
};

/** Ordered by path and digest, each once. */
struct pe_module_set {
	const struct pe_mapped *at;
	size_t n;
	int64_t since_s; /**< when the session began that saw them, seconds since 1970 */
};

enum {
	PE_MODULES_MOST = 1024, /**< of a run: more than any program maps */
};

/** Order them, and leave out what is there twice. */
void pe_modules_sort(struct pe_mapped *at, size_t *n);

/** As lines: digest, a blank and the path. In the arena. */
const char *pe_modules_pack(const struct pe_module_set *modules, struct pe_arena *arena);

/** The lines read back; since_s is 0. What is no such line is passed over. */
struct pe_module_set pe_modules_unpack(const char *lines, struct pe_arena *arena);

/**
 * Whether lines are a set as pe_modules_pack() writes it, of PE_MODULES_MOST at most: absolute paths in order, each line
 * once, without control characters.
 *
 * @param n  receives their number; NULL is allowed
 */
bool pe_modules_are_sound(const char *lines, size_t *n);

/**
 * Whether a module was replaced between two runs: a file of the same name has another content, or a file of another
 * version is in its place ("python3.11" and "python3.12", "libicu.so.72" and "libicu.so.74"). A module of one side that
 * the other lacks in any version is no conflict: the program may not have loaded it yet.
 */
bool pe_modules_replaced(const struct pe_module_set *old, const struct pe_module_set *new);
