/* Python: what pytest-benchmark 3.2.2 wrote (data/pytest_suite.py), pyperf by its documented format 1.0. */
#include "reading.h"

TestSuite(python, .timeout = 600);

Test(python, reads_every_round_of_pytest_benchmark)
{
	auto_reading read = reading_file("pytest_benchmark_3.json");
	const struct pe_suite_entry *entry = reading_find(&read, "test_suite.py::test_sum[n=200]");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_PYTEST_BENCHMARK));
	cr_expect(eq(sz, read.out.n_entries, 5));
	cr_expect(TEXT(read.out.version, "3.2.2"));
	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->selector, "test_suite.py::test_sum[200]"));
	cr_expect(eq(sz, entry->metrics[0].n_values, 6));
	cr_expect(eq(dbl, entry->iterations, 10));
	cr_expect(gt(dbl, entry->metrics[0].values[0], 100));
	cr_expect(lt(dbl, entry->metrics[0].values[0], 1e5));
	cr_expect(ne(ptr, (void *)reading_find(&read, "test_suite.py::TestGroup::test_method"),
		     NULL));
}

Test(python, takes_parameters_that_look_like_names)
{
	auto_reading read = reading_file("pytest_benchmark_3.json");
	const struct pe_suite_entry *entry =
		reading_find(&read, "test_suite.py::test_text[size=3,text=\"a[b],c\"]");

	cr_assert(ne(ptr, (void *)entry, NULL));
	cr_expect(TEXT(entry->name, "test_suite.py::test_text"));
	cr_expect(eq(dbl, reading_value(&read, entry->id, "lines"), 7));
	cr_expect(eq(int, reading_metric(&read, entry->id, "lines")->kind, PE_METRIC_CONTEXT));
}

Test(python, reads_a_file_that_is_cut_at_any_byte)
{
	auto_reading read = reading_file("pytest_benchmark_3.json");

	reading_cut_everywhere(&read, PE_SUITE_AUTO, 3);
}

Test(python, takes_medians_where_rounds_were_not_saved)
{
	auto_reading read = reading_text(
		"{\"machine_info\": {}, \"commit_info\": {}, \"benchmarks\": [{\"name\": \"t[x]\", "
		"\"fullname\": \"a.py::t[x]\", \"params\": {\"v\": {\"deep\": 1}}, \"param\": \"x\", "
		"\"stats\": {\"median\": 2e-6, \"iterations\": 1}}]}");

	cr_expect(eq(dbl, reading_value(&read, "a.py::t[x]", "wall"), 2e-6 * 1e9));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_AGGREGATES), NULL));
}

static const char several[] =
	"{\"benchmarks\": [\n"
	" {\"metadata\": {\"name\": \"sort\"}, \"runs\": [\n"
	"  {\"metadata\": {\"calibrate_loops\": 8}, \"warmups\": [[1, 1e-3], [8, 1e-3]]},\n"
	"  {\"metadata\": {}, \"values\": [0.001, 0.002], \"warmups\": [[8, 0.5]]},\n"
	"  {\"values\": [0.003], \"warmups\": [[8, 0.5]]}]},\n"
	" {\"metadata\": {\"name\": \"peak\", \"unit\": \"byte\"}, \"runs\": [{\"values\": "
	"[4096]}]}],\n"
	" \"metadata\": {\"loops\": 8, \"inner_loops\": 4, \"perf_version\": \"2.6.0\", "
	"\"unit\": \"second\"}, \"version\": \"1.0\"}\n";

Test(python, keeps_processes_of_pyperf_apart_and_warm_ups_out)
{
	auto_reading read = reading_text(several);
	const struct pe_suite_metric *wall = reading_metric(&read, "sort", "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_PYPERF));
	cr_assert(eq(sz, wall->n_values, 3));
	cr_assert(eq(sz, wall->n_processes, 2));
	cr_expect(eq(sz, wall->ends[0], 2));
	cr_expect(epsilon_eq(dbl, wall->values[2], 3e6, 1e-6));
	cr_expect(eq(dbl, reading_find(&read, "sort")->iterations, 32));
	cr_expect(eq(dbl, reading_value(&read, "peak", "memory"), 4096));
	cr_expect(TEXT(read.out.version, "2.6.0"));
}

Test(python, finds_the_name_of_a_single_pyperf_benchmark)
{
	auto_reading read = reading_text(
		"{\"benchmarks\": [{\"runs\": [{\"values\": [0.5]}]}], \"metadata\": {\"name\": "
		"\"telco\"}, \"version\": \"1.0\"}");

	cr_expect(eq(dbl, reading_value(&read, "telco", "wall"), 5e8));
}

Test(python, reads_what_is_left_of_pyperf)
{
	auto_reading read = reading_text(several);

	pe_text_add(&read.text, several);
	for (size_t n = 0; n < read.text.len - 1; n++) {
		auto_reading part = reading_of(several, n, PE_SUITE_PYPERF);

		cr_expect(part.rc != 0 || part.out.cut_short, "a cut at %zu is not told", n);
	}
}
