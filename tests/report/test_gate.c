#include "fixture_gate.h"

#include "golden.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct pe_text text;
static struct pe_gate gate;

TestSuiteWith(gate, (void)0, pe_text_release(&text), .timeout = 600);

static void make(const char *kind)
{
	cr_assert(fixture_gate(&gate, kind));
}

Test(gate, stops_for_regressions_failures_and_broken_builds_alone)
{
	make("every");
	cr_expect(pe_gate_stops(&gate));
	for (size_t i = 0; i < gate.n_checks; i++)
		if (gate.checks[i].answer == PE_GATE_REGRESSED ||
		    gate.checks[i].answer == PE_GATE_FAILED)
			gate.checks[i].answer = PE_GATE_INCONCLUSIVE;
	cr_expect_not(pe_gate_stops(&gate));
	make("broken");
	cr_expect(pe_gate_stops(&gate));
	make("quiet");
	cr_expect_not(pe_gate_stops(&gate));
}

Test(gate, reads_well_on_a_terminal)
{
	const struct pe_term wide = {.width = 120, .unicode = true};
	const struct pe_term narrow = {.width = 80};

	make("every");
	pe_gate_term(&text, &gate, &wide);
	golden_check(&text, "gate-120.term");
	make("hostile");
	pe_gate_term(&text, &gate, &narrow);
	golden_check(&text, "gate-hostile-80.term");
}

/* How often a word stands in what was written. */
static size_t times(const char *word)
{
	size_t n = 0;

	for (const char *at = strstr(pe_text_str(&text), word); at != NULL;
	     at = strstr(at + 1, word))
		n++;
	return n;
}

Test(gate, names_the_worst_few_of_many)
{
	const struct pe_term wide = {.width = 120, .unicode = true};

	make("wide");
	pe_gate_term(&text, &gate, &wide);
	golden_check(&text, "gate-wide-120.term");
	pe_gate_markdown(&text, &gate);
	golden_check(&text, "gate-wide.md");
	/* Programs have all of them. */
	pe_gate_json(&text, &gate);
	cr_expect(eq(sz, times("\"answer\":\"regressed\""), 40));
	pe_text_clear(&text);
	pe_gate_junit(&text, &gate);
	cr_expect(eq(sz, times("<failure"), 40));
}

Test(gate, fits_into_a_comment)
{
	make("flood");
	pe_gate_markdown(&text, &gate);
	cr_expect(lt(sz, text.len, 65536));
	cr_expect(times("<details>") >= 1);
	cr_expect(eq(sz, times("<details>"), times("</details>")));
	cr_expect(eq(sz, times(" more\n"), 1));
}

Test(gate, writes_markdown_without_foreign_markup)
{
	make("every");
	pe_gate_markdown(&text, &gate);
	golden_check(&text, "gate.md");
	make("hostile");
	pe_gate_markdown(&text, &gate);
	cr_expect(strstr(pe_text_str(&text), "<script>") == NULL ||
		  strstr(pe_text_str(&text), "`<script>") != NULL);
	golden_check(&text, "gate-hostile.md");
}

Test(gate, writes_junit)
{
	make("every");
	pe_gate_junit(&text, &gate);
	golden_check(&text, "gate.junit.xml");
	make("hostile");
	pe_gate_junit(&text, &gate);
	golden_check(&text, "gate-hostile.junit.xml");
}

Test(gate, writes_workflow_commands_a_line_each)
{
	make("hostile");
	pe_gate_github(&text, &gate);
	for (const char *line = pe_text_str(&text); *line != '\0'; line = strchr(line, '\n') + 1)
		cr_expect_eq(strncmp(line, "::error ", 8), 0, "a line that is no command");
	golden_check(&text, "gate-hostile.github");
}

Test(gate, puts_a_finding_at_its_cause)
{
	make("every");
	pe_gate_sarif(&text, &gate);
	json_parsed(pe_text_str(&text), text.len);
	golden_check(&text, "gate.sarif");
}
