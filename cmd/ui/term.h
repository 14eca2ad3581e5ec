/* Term: what the user's terminal is and can do; the pager and the browser. */
#pragma once

#include "core/base/err.h"
#include "core/base/text.h"
#include "report/evolution.h"

#include <stdbool.h>

enum pe_colour { PE_COLOUR_AUTO, PE_COLOUR_ALWAYS, PE_COLOUR_NEVER };

/** "auto", "always", "never": in the order of enum pe_colour, ended by NULL. */
extern const char *const pe_colours[];

/**
 * Properties of a descriptor's terminal. Width is that of the terminal, 0 for anything else. Colour is on for a
 * terminal that is not "dumb" unless NO_COLOR is set and not empty; an explicit choice wins over both.
 * The number of colours is from COLORTERM ("truecolor", "24bit") and TERM ("-direct", "256"), else 16.
 * Unicode follows the locale (setlocale(LC_CTYPE, "") must have been called).
 */
struct pe_term pe_term_detect(int fd, enum pe_colour colour);

/**
 * Write all of it, to standard output and error in a pipeline disarmed. A reader that has gone away (EPIPE) has seen enough:
 * PE_OK.
 *
 * @return  PE_ESYS, PE_EFULL
 */
int pe_term_write(int fd, const char *bytes, size_t n, struct pe_err *err);

/** pe_term_write() of commands for GitHub's runner, which perfevo wrote and escaped. */
int pe_term_write_commands(int fd, const char *bytes, size_t n, struct pe_err *err);

/**
 * Hand a document to the user's pager (PERFEVO_PAGER, GIT_PAGER, PAGER, less) and wait for its end. Less is
 * told by LESS=FRX, where LESS is not set, to go away when the text fits the screen.
 *
 * @return  false: there is no pager to use ("" and "cat" mean none), nothing was written
 */
bool pe_term_page(const struct pe_text *document);

/** Start the desktop's program for a file, detached. False: no desktop, or it cannot be started. */
bool pe_term_browse(const char *path);
