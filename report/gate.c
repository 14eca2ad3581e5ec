/* Gate: its answers in words and in order. */
#include "report/gate.h"

#include "report/gate_text.h"

#include "core/base/number.h"
#include "core/base/sort.h"
#include "core/model/layout.h"
#include "report/log_marks.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name, *sign;
	enum pe_paint paint;
	const char *one, *many; /* in the summary; NULL: it is not there */
	bool decided;           /* a change of a metric */
} answers[PE_N_GATE_ANSWERS] = {
	[PE_GATE_FAILED] = {"failed", "✗", PE_BAD, "failure", "failures", false},
	[PE_GATE_REGRESSED] = {"regressed", "▲", PE_BAD, "regression", "regressions", true},
	[PE_GATE_INCONCLUSIVE] = {"inconclusive", "?", PE_BOLD, "inconclusive", "inconclusive",
				  false},
	[PE_GATE_NOTICE] = {"notice", "△", PE_DIM, "notice", "notices", true},
	[PE_GATE_LAYOUT] = {"layout", "△", PE_DIM, "layout", "layout", true},
	[PE_GATE_ACCEPTED] = {"accepted", "△", PE_DIM, "accepted", "accepted", true},
	[PE_GATE_IMPROVED] = {"improved", "▼", PE_GOOD, "improvement", "improvements", true},
	[PE_GATE_PASSED] = {"passed", "·", PE_DIM, NULL, NULL, false},
	[PE_GATE_SKIPPED] = {"skipped", "–", PE_DIM, NULL, NULL, false},
};

const char *pe_gate_answer_name(enum pe_gate_answer answer)
{
	return answers[answer].name;
}

/* Doubling and halving are equal; undefined is largest. */
static double size_of(const struct pe_gate_check *check)
{
	double size = fabs(log1p(check->relative));

	return isnan(size) ? INFINITY : size;
}

static int by_rank(const void *a, const void *b)
{
	const struct pe_gate_check *left = a, *right = b;
	bool moved = pe_gate_is_shown(left) && left->metric != NULL && right->metric != NULL;
	int order;

	if (left->answer != right->answer)
		return (int)left->answer - (int)right->answer;
	if (left->answer == PE_GATE_SKIPPED && left->same != right->same)
		return left->same - right->same;
	if (moved && size_of(left) != size_of(right))
		return size_of(left) > size_of(right) ? -1 : 1;
	order = strcmp(left->benchmark, right->benchmark);
	if (order != 0 || left->metric == NULL || right->metric == NULL)
		return order;
	return strcmp(left->metric->name, right->metric->name);
}

void pe_gate_rank(struct pe_gate *gate)
{
	if (gate->n_checks != 0)
		pe_sort(gate->checks, gate->n_checks, by_rank);
}

size_t pe_gate_count(const struct pe_gate *gate, enum pe_gate_answer answer)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		n += gate->checks[i].answer == answer;
	return n;
}

static bool is_compared(const struct pe_gate_check *check)
{
	switch (check->answer) {
	case PE_GATE_FAILED:
		return false;
	case PE_GATE_SKIPPED:
		return check->same;
	case PE_GATE_INCONCLUSIVE:
		return check->pairs > 0;
	default:
		return true;
	}
}

bool pe_gate_compared(const struct pe_gate *gate)
{
	for (size_t i = 0; i < gate->n_checks; i++)
		if (is_compared(&gate->checks[i]))
			return true;
	return gate->n_checks == 0 && !gate->base_unbuilt && !gate->out_of_budget;
}

bool pe_gate_stops(const struct pe_gate *gate)
{
	return gate->build_log != NULL || pe_gate_count(gate, PE_GATE_FAILED) > 0 ||
	       pe_gate_count(gate, PE_GATE_REGRESSED) > 0;
}

static bool is_decided(const struct pe_gate_check *check)
{
	return check->metric != NULL && answers[check->answer].decided;
}

bool pe_gate_is_classified(const struct pe_gate *gate)
{
	for (size_t i = 0; i < gate->n_checks; i++)
		if (is_decided(&gate->checks[i]))
			return true;
	return false;
}

static struct pe_class_jump jump_of(const struct pe_gate_check *check)
{
	return (struct pe_class_jump){
		.benchmark = check->benchmark,
		.metric = check->metric,
		.relative = check->relative,
		.worse = check->answer != PE_GATE_IMPROVED,
		.confirmed = check->answer != PE_GATE_ACCEPTED,
		.accepted = check->answer == PE_GATE_ACCEPTED,
		.layout = check->layout,
	};
}

void pe_gate_apply_limits(struct pe_gate *gate, struct pe_arena *arena)
{
	struct pe_class_jump *jumps = pe_arena_new(arena, struct pe_class_jump, gate->n_checks);
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		if (is_decided(&gate->checks[i]))
			jumps[n++] = jump_of(&gate->checks[i]);
	if (n > 0)
		gate->class = pe_commit_class_of(jumps, n);
	for (size_t i = 0; i < gate->n_checks; i++) {
		struct pe_gate_check *check = &gate->checks[i];
		const struct pe_class_jump jump = jump_of(check);
		enum pe_gate_rule rule;

		check->limit = NAN;
		if (check->metric == NULL || check->answer != PE_GATE_REGRESSED)
			continue;
		check->limit = pe_gate_limit(&gate->limits, check->metric);
		rule = pe_gate_rule_of(&jump, jumps, n, &gate->limits);
		if (rule == PE_GATE_FAILS)
			continue;
		check->answer = PE_GATE_NOTICE;
		check->why = pe_arena_printf(
			arena, "%s%s%s",
			rule == PE_GATE_BELOW ? PE_GATE_BELOW_WHY
					      : "a count of a benchmark that takes less time",
			check->generic ? "; " : "", check->generic ? check->why : "");
	}
}

bool pe_gate_begins_benchmark(const struct pe_gate *gate, size_t check)
{
	for (size_t i = 0; i < check; i++)
		if (strcmp(gate->checks[i].benchmark, gate->checks[check].benchmark) == 0)
			return false;
	return true;
}

/* Skipped checks, without those whose benchmark executes the same on both sides. */
static size_t count_uncompared(const struct pe_gate *gate)
{
	size_t n = 0;

	for (size_t i = 0; i < gate->n_checks; i++)
		n += gate->checks[i].answer == PE_GATE_SKIPPED && !gate->checks[i].same;
	return n;
}

static void add_count(struct pe_text *out, size_t n, const char *one, const char *many)
{
	if (n == 0)
		return;
	pe_text_addf(out, "%s%zu %s", out->len > 0 ? ", " : "", n, n == 1 ? one : many);
}

void pe_gate_summary(struct pe_text *out, const struct pe_gate *gate)
{
	pe_auto_text counts = PE_TEXT_INIT;
	size_t benchmarks = 0;

	if (gate->build_log != NULL) {
		pe_text_add(out, "does not build");
		return;
	}
	if (strcmp(gate->base.id, gate->tip.id) == 0) {
		pe_text_add(out, "nothing to compare: the base has this commit already");
		return;
	}
	for (int answer = 0; answer < PE_N_GATE_ANSWERS; answer++)
		if (answers[answer].one != NULL)
			add_count(&counts, pe_gate_count(gate, (enum pe_gate_answer)answer),
				  answers[answer].one, answers[answer].many);
	if (pe_gate_is_classified(gate)) {
		pe_commit_class_add(out, &gate->class);
		if (pe_commit_class_contradiction(&gate->class) != NULL)
			pe_text_addf(out, " (%s)", pe_commit_class_contradiction(&gate->class));
		pe_text_add(out, ": ");
	}
	pe_text_add(out, counts.len > 0           ? pe_text_str(&counts)
			 : pe_gate_compared(gate) ? "no change"
						  : "nothing compared");
	if (pe_gate_compared(gate))
		add_count(out, count_uncompared(gate), "not compared", "not compared");
	for (size_t i = 0; i < gate->n_checks; i++)
		benchmarks += pe_gate_begins_benchmark(gate, i);
	pe_text_add(out, " in ");
	pe_format_plural(out, gate->n_checks, "check");
	pe_text_add(out, " of ");
	pe_format_plural(out, benchmarks, "benchmark");
	if (gate->counts_only)
		pe_text_add(out, "; " PE_COUNTS_ONLY);
	if (gate->out_of_budget)
		pe_text_add(out, "; time budget exhausted");
}

const char *pe_gate_base_label(const struct pe_gate *gate)
{
	return gate->base_name == NULL || strcmp(gate->base_name, gate->base.id) == 0
		       ? NULL
		       : gate->base_name;
}

const char *pe_gate_metric(const struct pe_gate_check *check)
{
	return check->metric != NULL ? check->metric->label : "run";
}

static bool is_measured(const struct pe_gate_check *check)
{
	return check->metric != NULL && !isnan(check->old_value) && !isnan(check->new_value);
}

/* "23.4 ms → 32.0 ms"; nothing where they are not known. */
static void add_values(struct pe_text *out, const struct pe_gate_check *check)
{
	if (is_measured(check))
		pe_format_step(out, check->old_value, check->new_value, check->metric->unit);
}

void pe_gate_add_sentence(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_text_addf(out, "%s: %s ", check->benchmark, pe_gate_metric(check));
	if (!is_measured(check)) {
		pe_text_addf(out, "%s", pe_gate_answer_name(check->answer));
		if (check->why != NULL)
			pe_text_addf(out, " (%s)", check->why);
		return;
	}
	pe_format_size(out, check->relative, check->low, check->high);
	pe_text_add(out, " (");
	add_values(out, check);
	pe_text_addf(out, "), %s",
		     pe_gate_answer_name(check->layout ? PE_GATE_REGRESSED : check->answer));
	if (check->pairs > 0)
		pe_text_addf(out, " by %zu pairs of fresh runs", check->pairs);
	if (isfinite(check->limit)) {
		pe_text_add(out, ", gate ");
		pe_number_significant(out, check->limit * 100, 3);
		pe_text_add(out, " %");
	}
	if (check->layout)
		pe_text_add(out, ": layout: " PE_LAYOUT_WHY);
	else if (check->why != NULL)
		pe_text_addf(out, ": %s", check->why);
}

/* --- The table --- */

static void put_notes(struct pe_table *table, const struct pe_gate_check *check)
{
	enum { NOTE_INDENT = 5 };
	pe_auto_text more = PE_TEXT_INIT;

	if (check->layout)
		pe_table_note(table, NOTE_INDENT, "layout: " PE_LAYOUT_WHY);
	else if (check->why != NULL && strcmp(check->why, PE_GATE_BELOW_WHY) != 0)
		pe_table_note(table, NOTE_INDENT, check->why);
	for (size_t i = 0; i < check->n_causes; i++)
		pe_table_note(table, NOTE_INDENT, check->causes[i].text);
	if (check->more_causes > 0)
		pe_text_addf(&more, "… and %zu more", check->more_causes);
	pe_table_note(table, NOTE_INDENT, pe_text_str(&more));
}

void pe_gate_begin_table(struct pe_table *out, const struct pe_term *term)
{
	static const struct pe_column columns[] = {
		{"", false, 0},        {"benchmark", false, 12},    {"metric", false, 8},
		{"change", true, 0},   {"95 % interval", false, 0}, {"base → head", false, 0},
		{"answer", false, 12},
	};

	pe_table_init(out, columns, sizeof(columns) / sizeof(*columns), term);
}

void pe_gate_put_row(struct pe_table *table, const struct pe_gate_check *check, bool notes)
{
	enum { LEAST_FOR_LABELS = 100 };
	const bool narrow = table->term->width > 0 && table->term->width < LEAST_FOR_LABELS;
	const enum pe_paint paint = answers[check->answer].paint;
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_put(table, paint, answers[check->answer].sign);
	pe_table_code(table, check->benchmark);
	/* Labels that are cut look alike: "allocated bytes", "allocations". */
	pe_table_put(table, PE_PLAIN,
		     narrow && check->metric != NULL ? pe_log_title(check->metric)
						     : pe_gate_metric(check));
	if (is_measured(check))
		pe_format_change(&text, check->relative);
	pe_table_take(table, paint, &text);
	pe_format_interval(&text, check->low, check->high);
	pe_table_take(table, PE_PLAIN, &text);
	add_values(&text, check);
	pe_table_take(table, PE_PLAIN, &text);
	pe_text_add(&text, pe_gate_answer_name(check->answer));
	if (check->why != NULL && !notes)
		pe_text_addf(&text, ": %s", check->why);
	pe_table_take(table, paint, &text);
	if (notes)
		put_notes(table, check);
}
