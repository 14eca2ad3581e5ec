/*
 * Markdown: text that enters a comment on a pull request, as GitHub and GitLab render it. Foreign names are text:
 * no markup, no HTML, no mention of a person, no reference to an issue.
 */
#pragma once

#include "core/base/text.h"
#include "report/terminal.h"

/** Where text stands: a table's bars split its cells, in code as well. */
enum pe_md_place { PE_MD_LINE, PE_MD_CELL };

/**
 * Append a line of text, escaped. What stands between two backticks, as names do in the sentences of a verdict,
 * becomes code. Control characters are dropped.
 */
void pe_md_text(struct pe_text *out, const char *string, enum pe_md_place place);

/** Append a foreign name as code; nothing for an empty one. */
void pe_md_code(struct pe_text *out, const char *string, enum pe_md_place place);

/** Append lines as a block of code; the fence is longer than any in it. */
void pe_md_block(struct pe_text *out, const char *lines);

/** Begin a part that a click on its summary opens; "</details>" ends it. */
void pe_md_fold(struct pe_text *out, const char *summary);

/** A terminal for tables that become Markdown: as wide as it takes, and with all signs. */
extern const struct pe_term pe_md_term;

/** Append a table: what is painted good or bad is bold in columns with a title, notes follow the last cell of their row. */
void pe_md_table(struct pe_text *out, const struct pe_table *table);
