/* Declared: names from the entries around and below a declaration, spelled as a demangler would. */
#pragma once

#include "analysis/symbols/names.h"

enum {
	PE_MOST_SPELLED = 6,      /* functions and types inside each other in one name */
	PE_MOST_SPELLING = 16384, /* bytes, before the rest becomes "..." */
};

/** Whether a function is one of C that C++ calls: seen by other files, and named without its scopes. */
bool pe_declared_is_plain(struct pe_names *names, Dwarf_Die *declaration);

/** Append the scopes around a declaration: "ns::(anonymous namespace)::table<int>::". */
void pe_declared_scopes(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
			unsigned depth);

/** Append the types of its parameters: "(int, char const*) const". */
void pe_declared_parameters(struct pe_text *out, struct pe_names *names, Dwarf_Die *declaration,
			    unsigned depth);

/** The entry that a declaration's copies and definitions lead to: it stands among what is around it. */
Dwarf_Die pe_declared_origin(const Dwarf_Die *die);

/**
 * The entry of a function's declaration: itself, or, for functions that compilers add to classes and for the operators of
 * lambdas, the class or function around it.
 */
bool pe_declared_place(Dwarf_Die *out, struct pe_names *names, Dwarf_Die *die);

/** Append the qualified name of a type that has one. */
void pe_declared_type(struct pe_text *out, struct pe_names *names, Dwarf_Die *type, unsigned depth);

/**
 * Append the name and signature of any function's entry. The depth counts functions and types that are spelled
 * on the way; beyond a few, "..." stands for them.
 */
void pe_names_spell(struct pe_text *name, struct pe_text *signature, struct pe_names *names,
		    Dwarf_Die *die, unsigned depth);
