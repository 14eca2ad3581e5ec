/*
 * Inside: the one path at which confined commands see their tree, whichever slot holds it. So absolute paths in what they
 * build are the same for all commits, users and machines. Their output names files by it: debug information, search
 * paths of libraries, links, records. Outside, no file has such a path.
 */
#pragma once

#include "core/base/arena.h"

/** A folder in memory that holds the tree and nothing else. Not below /tmp, which builds and tests clean up. */
#define PE_INSIDE_TREE "/run/perfevo/tree"

/**
 * The part of a path of debug information that follows a tree: below the tree as commands see it, below its own path, or
 * below that of another slot, also of another repository in the same cache. A compiler cache returns objects that were
 * made there, with that path in them.
 *
 * @param tree  CACHE/REPOSITORY/slots/0001/tree, or any other; NULL: unknown
 * @return      behind the slash; NULL: the path is outside of the tree, or is the tree's own
 */
const char *pe_inside_below(const char *path, const char *tree);

/**
 * Where a path of a command's leads on this machine.
 *
 * @param tree  its tree's own path; NULL: unknown
 * @return      in the arena; path itself where it leads elsewhere or the tree is unknown
 */
const char *pe_inside_out(const char *path, const char *tree, struct pe_arena *arena);

/**
 * As pe_inside_out(), of an existing file: also through links to the tree as commands saw it, which are followed where
 * they are broken outside.
 *
 * @return  in the arena, or path itself; for a missing file as pe_inside_out()
 */
const char *pe_inside_file(const char *path, const char *tree, struct pe_arena *arena);

/**
 * realpath(3) of what commands left: also of their paths and through links that lead to the tree as they saw it.
 *
 * @return  in the arena; NULL with errno
 */
const char *pe_inside_resolve(const char *path, const char *tree, struct pe_arena *arena);
