/*
 * Code: the functions of ELF files, compared with addresses, relocation targets and build paths normalised, so
 * that moving a function does not change it. Debug line numbers are out of the comparison.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/xxh.h"
#include "core/model/benchmark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A named object that functions refer to: a table, a variable. */
struct pe_code_datum {
	const char *name; /**< as in the symbol table, without the number of a static local */
	/** Of what it holds when the program starts; pointers by what they point at. */
	struct pe_xxh hash;
	bool constant;
	bool own; /**< of one function: declared in it, or named by no other one of its module */
};

/** One function of a module. */
struct pe_code_function {
	const char *module; /**< path of the ELF file, relative to the tree */
	/** Linkage name; local ones of equal name are distinguished by file where it is known. */
	const char *name;
	/**
	 * Source file relative to the tree, from the debug information; NULL. Of an object that a compiler cache
	 * took from a neighbouring tree (PARENT/x/NAME beside PARENT/y/NAME), relative to that.
	 */
	const char *file;
	const char *unit; /**< of local functions: file name of the translation unit; NULL */
	uint32_t line;    /**< of its definition; 0: unknown */
	uint64_t bytes;
	/** Of its normalised instructions and what they refer to, named objects by name. */
	struct pe_xxh hash;
	struct pe_xxh instructions; /**< of the instructions alone */
	/**
	 * Like hash, with small numbers that are loaded into a register counted from the function's own
	 * line: what __LINE__ in an assertion leaves behind does not move it. Equal to hash without a line.
	 */
	struct pe_xxh unlined;
	/** Linkage names of what was inlined into it, sorted, from the debug information. */
	const char *const *inlined;
	size_t n_inlined;
	/** Named objects that it refers to, in the order of its code, and those declared in it that these point at. */
	const struct pe_code_datum *const *data;
	size_t n_data;
};

/** Programs and the shared libraries of the tree that they load. */
struct pe_program {
	struct pe_code_function *functions; /**< by module and name */
	size_t n;
	const char *const *modules; /**< relative paths of the ELF files that were read */
	size_t n_modules;
	const char *const *libraries; /**< names of the libraries outside the tree, sorted */
	size_t n_libraries;
	/**
	 * Hash of all loaded sections of all modules, normalised: two programs of equal identity do the same. The
	 * tree's own path in them is masked. Order and place of functions and constants do not count; the place of
	 * variables within their cache line does. The toolchain's start-up files and the libraries outside the tree
	 * count by name only: they are part of the machine.
	 */
	struct pe_xxh identity;
	/** functions could be normalised by relocations or disassembly, not by raw bytes */
	bool exact;
	bool lined; /**< each module has functions, and each of these a source file in the debug information */
};

/**
 * Read programs: of the x86-64 kind by disassembly, of other machines by raw bytes (exact is false). Reads a
 * few megabytes of code in a fraction of a second. A program that can load libraries while it runs (dlopen)
 * is read together with all shared libraries of the tree. A script that libtool left in the place of a program
 * is that program.
 *
 * @param read     by program: it was read; others are absent, or no ELF files
 * @param programs  paths of the executables
 * @param tree     the build tree: libraries are followed while they are below it (DT_NEEDED, by all of
 *                 the tree that have the name)
 * @return         PE_EINVALID: damaged; where none was read, PE_EUNSUPPORTED: not an ELF file; PE_ENOTFOUND, PE_ESYS
 */
int pe_code_read(struct pe_program *out, bool *read, const struct pe_strings *programs,
		 const char *tree, struct pe_arena *arena, struct pe_err *err);

enum pe_code_change_kind { PE_CODE_ADDED, PE_CODE_DELETED, PE_CODE_RECOMPILED };

/** What differs in a recompiled function. */
enum pe_code_reason {
	PE_CODE_INSTRUCTIONS, /**< its instructions */
	PE_CODE_REFERENCES, /**< only what they refer to: a string, a constant, another function */
	PE_CODE_DATA,       /**< only what a named object holds that they refer to */
	/** only numbers that equal lines of its source: __LINE__, as in assertions */
	PE_CODE_LINES,
};

struct pe_code_change {
	enum pe_code_change_kind kind;
	enum pe_code_reason reason; /**< of recompiled ones */
	const char *datum;          /**< of PE_CODE_DATA: the first object's name; else NULL */
	const struct pe_code_function *before, *after;
};

struct pe_code_changes {
	struct pe_code_change *at; /**< by module and name */
	size_t n;
	size_t unchanged;
};

/**
 * Compare two programs function by function. Functions are the same by module and name; local ones that share
 * a name, by file, then by equal code, then in order. Points into both.
 */
void pe_code_diff(struct pe_code_changes *out, const struct pe_program *before,
		  const struct pe_program *after, struct pe_arena *arena);

/** Whether two functions do the same on the same data. */
bool pe_code_same(const struct pe_code_function *before, const struct pe_code_function *after);
