/* Outside: the logical lines of a C or C++ source outside of its methods. */
#ifndef PE_APP_CHANGES_OUTSIDE_H
#define PE_APP_CHANGES_OUTSIDE_H

#include "core/base/text.h"
#include "analysis/methods/method.h"

/**
 * Append the logical lines of a content outside of its methods: without comments, with one space for any white space,
 * without empty lines.
 *
 * @param methods  of the text
 */
void pe_outside_add(struct pe_text *out, const char *text, const struct pe_methods *methods);

/** The name that such a line defines as a macro, with its length; NULL: it does not. */
const char *pe_outside_macro(const char *line, size_t *n);

/** The end of a comment, of a string or character constant, or of one character that begins at `at`. */
const char *pe_outside_piece(const char *at);

#endif
