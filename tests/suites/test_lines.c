/* perfevo's own lines, as docs/suites.md has them. */
#include "reading.h"

TestSuite(lines, .timeout = 600);

Test(lines, adds_lines_of_one_benchmark_up)
{
	auto_reading read = reading_text(
		"starting\n"
		"{\"name\": \"parse\", \"parameters\": {\"size\": 1024, \"mode\": \"fast\"}, "
		"\"unit\": \"us\", \"values\": [12.5, 12.75]}\n"
		"other output {\n"
		"{\"name\": \"parse\", \"parameters\": {\"mode\": \"fast\", \"size\": 1024}, "
		"\"unit\": \"us\", \"value\": 13}\n"
		"{\"name\": \"parse\", \"parameters\": {\"mode\": \"fast\", \"size\": 1024}, "
		"\"metric\": \"rate\", \"unit\": \"MB/s\", \"value\": 80.5}\n"
		"{\"level\": \"info\"}\n");
	const struct pe_suite_metric *wall, *rate;

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_LINES));
	cr_expect(eq(sz, read.out.n_entries, 1));
	wall = reading_metric(&read, "parse[mode=fast,size=1024]", "wall");
	cr_assert(ne(ptr, (void *)wall, NULL));
	cr_assert(eq(sz, wall->n_values, 3));
	cr_expect(eq(dbl, wall->values[1], 12750));
	cr_expect(eq(dbl, wall->values[2], 13000));
	cr_expect(TEXT(wall->unit, "ns"));
	rate = reading_metric(&read, "parse[mode=fast,size=1024]", "rate");
	cr_expect(eq(int, rate->better, PE_HIGHER_IS_BETTER));
}

Test(lines, takes_what_a_line_says_of_its_metric)
{
	auto_reading read = reading_text(
		"{\"name\": \"a\", \"parameters\": [4, \"x,y\"], \"metric\": \"nodes\", \"better\": "
		"\"higher\", \"deterministic\": true, \"value\": 5}\n"
		"{\"name\": \"a\", \"parameters\": [4, \"x,y\"], \"metric\": \"seen\", \"better\": "
		"\"none\", \"value\": 6}\n"
		"{\"name\": \"b\", \"error\": \"no input\"}\n"
		"{\"name\": \"c\", \"value\": null}\n");
	const struct pe_suite_metric *nodes = reading_metric(&read, "a[4,\"x,y\"]", "nodes");

	cr_expect(eq(int, nodes->better, PE_HIGHER_IS_BETTER));
	cr_expect(eq(int, nodes->kind, PE_METRIC_DETERMINISTIC));
	cr_expect(TEXT(nodes->unit, "1"));
	cr_expect(eq(int, reading_metric(&read, "a[4,\"x,y\"]", "seen")->kind, PE_METRIC_CONTEXT));
	cr_expect(eq(int, reading_find(&read, "b")->state, PE_SUITE_FAILED));
	cr_expect(TEXT(reading_find(&read, "b")->message, "no input"));
	cr_expect(eq(sz, read.out.n_entries, 2), "a null value is no value");
}

Test(lines, keeps_no_value_of_another_unit)
{
	auto_reading read = reading_text("{\"name\": \"a\", \"unit\": \"x\", \"value\": 1}\n"
					 "{\"name\": \"a\", \"unit\": \"y\", \"value\": 2}\n");

	cr_expect(eq(sz, reading_metric(&read, "a", "wall")->n_values, 1));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_VALUE), NULL));
}

Test(lines, says_that_the_last_line_is_cut)
{
	auto_reading read =
		reading_text("{\"name\": \"a\", \"value\": 1}\n{\"name\": \"b\", \"val");

	cr_expect(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(int, read.out.cut_short, 1));
}
