/* The answers of a gate for a terminal: what matters as a table with its causes, the rest as a sum. */
#include "report/gate_text.h"

#include "report/terminal.h"

#include <math.h>

static void put_sides(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	const char *label = pe_gate_base_label(gate);
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "base  %.8s  ", gate->base.id);
	if (label != NULL)
		pe_text_addf(&line, "(%s) ", label);
	pe_text_add(&line, gate->base.subject);
	pe_term_line(out, term, PE_PLAIN, pe_text_str(&line));
	pe_text_clear(&line);
	pe_text_addf(&line, "head  %.8s  %s", gate->tip.id, gate->tip.subject);
	pe_term_line(out, term, PE_PLAIN, pe_text_str(&line));
	if (gate->config_note != NULL)
		pe_term_line(out, term, PE_PLAIN, gate->config_note);
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

		if (check->answer != PE_GATE_FAILED || !pe_gate_is_listed(gate, i) ||
		    check->log == NULL || check->log[0] == '\0')
			continue;
		pe_term_line(out, term, PE_BOLD, check->benchmark);
		pe_term_log(out, term, "", check->log);
		pe_text_addc(out, '\n');
	}
}

/* What of the passed checks the weakest could have missed. */
static void put_passed(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;
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
}

/* What of an answer the table leaves out, below its last row of it. */
static void note_rest(struct pe_table *table, const struct pe_gate *gate,
		      enum pe_gate_answer answer)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "   … and %zu more %s ('--json FILE' lists all)",
		     pe_gate_count(gate, answer) - PE_GATE_MOST, pe_gate_answer_name(answer));
	pe_table_note(table, pe_text_str(&line));
}

void pe_gate_term(struct pe_text *out, const struct pe_gate *gate, const struct pe_term *term)
{
	pe_auto_text line = PE_TEXT_INIT;
	struct pe_table table;
	size_t rows = 0;

	put_sides(out, gate, term);
	pe_gate_begin_table(&table, term);
	for (size_t i = 0; i < gate->n_checks; i++) {
		if (!pe_gate_is_listed(gate, i))
			continue;
		pe_gate_put_row(&table, &gate->checks[i], true);
		if (pe_gate_is_cut(gate, i))
			note_rest(&table, gate, gate->checks[i].answer);
		rows++;
	}
	if (rows > 0) {
		pe_table_print(out, &table, true);
		pe_text_addc(out, '\n');
	}
	pe_table_release(&table);
	put_failures(out, gate, term);
	put_passed(out, gate, term);
	pe_text_add(&line, "gate: ");
	pe_gate_limits_add(&line, &gate->limits);
	pe_term_line(out, term, PE_DIM, pe_text_str(&line));
	pe_text_clear(&line);
	pe_gate_summary(&line, gate);
	pe_term_line(out, term, pe_gate_stops(gate) ? PE_BAD : PE_BOLD, pe_text_str(&line));
}
