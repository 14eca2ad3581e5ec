/* The answers of a gate as one JSON document: report/schema/ci.schema.json describes its members. */
#include "report/gate_text.h"

#include "core/json/writer.h"

static void put_check(struct pe_json *json, const struct pe_gate_check *check)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", check->benchmark);
	pe_json_put(json, "metric", check->metric != NULL ? check->metric->name : NULL);
	pe_json_put(json, "unit", check->metric != NULL ? check->metric->unit : NULL);
	pe_json_put(json, "answer", pe_gate_answer_name(check->answer));
	pe_json_put(json, "old", check->old_value);
	pe_json_put(json, "new", check->new_value);
	pe_json_computed_members(json, check, relative, low, high);
	pe_json_computed(json, "min_detectable_effect", check->least);
	pe_json_bool(json, "layout", check->layout);
	pe_json_bool(json, "generic", check->generic);
	pe_json_put(json, "pairs", check->pairs);
	pe_json_computed(json, "p", check->p);
	pe_json_members(json, check, why, log);
	pe_json_each(json, "causes", i, check->n_causes,
		     pe_json_struct(json, NULL, &check->causes[i], text, path, line));
	pe_json_end(json);
}

void pe_gate_put_class(struct pe_json *json, const struct pe_gate *gate)
{
	const bool classified = pe_gate_is_classified(gate);
	pe_auto_text words = PE_TEXT_INIT;

	if (classified)
		pe_commit_class_add(&words, &gate->class);
	pe_json_put(json, "class", classified ? pe_class_name(gate->class.class) : NULL);
	pe_json_put(json, "words", classified ? pe_text_str(&words) : NULL);
	pe_json_put(json, "contradiction",
		    classified ? pe_commit_class_contradiction(&gate->class) : NULL);
	pe_json_begin_object(json, "gate");
	/* Infinity, which is 'off', becomes null. */
	pe_json_computed_members(json, &gate->limits, wall, instructions, allocations, peak);
	pe_json_end(json);
}

void pe_gate_json(struct pe_text *out, const struct pe_gate *gate)
{
	struct pe_json json = PE_JSON_INIT(out);
	pe_auto_text summary = PE_TEXT_INIT;

	pe_gate_summary(&summary, gate);
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_members(&json, gate, version, project, machine);
	pe_json_bool(&json, "stops", pe_gate_stops(gate));
	pe_json_take(&json, "summary", &summary);
	pe_gate_put_class(&json, gate);
	pe_json_members(&json, gate, took_ns, counts_only, out_of_budget, config_note);
	pe_json_begin_object(&json, "base");
	pe_json_put(&json, "id", gate->base.id);
	pe_json_put(&json, "name", gate->base_name);
	pe_json_put(&json, "subject", gate->base.subject);
	pe_json_end(&json);
	pe_json_struct(&json, "tip", &gate->tip, id, subject);
	pe_json_put(&json, "build_log", gate->build_log);
	pe_json_each_row(&json, "checks", i, gate->n_checks, put_check(&json, &gate->checks[i]));
	pe_json_finish(&json);
}
