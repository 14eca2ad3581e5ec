/*
 * A workload as JSON, for people who look into the file. perfevo itself never reads it back: what decides
 * is the version.
 */
#include "store/sql.h"

#include <inttypes.h>

static void add_string(struct pe_text *out, const char *string)
{
	if (string == NULL) {
		pe_text_add(out, "null");
		return;
	}
	pe_text_addc(out, '"');
	for (const char *c = string; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			pe_text_addf(out, "\\%c", *c);
		else if ((unsigned char)*c < 0x20)
			pe_text_addf(out, "\\u%04x", (unsigned)*c);
		else
			pe_text_addc(out, *c);
	}
	pe_text_addc(out, '"');
}

static void add_member(struct pe_text *out, const char *name, const char *string)
{
	pe_text_addf(out, ",\"%s\":", name);
	add_string(out, string);
}

static void add_strings(struct pe_text *out, const char *name, const struct pe_strings *strings)
{
	pe_text_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < strings->n; i++) {
		if (i != 0)
			pe_text_addc(out, ',');
		add_string(out, strings->at[i]);
	}
	pe_text_addc(out, ']');
}

static void add_commands(struct pe_text *out, const char *name, const struct pe_commands *commands)
{
	pe_text_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < commands->n; i++) {
		if (i != 0)
			pe_text_addc(out, ',');
		add_string(out, commands->at[i].text);
	}
	pe_text_addc(out, ']');
}

static void add_customs(struct pe_text *out, const struct pe_workload *workload)
{
	pe_text_add(out, ",\"metrics\":[");
	for (size_t i = 0; i < workload->n_customs; i++) {
		const struct pe_custom_metric *custom = &workload->customs[i];

		pe_text_add(out, i != 0 ? ",{\"name\":" : "{\"name\":");
		add_string(out, custom->metric.name);
		add_member(out, "unit", custom->metric.unit);
		add_member(out, "better",
			   custom->metric.better == PE_HIGHER_IS_BETTER ? "higher" : "lower");
		add_member(out, custom->how == PE_EXTRACT_JSON ? "json" : "regex",
			   custom->expression);
		add_member(out, "from", custom->from_stderr ? "stderr" : "stdout");
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

void pe_workload_json(struct pe_text *out, const struct pe_workload *workload)
{
	pe_text_add(out, "{\"name\":");
	add_string(out, workload->name);
	add_member(out, "command", workload->command.text);
	add_member(out, "cwd", workload->cwd);
	add_member(out, "input", workload->input);
	add_strings(out, "inputs", &workload->inputs);
	add_strings(out, "env", &workload->env);
	add_strings(out, "parameters", &workload->parameters);
	add_strings(out, "tags", &workload->tags);
	add_commands(out, "setup", &workload->setup);
	add_commands(out, "prepare", &workload->prepare);
	add_commands(out, "cleanup", &workload->cleanup);
	pe_text_addf(out,
		     ",\"expected_status\":%d,\"warmup\":%u,\"repeats\":%u,\"timeout_ns\":%" PRIu64,
		     workload->expected_status, workload->warmup, workload->repeats,
		     workload->timeout_ns);
	pe_text_addf(out, ",\"count_allocations\":%s,\"is_test\":%s",
		     workload->count_allocations ? "true" : "false",
		     workload->is_test ? "true" : "false");
	add_customs(out, workload);
	pe_text_addc(out, '}');
}
