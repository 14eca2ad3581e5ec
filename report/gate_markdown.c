/*
 * The answers of a gate as Markdown for the comment of a pull request. Foreign text stands in code spans or is
 * escaped, so that a name cannot become markup, mention somebody or link anywhere.
 */
#include "report/gate_text.h"
#include "report/markdown.h"

#define MARKER "<!-- perfevo -->\n"

static void put_rows(struct pe_text *out, const struct pe_gate *gate, bool shown)
{
	struct pe_table table;

	pe_gate_begin_table(&table, &pe_md_term);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (pe_gate_is_shown(&gate->checks[i]) == shown)
			pe_gate_put_row(&table, &gate->checks[i], false);
	pe_md_table(out, &table);
	pe_table_release(&table);
	pe_text_addc(out, '\n');
}

/* Inside of HTML nothing of Markdown holds, but mentions and line breaks do. */
static void put_html(struct pe_text *out, const char *name)
{
	struct pe_text escaped = PE_TEXT_INIT;

	pe_escape_xml(&escaped, name);
	for (const char *c = pe_text_str(&escaped); *c != '\0'; c++) {
		if (*c == '@')
			pe_text_add(out, "&#64;");
		else
			pe_text_addc(out, *c == '\n' || *c == '\r' ? ' ' : *c);
	}
	pe_text_release(&escaped);
}

static void put_causes(struct pe_text *out, const struct pe_gate *gate)
{
	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (!pe_gate_is_shown(check) || (check->n_causes == 0 && check->log == NULL))
			continue;
		pe_text_add(out, "<details><summary>");
		put_html(out, check->benchmark);
		pe_text_addf(out, ", %s</summary>\n\n", pe_gate_metric(check));
		for (size_t c = 0; c < check->n_causes; c++) {
			pe_text_add(out, "- ");
			pe_md_text(out, check->causes[c].text, PE_MD_LINE);
			if (check->causes[c].path != NULL) {
				pe_text_add(out, " — ");
				pe_md_code(out, check->causes[c].path, PE_MD_LINE);
				pe_text_addf(out, " line %u", check->causes[c].line);
			}
			pe_text_addc(out, '\n');
		}
		if (check->more_causes > 0)
			pe_text_addf(out, "- … and %zu more in the report\n", check->more_causes);
		if (check->log != NULL)
			pe_md_block(out, check->log);
		pe_text_add(out, "\n</details>\n\n");
	}
}

static void put_unchanged(struct pe_text *out, const struct pe_gate *gate)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		n += !pe_gate_is_shown(&gate->checks[i]);
	if (n == 0)
		return;
	pe_text_addf(out, "<details><summary>%zu unchanged</summary>\n\n", n);
	put_rows(out, gate, false);
	pe_text_add(out, "</details>\n\n");
}

void pe_gate_markdown(struct pe_text *out, const struct pe_gate *gate)
{
	bool any = false;

	for (size_t i = 0; i < gate->n_checks; i++)
		any = any || pe_gate_is_shown(&gate->checks[i]);
	pe_text_add(out, MARKER "### perfevo: ");
	pe_gate_summary(out, gate);
	pe_text_addf(out, "\n\n`%.10s` against `%.10s`", gate->tip.id, gate->base.id);
	if (gate->base_name != NULL) {
		pe_text_add(out, ", where this left ");
		pe_md_code(out, gate->base_name, PE_MD_LINE);
	}
	pe_text_add(out, ", measured alternately on one machine: ");
	pe_md_text(out, gate->machine != NULL ? gate->machine : "unknown", PE_MD_LINE);
	pe_text_add(out, ".\n\n");
	if (gate->config_note != NULL) {
		pe_md_text(out, gate->config_note, PE_MD_LINE);
		pe_text_add(out, ".\n\n");
	}
	if (gate->build_log != NULL) {
		pe_text_add(out, "It does not build:\n\n");
		pe_md_block(out, gate->build_log);
		pe_text_addc(out, '\n');
	}
	if (any)
		put_rows(out, gate, true);
	put_causes(out, gate);
	put_unchanged(out, gate);
}
