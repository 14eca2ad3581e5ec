/* Comments: whether two versions of a C or C++ source are the same to a compiler. */
#ifndef PE_METHODS_COMMENTS_H
#define PE_METHODS_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>

/** Whether a file is C or C++ by its name. */
bool pe_comments_are_known(const char *path);

/**
 * Whether two sources differ in nothing but the text of comments and blanks at the ends of lines: every token stands in the
 * same line and column, so that __LINE__, assertions, source_location and debug information are the same, too. What this
 * cannot tell for certain (raw strings, trigraphs, quotes that do not end in their line) differs.
 */
bool pe_comments_differ_only(const char *a, size_t n, const char *b, size_t m);

#endif
