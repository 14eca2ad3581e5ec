/*
 * Hooks: whether a program or library was built for counting. The compilers' flags may not have reached it (a
 * build that sets its own environment, another compiler), and then its functions would seem never to be
 * called: an ELF file tells before anybody believes that.
 */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a file has of __cyg_profile_func_enter, which a counted function calls first. */
struct pe_hooks {
	bool is_elf; /**< all else is false and zero otherwise */
	/** The hook is imported from the dynamic loader, so a preloaded library gets its calls. */
	bool imported;
	/** The hook is defined inside (a static program, or another tool's): no preloaded library gets its calls. */
	bool own;
	bool is_static;   /**< an executable without dynamic symbols */
	size_t functions; /**< with machine code in its symbol table; 0: stripped */
};

/**
 * Look for hooks in a file. One that is no ELF file is no failure.
 *
 * @return  PE_ENOTFOUND, PE_ESYS, PE_EINVALID: a broken ELF file
 */
int pe_hooks_look(struct pe_hooks *out, const char *path, struct pe_err *err);
