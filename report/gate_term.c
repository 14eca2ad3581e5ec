/* The answers of a gate for a terminal: what matters as a table with its causes, the rest as a sum. */
#include "report/gate_text.h"

#include "core/model/layout.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

static const struct pe_column columns[] = {
	{"", false, 0},        {"benchmark", false, 12},    {"metric", false, 10},
	{"change", true, 0},   {"95 % interval", false, 0}, {"base → here", false, 0},
	{"answer", false, 12},
};

static const char *sign_of(enum pe_gate_answer answer)
{
	switch (answer) {
	case PE_GATE_FAILED:
	case PE_GATE_REGRESSED:
		return "▲";
	case PE_GATE_IMPROVED:
		return "▼";
	case PE_GATE_INCONCLUSIVE:
		return "?";
	default:
		return "=";
	}
}

static enum pe_paint paint_of(enum pe_gate_answer answer)
{
	switch (answer) {
	case PE_GATE_FAILED:
	case PE_GATE_REGRESSED:
		return PE_BAD;
	case PE_GATE_IMPROVED:
		return PE_GOOD;
	case PE_GATE_INCONCLUSIVE:
		return PE_BOLD;
	default:
		return PE_DIM;
	}
}

static void put_row(struct pe_table *table, const struct pe_gate_check *check)
{
	enum pe_paint paint = paint_of(check->answer);
	struct pe_text text = PE_TEXT_INIT;

	pe_table_put(table, paint, sign_of(check->answer));
	pe_table_put(table, PE_PLAIN, check->benchmark);
	pe_table_put(table, PE_PLAIN, pe_gate_metric(check));
	if (check->metric != NULL)
		pe_format_change(&text, check->relative);
	pe_table_take(table, paint, &text);
	pe_gate_add_interval(&text, check);
	pe_table_take(table, PE_PLAIN, &text);
	pe_gate_add_values(&text, check);
	pe_table_take(table, PE_PLAIN, &text);
	pe_text_add(&text, pe_gate_answer_name(check->answer));
	if (check->why != NULL && !check->layout)
		pe_text_addf(&text, ": %s", check->why);
	pe_table_take(table, paint, &text);
	if (check->layout)
		pe_table_note(table, "     layout: " PE_LAYOUT_WHY);
	for (size_t i = 0; i < check->n_causes; i++) {
		pe_text_addf(&text, "     %s", check->causes[i].text);
		pe_table_note(table, pe_text_str(&text));
		pe_text_clear(&text);
	}
	if (check->more_causes > 0) {
		pe_text_addf(&text, "     … and %zu more in the report", check->more_causes);
		pe_table_note(table, pe_text_str(&text));
	}
	pe_text_release(&text);
}

static void put_sides(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	struct pe_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "base  %.8s  %s%s%s%s", gate->base.id,
		     gate->base_name != NULL ? "(" : "",
		     gate->base_name != NULL ? gate->base_name : "",
		     gate->base_name != NULL ? ") " : "", gate->base.subject);
	pe_term_line(out, term, PE_PLAIN, pe_text_str(&line));
	pe_text_clear(&line);
	pe_text_addf(&line, "here  %.8s  %s", gate->tip.id, gate->tip.subject);
	pe_term_line(out, term, PE_PLAIN, pe_text_str(&line));
	if (gate->config_note != NULL)
		pe_term_line(out, term, PE_PLAIN, gate->config_note);
	pe_text_release(&line);
	pe_text_addc(out, '\n');
}

static void put_failures(struct pe_text *out, const struct pe_gate *gate,
			 const struct pe_term *term)
{
	if (gate->build_log != NULL) {
		pe_term_line(out, term, PE_BAD, "the build fails here:");
		pe_term_log(out, term, "", gate->build_log);
		pe_text_addc(out, '\n');
	}
	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (check->answer != PE_GATE_FAILED || check->log == NULL || check->log[0] == '\0')
			continue;
		pe_term_line(out, term, PE_BOLD, check->benchmark);
		pe_term_log(out, term, "", check->log);
		pe_text_addc(out, '\n');
	}
}

/* What of the passed checks the weakest could have missed. */
static void put_passed(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	struct pe_text line = PE_TEXT_INIT;
	size_t passed = pe_gate_count(gate, PE_GATE_PASSED);
	double least = NAN;

	for (size_t i = 0; i < gate->n_checks; i++)
		if (gate->checks[i].answer == PE_GATE_PASSED)
			least = fmax(least, gate->checks[i].least);
	if (passed > 0) {
		pe_text_addf(&line, "%zu %s unchanged", passed, passed == 1 ? "check" : "checks");
		if (isfinite(least)) {
			pe_text_add(&line, "; a change of ");
			pe_format_change(&line, least);
			pe_text_add(&line, passed == 1 ? " would have been detected"
						       : " would have been detected in each");
		}
		pe_term_line(out, term, PE_DIM, pe_text_str(&line));
	}
	pe_text_release(&line);
}

void pe_gate_term(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	struct pe_text line = PE_TEXT_INIT;
	struct pe_table table;
	size_t rows = 0;

	put_sides(out, gate, term);
	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), term);
	for (size_t i = 0; i < gate->n_checks; i++) {
		if (gate->checks[i].answer == PE_GATE_PASSED ||
		    gate->checks[i].answer == PE_GATE_SKIPPED)
			continue;
		put_row(&table, &gate->checks[i]);
		rows++;
	}
	if (rows > 0) {
		pe_table_print(out, &table, true);
		pe_text_addc(out, '\n');
	}
	pe_table_release(&table);
	put_failures(out, gate, term);
	put_passed(out, gate, term);
	pe_gate_summary(&line, gate);
	pe_term_line(out, term, pe_gate_stops(gate) ? PE_BAD : PE_BOLD, pe_text_str(&line));
	pe_text_release(&line);
}
