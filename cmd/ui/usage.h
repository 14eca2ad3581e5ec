/* Usage: a command's table of options as help for the terminal and as a manual page. */
#ifndef PE_CMD_UI_USAGE_H
#define PE_CMD_UI_USAGE_H

#include "cmd/ui/options.h"
#include "core/base/text.h"
#include "report/evolution.h"

#include <stdint.h>

/**
 * Parse a page of cmd/help/: lines of usage; below an empty line paragraphs; at the end pairs of lines, an example
 * ("$ perfevo ...") and its description.
 */
struct pe_usage pe_usage_read(const char *page, struct pe_arena *arena);

/** The page of a command: the one whose first line begins with "perfevo NAME"; nothing where none does. */
struct pe_usage pe_usage_of(const char *name, struct pe_arena *arena);

/** Append what --help prints: usage, description, options in two columns, examples. */
void pe_usage_help(struct pe_text *out, const struct pe_usage *usage, const struct pe_opt *opts,
		   const struct pe_term *term);

/** Its first part: the usage lines and the description. */
void pe_usage_introduce(struct pe_text *out, const struct pe_usage *usage,
			const struct pe_term *term);

/** Its second part: the options in two columns. */
void pe_usage_options(struct pe_text *out, const struct pe_opt *opts, const struct pe_term *term);

/** Append two aligned columns, the second one wrapped to the width: a row of a list. */
void pe_usage_row(struct pe_text *out, const char *left, const char *right, size_t column,
		  const struct pe_term *term);

/** Append a heading, bold where the terminal has it. */
void pe_usage_heading(struct pe_text *out, const char *heading, const struct pe_term *term);

/** The text of a manual page around its options. */
struct pe_man {
	const char *name;    /**< "perfevo-track" */
	const char *summary; /**< for NAME */
	const char *version;
	int64_t date_s;
};

/** Append a whole manual page of section 1, in man(7). Ends with SEE ALSO for pages other than perfevo(1). */
void pe_usage_man(struct pe_text *out, const struct pe_man *man, const struct pe_usage *usage,
		  const struct pe_opt *opts);

/** Append the header and NAME of a manual page. */
void pe_man_begin(struct pe_text *out, const struct pe_man *man);

/** Append ".SH heading". */
void pe_man_section(struct pe_text *out, const char *heading);
/** End a page with its licence. */
void pe_man_licence(struct pe_text *out);

/** Append paragraphs, separated in the string by an empty line. */
void pe_man_paragraphs(struct pe_text *out, const char *paragraphs);

/** Append an indented paragraph below a bold tag: a row of a list. */
void pe_man_item(struct pe_text *out, const char *tag, const char *text);

/** Append the usage lines, one a line. */
void pe_man_synopsis(struct pe_text *out, const char *const *lines);

/** Append the options with their groups as subsections. */
void pe_man_options(struct pe_text *out, const struct pe_opt *opts);

/** Append text so that roff takes every character of it as it stands. */
void pe_man_add(struct pe_text *out, const char *string);

/** Append how an option is written: "-b, --bench REGEX". */
void pe_usage_option(struct pe_text *out, const struct pe_opt *opt);

#endif
