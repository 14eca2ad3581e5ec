/* Google Benchmark: what 1.7.1 wrote (data/google_benchmark.cpp), and the traps that its format has for readers. */
#include "reading.h"

TestSuite(google_benchmark, .timeout = 600);

Test(google_benchmark, keeps_every_repetition_and_no_aggregate)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_GOOGLE_BENCHMARK));
	cr_expect(eq(sz, read.out.n_entries, 12));
	for (size_t i = 0; i < read.out.n_entries; i++) {
		const struct pe_suite_entry *entry = &read.out.entries[i];

		cr_expect(eq(int, strstr(entry->name, "_mean") != NULL, 0), "%s", entry->name);
		cr_expect(eq(int, strstr(entry->name, "BigO") != NULL, 0), "%s", entry->name);
		if (entry->state == PE_SUITE_MEASURED) {
			cr_expect(TEXT(entry->metrics[0].name, "wall"));
			cr_expect(eq(sz, entry->metrics[0].n_values, 2), "%s", entry->id);
			cr_expect(eq(sz, entry->metrics[0].n_processes, 1));
		}
	}
	cr_expect(eq(int, read.out.cut_short, 0));
}

Test(google_benchmark, takes_names_apart)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");
	const struct pe_suite_entry *entry = reading_find(&read, "BM_Parse[size=8]");

	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->name, "BM_Parse"));
	cr_expect(TEXT(entry->selector, "BM_Parse/size:8"));
	cr_expect(ne(ptr, (void *)reading_find(&read, "BM_Parse[16]"), NULL));
	cr_expect(ne(ptr, (void *)reading_find(&read, "BM_Threads[1,-2,threads=2]"), NULL));
	cr_expect(ne(ptr, (void *)reading_find(&read, "BM_Copy<std::vector<int>, 4>"), NULL));
	entry = reading_find(&read, "BM_Manual");
	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->selector, "BM_Manual/iterations:5/manual_time"));
	cr_expect(eq(dbl, entry->iterations, 5));
}

Test(google_benchmark, brings_each_time_into_nanoseconds)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");

	/* Manual time of 2 ms, in a file that gives it in seconds. */
	cr_expect(epsilon_eq(dbl, reading_value(&read, "BM_Manual", "wall"), 2e6, 1));
	cr_expect(lt(dbl, reading_value(&read, "BM_Parse[size=8]", "wall"), 1e4));
	cr_expect(gt(dbl, reading_value(&read, "BM_Parse[size=8]", "wall"), 0.1));
}

Test(google_benchmark, reads_what_is_no_json)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");
	const struct pe_suite_metric *rate, *depth;

	cr_expect(eq(ptr, (void *)reading_metric(&read, "BM_Parse[16]", "ratio"), NULL));
	cr_expect(eq(ptr, (void *)reading_metric(&read, "BM_Parse[16]", "most"), NULL));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_VALUE), NULL));
	rate = reading_metric(&read, "BM_Parse[16]", "items_per_second");
	cr_assert(ne(ptr, (void *)rate, NULL));
	cr_expect(eq(int, rate->better, PE_HIGHER_IS_BETTER));
	cr_expect(eq(int, rate->kind, PE_METRIC_NOISY));
	depth = reading_metric(&read, "BM_Parse[16]", "depth");
	cr_assert(ne(ptr, (void *)depth, NULL));
	cr_expect(eq(int, depth->kind, PE_METRIC_CONTEXT), "a user's counter is not judged");
	cr_expect(eq(dbl, depth->values[1], 7));
}

Test(google_benchmark, keeps_what_failed_apart)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");
	const struct pe_suite_entry *entry = reading_find(&read, "BM_Fails");

	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(eq(int, entry->state, PE_SUITE_FAILED));
	cr_expect(TEXT(entry->message, "cannot open \"input\""));
	cr_expect(eq(sz, entry->n_metrics, 0));
}

Test(google_benchmark, tells_two_of_one_name_apart)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");

	cr_expect(ne(ptr, (void *)reading_find(&read, "BM_Case/with / slash"), NULL));
	cr_expect(ne(ptr, (void *)reading_find(&read, "BM_Case/with / slash[#=2]"), NULL));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DUPLICATE), NULL));
}

Test(google_benchmark, warns_of_a_debug_build_of_the_library)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");

	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DEBUG_LIBRARY), NULL));
}

Test(google_benchmark, takes_medians_of_a_file_of_aggregates)
{
	auto_reading read = reading_file("google_benchmark_aggregates.json");
	const struct pe_suite_metric *wall = reading_metric(&read, "BM_Parse[64]", "wall");

	cr_assert(ne(ptr, (void *)wall, NULL));
	cr_expect(eq(sz, wall->n_values, 1));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_AGGREGATES), NULL));
}

Test(google_benchmark, reads_a_file_that_is_cut_at_any_byte)
{
	auto_reading read = reading_file("google_benchmark_1_7.json");

	reading_cut_everywhere(&read, PE_SUITE_AUTO, 17);
}

#define RUN_WITH(name, more)                                                                       \
	"{\"name\": \"" name "\", \"run_name\": \"" name "\", \"run_type\": \"iteration\", " more  \
	"\"iterations\": 10, \"real_time\": 2.5, \"cpu_time\": 2.0, \"time_unit\": \"us\"}"
#define RUN(name)  RUN_WITH(name, "")
#define SUITE(...) "{\"context\": {\"num_cpus\": 1}, \"benchmarks\": [" __VA_ARGS__ "]}"

Test(google_benchmark, reads_among_other_text)
{
	auto_reading read = reading_text(
		"\xef\xbb\xbfloading {\n[ 10%] done\n{\"level\": 3}\n" SUITE(RUN("a")) "\nbye\n");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(dbl, reading_value(&read, "a", "wall"), 2500));
	cr_expect(eq(int, read.out.cut_short, 0));
}

Test(google_benchmark, keeps_processes_apart_that_wrote_one_after_the_other)
{
	auto_reading read = reading_text(SUITE(RUN("a") "," RUN("a")) "\n" SUITE(RUN("a")));
	const struct pe_suite_metric *wall = reading_metric(&read, "a", "wall");

	cr_expect(eq(sz, wall->n_values, 3));
	cr_assert(eq(sz, wall->n_processes, 2));
	cr_expect(eq(sz, wall->ends[0], 2));
	cr_expect(eq(sz, wall->ends[1], 3));
}

Test(google_benchmark, says_where_a_file_is_damaged)
{
	const char *text = SUITE(RUN("a\x01") ",\n" RUN("b") " oops " RUN("c"));
	auto_reading read = reading_text(text);
	const char *note = reading_note(&read, PE_SUITE_NOTE_DAMAGED);
	long place = strstr(text, "oops") - text;

	cr_expect(eq(sz, read.out.n_entries, 2));
	cr_expect(eq(int, read.out.cut_short, 1));
	cr_assert(ne(ptr, (void *)note, NULL));
	cr_expect(ge(long, strtol(note + strlen("byte "), NULL, 10), place), "%s", note);
	cr_expect(le(long, strtol(note + strlen("byte "), NULL, 10), place + 4), "%s", note);
}

Test(google_benchmark, reads_a_short_file_that_is_cut_at_any_byte)
{
	const char *text = "log\n" SUITE(RUN("a") "," RUN("b\x01") ", " RUN("c"));
	auto_reading whole = reading_text(text);

	pe_text_add(&whole.text, text);
	reading_cut_everywhere(&whole, PE_SUITE_AUTO, 1);
}

Test(google_benchmark, keeps_control_characters_of_names)
{
	auto_reading read = reading_text(SUITE(RUN("a\x01\x1b[31m") "," RUN("b\\u001b")));

	cr_assert(eq(sz, read.out.n_entries, 2));
	cr_expect(TEXT(read.out.entries[0].name, "a\x01\x1b[31m"));
	cr_expect(TEXT(read.out.entries[0].id, "\"a\\u0001\\u001b[31m\""));
	cr_expect(TEXT(read.out.entries[1].name, "b\x1b"));
}

Test(google_benchmark, says_what_was_skipped)
{
	auto_reading read = reading_text(
		SUITE(RUN_WITH("a", "\"skipped\": true, \"skip_message\": \"no GPU\", ")));

	cr_assert(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(int, read.out.entries[0].state, PE_SUITE_SKIPPED));
	cr_expect(TEXT(read.out.entries[0].message, "no GPU"));
}

Test(google_benchmark, leaves_numbers_out_that_no_double_holds)
{
	auto_reading read = reading_text(
		SUITE("{\"name\": \"a\", \"iterations\": 1, \"real_time\": 1e999, \"cpu_time\": 1, "
		      "\"time_unit\": \"ns\"}"));
	const struct pe_suite_entry *entry = reading_find(&read, "a");

	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(eq(sz, entry->n_metrics, 1));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_VALUE), NULL));
}

Test(google_benchmark, names_an_unknown_time_unit)
{
	auto_reading read = reading_text(
		SUITE("{\"name\": \"a\", \"iterations\": 1, \"real_time\": 1, \"cpu_time\": 1, "
		      "\"time_unit\": \"fortnights\"}"));

	cr_assert(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(int, read.out.entries[0].state, PE_SUITE_FAILED));
}

Test(google_benchmark, reads_version_1_9)
{
	auto_reading read = reading_file("google_benchmark_1_9.json");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(sz, read.out.n_entries, 12));
	cr_expect(TEXT(read.out.version, "1.9.5"));
	cr_expect(eq(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DEBUG_LIBRARY), NULL));
	cr_expect(eq(dbl, reading_find(&read, "BM_Parse[16]")->iterations, 3));
}
