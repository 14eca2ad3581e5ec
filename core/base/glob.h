/* Glob: patterns over paths, as in .gitignore. */
#pragma once

#include <stdbool.h>

/**
 * Whether a pattern matches a file, or a folder that the file lies in (gitignore(5), "PATTERN FORMAT"):
 *
 *   - `*` stands for any characters but '/', `?` for one of them, `[a-z]` for one of a set and `[!a-z]` for
 *     one outside of it; a backslash takes the meaning from the character behind it;
 *   - a pattern with a slash at its start or inside is counted from the top of the tree, any other matches
 *     a name at any depth;
 *   - a slash at the end asks for a folder;
 *   - as a whole part, two asterisks stand for any number of folders, none included; at the end, for
 *     everything below.
 *
 * Bytes are compared, not characters. A '[' without its ']' stands for itself. Time is bounded by the
 * product of both lengths: no recursion, and nothing is tried twice.
 *
 * @param path  of a file, relative to the top of the tree, without a slash at its start or end
 */
bool pe_glob_match(const char *pattern, const char *path);
