/* Catch2: XML of 2.13.10 and 3.7.1 (data/catch2.cpp). */
#include "reading.h"

TestSuite(catch2, .timeout = 600);

static void expect_suite(const char *file)
{
	auto_reading read = reading_file(file);
	const struct pe_suite_entry *entry;

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_CATCH2));
	cr_expect(eq(sz, read.out.n_entries, 6));
	cr_expect(eq(int, read.out.cut_short, 0));
	entry = reading_find(&read, "Fibonacci, <small> & \"quoted\"/in a section/work 10");
	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->selector, "Fibonacci, <small> & \"quoted\""));
	cr_expect(eq(sz, entry->metrics[0].n_values, 1));
	cr_expect(gt(dbl, entry->iterations, 1));
	cr_expect(ne(ptr, (void *)reading_find(&read, "two of one name/twin"), NULL));
	cr_expect(ne(ptr, (void *)reading_find(&read, "two of one name/twin[#=2]"), NULL));
	entry = reading_find(&read, "throws/thrower");
	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(eq(int, entry->state, PE_SUITE_FAILED));
	cr_expect(TEXT(entry->message, "no input"));
	reading_cut_everywhere(&read, PE_SUITE_AUTO, 1);
}

Test(catch2, reads_what_version_2_writes)
{
	auto_reading read = reading_file("catch2_2.xml");

	expect_suite("catch2_2.xml");
	cr_expect(eq(dbl, reading_value(&read, "two of one name/twin", "wall"), 1.89709));
}

Test(catch2, reads_what_version_3_writes)
{
	auto_reading read = reading_file("catch2_3.xml");

	expect_suite("catch2_3.xml");
	cr_expect(TEXT(read.out.version, "3.7.1"));
}

Test(catch2, names_what_crashed)
{
	auto_reading read = reading_file("catch2_crash.xml");
	const struct pe_suite_entry *entry = reading_find(&read, "crashes/aborts");

	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(eq(int, entry->state, PE_SUITE_FAILED));
	cr_expect(TEXT(entry->message, "SIGABRT - Abort (abnormal termination) signal"));
	cr_expect(eq(int, read.out.cut_short, 1));
	cr_expect(TEXT(read.out.running, "crashes"));
}

#define CATCH(...)                                                                                 \
	"<?xml version=\"1.0\"?>\n<Catch name=\"s\"><Group name=\"s\">" __VA_ARGS__                \
	"</Group></Catch>"
#define CASE(name, ...) "<TestCase name=\"" name "\">" __VA_ARGS__ "</TestCase>"
#define BENCH(name, value)                                                                         \
	"<BenchmarkResults name=\"" name "\" iterations=\"3\"><mean value=\"" value                \
	"\"/></BenchmarkResults>"

Test(catch2, names_what_ran_when_the_file_ended)
{
	auto_reading read = reading_text(
		"noise < here\n<?xml version=\"1.0\"?>\n<Catch name=\"s\"><Group><TestCase "
		"name=\"t\">" BENCH("a", "1") "<BenchmarkResults name=\"b\" samples=\"3\">\n");

	cr_expect(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(int, read.out.cut_short, 1));
	cr_expect(TEXT(read.out.running, "t"));
}

Test(catch2, reads_several_documents_among_text)
{
	auto_reading read = reading_text("start\n" CATCH(CASE(
		"t", BENCH("a", "1"))) "\nmiddle\n" CATCH(CASE("t", BENCH("a", "2"))) "end <\n");
	const struct pe_suite_metric *wall = reading_metric(&read, "t/a", "wall");

	cr_assert(eq(sz, wall->n_values, 2));
	cr_expect(eq(sz, wall->n_processes, 2));
	cr_expect(eq(int, read.out.cut_short, 0));
}

Test(catch2, leaves_a_value_out_that_is_no_number)
{
	auto_reading read = reading_text(
		CATCH(CASE("t", BENCH("a", "nan") BENCH("b", "1e999") BENCH("c", "12 x"))));

	cr_assert(eq(sz, read.out.n_entries, 3));
	for (size_t i = 0; i < 3; i++)
		cr_expect(eq(int, read.out.entries[i].state, PE_SUITE_FAILED));
}

Test(catch2, stops_at_entities)
{
	auto_reading read =
		reading_text("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<Catch "
			     "name=\"&b;\"><TestCase name=\"&b;\"></TestCase></Catch>");

	cr_expect(eq(sz, read.out.n_entries, 0));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DAMAGED), NULL));
}

Test(catch2, depth_and_length_are_bounded)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_add(&text, "<Catch name=\"s\">");
	for (int i = 0; i < 100000; i++)
		pe_text_add(&text, "<Section name=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\">");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.n_entries, 0));
		cr_expect(eq(int, read.out.cut_short, 1));
	}
	pe_text_clear(&text);
	pe_text_add(&text, "<Catch name=\"");
	for (int i = 0; i < 2000000; i++)
		pe_text_add(&text, "aaaaaaaa");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_AUTO);

		cr_expect(eq(sz, read.out.n_entries, 0));
	}
	pe_text_release(&text);
}
