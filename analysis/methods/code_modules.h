/* Modules: which ELF files a program consists of. */
#pragma once

#include "core/base/vec.h"
#include "analysis/methods/code_image.h"

struct pe_modules {
	PE_VEC(struct pe_image *) list; /**< open images in the arena; by program, itself first */
	PE_VEC(const char *) libraries; /**< names of needed ones outside the tree */
	PE_VEC(const char *) seen;      /**< resolved paths */
	PE_VEC(const char *) shelf;     /**< all shared libraries of the tree, by path */
	bool shelved;
	const char *tree;  /**< resolved */
	const char *given; /**< the same as it was named; NULL: relative, or no other */
};

/** Begin with no module; pe_modules_close() also after a failure. */
int pe_modules_open(struct pe_modules *out, const char *tree, struct pe_arena *arena,
		    struct pe_err *err);
/** Open a program and all it loads from the tree, unless they are open. */
int pe_modules_add(struct pe_modules *modules, const char *program, struct pe_arena *arena,
		   struct pe_err *err);
/** Close all modules and free the lists. */
void pe_modules_close(struct pe_modules *modules);

/** Modules that are closed where their block is left, whichever way; pe_modules_open() comes first. */
#define pe_auto_modules __attribute__((cleanup(pe_modules_close))) struct pe_modules
