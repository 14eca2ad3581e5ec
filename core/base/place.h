/* Place: the folders of programs, and of the libraries that come with perfevo. */
#pragma once

#include "core/base/arena.h"
#include "core/base/err.h"

/**
 * Find a file that comes with perfevo: what an environment variable names, else the first of some
 * directories, relative to that of the running program, that holds it.
 *
 * @param name  file name
 * @param env   variable whose value, when it is not empty, is the path and the only one tried
 * @param dirs  NULL-terminated, such as "." and "../libexec/perfevo"
 * @return      its path, in the arena; NULL: PE_ENOTFOUND with every place looked at
 */
const char *pe_place_find(const char *name, const char *env, const char *const *dirs,
			  struct pe_arena *arena, struct pe_err *err);

/**
 * Find a program as execvp(3) would, but in absolute folders alone.
 *
 * @return  its path, in the arena; NULL: PATH leads to none
 */
const char *pe_place_on_path(const char *name, struct pe_arena *arena);
