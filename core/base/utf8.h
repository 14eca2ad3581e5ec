/* Utf8: foreign text, one character at a time; what is not UTF-8 comes out as U+FFFD. */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Decode the next character of a terminated string.
 *
 * @param out     its code point; U+FFFD for a malformed, overlong, surrogate or out-of-range
 * sequence
 * @param string  not at its end
 * @return        bytes consumed, at least 1; a malformed sequence consumes its longest well-formed
 * start (The Unicode Standard, section 3.9, "substitution of maximal subparts")
 */
size_t pe_utf8_next(uint32_t *out, const char *string);

/** Append a string with U+FFFD in place of what is not UTF-8. */
void pe_utf8_add(struct pe_text *out, const char *string);

/**
 * Append foreign text as people may read it, in a terminal, a log or a mail: every control character, a newline too, as
 * the escape that stands for it (\n, \u001b, \u202e), what is not UTF-8 as U+FFFD. Backslashes stay: it is not to be
 * read back.
 *
 * @param keep  of "\n\t", those that stay what they are
 */
void pe_utf8_add_visible(struct pe_text *out, const char *string, const char *keep);

/** The last n lines of a log, in it. */
const char *pe_utf8_last_lines(const char *log, size_t n);

/**
 * The first line of a log that says what failed, as compilers, linkers and build tools write it ("x.c:1: error: ...",
 * "ERROR ...", "undefined reference to ..."); NULL: none does. The name of a file or a test with "error" in it does not.
 */
const char *pe_utf8_error_line(const char *log);

/** Append foreign lines, such as a log's, each made visible and indented, so that none begins as perfevo's own do. */
void pe_utf8_add_log(struct pe_text *out, const char *log);

/** Whether it is UTF-8, of one line, without a control character: a name that may be shown as it is. */
bool pe_utf8_is_words(const char *string);

/** Whether a terminal must not see it: C0, C1, DEL, and the characters that reorder text (bidi
 * controls). */
int pe_utf8_is_control(uint32_t point);
