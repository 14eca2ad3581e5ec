/* The answers of a gate as annotations: GitHub's workflow commands, GitLab's code quality report. */
#include "report/gate_text.h"

#include "core/json/writer.h"
#include "core/base/hash.h"

#include <string.h>

/* --- GitHub --- */

/* Commands end at the line's end, their properties at a comma or colon: these are written as %XX. */
static void put_command_text(struct pe_text *out, const char *text, bool property)
{
	for (const char *c = text; *c != '\0'; c++) {
		bool special = *c == '%' || *c == '\r' || *c == '\n' ||
			       (property && (*c == ':' || *c == ','));

		if (special)
			pe_text_addf(out, "%%%02X", (unsigned char)*c);
		else
			pe_text_addc(out, *c);
	}
}

static void put_command(struct pe_text *out, const char *level, const char *path, unsigned line,
			const char *title, const char *text)
{
	pe_text_addf(out, "::%s ", level);
	if (path != NULL) {
		pe_text_add(out, "file=");
		put_command_text(out, path, true);
		if (line > 0)
			pe_text_addf(out, ",line=%u", line);
		pe_text_addc(out, ',');
	}
	pe_text_add(out, "title=");
	put_command_text(out, title, true);
	pe_text_add(out, "::");
	put_command_text(out, text, false);
	pe_text_addc(out, '\n');
}

static const char *title_of(const struct pe_gate_check *check)
{
	if (check->answer == PE_GATE_FAILED)
		return "Benchmark fails";
	if (check->answer == PE_GATE_LAYOUT)
		return "Slower by layout";
	if (check->answer == PE_GATE_NOTICE)
		return "Change for the worse below the gate";
	return check->answer == PE_GATE_REGRESSED ? "Performance regression"
						  : "Suspected performance regression";
}

/* The sentence, with its causes on lines of their own. */
static void add_whole(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_gate_add_sentence(out, check);
	for (size_t i = 0; i < check->n_causes; i++)
		pe_text_addf(out, "\n%s", check->causes[i].text);
}

void pe_gate_github(struct pe_text *out, const struct pe_gate *gate)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (gate->build_log != NULL)
		put_command(out, "error", NULL, 0, "Build fails", gate->build_log);
	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];
		const struct pe_gate_cause *place = pe_gate_place(check);

		if (!pe_gate_speaks(check))
			continue;
		pe_text_clear(&text);
		add_whole(&text, check);
		put_command(out,
			    check->answer == PE_GATE_INCONCLUSIVE ? "warning"
			    : check->answer == PE_GATE_LAYOUT || check->answer == PE_GATE_NOTICE
				    ? "notice"
				    : "error",
			    place != NULL ? place->path : NULL, place != NULL ? place->line : 0,
			    title_of(check), pe_text_str(&text));
	}
}

/* --- GitLab --- */

static void put_quality(struct pe_json *json, const char *check_name, const char *severity,
			const char *path, unsigned line, const char *description,
			const char *fingerprint_of)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, check_name);
	pe_hash_string(&hash, fingerprint_of);
	pe_hash_hex(&hash, hex);
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "description", description);
	pe_json_put(json, "check_name", check_name);
	pe_json_put(json, "fingerprint", hex);
	pe_json_put(json, "severity", severity);
	pe_json_begin_object(json, "location");
	pe_json_put(json, "path", path);
	pe_json_begin_object(json, "lines");
	pe_json_put(json, "begin", line > 0 ? line : 1);
	pe_json_end(json);
	pe_json_end(json);
	pe_json_end(json);
}

static void put_quality_check(struct pe_json *json, const struct pe_gate *gate,
			      const struct pe_gate_check *check)
{
	const struct pe_gate_cause *place = pe_gate_place(check);
	const char *fallback = gate->config != NULL ? gate->config : "perfevo.yml";
	pe_auto_text text = PE_TEXT_INIT, identity = PE_TEXT_INIT;
	const bool fails = check->answer == PE_GATE_FAILED || check->answer == PE_GATE_REGRESSED;

	add_whole(&text, check);
	pe_text_addf(&identity, "%s\n%s", check->benchmark,
		     check->metric != NULL ? check->metric->name : "");
	put_quality(json,
		    fails                             ? "performance-regression"
		    : check->answer == PE_GATE_LAYOUT ? "layout"
		    : check->answer == PE_GATE_NOTICE ? "change-below-gate"
						      : "suspected-performance-regression",
		    fails ? "major" : "info", place != NULL ? place->path : fallback,
		    place != NULL ? place->line : 1, pe_text_str(&text), pe_text_str(&identity));
}

void pe_gate_gitlab(struct pe_text *out, const struct pe_gate *gate)
{
	struct pe_json json = PE_JSON_INIT(out);
	pe_json_begin_rows(&json, NULL);
	if (gate->build_log != NULL)
		put_quality(&json, "build-failure", "blocker",
			    gate->config != NULL ? gate->config : "perfevo.yml", 1,
			    "It does not build, so no benchmark was run.", "build");
	for (size_t i = 0; i < gate->n_checks; i++)
		if (pe_gate_speaks(&gate->checks[i]))
			put_quality_check(&json, gate, &gate->checks[i]);
	pe_json_finish(&json);
}
