/* The answers of a gate as SARIF 2.1.0 (OASIS): regressions and failures are errors, suspicions are warnings. */
#include "report/gate_text.h"
#include "report/json_out.h"

#include "core/base/hash.h"

#include <math.h>

static const struct {
	const char *id, *name, *text;
} rules[] = {
	{"regression", "PerformanceRegression",
	 "A benchmark got worse by more than its threshold, and fresh runs of both revisions "
	 "confirm it."},
	{"suspicion", "SuspectedRegression",
	 "A benchmark seems to have got worse; the runs that there were do not decide it."},
	{"failure", "BenchmarkFailure", "A benchmark that ran at the base does not run here."},
	{"build", "BuildFailure", "The revision does not build."},
};

static size_t rule_of(const struct pe_gate_check *check)
{
	if (check->answer == PE_GATE_FAILED)
		return 2;
	return check->answer == PE_GATE_REGRESSED ? 0 : 1;
}

static void put_message(struct pe_text *out, const char *key, const char *text)
{
	pe_json_open(out, key, '{');
	pe_json_put_text(out, "text", text);
	pe_text_addc(out, '}');
}

static void put_rules(struct pe_text *out)
{
	pe_json_open(out, "rules", '[');
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		pe_json_put_text(out, "id", rules[i].id);
		pe_json_put_text(out, "name", rules[i].name);
		put_message(out, "shortDescription", rules[i].text);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

/* A path as a relative URI: everything but the unreserved characters and slashes as %XX (RFC 3986). */
static void put_uri(struct pe_text *out, const char *path)
{
	struct pe_text uri = PE_TEXT_INIT;

	for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || *c == '.' ||
			     *c == '~' || *c == '/';

		if (plain)
			pe_text_addc(&uri, (char)*c);
		else
			pe_text_addf(&uri, "%%%02X", *c);
	}
	pe_json_put_text(out, "uri", pe_text_str(&uri));
	pe_text_release(&uri);
}

static void put_location(struct pe_text *out, const char *path, unsigned line)
{
	pe_json_open(out, "locations", '[');
	if (path != NULL) {
		pe_text_addc(out, '{');
		pe_json_open(out, "physicalLocation", '{');
		pe_json_open(out, "artifactLocation", '{');
		put_uri(out, path);
		pe_json_put_text(out, "uriBaseId", "%SRCROOT%");
		pe_text_addc(out, '}');
		if (line > 0) {
			pe_json_open(out, "region", '{');
			pe_json_put_number(out, "startLine", line);
			pe_text_addc(out, '}');
		}
		pe_text_add(out, "}}");
	}
	pe_text_addc(out, ']');
}

/* Servers know a finding again by this, also when its figures differ. */
static void put_fingerprint(struct pe_text *out, const char *rule, const char *benchmark,
			    const char *metric)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, rule);
	pe_hash_string(&hash, benchmark);
	pe_hash_string(&hash, metric);
	pe_hash_hex(&hash, hex);
	pe_json_open(out, "partialFingerprints", '{');
	pe_json_put_text(out, "perfevo/v1", hex);
	pe_text_addc(out, '}');
}

static void put_properties(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_json_open(out, "properties", '{');
	pe_json_put_text(out, "benchmark", check->benchmark);
	if (check->metric != NULL) {
		pe_json_put_text(out, "metric", check->metric->name);
		pe_json_put_text(out, "unit", check->metric->unit);
		pe_json_put_number(out, "old", check->old_value);
		pe_json_put_number(out, "new", check->new_value);
		pe_json_put_computed(out, "relative", check->relative);
		pe_json_put_computed(out, "low", check->low);
		pe_json_put_computed(out, "high", check->high);
	}
	pe_text_addc(out, '}');
}

static void put_check(struct pe_text *out, const struct pe_gate *gate,
		      const struct pe_gate_check *check)
{
	const struct pe_gate_cause *place = pe_gate_place(check);
	size_t rule = rule_of(check);
	struct pe_text sentence = PE_TEXT_INIT;

	pe_gate_add_sentence(&sentence, check);
	for (size_t i = 0; i < check->n_causes; i++)
		pe_text_addf(&sentence, "\n%s", check->causes[i].text);
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "ruleId", rules[rule].id);
	pe_json_put_number(out, "ruleIndex", (double)rule);
	pe_json_put_text(out, "level", rule == 1 ? "warning" : "error");
	put_message(out, "message", pe_text_str(&sentence));
	put_location(out, place != NULL ? place->path : gate->config,
		     place != NULL ? place->line : 0);
	put_fingerprint(out, rules[rule].id, check->benchmark,
			check->metric != NULL ? check->metric->name : NULL);
	put_properties(out, check);
	pe_text_addc(out, '}');
	pe_text_release(&sentence);
}

static void put_broken_build(struct pe_text *out, const struct pe_gate *gate)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "ruleId", rules[3].id);
	pe_json_put_number(out, "ruleIndex", 3);
	pe_json_put_text(out, "level", "error");
	put_message(out, "message", "It does not build, so no benchmark was run.");
	put_location(out, gate->config, 0);
	put_fingerprint(out, rules[3].id, NULL, NULL);
	pe_text_addc(out, '}');
}

void pe_gate_sarif(struct pe_text *out, const struct pe_gate *gate)
{
	pe_text_addc(out, '{');
	pe_json_put_text(out, "version", "2.1.0");
	pe_json_open(out, "runs", '[');
	pe_text_addc(out, '{');
	pe_json_open(out, "tool", '{');
	pe_json_open(out, "driver", '{');
	pe_json_put_text(out, "name", "perfevo");
	pe_json_put_text(out, "version", gate->version);
	put_rules(out);
	pe_text_add(out, "}}");
	pe_json_open(out, "originalUriBaseIds", '{');
	pe_json_open(out, "%SRCROOT%", '{');
	put_message(out, "description", "The top of the repository.");
	pe_text_add(out, "}}");
	pe_json_open(out, "results", '[');
	if (gate->build_log != NULL)
		put_broken_build(out, gate);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (pe_gate_speaks(&gate->checks[i]))
			put_check(out, gate, &gate->checks[i]);
	pe_text_add(out, "]}]}\n");
}
