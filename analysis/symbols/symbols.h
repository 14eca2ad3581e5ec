/*
 * Symbols: names for addresses out of ELF and DWARF. A module's debug information is walked once, for the first address in
 * it, into a sorted table of intervals; names, files and lines are read for functions with addresses alone. Asking libdw
 * address by address takes a hundred times as long, and finds nothing where the compiler wrote no address ranges.
 *
 * Names of a method:
 *   name       "ns::table<int>::probe", "main::{lambda(int)#1}::operator()", "core::fmt::Formatter::pad"; the
 *              variants of constructors and destructors, and the copies that compilers make (.part, .isra,
 *              .constprop, .cold, ...) are their method
 *   signature  "(int, char const*) const" for C++; "" for C, extern "C" and Rust
 *   component  the source file of its definition, relative to the tree; the whole path of a user's file outside
 *              of it; for other code (system headers, libraries) the module's
 *              file name
 *
 * Without debug information names come from the symbol table, which in a stripped file has only exports.
 * Stubs that lead into other modules are one method of their module, ".plt".
 * Code without a symbol is named module+0xoffset by the beginning of its function in the unwind tables,
 * so that the samples of one function stay together.
 */
#pragma once

#include "core/base/err.h"
#include "analysis/profile/symbolizer.h"

#include <stddef.h>
#include <stdint.h>

/** Modules and their names. One thread at a time. */
struct pe_symbols_db;

/** How much of a module could be read. */
enum pe_symbols_state {
	PE_SYMBOLS_DEBUG,   /**< functions, inlined calls and lines */
	PE_SYMBOLS_TABLE,   /**< a symbol table: functions alone */
	PE_SYMBOLS_NONE,    /**< neither */
	PE_SYMBOLS_GONE,    /**< the file is not there, or is no ELF file */
	PE_SYMBOLS_CHANGED, /**< the file has another build id than the one that was loaded */
};

/** A module of the addresses so far. */
struct pe_symbols_module {
	const char *path; /**< borrowed */
	enum pe_symbols_state state;
	uint64_t asked, unnamed; /**< addresses; those that no symbol was found for */
};

/**
 * An empty table of modules. A file is opened for the first address in it.
 *
 * @param tree     directory that the programs were built in: source files below it become relative. Paths
 *                 that the build made relative (-ffile-prefix-map) count as below it. NULL: source files stay
 *                 as the debug information has them
 * @param sysroot  directory put before modules' paths and /usr/lib/debug; NULL: none
 * @return         PE_ESYS
 */
int pe_symbols_open(struct pe_symbols_db **out, const char *tree, const char *sysroot,
		    struct pe_err *err);

/** The port; valid until pe_symbols_close(). Its frames live as long. */
struct pe_symbolizer pe_symbols_symbolizer(struct pe_symbols_db *db);

/** The modules asked for so far, borrowed until the next address; *n is their number. */
const struct pe_symbols_module *pe_symbols_modules(struct pe_symbols_db *db, size_t *n);

/**
 * Call a function with each method of the modules so far that has fewer bytes of machine code, by their symbol tables. Labels
 * without a size are none.
 */
void pe_symbols_small(struct pe_symbols_db *db, uint64_t bytes,
		      void (*take)(const struct pe_frame *frame, void *payload), void *payload);

/** NULL is allowed. */
void pe_symbols_close(struct pe_symbols_db *db);
