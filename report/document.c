#include "report/document.h"

#include <stdio.h>
#include <string.h>

bool pe_doc_is_markdown(const struct pe_doc *doc)
{
	return doc->term == &pe_md_term;
}

/* Lines that follow each other are broken, items stand below each other, and blank lines part all other blocks. */
static bool begin(struct pe_doc *doc, enum pe_doc_block block)
{
	if (!pe_doc_is_markdown(doc))
		return false;
	if (block == PE_DOC_LINE && doc->last == PE_DOC_LINE) {
		doc->out->len--;
		pe_text_add(doc->out, "<br>\n");
	} else if (doc->last != PE_DOC_NONE &&
		   !(block == PE_DOC_ITEM && doc->last == PE_DOC_ITEM)) {
		pe_text_addc(doc->out, '\n');
	}
	doc->last = block;
	return true;
}

static void end_line(struct pe_doc *doc, struct pe_text *text)
{
	pe_md_text(doc->out, pe_text_str(text), PE_MD_LINE);
	pe_text_addc(doc->out, '\n');
}

void pe_doc_name(const struct pe_doc *doc, struct pe_text *text, const char *name)
{
	const bool code = pe_doc_is_markdown(doc) && strchr(name, '`') == NULL;

	pe_text_addf(text, code ? "`%s`" : "%s", name);
}

void pe_doc_gap(struct pe_doc *doc)
{
	if (!pe_doc_is_markdown(doc))
		pe_text_addc(doc->out, '\n');
}

void pe_doc_heading(struct pe_doc *doc, unsigned level, struct pe_text *text)
{
	if (begin(doc, PE_DOC_OTHER)) {
		for (unsigned i = 0; i < level; i++)
			pe_text_addc(doc->out, '#');
		pe_text_addc(doc->out, ' ');
		end_line(doc, text);
	} else {
		pe_term_line(doc->out, doc->term, PE_BOLD, pe_text_str(text));
	}
	pe_text_clear(text);
}

void pe_doc_line(struct pe_doc *doc, enum pe_paint paint, struct pe_text *text)
{
	if (begin(doc, PE_DOC_LINE))
		end_line(doc, text);
	else
		pe_term_line(doc->out, doc->term, paint, pe_text_str(text));
	pe_text_clear(text);
}

void pe_doc_say(struct pe_doc *doc, enum pe_paint paint, const char *first, const char *later,
		struct pe_text *text)
{
	if (text->len == 0)
		return;
	if (begin(doc, PE_DOC_OTHER))
		end_line(doc, text);
	else
		pe_term_wrap(doc->out, doc->term, paint, first, later, pe_text_str(text));
	pe_text_clear(text);
}

void pe_doc_item(struct pe_doc *doc, unsigned number, const char *head, const char *detail)
{
	pe_auto_text text = PE_TEXT_INIT;
	char before[32];

	if (begin(doc, PE_DOC_ITEM)) {
		if (number > 0)
			pe_text_addf(doc->out, "%u. ", number);
		else
			pe_text_add(doc->out, "- ");
		pe_text_addf(&text, "%s%s%s", head, detail[0] != '\0' ? "; " : "", detail);
		end_line(doc, &text);
		return;
	}
	if (number > 0)
		snprintf(before, sizeof(before), "  %2u. ", number);
	else
		snprintf(before, sizeof(before), "  ");
	pe_term_wrap(doc->out, doc->term, PE_PLAIN, before, number > 0 ? "      " : "    ", head);
	if (detail[0] != '\0')
		pe_term_wrap(doc->out, doc->term, PE_PLAIN, "        ", "        ", detail);
}

void pe_doc_table(struct pe_doc *doc, struct pe_table *table, bool titles)
{
	if (table->cells.n > 0 && begin(doc, PE_DOC_OTHER))
		pe_md_table(doc->out, table);
	else if (table->cells.n > 0)
		pe_table_print(doc->out, table, titles);
	pe_table_release(table);
}

void pe_doc_fold(struct pe_doc *doc, const char *summary)
{
	if (begin(doc, PE_DOC_OTHER))
		pe_md_fold(doc->out, summary);
}

void pe_doc_end_fold(struct pe_doc *doc)
{
	if (begin(doc, PE_DOC_OTHER))
		pe_text_add(doc->out, "</details>\n");
}

void pe_doc_code(struct pe_doc *doc, const char *lines)
{
	if (begin(doc, PE_DOC_OTHER))
		pe_md_block(doc->out, lines);
	else
		pe_term_log(doc->out, doc->term, "", lines);
}
