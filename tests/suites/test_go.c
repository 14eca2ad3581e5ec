/* go test -bench: output of 1.19 (data/suite_test.go.txt), lines of text and events of test2json. */
#include "reading.h"

TestSuite(go, .timeout = 600);

Test(go, reads_lines_among_output)
{
	auto_reading read = reading_file("go.txt");
	const struct pe_suite_entry *entry = reading_find(&read, "suite.BenchmarkSize[size=1024]");
	const struct pe_suite_metric *metric;

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_GO));
	cr_expect(eq(sz, read.out.n_entries, 5));
	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->selector, "BenchmarkSize/size=1024"));
	cr_expect(TEXT(entry->metrics[0].name, "wall"));
	cr_expect(eq(sz, entry->metrics[0].n_values, 2));
	cr_expect(eq(dbl, entry->metrics[0].values[1], 888.7));
	cr_expect(eq(dbl, entry->iterations, 100));
	metric = reading_metric(&read, entry->id, "throughput");
	cr_expect(eq(int, metric->better, PE_HIGHER_IS_BETTER));
	cr_expect(epsilon_eq(dbl, metric->values[0], 3741.19e6, 1));
	cr_expect(eq(dbl, reading_value(&read, entry->id, "allocated-bytes"), 1024));
	cr_expect(eq(dbl, reading_value(&read, entry->id, "allocations"), 1));
	metric = reading_metric(&read, "suite.BenchmarkSum", "nodes/op");
	cr_expect(eq(int, metric->kind, PE_METRIC_CONTEXT));
	metric = reading_metric(&read, "suite.BenchmarkSum", "hash/s");
	cr_expect(eq(int, metric->better, PE_HIGHER_IS_BETTER));
}

Test(go, finds_values_that_output_parted_from_their_name)
{
	auto_reading read = reading_file("go.txt");
	const struct pe_suite_metric *wall =
		reading_metric(&read, "suite.BenchmarkSize/with_a_space/x", "wall");

	cr_assert(ne(ptr, (void *)wall, NULL));
	cr_assert(eq(sz, wall->n_values, 2));
	cr_expect(eq(dbl, wall->values[0], 310.4));
	cr_expect(eq(dbl, wall->values[1], 291.2));
	cr_expect(ne(ptr, (void *)reading_find(&read, "suite.BenchmarkSize[8]"), NULL));
}

/* As 1.19 prints it: iterations that are longer than their column have no blanks before them. */
Test(go, finds_values_that_fill_their_column)
{
	auto_reading read = reading_text("BenchmarkA-2  \tout\nput 3 4 ns/op\n"
					 "1000000000\t         0.0000246 ns/op\n");

	cr_expect(eq(dbl, reading_value(&read, "BenchmarkA", "wall"), 0.0000246));
}

Test(go, reads_events)
{
	auto_reading read = reading_file("go_events.json");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_GO));
	cr_expect(eq(sz, read.out.n_entries, 4));
	cr_expect(eq(dbl, reading_value(&read, "suite.BenchmarkSize[size=16]", "wall"), 206.3));
}

Test(go, keeps_numbers_of_cpus_apart_where_they_differ)
{
	auto_reading read = reading_text("BenchmarkSum \t 10\t 62.10 ns/op\n"
					 "BenchmarkSum-2 \t 10\t 116.2 ns/op\n");
	auto_reading same = reading_text("BenchmarkA-8 \t 10\t 62.10 ns/op\n"
					 "BenchmarkB-8 \t 10\t 116.2 ns/op\n");

	cr_expect(eq(dbl, reading_value(&read, "BenchmarkSum", "wall"), 62.1));
	cr_expect(eq(dbl, reading_value(&read, "BenchmarkSum[procs=2]", "wall"), 116.2));
	cr_expect(ne(ptr, (void *)reading_find(&same, "BenchmarkA"), NULL));
}

Test(go, reads_a_file_that_is_cut_at_any_byte)
{
	auto_reading read = reading_file("go.txt");

	reading_cut_everywhere(&read, PE_SUITE_GO, 1);
}

Test(go, names_what_ran_when_the_output_ended)
{
	auto_reading read =
		reading_text("BenchmarkA-8 \t 10\t 62.10 ns/op\nBenchmarkB-8 \tpanic: x\n");

	cr_expect(eq(sz, read.out.n_entries, 1));
	cr_expect(eq(int, read.out.cut_short, 1));
	cr_expect(TEXT(read.out.running, "BenchmarkB"));
}

Test(go, is_not_deceived_by_what_looks_like_it)
{
	auto_reading read =
		reading_text("Benchmarking is fun 12 ways\nBenchmark: 12\nBenchmarkX 12\n"
			     "   12 13 ns/op\n");

	cr_expect(eq(int, read.rc, PE_EINVALID));
}
