/*
 * Document: prose that is composed once and written for a terminal or as Markdown, for a comment on a pull request. It has
 * seven kinds of blocks: headings, lines, paragraphs, items, tables, folds and code. Text may be foreign: each form escapes
 * it. In Markdown blank lines part the blocks, and what stands between two backticks is code.
 */
#pragma once

#include "report/markdown.h"
#include "report/terminal.h"

enum pe_doc_block { PE_DOC_NONE, PE_DOC_LINE, PE_DOC_ITEM, PE_DOC_OTHER };

/** `{.out = out, .term = term}` begins one. */
struct pe_doc {
	struct pe_text *out;
	const struct pe_term *term; /**< &pe_md_term: write Markdown */
	enum pe_doc_block last;     /**< the block before; set by the functions below */
};

/** Whether Markdown is written. */
bool pe_doc_is_markdown(const struct pe_doc *doc);

/** Append a foreign name to the text of a block: code in Markdown, unless a backtick is in it. */
void pe_doc_name(const struct pe_doc *doc, struct pe_text *text, const char *name);

/** End a group of blocks: a blank line on a terminal. */
void pe_doc_gap(struct pe_doc *doc);

/** Write a heading, from level 1; on a terminal a bold line. The text is cleared, as by the functions below. */
void pe_doc_heading(struct pe_doc *doc, unsigned level, struct pe_text *text);

/** Write a line of its own; a terminal cuts it at its width. */
void pe_doc_line(struct pe_doc *doc, enum pe_paint paint, struct pe_text *text);

/** Write a paragraph; a terminal breaks it between words. An empty one is left out. `first` and `later` indent its lines. */
void pe_doc_say(struct pe_doc *doc, enum pe_paint paint, const char *first, const char *later,
		struct pe_text *text);

/** Write an item of a list: its number (0: none), who or what it is, and details, which may be "". */
void pe_doc_item(struct pe_doc *doc, unsigned number, const char *head, const char *detail);

/** Write a table, which is begun with doc->term, and release it. An empty one is left out. @param titles  on a terminal, too */
void pe_doc_table(struct pe_doc *doc, struct pe_table *table, bool titles);

/** Begin a part that a reader of Markdown opens by a click on its summary; a terminal shows it, without the summary. */
void pe_doc_fold(struct pe_doc *doc, const char *summary);
/** End the part that pe_doc_fold() began. */
void pe_doc_end_fold(struct pe_doc *doc);

/** Write lines as they are. */
void pe_doc_code(struct pe_doc *doc, const char *lines);
