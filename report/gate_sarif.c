/* The answers of a gate as SARIF 2.1.0 (OASIS): regressions and failures are errors, candidates are warnings. */
#include "report/gate_text.h"

#include "core/json/writer.h"
#include "core/base/hash.h"

#include <math.h>

static const struct {
	const char *id, *name, *text;
} rules[] = {
	{"regression", "PerformanceRegression",
	 "A benchmark got worse by more than the gate's limit, and fresh runs of both revisions "
	 "confirm it."},
	{"suspicion", "SuspectedRegression",
	 "A benchmark seems to have got worse; the runs that there were do not decide it."},
	{"failure", "BenchmarkFailure", "A benchmark that ran at the base does not run here."},
	{"build", "BuildFailure", "The revision does not build."},
	{"layout", "LayoutRegression",
	 "A benchmark got slower by where its code and data lie in memory; what it executes is the "
	 "same."},
	{"notice", "ChangeBelowGate",
	 "A benchmark got worse by less than the gate's limit, or executes more and takes less time."},
};

static const char *const levels[] = {"error", "warning", "error", "error", "note", "note"};

static size_t rule_of(const struct pe_gate_check *check)
{
	if (check->answer == PE_GATE_FAILED)
		return 2;
	if (check->answer == PE_GATE_LAYOUT)
		return 4;
	if (check->answer == PE_GATE_NOTICE)
		return 5;
	return check->answer == PE_GATE_REGRESSED ? 0 : 1;
}

static void put_message(struct pe_json *json, const char *key, const char *text)
{
	pe_json_begin_object(json, key);
	pe_json_put(json, "text", text);
	pe_json_end(json);
}

static void put_rules(struct pe_json *json)
{
	pe_json_begin_array(json, "rules");
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		pe_json_begin_object(json, NULL);
		pe_json_put(json, "id", rules[i].id);
		pe_json_put(json, "name", rules[i].name);
		put_message(json, "shortDescription", rules[i].text);
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* A path as a relative URI: everything but the unreserved characters and slashes as %XX (RFC 3986). */
static void put_uri(struct pe_json *json, const char *path)
{
	pe_auto_text uri = PE_TEXT_INIT;

	for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || *c == '.' ||
			     *c == '~' || *c == '/';

		if (plain)
			pe_text_addc(&uri, (char)*c);
		else
			pe_text_addf(&uri, "%%%02X", *c);
	}
	pe_json_take(json, "uri", &uri);
}

static void put_location(struct pe_json *json, const char *path, unsigned line)
{
	pe_json_begin_array(json, "locations");
	if (path != NULL) {
		pe_json_begin_object(json, NULL);
		pe_json_begin_object(json, "physicalLocation");
		pe_json_begin_object(json, "artifactLocation");
		put_uri(json, path);
		pe_json_put(json, "uriBaseId", "%SRCROOT%");
		pe_json_end(json);
		if (line > 0) {
			pe_json_begin_object(json, "region");
			pe_json_put(json, "startLine", line);
			pe_json_end(json);
		}
		pe_json_end(json);
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* Servers know a finding again by this, also when its values differ. */
static void put_fingerprint(struct pe_json *json, const char *rule, const char *benchmark,
			    const char *metric)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, rule);
	pe_hash_string(&hash, benchmark);
	pe_hash_string(&hash, metric);
	pe_hash_hex(&hash, hex);
	pe_json_begin_object(json, "partialFingerprints");
	pe_json_put(json, "perfevo/v1", hex);
	pe_json_end(json);
}

static void put_properties(struct pe_json *json, const struct pe_gate_check *check)
{
	pe_json_begin_object(json, "properties");
	pe_json_put(json, "benchmark", check->benchmark);
	if (check->metric != NULL) {
		pe_json_put(json, "metric", check->metric->name);
		pe_json_put(json, "unit", check->metric->unit);
		pe_json_put(json, "old", check->old_value);
		pe_json_put(json, "new", check->new_value);
		pe_json_computed_members(json, check, relative, low, high);
	}
	pe_json_end(json);
}

static void put_check(struct pe_json *json, const struct pe_gate *gate,
		      const struct pe_gate_check *check)
{
	const struct pe_gate_cause *place = pe_gate_place(check);
	size_t rule = rule_of(check);
	pe_auto_text sentence = PE_TEXT_INIT;

	pe_gate_add_sentence(&sentence, check);
	for (size_t i = 0; i < check->n_causes; i++)
		pe_text_addf(&sentence, "\n%s", check->causes[i].text);
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "ruleId", rules[rule].id);
	pe_json_put(json, "ruleIndex", rule);
	pe_json_put(json, "level", levels[rule]);
	put_message(json, "message", pe_text_str(&sentence));
	put_location(json, place != NULL ? place->path : gate->config,
		     place != NULL ? place->line : 0);
	put_fingerprint(json, rules[rule].id, check->benchmark,
			check->metric != NULL ? check->metric->name : NULL);
	put_properties(json, check);
	pe_json_end(json);
}

static void put_broken_build(struct pe_json *json, const struct pe_gate *gate)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "ruleId", rules[3].id);
	pe_json_put(json, "ruleIndex", 3);
	pe_json_put(json, "level", "error");
	put_message(json, "message", "It does not build, so no benchmark was run.");
	put_location(json, gate->config, 0);
	put_fingerprint(json, rules[3].id, NULL, NULL);
	pe_json_end(json);
}

void pe_gate_sarif(struct pe_text *out, const struct pe_gate *gate)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "version", "2.1.0");
	pe_json_begin_array(&json, "runs");
	pe_json_begin_object(&json, NULL);
	pe_json_begin_object(&json, "tool");
	pe_json_begin_object(&json, "driver");
	pe_json_put(&json, "name", "perfevo");
	pe_json_put(&json, "version", gate->version);
	put_rules(&json);
	pe_json_end(&json);
	pe_json_end(&json);
	pe_json_begin_object(&json, "originalUriBaseIds");
	pe_json_begin_object(&json, "%SRCROOT%");
	put_message(&json, "description", "The top of the repository.");
	pe_json_end(&json);
	pe_json_end(&json);
	pe_json_begin_object(&json, "properties");
	pe_gate_put_class(&json, gate);
	pe_json_end(&json);
	pe_json_begin_rows(&json, "results");
	if (gate->build_log != NULL)
		put_broken_build(&json, gate);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (pe_gate_speaks(&gate->checks[i]))
			put_check(&json, gate, &gate->checks[i]);
	pe_json_finish(&json);
}
