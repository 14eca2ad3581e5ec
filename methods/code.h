/*
 * Code: the functions of ELF files, compared with addresses, relocation targets and build paths normalised, so
 * that moving a function does not change it. Debug line numbers are out of the comparison.
 */
#ifndef PE_METHODS_CODE_H
#define PE_METHODS_CODE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One function of a module. */
struct pe_code_function {
	const char *module;   /**< path of the ELF file, relative to the tree */
	const char *name;     /**< linkage name; local ones of equal name are told apart by file where known */
	const char *file;     /**< source file relative to the tree, from the debug information; NULL */
	uint32_t line;        /**< of its definition; 0: unknown */
	uint64_t bytes;
	struct pe_hash hash;  /**< of its normalised instructions and what they refer to */
};

/** A program and the shared libraries of the tree that it loads. */
struct pe_program {
	struct pe_code_function *functions; /**< by module and name */
	size_t n;
	const char *const *modules;         /**< relative paths of the ELF files that were read */
	size_t n_modules;
	/**
	 * Of all loaded sections of all modules, normalised: two programs of equal identity do the same. The
	 * tree's own path in them is masked.
	 */
	struct pe_hash identity;
	bool exact; /**< functions could be normalised by relocations or disassembly, not by raw bytes */
};

/**
 * Read a program.
 *
 * @param program  path of the executable
 * @param tree     the build tree: libraries are followed as long as they lie below it (DT_NEEDED through
 *                 RUNPATH, RPATH, and the folders of the tree that hold a library of that name)
 * @return         PE_EUNSUPPORTED: not an ELF file; PE_ENOTFOUND; PE_EINVALID: damaged
 */
int pe_code_read(struct pe_program *out, const char *program, const char *tree, struct pe_arena *arena,
		 struct pe_err *err);

enum pe_code_change_kind { PE_CODE_ADDED, PE_CODE_DELETED, PE_CODE_RECOMPILED };

struct pe_code_change {
	enum pe_code_change_kind kind;
	const struct pe_code_function *before, *after;
};

struct pe_code_changes {
	struct pe_code_change *at; /**< by module and name */
	size_t n;
	size_t unchanged;
};

/** Compare two programs function by function. Points into both. */
void pe_code_diff(struct pe_code_changes *out, const struct pe_program *before,
		  const struct pe_program *after, struct pe_arena *arena);

#endif
