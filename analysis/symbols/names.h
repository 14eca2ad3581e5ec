/* Names: what a method is called, where it is defined, and what mangled names mean. */
#pragma once

#include "core/base/text.h"
#include "analysis/profile/frames.h"
#include "analysis/symbols/scopes.h"

#include <elfutils/libdw.h>

/** The module whose names are made, and the places of its source. */
struct pe_names {
	struct pe_arena *arena;         /**< for what is returned */
	const char *trees[2];           /**< the tree, as it was given and resolved; NULL: none */
	const struct pe_scopes *scopes; /**< of the module */
};

/**
 * Split what a mangled name means (Itanium C++ ABI, Rust legacy and v0) into the qualified name and, for C++,
 * the types of the parameters with what follows them. Copies that compilers make (.part.0, .cold) are their
 * method; a C name is cut at such a suffix alone.
 *
 * @param name, signature  appended to
 */
void pe_names_split(struct pe_text *name, struct pe_text *signature, const char *mangled);

/**
 * Describe the function of an entry, a concrete one or a call of it that was inlined.
 *
 * @param out     name, signature, component and line; strings in the arena
 * @param module  is the component of functions outside of the tree
 */
void pe_names_describe(struct pe_frame *out, struct pe_names *names, Dwarf_Die *die,
		       const char *module);

/**
 * What all entries of one function in a unit have in common: the address of the entry that they are copies
 * of, or its own.
 */
void *pe_names_subject(Dwarf_Die *die);

/** The linkage name of an entry's function, borrowed from the file; NULL: it has none. */
const char *pe_names_linkage(Dwarf_Die *die);
