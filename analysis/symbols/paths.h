/* Paths: source files as the debug information names them, relative to the tree. */
#pragma once

#include "analysis/symbols/names.h"

/**
 * The file that the function of an entry is defined in: relative if it is in the tree, or where the
 * build made paths relative, else whole where it is the user's own. In the arena; NULL: unknown, or of the
 * system.
 */
const char *pe_paths_component(struct pe_names *names, Dwarf_Die *die);

/** The same, also of the system. */
const char *pe_paths_source(struct pe_names *names, Dwarf_Die *die);

/** The file that the unit of an entry was compiled from, in the same form. */
const char *pe_paths_unit(struct pe_names *names, Dwarf_CU *cu);
