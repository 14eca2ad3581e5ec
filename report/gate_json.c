/*
 * The answers of a gate as one JSON document:
 *
 * { "format": 1, "version", "project", "machine", "stops", "summary", "took_ns", "out_of_budget",
 *   "base": { id, name, subject }, "tip": { id, subject }, "build_log",
 *   "checks": [{ benchmark, metric, unit, answer, old, new, relative, low, high, least, pairs, p, why, log,
 *                causes: [{ text, path, line }] }] }
 */
#include "report/gate_text.h"
#include "report/json_out.h"

static void put_causes(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_json_open(out, "causes", '[');
	for (size_t i = 0; i < check->n_causes; i++) {
		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		pe_json_put_text(out, "text", check->causes[i].text);
		pe_json_put_text(out, "path", check->causes[i].path);
		pe_json_put_number(out, "line", check->causes[i].line);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

static void put_check(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "benchmark", check->benchmark);
	pe_json_put_text(out, "metric", check->metric != NULL ? check->metric->name : NULL);
	pe_json_put_text(out, "unit", check->metric != NULL ? check->metric->unit : NULL);
	pe_json_put_text(out, "answer", pe_gate_answer_name(check->answer));
	pe_json_put_number(out, "old", check->old_value);
	pe_json_put_number(out, "new", check->new_value);
	pe_json_put_computed(out, "relative", check->relative);
	pe_json_put_computed(out, "low", check->low);
	pe_json_put_computed(out, "high", check->high);
	pe_json_put_computed(out, "least", check->least);
	pe_json_put_number(out, "pairs", (double)check->pairs);
	pe_json_put_computed(out, "p", check->p);
	pe_json_put_text(out, "why", check->why);
	pe_json_put_text(out, "log", check->log);
	put_causes(out, check);
	pe_text_addc(out, '}');
}

void pe_gate_json(struct pe_text *out, const struct pe_gate *gate)
{
	struct pe_text summary = PE_TEXT_INIT;

	pe_gate_summary(&summary, gate);
	pe_text_addc(out, '{');
	pe_json_put_number(out, "format", 1);
	pe_json_put_text(out, "version", gate->version);
	pe_json_put_text(out, "project", gate->project);
	pe_json_put_text(out, "machine", gate->machine);
	pe_json_put_bool(out, "stops", pe_gate_stops(gate));
	pe_json_put_text(out, "summary", pe_text_str(&summary));
	pe_json_put_number(out, "took_ns", (double)gate->took_ns);
	pe_json_put_bool(out, "out_of_budget", gate->out_of_budget);
	pe_json_open(out, "base", '{');
	pe_json_put_text(out, "id", gate->base.id);
	pe_json_put_text(out, "name", gate->base_name);
	pe_json_put_text(out, "subject", gate->base.subject);
	pe_text_addc(out, '}');
	pe_json_open(out, "tip", '{');
	pe_json_put_text(out, "id", gate->tip.id);
	pe_json_put_text(out, "subject", gate->tip.subject);
	pe_text_addc(out, '}');
	pe_json_put_text(out, "build_log", gate->build_log);
	pe_json_open(out, "checks", '[');
	for (size_t i = 0; i < gate->n_checks; i++)
		put_check(out, &gate->checks[i]);
	pe_text_add(out, "]}\n");
	pe_text_release(&summary);
}
