/*
 * The answers of a gate for people. A terminal has what matters as a table with its causes, the rest as a sum; a comment on a
 * pull request has the table, and folded below it the causes, and all checks where the table leaves some out.
 */
#include "report/gate_text.h"

#include "report/document.h"
#include "report/min_effect.h"

#include <math.h>

#define MARKER "<!-- perfevo -->\n"

/* A comment may have 65,536 characters: what is folded ends before. */
#define MOST_BYTES 60000

/* --- Head --- */

static void put_summary(struct pe_doc *doc, const struct pe_gate *gate)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(doc->out, MARKER);
	pe_text_add(&text, "perfevo: ");
	pe_gate_summary(&text, gate);
	pe_doc_heading(doc, 3, &text);
	pe_text_addf(&text, "`%.10s` against `%.10s`", gate->tip.id, gate->base.id);
	if (pe_gate_base_label(gate) != NULL) {
		pe_text_add(&text, ", where this left ");
		pe_doc_name(doc, &text, pe_gate_base_label(gate));
	}
	pe_text_addf(&text, ", measured alternately on one machine: %s. It fails from ",
		     gate->machine != NULL ? gate->machine : "unknown");
	pe_gate_limits_add(&text, &gate->limits);
	pe_text_add(&text, " on.");
	pe_doc_say(doc, PE_PLAIN, "", "", &text);
}

static void put_sides(struct pe_doc *doc, const struct pe_gate *gate)
{
	const char *label = pe_gate_base_label(gate);
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "base  %.8s  ", gate->base.id);
	if (label != NULL)
		pe_text_addf(&line, "(%s) ", label);
	pe_text_add(&line, gate->base.subject);
	pe_doc_line(doc, PE_PLAIN, &line);
	pe_text_addf(&line, "head  %.8s  %s", gate->tip.id, gate->tip.subject);
	pe_doc_line(doc, PE_PLAIN, &line);
}

/* --- Tables --- */

static size_t count_shown(const struct pe_gate *gate, enum pe_gate_answer answer)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		n += gate->checks[i].answer == answer && pe_gate_is_shown(&gate->checks[i]);
	return n;
}

/* Note how many rows of an answer are left out, below its last row. */
static void note_rest(struct pe_table *table, const struct pe_gate *gate,
		      enum pe_gate_answer answer)
{
	const bool markdown = table->term == &pe_md_term;
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "… and %zu more %s%s", count_shown(gate, answer) - PE_GATE_MOST,
		     pe_gate_answer_name(answer), markdown ? "" : " ('--json FILE' lists all)");
	pe_table_note(table, 3, pe_text_str(&line));
}

/* The checks that are listed, or the first `most` of all, as a table. @return  whether there are any */
static bool put_table(struct pe_doc *doc, const struct pe_gate *gate, bool all, size_t most)
{
	struct pe_table table;
	size_t n = 0;

	pe_gate_begin_table(&table, doc->term);
	for (size_t i = 0; i < gate->n_checks && n < most; i++) {
		if (!all && !pe_gate_is_listed(gate, i))
			continue;
		pe_gate_put_row(&table, &gate->checks[i], !pe_doc_is_markdown(doc));
		if (!all && pe_gate_is_cut(gate, i))
			note_rest(&table, gate, gate->checks[i].answer);
		n++;
	}
	pe_doc_table(doc, &table, true);
	return n > 0;
}

/* --- What is folded in a comment --- */

/* All checks, or as many as the comment has room for. */
static void put_folded(struct pe_doc *doc, const struct pe_gate *gate)
{
	pe_auto_text block = PE_TEXT_INIT, text = PE_TEXT_INIT;
	size_t most = gate->n_checks;

	do {
		struct pe_doc part = {.out = &block, .term = doc->term, .last = PE_DOC_OTHER};

		pe_text_clear(&block);
		pe_text_addf(&text, "all %zu checks", gate->n_checks);
		pe_doc_fold(&part, pe_text_str(&text));
		pe_text_clear(&text);
		put_table(&part, gate, true, most);
		if (most < gate->n_checks)
			pe_text_addf(&text, "and %zu more", gate->n_checks - most);
		pe_doc_say(&part, PE_PLAIN, "", "", &text);
		pe_doc_end_fold(&part);
		most /= 2;
	} while (doc->out->len + block.len > MOST_BYTES && most > 0);
	if (doc->out->len + block.len <= MOST_BYTES)
		pe_text_add(doc->out, pe_text_str(&block));
}

static void put_causes(struct pe_doc *doc, const struct pe_gate_check *check)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%s, %s", check->benchmark, pe_gate_metric(check));
	pe_doc_fold(doc, pe_text_str(&text));
	for (size_t c = 0; c < check->n_causes; c++) {
		const struct pe_gate_cause *cause = &check->causes[c];

		pe_text_clear(&text);
		pe_text_add(&text, cause->text);
		if (cause->path != NULL) {
			pe_text_add(&text, " — ");
			pe_doc_name(doc, &text, cause->path);
			pe_text_addf(&text, " line %u", cause->line);
		}
		pe_doc_item(doc, 0, pe_text_str(&text), "");
	}
	pe_text_clear(&text);
	pe_text_addf(&text, "… and %zu more", check->more_causes);
	if (check->more_causes > 0)
		pe_doc_item(doc, 0, pe_text_str(&text), "");
	if (check->log != NULL)
		pe_doc_code(doc, check->log);
	pe_doc_end_fold(doc);
}

static void put_details(struct pe_doc *doc, const struct pe_gate *gate)
{
	bool listed = true;

	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (pe_gate_is_listed(gate, i) && (check->n_causes > 0 || check->log != NULL))
			put_causes(doc, check);
		listed = listed && pe_gate_is_listed(gate, i);
	}
	if (!listed)
		put_folded(doc, gate);
}

/* --- What stands below the table on a terminal --- */

static void put_log(struct pe_doc *doc, enum pe_paint paint, const char *title, const char *log)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_add(&line, title);
	pe_doc_line(doc, paint, &line);
	pe_doc_code(doc, log);
	pe_doc_gap(doc);
}

/* The passed checks, with the change that the weakest could have missed; and the benchmarks that execute the same. */
static void put_passed(struct pe_doc *doc, const struct pe_gate *gate)
{
	const size_t passed = pe_gate_count(gate, PE_GATE_PASSED);
	pe_auto_text line = PE_TEXT_INIT;
	double least = NAN;
	size_t same = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		same += gate->checks[i].same;
	if (same > 0) {
		pe_format_plural(&line, same, "benchmark");
		pe_text_add(&line, same == 1 ? " executes the same (one check)"
					     : " execute the same (a check each)");
		pe_doc_line(doc, PE_DIM, &line);
	}
	if (passed == 0)
		return;
	for (size_t i = 0; i < gate->n_checks; i++)
		if (gate->checks[i].answer == PE_GATE_PASSED)
			least = fmax(least, gate->checks[i].least);
	pe_format_plural(&line, passed, "check");
	pe_text_add(&line, pe_min_effect_word(least));
	if (isfinite(least))
		pe_min_effect_add_bound(&line, least, passed, passed);
	pe_doc_line(doc, PE_DIM, &line);
}

static void put_end(struct pe_doc *doc, const struct pe_gate *gate)
{
	enum { MOST_LOGS = 3 };
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = 0, n = 0; i < gate->n_checks && n < MOST_LOGS; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (!pe_gate_is_listed(gate, i) || check->log == NULL || check->log[0] == '\0')
			continue;
		put_log(doc, PE_BOLD, check->benchmark, check->log);
		n++;
	}
	put_passed(doc, gate);
	pe_text_add(&line, "gate: ");
	pe_gate_limits_add(&line, &gate->limits);
	if (pe_gate_count(gate, PE_GATE_NOTICE) > 0)
		pe_text_add(&line, "; a notice is below it");
	pe_doc_say(doc, PE_DIM, "", "  ", &line);
	pe_gate_summary(&line, gate);
	pe_doc_say(doc, pe_gate_stops(gate) ? PE_BAD : PE_BOLD, "", "  ", &line);
}

void pe_gate_term(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};
	const bool markdown = pe_doc_is_markdown(&doc);
	pe_auto_text line = PE_TEXT_INIT;

	if (markdown)
		put_summary(&doc, gate);
	else
		put_sides(&doc, gate);
	if (gate->config_note != NULL) {
		pe_text_add(&line, gate->config_note);
		pe_doc_line(&doc, PE_PLAIN, &line);
	}
	pe_doc_gap(&doc);
	if (put_table(&doc, gate, false, SIZE_MAX))
		pe_doc_gap(&doc);
	if (gate->build_log != NULL)
		put_log(&doc, PE_BAD, "the build fails here:", gate->build_log);
	if (markdown)
		put_details(&doc, gate);
	else
		put_end(&doc, gate);
}

void pe_gate_markdown(struct pe_text *out, const struct pe_gate *gate)
{
	pe_gate_term(out, gate, &pe_md_term);
}
