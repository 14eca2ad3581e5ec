/* Modules: what a counting run executed from outside of the measured tree, as the counting library listed it. */
#pragma once

#include "core/model/modules.h"

/**
 * Read the lists that a run with PERFEVO_ALLOC_DIR=dir left. The measured program could write them: only regular files
 * that are programs or libraries (ELF) of at most 1 GiB are opened, and only a digest of them is kept.
 *
 * @param tree     of the measured revision: files in it are left out
 * @param own      the counting library, which is left out; NULL: none
 * @param since_s  when the session began
 * @param arena    owns the result
 * @return       NULL: there is no list
 */
const struct pe_module_set *pe_modules_collect(const char *dir, const char *tree, const char *own,
					       int64_t since_s, struct pe_arena *arena);
