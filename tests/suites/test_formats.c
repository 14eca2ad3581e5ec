/*
 * Other formats, each by its documentation: nanobench and hyperfine from real output (data/nanobench.cpp), JMH,
 * BenchmarkDotNet, Criterion.rs and BMF from documents of their schema.
 */
#include "reading.h"

TestSuite(formats, .timeout = 600);

Test(formats, nanobench_has_each_epoch)
{
	auto_reading read = reading_file("nanobench.json");
	const struct pe_suite_metric *wall = reading_metric(&read, "maths/sqrt, 4 at once", "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_NANOBENCH));
	cr_assert(ne(ptr, (void *)wall, NULL));
	cr_expect(eq(sz, wall->n_values, 5));
	/* 1.29944105691057e-08 s, a batch of 4. */
	cr_expect(epsilon_eq(dbl, wall->values[0], 12.9944105691057 / 4, 1e-9));
	cr_expect(eq(ptr, (void *)reading_metric(&read, "maths/sqrt, 4 at once", "instructions"),
		     NULL),
		  "a counter that could not be read is no zero");
	reading_cut_everywhere(&read, PE_SUITE_AUTO, 5);
}

/* data/nanobench_table.cpp, on a machine that counts nothing. */
Test(formats, nanobench_prints_tables)
{
	auto_reading read = reading_file("nanobench_table.txt");
	const struct pe_suite_entry *failed = reading_find(&read, "nothing");

	cr_assert(zero(int, read.rc));
	cr_expect(eq(int, read.out.format, PE_SUITE_NANOBENCH));
	cr_expect(eq(sz, read.out.n_entries, 9));
	cr_expect(not(read.out.cut_short));
	/* 0.38 ns/op, two digits, are 2,659,271,528.72 op/s, and 0.00 ms/byte 1,815,138,253.03 byte/s. */
	cr_expect(epsilon_eq(dbl, reading_value(&read, "add", "wall"), 1e9 / 2659271528.72, 1e-12));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "hash | bytes/sum 1", "wall"),
			     1e9 / 1815138253.03, 1e-12));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "a|b `quoted`", "wall"), 1e9 / 2659522631.24,
			     1e-12));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "sort/loop[complexityN=1000]", "wall"),
			     1e9 / 1815505.40, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "sort/loop[complexityN=2000]", "wall"),
			     1e9 / 914736.89, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "sort/unsteady", "wall"), 216562, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "slow/wait[kind=empty]", "wall"), 1e9 / 20.6,
			     1));
	cr_assert(ne(ptr, (void *)failed, NULL));
	cr_expect(eq(int, failed->state, PE_SUITE_FAILED));
	cr_expect(
		TEXT(failed->message, "iterations overflow. Maybe your code got optimized away?"));
	cr_expect(
		ne(ptr, strstr(reading_note(&read, PE_SUITE_NOTE_AGGREGATES), "one value"), NULL));
	cr_expect(
		ne(ptr, strstr(reading_note(&read, PE_SUITE_NOTE_MACHINE), "sort/unsteady"), NULL));
	cr_expect(eq(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DUPLICATE), NULL));
	reading_cut_everywhere(&read, PE_SUITE_NANOBENCH, 1);
}

#define COUNTED                                                                                      \
	"|               ns/op |                op/s |    err% |          ins/op |          cyc/op " \
	"|    IPC |         bra/op |   miss% |     total | benchmark\r\n"                            \
	"|--------------------:|--------------------:|--------:|----------------:|----------------:" \
	"|-------:|---------------:|--------:|----------:|:----------\r\n"                           \
	"|           12,300.25 |           81,299.16 |    0.5% |       52,001.50 |       48,000.00 " \
	"|  1.083 |       9,000.00 |    0.1% |      0.01 | `parse`\r\n"

Test(formats, nanobench_counts_where_the_machine_does)
{
	auto_reading read = reading_text(COUNTED);

	cr_assert(eq(sz, read.out.n_entries, 1));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "parse", "wall"), 1e9 / 81299.16, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "parse", "instructions"), 52001.5, 1e-9));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "parse", "cpu-cycles"), 48000, 1e-9));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "parse", "branches"), 9000, 1e-9));
	cr_expect(eq(sz, reading_find(&read, "parse")->n_metrics, 4));
}

Test(formats, nanobench_hides_columns)
{
	auto_reading time = reading_text("|  us/op |    err% | benchmark\n"
					 "|------:|--------:|:----------\n"
					 "|  2.50 |    0.5% | `a`\n"
					 "|   inf |    0.5% | `b`\n"
					 "|  text |    0.5% | `no row`\n");
	auto_reading rate = reading_text("|   lap/op |  op/s | benchmark\n"
					 "|---------:|------:|:----------\n"
					 "|     7.00 |  4.00 | `a`\n"
					 "|     7.00 |  4.00 | `a`\n");

	cr_assert(eq(sz, time.out.n_entries, 2));
	cr_expect(epsilon_eq(dbl, reading_value(&time, "a", "wall"), 2500, 1e-9));
	cr_expect(ne(ptr, (void *)reading_note(&time, PE_SUITE_NOTE_VALUE), NULL));
	/* A unit of time that is the program's own: what is told a second is all that is known. */
	cr_expect(epsilon_eq(dbl, reading_value(&rate, "a", "wall"), 0.25e9, 1e-3));
	cr_expect(ne(ptr, (void *)reading_find(&rate, "a[#=2]"), NULL));
}

/* As version 4.2 prints it: the header is that of the rows before. */
Test(formats, nanobench_has_complexity_without_a_header)
{
	auto_reading read = reading_text("|  ns/op |  err% | benchmark\n"
					 "|-------:|------:|:----------\n"
					 "|   1.49 |  0.3% | `copy`\n"
					 "|     10 |  8.92 |  3.4% | `swap`\n"
					 "|  1,270 |  9.19 |  0.0% | `swap`\n"
					 "|   text |  9.20 |  0.1% | `no row`\n");

	cr_assert(eq(sz, read.out.n_entries, 3));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "copy", "wall"), 1.49, 1e-9));
	cr_expect(
		epsilon_eq(dbl, reading_value(&read, "swap[complexityN=10]", "wall"), 8.92, 1e-9));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "swap[complexityN=1270]", "wall"), 9.19,
			     1e-9));
}

Test(formats, nanobench_is_no_other_table)
{
	static const char *const others[] = {
		"| name | ns/op |\n|---|---:|\n| `a` | 1 |\n",
		"| a | b | c\n|---:|---:|:---\n| 1 | 2 | `x`\n",
		"| ns/op | op/s | benchmark\n| 1.00 | 2.00 | `a`\n",
		"|-:|:-\n|",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		cr_expect(eq(int, pe_suite_recognise(others[i], strlen(others[i])), PE_SUITE_AUTO),
			  "%s", others[i]);
}

Test(formats, nanobench_writes_json_below_its_table)
{
	auto_reading json = reading_file("nanobench.json");
	struct pe_text both = PE_TEXT_INIT;

	pe_text_add(&both, COUNTED);
	pe_text_addn(&both, json.text.data, json.text.len);
	{
		auto_reading read = reading_text(pe_text_str(&both));

		cr_expect(eq(sz, read.out.n_entries, json.out.n_entries));
		cr_expect(eq(ptr, (void *)reading_find(&read, "parse"), NULL));
	}
	pe_text_release(&both);
}

Test(formats, nanobench_that_ends_in_a_row_names_it)
{
	const size_t n = strlen(COUNTED);

	for (size_t less = 2; less < 400 && less < n; less++) {
		auto_reading read = reading_of(COUNTED, n - less, PE_SUITE_NANOBENCH);

		if (read.rc != 0)
			continue;
		cr_expect(read.out.cut_short, "cut %zu bytes before the end", less);
		cr_expect(zero(sz, read.out.n_entries));
		cr_expect(TEXT(read.out.running, less == 2 ? "parse" : ""));
	}
}

/* data/benchmark_js.js. */
Test(formats, benchmark_js_prints_rates)
{
	auto_reading read = reading_file("benchmark_js.txt");

	cr_assert(zero(int, read.rc));
	cr_expect(eq(int, read.out.format, PE_SUITE_BENCHMARK_JS));
	cr_expect(eq(sz, read.out.n_entries, 4));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "String#indexOf", "wall"), 1e9 / 185075379,
			     1e-12));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "Array#join, 10 x 10", "wall"), 1e9 / 160481,
			     1e-9));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "slow", "wall"), 1e9 / 41.41, 1e-6));
	/* What a program shows in every cycle stands on one line: the last of it is the result. */
	cr_expect(epsilon_eq(dbl, reading_value(&read, "shown", "wall"), 1e9 / 174303750, 1e-12));
	cr_expect(
		ne(ptr, strstr(reading_note(&read, PE_SUITE_NOTE_AGGREGATES), "one value"), NULL));
	reading_cut_everywhere(&read, PE_SUITE_BENCHMARK_JS, 1);
}

#define SAMPLED                                                                                    \
	" ops/sec \xc2\xb1"                                                                        \
	"1.23% (89 runs sampled)"

/* A program that dies has shown a rate of what ran, and not its result. */
Test(formats, benchmark_js_without_the_end_of_a_line)
{
	auto_reading read = reading_text("whole x 5" SAMPLED "\n > half x 1,000" SAMPLED);

	cr_expect(eq(int, read.out.format, PE_SUITE_BENCHMARK_JS));
	cr_expect(eq(sz, read.out.n_entries, 1));
	cr_expect(read.out.cut_short);
	cr_expect(TEXT(read.out.running, "half"));
}

Test(formats, benchmark_js_among_other_text)
{
	auto_reading read = reading_text("1 x 2 ops/sec\nname x many" SAMPLED "\n x 5" SAMPLED
					 "\ncut code\x1b[ x 3" SAMPLED
					 "\n\x1b[2K\x1b[1G\x1b[32m - a > b x 1,234.5" SAMPLED
					 "\x1b[39m\nsame x 10" SAMPLED "\nsame x 20" SAMPLED "\n");

	cr_expect(eq(int, read.out.format, PE_SUITE_BENCHMARK_JS));
	cr_expect(eq(sz, read.out.n_entries, 3));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "a > b", "wall"), 1e9 / 1234.5, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "same", "wall"), 1e8, 1e-6));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "same[#=2]", "wall"), 5e7, 1e-6));
	cr_expect(not(read.out.cut_short));
}

Test(formats, hyperfine_starts_a_process_for_each_time)
{
	auto_reading read = reading_file("hyperfine_1_15.json");
	const struct pe_suite_metric *wall = reading_metric(&read, "sleep 0.002[n=2]", "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_HYPERFINE));
	cr_assert(ne(ptr, (void *)wall, NULL));
	cr_expect(eq(sz, wall->n_values, 4));
	cr_expect(eq(sz, wall->n_processes, 4));
	cr_expect(epsilon_eq(dbl, wall->values[0], 51791451, 1));
	reading_cut_everywhere(&read, PE_SUITE_AUTO, 1);
}

Test(formats, hyperfine_tells_memory)
{
	auto_reading read = reading_text(
		"{\"results\": [{\"command\": \"x\", \"mean\": 1, \"user\": 0.5, \"system\": 0.25, "
		"\"times\": [1, 2], \"memory_usage_byte\": [1000, 2000], \"exit_codes\": [0, "
		"null]}]}");

	cr_expect(eq(sz, reading_metric(&read, "x", "max-rss")->n_processes, 2));
	cr_expect(eq(dbl, reading_value(&read, "x", "user"), 5e8));
}

static const char jmh[] =
	"# Run complete.\n[\n"
	"  {\"jmhVersion\": \"1.37\", \"benchmark\": \"org.Parse.run\", \"mode\": \"thrpt\",\n"
	"   \"threads\": 1, \"forks\": 2, \"params\": {\"size\": \"10\", \"kind\": \"a,b\"},\n"
	"   \"primaryMetric\": {\"score\": 3.0, \"scoreError\": \"NaN\", \"scoreUnit\": "
	"\"ops/us\", \"rawData\": [[1.0, 2.0], [3.0]]},\n"
	"   \"secondaryMetrics\": {\"\xc2\xb7gc.alloc.rate.norm\": {\"score\": 24, \"scoreUnit\": "
	"\"B/op\", \"rawData\": [[24.0, 24.0], [25.0]]}}},\n"
	"  {\"jmhVersion\": \"1.37\", \"benchmark\": \"org.Parse.run\", \"mode\": \"avgt\",\n"
	"   \"threads\": 1, \"forks\": 1, \"params\": {\"size\": \"10\", \"kind\": \"a,b\"},\n"
	"   \"primaryMetric\": {\"score\": 3.0, \"scoreUnit\": \"us/op\", \"rawData\": [[0.25]]},\n"
	"   \"secondaryMetrics\": {}},\n"
	"  {\"jmhVersion\": \"1.37\", \"benchmark\": \"org.Sample.run\", \"mode\": \"sample\",\n"
	"   \"threads\": 4, \"forks\": 1,\n"
	"   \"primaryMetric\": {\"score\": 2.0, \"scoreUnit\": \"ms/op\", \"rawDataHistogram\": "
	"[[[[1.0, 3], [5.0, 1]], [[2.0, 10]]]]}, \"secondaryMetrics\": {}}\n]\n";

Test(formats, jmh_has_forks_and_modes)
{
	auto_reading read = reading_text(jmh);
	const char *id = "org.Parse.run[kind=\"a,b\",size=10]";
	const struct pe_suite_metric *metric = reading_metric(&read, id, "throughput");

	cr_expect(eq(int, read.out.format, PE_SUITE_JMH));
	cr_expect(eq(sz, read.out.n_entries, 2));
	cr_expect(TEXT(read.out.version, "1.37"));
	cr_assert(eq(sz, metric->n_values, 3));
	cr_assert(eq(sz, metric->n_processes, 2));
	cr_expect(eq(sz, metric->ends[0], 2));
	cr_expect(eq(dbl, metric->values[1], 2e6));
	cr_expect(eq(int, metric->better, PE_HIGHER_IS_BETTER));
	cr_expect(TEXT(metric->unit, "1/s"));
	cr_expect(eq(dbl, reading_value(&read, id, "wall"), 250));
	cr_expect(eq(sz, reading_metric(&read, id, "allocated-bytes")->n_processes, 2));
	metric = reading_metric(&read, "org.Sample.run[threads=4]", "sampled-time");
	cr_assert(eq(sz, metric->n_values, 2));
	cr_expect(eq(dbl, metric->values[0], 2e6));
	pe_text_add(&read.text, jmh);
	reading_cut_everywhere(&read, PE_SUITE_AUTO, 1);
}

static const char dotnet[] =
	"\xef\xbb\xbf{\n \"Title\": \"Suite\", \"HostEnvironmentInfo\": {\"BenchmarkDotNetVersion\": "
	"\"0.13.12\", \"HasAttachedDebugger\": false, \"Configuration\": \"DEBUG\"},\n"
	" \"Benchmarks\": [{\"DisplayInfo\": \"x\", \"Namespace\": \"My.Bench\", \"Type\": "
	"\"Sorts\", \"Method\": \"Quick\", \"Parameters\": \"N=100&Mode=Fast\", \"FullName\": "
	"\"My.Bench.Sorts.Quick(N: 100, Mode: Fast)\",\n"
	" \"Statistics\": {\"OriginalValues\": [9], \"Median\": 9},\n"
	" \"Memory\": {\"BytesAllocatedPerOperation\": 64},\n"
	" \"Measurements\": [\n"
	"  {\"IterationMode\": \"Overhead\", \"IterationStage\": \"Actual\", \"LaunchIndex\": 1, "
	"\"Operations\": 4, \"Nanoseconds\": 4},\n"
	"  {\"IterationMode\": \"Workload\", \"IterationStage\": \"Warmup\", \"LaunchIndex\": 1, "
	"\"Operations\": 4, \"Nanoseconds\": 400},\n"
	"  {\"IterationMode\": \"Workload\", \"IterationStage\": \"Actual\", \"LaunchIndex\": 1, "
	"\"Operations\": 4, \"Nanoseconds\": 44},\n"
	"  {\"IterationMode\": \"Workload\", \"IterationStage\": \"Result\", \"LaunchIndex\": 1, "
	"\"Operations\": 4, \"Nanoseconds\": 40},\n"
	"  {\"IterationMode\": \"Workload\", \"IterationStage\": \"Result\", \"LaunchIndex\": 2, "
	"\"Operations\": 4, \"Nanoseconds\": 80}]},\n"
	" {\"Namespace\": \"\", \"Type\": \"T\", \"Method\": \"M\", \"Parameters\": \"\", "
	"\"Statistics\": {\"OriginalValues\": [7, 8, \"NaN\"]}}]}";

Test(formats, benchmarkdotnet_has_results_of_launches)
{
	auto_reading read = reading_text(dotnet);
	const char *id = "My.Bench.Sorts.Quick[Mode=Fast,N=100]";
	const struct pe_suite_metric *wall = reading_metric(&read, id, "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_BENCHMARKDOTNET));
	cr_assert(eq(sz, wall->n_values, 2));
	cr_expect(eq(sz, wall->n_processes, 2));
	cr_expect(eq(dbl, wall->values[0], 10));
	cr_expect(eq(dbl, reading_value(&read, id, "allocated-bytes"), 64));
	cr_expect(eq(sz, reading_metric(&read, "T.M", "wall")->n_values, 2));
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_DEBUG_LIBRARY), NULL));
	pe_text_add(&read.text, dotnet);
	reading_cut_everywhere(&read, PE_SUITE_AUTO, 1);
}

static const char criterion[] =
	"{\"group_id\":\"fib\",\"function_id\":\"fast\",\"value_str\":\"v2\",\"throughput\":null,"
	"\"full_id\":\"fib/fast/v2\",\"directory_name\":\"fib/fast/v2\",\"title\":\"x\"}\n"
	"{\"mean\":{\"point_estimate\":5},\"median\":{\"point_estimate\":5.5},\"median_abs_dev\":"
	"{\"point_estimate\":1},\"slope\":null,\"std_dev\":{\"point_estimate\":1}}\n"
	"{\"sampling_mode\":\"Linear\",\"iters\":[10.0,20.0],\"times\":[100.0,220.0]}\n"
	"[1.0,2.0,3.0,4.0]\n"
	"{\"group_id\":\"g\",\"function_id\":null,\"value_str\":null,\"full_id\":\"g/h\"}\n"
	"{\"mean\":{\"point_estimate\":5},\"median\":{\"point_estimate\":5.5},\"median_abs_dev\":"
	"{\"point_estimate\":1},\"slope\":null,\"std_dev\":{\"point_estimate\":1}}\n";

Test(formats, criterion_takes_samples_before_estimates)
{
	auto_reading read = reading_text(criterion);
	const struct pe_suite_metric *wall = reading_metric(&read, "fib/fast[v2]", "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_CRITERION_RS));
	cr_expect(eq(sz, read.out.n_entries, 2));
	cr_assert(eq(sz, wall->n_values, 2));
	cr_expect(eq(sz, wall->n_processes, 1));
	cr_expect(eq(dbl, wall->values[1], 11));
	cr_expect(TEXT(reading_find(&read, "fib/fast[v2]")->selector, "fib/fast/v2"));
	cr_expect(eq(dbl, reading_value(&read, "g/h", "wall"), 5.5));
}

Test(formats, criterion_reads_messages_of_cargo)
{
	auto_reading read = reading_text(
		"Compiling x\n{\"reason\":\"benchmark-complete\",\"id\":\"norm/20\",\"report_directory\":"
		"\"d\",\"iteration_count\":[2,4],\"measured_values\":[20.0,44.0],\"unit\":\"us\","
		"\"throughput\":[],\"typical\":{\"estimate\":1,\"unit\":\"ns\"},\"change\":null}\n"
		"{\"reason\":\"group-complete\",\"group_name\":\"norm\",\"benchmarks\":[\"norm\"]}\n");
	const struct pe_suite_metric *wall = reading_metric(&read, "norm[20]", "wall");

	cr_expect(eq(int, read.out.format, PE_SUITE_CRITERION_RS));
	cr_assert(eq(sz, wall->n_values, 2));
	cr_expect(eq(dbl, wall->values[1], 11000));
}

static const char bmf[] =
	"{\"parse/a\": {\"latency\": {\"value\": 88.5, \"lower_value\": 87, \"upper_value\": 90}, "
	"\"throughput\": {\"value\": 5}, \"cows\": {\"value\": 3}}, \"b\": {\"file-size\": "
	"{\"value\": 10}}}";

Test(formats, bmf_knows_measures_of_bencher)
{
	auto_reading read = reading_text(bmf);

	cr_expect(eq(int, read.out.format, PE_SUITE_BMF));
	cr_expect(eq(sz, read.out.n_entries, 2));
	cr_expect(eq(dbl, reading_value(&read, "parse/a", "wall"), 88.5));
	cr_expect(eq(int, reading_metric(&read, "parse/a", "throughput")->better,
		     PE_HIGHER_IS_BETTER));
	cr_expect(eq(int, reading_metric(&read, "parse/a", "cows")->kind, PE_METRIC_CONTEXT));
	cr_expect(TEXT(reading_metric(&read, "b", "file-size")->unit, "bytes"));
	pe_text_add(&read.text, bmf);
	reading_cut_everywhere(&read, PE_SUITE_BMF, 1);
}

Test(formats, other_json_is_no_bmf)
{
	static const char *const bad[] = {"{\"a\": {\"b\": {\"value\": 1, \"other\": 2}}}",
					  "{\"a\": {\"b\": 1}}",
					  "{\"a\": {\"b\": {\"value\": 1}}, \"c\": 2}",
					  "{\"a\": {\"b\": {\"value\": {\"x\": 1}}}}"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		auto_reading read = reading_text(bad[i]);

		cr_expect(eq(int, read.rc, PE_EINVALID), "%s", bad[i]);
	}
}

Test(formats, criterion_reads_what_cargo_bench_prints)
{
	auto_reading read = reading_text(
		"     Running benches/suite.rs\n"
		"Benchmarking sort/fast/1024\nBenchmarking sort/fast/1024: Warming up for 3.0000 s\n"
		"sort/fast/1024          time:   [5.9531 \xc2\xb5s 5.9677 \xc2\xb5s 5.9859 \xc2\xb5s]\n"
		"                        thrpt:  [1.0 Melem/s 2.0 Melem/s 3.0 Melem/s]\n"
		"                        change: [-1.2% +0.3% +1.9%] (p = 0.70 > 0.05)\n"
		"                 change:\n                        time:   [-1.2% +0.3% +1.9%]\n"
		"Found 1 outliers among 100 measurements (1.00%)\n"
		"a_name_that_is_longer_than_its_column\n"
		"                        time:   [1.5 ns 2.5 ns 3.5 ns]\n"
		"test tests::old        ... bench:       1,234.5 ns/iter (+/- 56)\n"
		"test tests::much_older ... bench:           1.5 ns/iter (+/- 56)\n"
		"test tests::unit ... ok\n");

	cr_assert(eq(int, read.rc, 0), "%s", read.err.message);
	cr_expect(eq(int, read.out.format, PE_SUITE_CRITERION_RS));
	cr_expect(eq(sz, read.out.n_entries, 4));
	cr_expect(epsilon_eq(dbl, reading_value(&read, "sort/fast[1024]", "wall"), 5967.7, 1e-9));
	cr_expect(eq(dbl, reading_value(&read, "a_name_that_is_longer_than_its_column", "wall"),
		     2.5));
	cr_expect(eq(dbl, reading_value(&read, "tests::old", "wall"), 1234.5));
	cr_expect(eq(dbl, reading_value(&read, "tests::much_older", "wall"), 1.5));
	cr_expect_str_eq(read.out.entries[0].selector, "sort/fast/1024");
	/* What libtest takes for a filter names more, and an expression nothing. */
	cr_expect_str_eq(read.out.entries[2].selector, "");
	cr_expect(ne(ptr, (void *)reading_note(&read, PE_SUITE_NOTE_AGGREGATES), NULL));
}

/* ---- What is left of a result where the library did not write all ---- */

Test(formats, what_is_left_out_is_said)
{
	static const struct {
		const char *text, *id, *metric;
		double value;
		enum pe_suite_note_kind kind;
		const char *note;
	} cases[] = {
		{"{\"results\":[{\"command\":\"\"},{\"command\":\"sleep 1\",\"mean\":1.5,\"user\":0.5,\"system\":0.25}]}",
		 "sleep 1", "wall", 1.5e9, PE_SUITE_NOTE_AGGREGATES,
		 "results without times: their means are taken"},
		{"{\"results\":[{\"title\":\"benchmark\",\"name\":\"a\",\"batch\":0,\"epochs\":1,"
		 "\"median(elapsed)\":2e-9,\"measurements\":[]}]}",
		 "a", "wall", 2, PE_SUITE_NOTE_AGGREGATES,
		 "results without measurements: their medians are taken"},
		{"{\"HostEnvironmentInfo\":{\"BenchmarkDotNetVersion\":\"0.13\",\"HasAttachedDebugger\":true},\"Benchmarks\":"
		 "[{\"Method\":\"\"},{\"Namespace\":\"N\",\"Type\":\"T\",\"Method\":\"M\",\"Statistics\":{\"Median\":7}}]}",
		 "N.T.M", "wall", 7, PE_SUITE_NOTE_AGGREGATES,
		 "results without measurements: their medians are taken"},
		{"{\"HostEnvironmentInfo\":{\"BenchmarkDotNetVersion\":\"0.13\",\"HasAttachedDebugger\":true},\"Benchmarks\":"
		 "[{\"Type\":\"T\",\"Method\":\"M\",\"Measurements\":[{\"IterationMode\":\"Workload\",\"IterationStage\":\"Result\","
		 "\"LaunchIndex\":-3,\"Nanoseconds\":10,\"Operations\":5}]}]}",
		 "T.M", "wall", 2, PE_SUITE_NOTE_MACHINE, "a debugger is attached"},
		{"[{\"jmhVersion\":\"1.36\",\"benchmark\":\"\"},{\"jmhVersion\":\"1.36\",\"benchmark\":\"B.m\",\"mode\":\"avgt\","
		 "\"primaryMetric\":{\"score\":3,\"scoreUnit\":\"us/op\",\"rawData\":[]}}]",
		 "B.m", "wall", 3000, PE_SUITE_NOTE_AGGREGATES, "scores"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		auto_reading read = reading_text(cases[i].text);
		const char *note;

		cr_assert(zero(int, read.rc), "%s: %s", cases[i].text, read.err.message);
		cr_expect(eq(sz, read.out.n_entries, 1), "%s", cases[i].text);
		cr_expect(epsilon_eq(dbl, reading_value(&read, cases[i].id, cases[i].metric),
				     cases[i].value, 1e-6));
		note = reading_note(&read, cases[i].kind);
		cr_assert(ne(ptr, (void *)note, NULL), "%s", cases[i].text);
		cr_expect(ne(ptr, strstr(note, cases[i].note), NULL), "%s", note);
	}
}

/* One that says too much of itself is left out, or what is too much of it, with a word; the others are read. */
Test(formats, what_is_too_much_is_left_out)
{
	struct pe_text text = PE_TEXT_INIT;
	const char *note;

	pe_text_add(&text, "{\"value\":1,\"name\":\"");
	for (size_t i = 0; i <= PE_SUITE_MAX_NAME; i++)
		pe_text_addc(&text, 'x');
	pe_text_add(&text, "\"}\n{\"name\":\"many\",\"value\":1,\"parameters\":[true,false");
	for (size_t i = 2; i <= PE_SUITE_MAX_PARAMS; i++)
		pe_text_addf(&text, ",%zu", i);
	pe_text_add(
		&text,
		"]}\n"
		"{\"name\":\"size\",\"value\":2,\"unit\":\"KiB\",\"metric\":\"m\"}\n"
		"{\"name\":\"rate\",\"value\":2,\"unit\":\"1/s\",\"metric\":\"r\",\"better\":\"lower\"}\n"
		"{\"name\":\"none\",\"skipped\":\"not here\"}\n"
		"{\"name\":\"plain\",\"value\":3,\"unit\":\"\",\"metric\":\"n\"}\n");
	{
		auto_reading read = reading_of(text.data, text.len, PE_SUITE_LINES);

		cr_assert(zero(int, read.rc));
		cr_expect(eq(sz, read.out.n_entries, 5));
		cr_expect(eq(sz, read.out.entries[0].n_params, PE_SUITE_MAX_PARAMS));
		note = reading_note(&read, PE_SUITE_NOTE_LIMIT);
		cr_assert(ne(ptr, (void *)note, NULL));
		cr_expect(ne(ptr, strstr(note, "were left out, the first begins with 'xxx"), NULL));
		cr_expect(epsilon_eq(dbl, reading_value(&read, "size", "m"), 2048, 1e-9));
		cr_expect(eq(int, reading_find(&read, "none")->state, PE_SUITE_SKIPPED));
		cr_expect(TEXT(reading_metric(&read, "plain", "n")->unit, "1"));
		cr_expect(eq(int, reading_metric(&read, "rate", "r")->better, PE_LOWER_IS_BETTER),
			  "what it says, not what a rate is as a rule");
	}
	pe_text_release(&text);
}
