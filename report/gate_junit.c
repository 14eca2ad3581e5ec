/*
 * The answers of a gate as JUnit XML, in the form that Jenkins' and GitLab's readers share: a suite a
 * benchmark, a case a metric. What regressed or failed is a failure, what is inconclusive, a notice, layout
 * or skipped is skipped, so that it is seen and stops nothing.
 */
#include "report/gate_text.h"

#include <string.h>

struct sum {
	size_t tests, failures, skipped;
};

static bool is_skipped(const struct pe_gate_check *check)
{
	return check->answer == PE_GATE_INCONCLUSIVE || check->answer == PE_GATE_LAYOUT ||
	       check->answer == PE_GATE_NOTICE || check->answer == PE_GATE_SKIPPED;
}

static bool is_failure(const struct pe_gate_check *check)
{
	return check->answer == PE_GATE_FAILED || check->answer == PE_GATE_REGRESSED;
}

static struct sum count(const struct pe_gate *gate, const char *benchmark)
{
	struct sum sum = {0};

	for (size_t i = 0; i < gate->n_checks; i++) {
		const struct pe_gate_check *check = &gate->checks[i];

		if (benchmark != NULL && strcmp(check->benchmark, benchmark) != 0)
			continue;
		sum.tests++;
		sum.failures += is_failure(check);
		sum.skipped += is_skipped(check);
	}
	return sum;
}

static void put_attribute(struct pe_text *out, const char *name, const char *value)
{
	pe_text_addf(out, " %s=\"", name);
	pe_escape_xml(out, value);
	pe_text_addc(out, '"');
}

static void put_counts(struct pe_text *out, struct sum sum)
{
	pe_text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\"", sum.tests, sum.failures);
}

static void put_details(struct pe_text *out, const struct pe_gate_check *check)
{
	for (size_t i = 0; i < check->n_causes; i++) {
		const struct pe_gate_cause *cause = &check->causes[i];

		pe_text_addc(out, '\n');
		if (cause->path != NULL) {
			pe_escape_xml(out, cause->path);
			pe_text_addf(out, ":%u: ", cause->line);
		}
		pe_escape_xml(out, cause->text);
	}
	if (check->log != NULL) {
		pe_text_addc(out, '\n');
		pe_escape_xml(out, check->log);
	}
}

static void put_result(struct pe_text *out, const struct pe_gate_check *check)
{
	const char *element = is_failure(check) ? "failure" : "skipped";
	pe_auto_text sentence = PE_TEXT_INIT;

	pe_gate_add_sentence(&sentence, check);
	pe_text_addf(out, "\n      <%s", element);
	/* Jenkins' schema lets no attribute stand on what was skipped. */
	if (is_failure(check)) {
		put_attribute(out, "message", pe_text_str(&sentence));
		put_attribute(out, "type", pe_gate_answer_name(check->answer));
	}
	pe_text_addc(out, '>');
	pe_escape_xml(out, pe_text_str(&sentence));
	put_details(out, check);
	pe_text_addf(out, "</%s>\n    ", element);
}

static void put_case(struct pe_text *out, const struct pe_gate_check *check)
{
	pe_text_add(out, "    <testcase");
	put_attribute(out, "name", pe_gate_metric(check));
	put_attribute(out, "classname", check->benchmark);
	pe_text_add(out, " time=\"0\">");
	if (is_failure(check) || is_skipped(check))
		put_result(out, check);
	pe_text_add(out, "</testcase>\n");
}

static void put_suite(struct pe_text *out, const struct pe_gate *gate, const char *benchmark)
{
	struct sum sum = count(gate, benchmark);

	pe_text_add(out, "  <testsuite");
	put_attribute(out, "name", benchmark);
	put_counts(out, sum);
	pe_text_addf(out, " skipped=\"%zu\">\n", sum.skipped);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (strcmp(gate->checks[i].benchmark, benchmark) == 0)
			put_case(out, &gate->checks[i]);
	pe_text_add(out, "  </testsuite>\n");
}

static void put_broken_build(struct pe_text *out, const struct pe_gate *gate)
{
	pe_text_add(out, "  <testsuite name=\"build\" tests=\"1\" failures=\"1\" errors=\"0\" "
			 "skipped=\"0\">\n    <testcase name=\"build\" classname=\"build\" "
			 "time=\"0\">\n      <failure message=\"it does not build\" "
			 "type=\"failed\">");
	pe_escape_xml(out, gate->build_log);
	pe_text_add(out, "</failure>\n    </testcase>\n  </testsuite>\n");
}

void pe_gate_junit(struct pe_text *out, const struct pe_gate *gate)
{
	struct sum sum = count(gate, NULL);
	bool broken = gate->build_log != NULL;

	sum.tests += broken;
	sum.failures += broken;
	pe_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put_attribute(out, "name", "perfevo");
	put_counts(out, sum);
	pe_text_add(out, ">\n");
	if (broken)
		put_broken_build(out, gate);
	for (size_t i = 0; i < gate->n_checks; i++)
		if (pe_gate_begins_benchmark(gate, i))
			put_suite(out, gate, gate->checks[i].benchmark);
	pe_text_add(out, "</testsuites>\n");
}
