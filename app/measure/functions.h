/*
 * Functions: translate valgrind's names of functions to those of profiles. Paths lose the tree, which is another folder
 * for each revision; copies that compilers make are merged into their function; and inlined code of other files, which
 * valgrind lists apart by file, counts as the function's own.
 */
#pragma once

#include "core/base/arena.h"
#include "core/model/functions.h"

/**
 * Name functions as profiles do, each once, ordered by name, component and signature.
 *
 * Parts of a name in several source files of C or C++ stay apart if more than one of these files defines the name: they
 * may be static functions of the same name. Any other parts, inlined, go to the function's source file in the tree, else
 * to its header there, else to the file of the remaining parts.
 *
 * @param tree  where the revision was built, absolute
 */
struct pe_function_counts pe_functions_name(const struct pe_function_counts *counted,
					    const char *tree, struct pe_arena *arena);

/**
 * The path of a source file in the tree, also where a program was compiled in another slot.
 *
 * @param file  by the debug information
 * @return      in the arena; of a file outside of the tree the whole path, simplified
 */
const char *pe_functions_component(const char *file, const char *tree, struct pe_arena *arena);
