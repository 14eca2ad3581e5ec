/* Usage: a command's page of help and its table of options, for the terminal and as a manual page. */
#pragma once

#include "cmd/ui/options.h"
#include "core/base/text.h"
#include "report/evolution.h"

#include <stdint.h>

/**
 * Parse a page of cmd/help/: lines of usage; below an empty line paragraphs; at the end pairs of lines, an example
 * ("$ perfevo ...") and its description. In a list ("list_words.txt") the pairs are its rows, below its heading.
 */
struct pe_usage pe_usage_read(const char *page, struct pe_arena *arena);

/** The page whose first line begins with "perfevo NAME", a command's or a list's; nothing where none does. */
struct pe_usage pe_usage_of(const char *name, struct pe_arena *arena);

/** What is written: help for a terminal, or a manual page of section 1, in man(7), which every roff understands. */
struct pe_manual {
	struct pe_text *out;
	const struct pe_term *term; /**< NULL: a manual page */
};

/** Begin a manual page, and name it; "perfevo-track". */
void pe_manual_begin(struct pe_manual *manual, const char *name, const char *summary,
		     const char *version, int64_t date_s);

/** Write the lines of usage and the description. */
void pe_manual_introduce(struct pe_manual *manual, const struct pe_usage *usage);

/** Write a heading: "Exit status", which is "EXIT STATUS" on a manual page. */
void pe_manual_section(struct pe_manual *manual, const char *heading);

/** Write a row of a list: in help its text begins at a column, wrapped to the width. */
void pe_manual_item(struct pe_manual *manual, const char *tag, const char *text, size_t column);

/** Write the options, under the headings of their groups. */
void pe_manual_options(struct pe_manual *manual, const struct pe_opt *opts);

/** Write all that --help prints of a command: introduction, options, examples. */
void pe_manual_command(struct pe_manual *manual, const struct pe_usage *usage,
		       const struct pe_opt *opts);

/** End a manual page with what else is to be read, in man(7), and the licence. */
void pe_manual_end(struct pe_manual *manual, const char *others);

/** Append text so that roff takes every character of it as it stands. */
void pe_manual_escape(struct pe_text *out, const char *string);
