/* That it was the machine, in words and as JSON. */
#include "report/evolution.h"

#include "fixture.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct pe_text text;
static struct fixture fixture;

TestSuiteWith(machine_drift, (void)0, (pe_text_release(&text), fixture_release(&fixture)),
	      .timeout = 600);

enum { NOW = 1795269600 /* 2026-11-21 14:00 UTC */, HOUR = 3600, DAY = 24 * HOUR };

static struct pe_machine_drift slower(void)
{
	return (struct pe_machine_drift){.metric = "wall",
					 .relative = 0.034,
					 .low = 0.0291,
					 .high = 0.0386,
					 .cells = 8,
					 .commits = 4,
					 .benchmarks = 2,
					 .from_s = NOW - DAY,
					 .since_s = NOW - DAY};
}

static void expect_words(const struct pe_machine_drift *moved, const char *words)
{
	pe_text_clear(&text);
	pe_machine_drift_add(&text, moved, NOW);
	cr_expect_str_eq(pe_text_str(&text), words);
}

#define BOTH "measured both times; corrected"

Test(machine_drift, is_told_with_its_interval_and_date)
{
	struct pe_machine_drift moved = slower();

	expect_words(&moved, "machine drift: 3.4 % slower (2.9 to 3.9) than on 2026-11-20, by 4 "
			     "builds " BOTH);
}

/* Of a negative change the bounds change places. */
Test(machine_drift, is_told_of_a_faster_one)
{
	struct pe_machine_drift moved = slower();

	moved.relative = -0.12;
	moved.low = -0.1311;
	moved.high = -0.11;
	expect_words(&moved, "machine drift: 12.0 % faster (11.0 to 13.1) than on 2026-11-20, by 4 "
			     "builds " BOTH);
}

Test(machine_drift, an_interval_that_says_nothing_is_left_out)
{
	struct pe_machine_drift moved = slower();

	moved.relative = moved.low = moved.high = 1.5;
	expect_words(&moved, "machine drift: 150 % slower than on 2026-11-20, by 4 builds " BOTH);
}

Test(machine_drift, earlier_times_are_told_as_they_lie)
{
	struct pe_machine_drift moved = slower();

	moved.from_s = NOW - 18 * DAY;
	expect_words(
		&moved,
		"machine drift: 3.4 % slower (2.9 to 3.9) than between 2026-11-03 and 2026-11-20, "
		"by 4 builds " BOTH);
	moved.from_s = moved.since_s = NOW - 5 * HOUR + 300;
	expect_words(&moved, "machine drift: 3.4 % slower (2.9 to 3.9) than at 09:05 UTC, by 4 "
			     "builds " BOTH);
	moved.commits = 1;
	expect_words(&moved,
		     "machine drift: 3.4 % slower (2.9 to 3.9) than at 09:05 UTC, by a build in 2 "
		     "benchmarks " BOTH);
}

/* The last line, or on a narrow terminal the last two, none of them cut. */
Test(machine_drift, ends_the_table)
{
	const struct pe_term wide = {.width = 160, .unicode = true};
	const struct pe_term narrow = {.width = 80, .unicode = true};
	struct pe_machine_drift moved = slower();

	cr_assert(fixture_make(&fixture, "quiet"));
	pe_evolution_term(&text, &fixture.evolution, &wide);
	cr_expect(not(strstr(pe_text_str(&text), "machine drift:") != NULL));
	fixture.evolution.machine_drift = &moved;
	pe_text_clear(&text);
	pe_evolution_term(&text, &fixture.evolution, &wide);
	cr_expect_has(pe_text_str(&text), "\n\nmachine drift: 3.4 % slower (2.9 to 3.9) than on "
					  "2026-11-20, by 4 builds " BOTH "\n");
	pe_text_clear(&text);
	pe_evolution_term(&text, &fixture.evolution, &narrow);
	cr_expect_has(pe_text_str(&text), "\n\nmachine drift: 3.4 % slower (2.9 to 3.9) than on "
					  "2026-11-20, by 4 builds\n  " BOTH "\n");
	pe_text_clear(&text);
	pe_evolution_md(&text, &fixture.evolution);
	cr_expect_has(pe_text_str(&text), "\n\nmachine drift: 3.4 % slower");
}

Test(machine_drift, is_null_in_json_or_an_object)
{
	struct pe_machine_drift moved = slower();
	const struct pe_json_value *document, *object;

	cr_assert(fixture_make(&fixture, "small"));
	pe_evolution_json(&text, &fixture.evolution);
	document = json_parsed(pe_text_str(&text), text.len);
	cr_expect(json_get(document, "machine_drift")->kind == PE_JSON_NULL);
	fixture.evolution.machine_drift = &moved;
	pe_text_clear(&text);
	pe_evolution_json(&text, &fixture.evolution);
	document = json_parsed(pe_text_str(&text), text.len);
	object = json_get(document, "machine_drift");
	cr_expect_str_eq(pe_json_string(json_get(object, "metric")), "wall");
	cr_expect(epsilon_eq(dbl, pe_json_number(json_get(object, "relative")), 0.034, 1e-12));
	cr_expect(epsilon_eq(dbl, pe_json_number(json_get(object, "low")), 0.0291, 1e-12));
	cr_expect(epsilon_eq(dbl, pe_json_number(json_get(object, "high")), 0.0386, 1e-12));
	cr_expect_text("8 4 2 2026-11-20T14:00:00Z 2026-11-20T14:00:00Z",
		       (int)pe_json_whole(json_get(object, "cells"), INT64_MIN),
		       (int)pe_json_whole(json_get(object, "commits"), INT64_MIN),
		       (int)pe_json_whole(json_get(object, "benchmarks"), INT64_MIN),
		       pe_json_string(json_get(object, "from")),
		       pe_json_string(json_get(object, "since")));
}
