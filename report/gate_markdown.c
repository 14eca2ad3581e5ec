/*
 * The answers of a gate as Markdown for the comment of a pull request. Foreign text stands in code spans or is
 * escaped, so that a name cannot become markup, mention somebody or link anywhere.
 */
#include "report/gate_text.h"
#include "report/markdown.h"

#define MARKER "<!-- perfevo -->\n"

/* A comment may have 65,536 characters: what is folded ends before. */
#define MOST_BYTES 60000

typedef bool takes_fn(const struct pe_gate *gate, size_t check);

static bool is_changed(const struct pe_gate *gate, size_t check)
{
	return pe_gate_is_shown(&gate->checks[check]);
}

static bool is_unchanged(const struct pe_gate *gate, size_t check)
{
	return !is_changed(gate, check);
}

/* The checks of a kind from one on as a table, `most` of them. */
static void put_table(struct pe_text *out, const struct pe_gate *gate, takes_fn *takes, size_t from,
		      size_t most)
{
	struct pe_table table;

	pe_gate_begin_table(&table, &pe_md_term);
	for (size_t i = from, n = 0; i < gate->n_checks && n < most; i++) {
		if (!takes(gate, i))
			continue;
		pe_gate_put_row(&table, &gate->checks[i], false);
		n++;
	}
	pe_md_table(out, &table);
	pe_table_release(&table);
	pe_text_addc(out, '\n');
}

/* `n` checks of a kind, folded: all of them, or as many as the comment has room for. */
static void put_folded(struct pe_text *out, const struct pe_gate *gate, takes_fn *takes,
		       size_t from, size_t n, const char *kind)
{
	pe_auto_text block = PE_TEXT_INIT;
	size_t most = n;

	do {
		pe_text_clear(&block);
		pe_text_addf(&block, "<details><summary>%zu %s</summary>\n\n", n, kind);
		put_table(&block, gate, takes, from, most);
		if (most < n)
			pe_text_addf(&block, "and %zu more\n\n", n - most);
		pe_text_add(&block, "</details>\n\n");
		most /= 2;
	} while (out->len + block.len > MOST_BYTES && most > 0);
	if (out->len + block.len <= MOST_BYTES)
		pe_text_add(out, pe_text_str(&block));
}

/* Inside of HTML nothing of Markdown holds, but mentions and line breaks do. */
static void put_html(struct pe_text *out, const char *name)
{
	pe_auto_text escaped = PE_TEXT_INIT;

	pe_escape_xml(&escaped, name);
	for (const char *c = pe_text_str(&escaped); *c != '\0'; c++) {
		if (*c == '@')
			pe_text_add(out, "&#64;");
		else
			pe_text_addc(out, *c == '\n' || *c == '\r' ? ' ' : *c);
	}
}

static void put_causes(struct pe_text *out, const struct pe_gate *gate)
{
	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (!pe_gate_is_listed(gate, i) || (check->n_causes == 0 && check->log == NULL))
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

/* What of an answer the table leaves out: counted, and folded with those that it has. */
static void put_rest(struct pe_text *out, const struct pe_gate *gate)
{
	for (size_t i = 0; i < gate->n_checks; i++) {
		const enum pe_gate_answer answer = gate->checks[i].answer;
		size_t n = pe_gate_count(gate, answer);

		if (!pe_gate_is_cut(gate, i))
			continue;
		pe_text_addf(out, "And %zu more %s.\n\n", n - PE_GATE_MOST,
			     pe_gate_answer_name(answer));
		put_folded(out, gate, is_changed, i + 1 - PE_GATE_MOST, n,
			   pe_gate_answer_name(answer));
	}
}

static void put_unchanged(struct pe_text *out, const struct pe_gate *gate)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		n += is_unchanged(gate, i);
	if (n > 0)
		put_folded(out, gate, is_unchanged, 0, n, "unchanged");
}

void pe_gate_markdown(struct pe_text *out, const struct pe_gate *gate)
{
	bool any = false;

	for (size_t i = 0; i < gate->n_checks; i++)
		any = any || pe_gate_is_shown(&gate->checks[i]);
	pe_text_add(out, MARKER "### perfevo: ");
	pe_gate_summary(out, gate);
	pe_text_addf(out, "\n\n`%.10s` against `%.10s`", gate->tip.id, gate->base.id);
	if (pe_gate_base_label(gate) != NULL) {
		pe_text_add(out, ", where this left ");
		pe_md_code(out, pe_gate_base_label(gate), PE_MD_LINE);
	}
	pe_text_add(out, ", measured alternately on one machine: ");
	pe_md_text(out, gate->machine != NULL ? gate->machine : "unknown", PE_MD_LINE);
	pe_text_add(out, ". It fails from ");
	pe_gate_limits_add(out, &gate->limits);
	pe_text_add(out, " on.\n\n");
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
		put_table(out, gate, pe_gate_is_listed, 0, SIZE_MAX);
	put_causes(out, gate);
	put_rest(out, gate);
	put_unchanged(out, gate);
}
