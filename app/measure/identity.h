/* Identity: one hash over all that a run executed and read, so that two revisions can be told to be the same. */
#ifndef PE_APP_MEASURE_IDENTITY_H
#define PE_APP_MEASURE_IDENTITY_H

#include "app/measure/executed.h"
#include "core/base/xxh.h"
#include "core/exec/dependencies.h"

#include <signal.h>

/**
 * The identity, in one tree, of what a run touched in another: programs normalised (analysis/methods/code.h) with the
 * libraries of the tree, other files by content, folders by the names in them, absent ones as such.
 *
 * @param text  of the identity; equal ones do the same
 * @param interrupts  see struct pe_proc_spec; NULL: none
 * @return     PE_ESYS, PE_EINVALID: it cannot be said; PE_EUNSUPPORTED: more than 4 GiB of files; PE_ESTOPPED
 */
int pe_identity_of(char text[PE_XXH_TEXT], const struct pe_dependencies *touched, const char *tree,
		   const volatile sig_atomic_t *interrupts, struct pe_err *err);

/**
 * The same, but of programs only what was executed of them, where that was seen.
 *
 * @return  PE_EUNSUPPORTED, PE_ENOTFOUND, too: it cannot be said of this tree
 */
int pe_identity_of_executed(char text[PE_XXH_TEXT], const struct pe_dependencies *touched,
			    const struct pe_executed *executed, struct pe_executed_trees *trees,
			    const char *tree, const volatile sig_atomic_t *interrupts,
			    struct pe_err *err);

/** What was touched as lines for the store ("P program", "F file", "D folder", "M made"). In the arena. */
const char *pe_dependencies_pack(const struct pe_dependencies *touched, struct pe_arena *arena);

/** Lines of pe_dependencies_pack() read back; strings lie in the arena. */
void pe_dependencies_unpack(struct pe_dependencies *out, const char *lines, struct pe_arena *arena);

#endif
