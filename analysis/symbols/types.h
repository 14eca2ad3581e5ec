/* Types: those of parameters, spelled as a demangler would. */
#pragma once

#include "analysis/symbols/names.h"

/** Append the type of an entry (DW_AT_type): "char const*", "ns::table<int>&", "void (*)(int)". */
void pe_types_spell(struct pe_text *out, struct pe_names *names, Dwarf_Die *die, unsigned depth);

/** Whether the type of an entry is a pointer to something const: `this` of a const method. */
bool pe_types_points_to_const(Dwarf_Die *die);
