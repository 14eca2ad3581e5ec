/*
 * A gate's findings for programs that show them in the source: SARIF 2.1.0 (OASIS), GitHub's workflow commands and GitLab's
 * code quality report. A finding is a broken build, or a check with a message.
 */
#include "report/gate_text.h"

#include "core/base/hash.h"
#include "core/json/writer.h"

#include <string.h>

/* The build is no answer. */
#define BUILD PE_N_GATE_ANSWERS

static const struct rule {
	enum pe_gate_answer answer;
	const char *id, *name, *level, *text; /* SARIF */
	const char *title;                    /* GitHub */
	const char *check_name, *severity;    /* GitLab */
} rules[] = {
	{PE_GATE_REGRESSED, "regression", "PerformanceRegression", "error",
	 "A benchmark got worse by more than the gate's limit, and fresh runs of both revisions "
	 "confirm it.",
	 "Performance regression", "performance-regression", "major"},
	{PE_GATE_INCONCLUSIVE, "suspicion", "SuspectedRegression", "warning",
	 "A benchmark seems to have got worse; the runs that there were do not decide it.",
	 "Suspected performance regression", "suspected-performance-regression", "info"},
	{PE_GATE_FAILED, "failure", "BenchmarkFailure", "error",
	 "A benchmark that ran at the base does not run here.", "Benchmark fails",
	 "performance-regression", "major"},
	{BUILD, "build", "BuildFailure", "error", "The revision does not build.", "Build fails",
	 "build-failure", "blocker"},
	{PE_GATE_LAYOUT, "layout", "LayoutRegression", "note",
	 "A benchmark got slower by where its code and data lie in memory; what it executes is the "
	 "same.",
	 "Slower by layout", "layout", "info"},
	{PE_GATE_NOTICE, "notice", "ChangeBelowGate", "note",
	 "A benchmark got worse by less than the gate's limit, or executes more and takes less "
	 "time.",
	 "Change for the worse below the gate", "change-below-gate", "info"},
};

enum { N_RULES = sizeof(rules) / sizeof(*rules) };

struct finding {
	const struct rule *rule;
	const struct pe_gate_check *check; /* NULL: the build */
	const char *path;                  /* of its cause; NULL: unknown */
	unsigned line;                     /* 0: unknown */
	const char *text;
};

static const struct rule *rule_of(enum pe_gate_answer answer)
{
	for (size_t i = 0; i < N_RULES; i++)
		if (rules[i].answer == answer)
			return &rules[i];
	return NULL;
}

typedef void write_fn(const struct finding *finding, const struct pe_gate *gate, void *payload);

/* Each finding with its sentence, and its causes on lines of their own. */
static void each_finding(const struct pe_gate *gate, write_fn *write, void *payload)
{
	struct finding build = {rule_of(BUILD), NULL, NULL, 0,
				"It does not build, so no benchmark was run."};
	pe_auto_text text = PE_TEXT_INIT;

	if (gate->build_log != NULL)
		write(&build, gate, payload);
	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];
		struct finding finding = {.rule = rule_of(check->answer), .check = check};

		if (finding.rule == NULL)
			continue;
		pe_text_clear(&text);
		pe_gate_add_sentence(&text, check);
		for (size_t c = 0; c < check->n_causes; c++) {
			const struct pe_gate_cause *cause = &check->causes[c];

			pe_text_addf(&text, "\n%s", cause->text);
			if (finding.path != NULL || cause->path == NULL)
				continue;
			finding.path = cause->path;
			finding.line = cause->line;
		}
		finding.text = pe_text_str(&text);
		write(&finding, gate, payload);
	}
}

static const char *metric_of(const struct finding *finding)
{
	return finding->check != NULL && finding->check->metric != NULL
		       ? finding->check->metric->name
		       : NULL;
}

/* The identity of a finding on a server, independent of its values. */
static void put_fingerprint(struct pe_json *json, const char *key, const char *const *parts,
			    size_t n)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	for (size_t i = 0; i < n; i++)
		pe_hash_string(&hash, parts[i]);
	pe_hash_hex(&hash, hex);
	pe_json_put(json, key, hex);
}

/* --- SARIF --- */

static void put_message(struct pe_json *json, const char *key, const char *text)
{
	pe_json_begin_object(json, key);
	pe_json_put(json, "text", text);
	pe_json_end(json);
}

static void put_rule(struct pe_json *json, const struct rule *rule)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, rule, id, name);
	put_message(json, "shortDescription", rule->text);
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
	pe_json_put(json, "uri", pe_text_str(&uri));
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

static void put_result(const struct finding *finding, const struct pe_gate *gate, void *payload)
{
	struct pe_json *json = payload;
	const char *const parts[] = {finding->rule->id,
				     finding->check != NULL ? finding->check->benchmark : NULL,
				     metric_of(finding)};

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "ruleId", finding->rule->id);
	pe_json_put(json, "ruleIndex", (size_t)(finding->rule - rules));
	pe_json_put(json, "level", finding->rule->level);
	put_message(json, "message", finding->text);
	put_location(json, finding->path != NULL ? finding->path : gate->config, finding->line);
	pe_json_begin_object(json, "partialFingerprints");
	put_fingerprint(json, "perfevo/v1", parts, 3);
	pe_json_end(json);
	if (finding->check != NULL)
		put_properties(json, finding->check);
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
	pe_json_each(&json, "rules", i, N_RULES, put_rule(&json, &rules[i]));
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
	each_finding(gate, put_result, &json);
	pe_json_finish(&json);
}

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

static void put_command(const struct finding *finding, const struct pe_gate *gate, void *payload)
{
	const char *level = finding->rule->level;
	struct pe_text *out = payload;

	pe_text_addf(out, "::%s ", strcmp(level, "note") == 0 ? "notice" : level);
	if (finding->path != NULL) {
		pe_text_add(out, "file=");
		put_command_text(out, finding->path, true);
		if (finding->line > 0)
			pe_text_addf(out, ",line=%u", finding->line);
		pe_text_addc(out, ',');
	}
	pe_text_add(out, "title=");
	put_command_text(out, finding->rule->title, true);
	pe_text_add(out, "::");
	put_command_text(out, finding->check != NULL ? finding->text : gate->build_log, false);
	pe_text_addc(out, '\n');
}

void pe_gate_github(struct pe_text *out, const struct pe_gate *gate)
{
	each_finding(gate, put_command, out);
}

/* --- GitLab --- */

static void put_quality(const struct finding *finding, const struct pe_gate *gate, void *payload)
{
	const char *fallback = gate->config != NULL ? gate->config : "perfevo.yml";
	struct pe_json *json = payload;
	pe_auto_text identity = PE_TEXT_INIT;
	const char *parts[] = {finding->rule->check_name, "build"};

	if (finding->check != NULL) {
		pe_text_addf(&identity, "%s\n%s", finding->check->benchmark,
			     metric_of(finding) != NULL ? metric_of(finding) : "");
		parts[1] = pe_text_str(&identity);
	}
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "description", finding->text);
	pe_json_members(json, finding->rule, check_name);
	put_fingerprint(json, "fingerprint", parts, 2);
	pe_json_members(json, finding->rule, severity);
	pe_json_begin_object(json, "location");
	pe_json_put(json, "path", finding->path != NULL ? finding->path : fallback);
	pe_json_begin_object(json, "lines");
	pe_json_put(json, "begin", finding->line > 0 ? finding->line : 1);
	pe_json_end(json);
	pe_json_end(json);
	pe_json_end(json);
}

void pe_gate_gitlab(struct pe_text *out, const struct pe_gate *gate)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_rows(&json, NULL);
	each_finding(gate, put_quality, &json);
	pe_json_finish(&json);
}
