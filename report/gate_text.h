/* Pieces that the writers of a gate share. Private to the room. */
#pragma once

#include "report/format.h"
#include "report/gate.h"
#include "report/terminal.h"

/** "wall time"; "run" of a check without a metric. */
const char *pe_gate_metric(const struct pe_gate_check *check);

/** The name of the base as a person gave it; NULL: it was not given, or is the id itself. Borrowed from the gate. */
const char *pe_gate_base_label(const struct pe_gate *gate);

/** "parse: wall time +12 % [+11 %, +13 %] (1.2 ms → 1.3 ms), regressed by 18 pairs of fresh runs" */
void pe_gate_add_sentence(struct pe_text *out, const struct pe_gate_check *check);

struct pe_json;

/** The members "class", "words" and "contradiction", null where nothing is decided, and "gate", of an object that is open. */
void pe_gate_put_class(struct pe_json *json, const struct pe_gate *gate);

/** Begin the table of answers. The caller releases it. */
void pe_gate_begin_table(struct pe_table *out, const struct pe_term *term);

/** Append the row of a check. @param notes  causes, and what layout means, stand in lines of their own below it */
void pe_gate_put_row(struct pe_table *table, const struct pe_gate_check *check, bool notes);

/** Whether no check before one, by its index, is of its benchmark. */
bool pe_gate_begins_benchmark(const struct pe_gate *gate, size_t check);

/** Whether a check stands in the table, and not in a sum. */
static inline bool pe_gate_is_shown(const struct pe_gate_check *check)
{
	return check->answer != PE_GATE_PASSED &&
	       !(check->answer == PE_GATE_SKIPPED && check->same);
}

/** At most this many checks of one answer are in a table; the others are counted. */
#define PE_GATE_MOST 10

/** Whether a check, by its index, is among the worst of its answer that stand in the table. The gate is ranked. */
static inline bool pe_gate_is_listed(const struct pe_gate *gate, size_t check)
{
	const struct pe_gate_check *checks = gate->checks;

	return pe_gate_is_shown(&checks[check]) &&
	       (check < PE_GATE_MOST ||
		checks[check - PE_GATE_MOST].answer != checks[check].answer);
}

/** Whether a check is the last one of its answer that is listed, and others follow. */
static inline bool pe_gate_is_cut(const struct pe_gate *gate, size_t check)
{
	return pe_gate_is_listed(gate, check) && check + 1 < gate->n_checks &&
	       gate->checks[check + 1].answer == gate->checks[check].answer &&
	       pe_gate_is_shown(&gate->checks[check + 1]) && !pe_gate_is_listed(gate, check + 1);
}
