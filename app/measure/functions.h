/*
 * Functions: names that valgrind gives functions, made those of profiles. Paths lose the tree, which lies elsewhere for
 * each revision; copies that compilers make are their function; and what a function has of other files, inlined, is its
 * own, for valgrind tells lines apart by their file.
 */
#ifndef PE_APP_MEASURE_FUNCTIONS_H
#define PE_APP_MEASURE_FUNCTIONS_H

#include "core/base/arena.h"
#include "core/model/functions.h"

/**
 * Name functions as profiles do, each once, ordered by name, component and signature.
 *
 * The parts of a name in several source files of C or C++ stay apart where more than one of these files has the name: they
 * may be static functions of the same name. Any other parts, inlined, go to the function's source file in the tree, else
 * to its header there, else to where the rest of it is.
 *
 * @param tree  where the revision was built, absolute
 */
struct pe_function_counts pe_functions_name(const struct pe_function_counts *counted,
					    const char *tree, struct pe_arena *arena);

/**
 * The path of a source file in the tree, also where a program was compiled in another slot.
 *
 * @param file  as the debug information has it
 * @return      in the arena; of one that lies elsewhere the whole path, simplified
 */
const char *pe_functions_component(const char *file, const char *tree, struct pe_arena *arena);

#endif
