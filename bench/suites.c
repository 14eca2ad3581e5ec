/*
 * What reading the output of suites costs.
 *
 *   pe_bench_suites [MB [FORMAT]]   of each format a document of about so many megabytes (default 32), always the same one: CPU
 *                          time: megabytes a second, and the same of a quarter of it
 *
 * Documents look as the libraries write them, indented, with 17 digits a number; a benchmark has 3 to 40 values.
 */
#include "core/base/text.h"
#include "suites/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A document is its head, records until it is long enough, with something in between, and its tail. */
struct maker {
	enum pe_suite_format format;
	const char *head, *between, *tail;
	void (*record)(struct pe_text *out, unsigned i);
};

static double value_of(unsigned i)
{
	return 1e-6 * (1 + (i * 2654435761u) % 1000003 / 7.0);
}

static void add_values(struct pe_text *out, unsigned n, unsigned i, const char *separator)
{
	for (unsigned k = 0; k < n; k++)
		pe_text_addf(out, "%s%.17g", k > 0 ? separator : "", value_of(i + k));
}

static void google(struct pe_text *out, unsigned i)
{
	unsigned name = i / 3;

	pe_text_addf(
		out,
		"    {\n      \"name\": \"BM_Parse<std::vector<int>, %u>/%u\",\n      "
		"\"family_index\": %u,\n      \"per_family_instance_index\": 0,\n      "
		"\"run_name\": \"BM_Parse<std::vector<int>, %u>/%u\",\n      \"run_type\": "
		"\"iteration\",\n      \"repetitions\": 3,\n      \"repetition_index\": %u,\n      "
		"\"threads\": 1,\n      \"iterations\": %u,\n      \"real_time\": %.16e,\n      "
		"\"cpu_time\": %.16e,\n      \"time_unit\": \"ns\",\n      "
		"\"bytes_per_second\": %.16e,\n      \"items_per_second\": %.16e,\n      "
		"\"ratio\": NaN\n    }",
		name, name % 7, name, name, name % 7, i % 3, 1000 + i, value_of(i), value_of(i + 1),
		value_of(i + 2), value_of(i + 3));
}

static void catch2(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"  <TestCase name=\"case %u &lt;int>\" tags=\"[bench]\" filename=\"suite.cpp\" "
		"line=\"%u\">\n    <BenchmarkResults name=\"work\" samples=\"100\" "
		"resamples=\"100000\" iterations=\"%u\" clockResolution=\"26.8\" "
		"estimatedDuration=\"123270\">\n      <!--All values in nano seconds-->\n      "
		"<mean value=\"%.17g\" lowerBound=\"5.9\" upperBound=\"6\" ci=\"0.95\"/>\n      "
		"<standardDeviation value=\"0.02\" lowerBound=\"0.01\" upperBound=\"0.03\" "
		"ci=\"0.95\"/>\n      <outliers variance=\"0.16\" lowMild=\"0\" lowSevere=\"0\" "
		"highMild=\"1\" highSevere=\"0\"/>\n    </BenchmarkResults>\n    <OverallResult "
		"success=\"true\"/>\n  </TestCase>\n",
		i, i, i + 1, value_of(i));
}

static void nanobench_row(struct pe_text *out, unsigned i)
{
	pe_text_addf(out, "| %19.2f | %19.2f |    0.5%% |      0.01 | `work %u`\n",
		     1e9 * value_of(i), 1 / value_of(i), i);
}

static void nanobench(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"        {\n            \"title\": \"maths\",\n            \"name\": \"work %u\",\n"
		"            \"unit\": \"op\",\n            \"batch\": 4,\n            "
		"\"epochs\": 11,\n            \"median(elapsed)\": %.17g,\n            "
		"\"measurements\": [\n",
		i, value_of(i));
	for (unsigned k = 0; k < 11; k++)
		pe_text_addf(
			out,
			"                {\n                    \"iterations\": %u,\n"
			"                    \"elapsed\": %.17g,\n                    "
			"\"pagefaults\": 0,\n                    \"cpucycles\": 120,\n"
			"                    \"contextswitches\": 0,\n                    "
			"\"instructions\": 300,\n                    \"branchinstructions\": 40,\n"
			"                    \"branchmisses\": 1\n                }%s\n",
			1000 + k, value_of(i + k), k < 10 ? "," : "");
	pe_text_add(out, "            ]\n        }");
}

static void pytest(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"  {\n   \"group\": null,\n   \"name\": \"test_sum[%u]\",\n   \"fullname\": "
		"\"bench/test_suite.py::test_sum[%u]\",\n   \"params\": {\n    \"n\": %u\n   },\n"
		"   \"param\": \"%u\",\n   \"extra_info\": {},\n   \"stats\": {\n    \"median\": "
		"%.17g,\n    \"data\": [\n     ",
		i, i, i, i, value_of(i));
	add_values(out, 40, i, ",\n     ");
	pe_text_add(out, "\n    ],\n    \"iterations\": 10\n   }\n  }");
}

static void pyperf(struct pe_text *out, unsigned i)
{
	pe_text_addf(out, "{\"metadata\": {\"name\": \"sort %u\"}, \"runs\": [", i);
	for (unsigned k = 0; k < 10; k++) {
		pe_text_addf(
			out,
			"%s{\"metadata\": {\"date\": \"2026-01-01 10:00:00.000000\", \"uptime\": "
			"1000.5, \"mem_max_rss\": 20000000}, \"warmups\": [[8, %.17g]], "
			"\"values\": [",
			k > 0 ? ", " : "", value_of(i));
		add_values(out, 3, i + k, ", ");
		pe_text_add(out, "]}");
	}
	pe_text_add(out, "]}");
}

static void go(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"BenchmarkSize/size=%u/kind=fast-8         \t %7u\t %10.1f ns/op\t%8.2f MB/s\t    1024 "
		"B/op\t       1 allocs/op\n",
		i / 5, i + 1, 1e7 * value_of(i), 1e6 * value_of(i));
}

static void criterion(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"{\"group_id\":\"fib\",\"function_id\":\"fast\",\"value_str\":\"%u\","
		"\"throughput\":null,\"full_id\":\"fib/fast/%u\",\"directory_name\":\"fib/fast/%u\","
		"\"title\":\"fib/fast/%u\"}\n{\"sampling_mode\":\"Linear\",\"iters\":[",
		i, i, i, i);
	add_values(out, 40, i, ",");
	pe_text_add(out, "],\"times\":[");
	add_values(out, 40, i + 1, ",");
	pe_text_add(out, "]}\n");
}

static void jmh(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"    {\n        \"jmhVersion\" : \"1.37\",\n        \"benchmark\" : "
		"\"org.example.Parse.run%u\",\n        \"mode\" : \"avgt\",\n        \"threads\" : 1,\n"
		"        \"forks\" : 2,\n        \"params\" : {\n            \"size\" : \"%u\"\n"
		"        },\n        \"primaryMetric\" : {\n            \"score\" : %.17g,\n"
		"            \"scoreUnit\" : \"us/op\",\n            \"rawData\" : [\n"
		"                [\n                    ",
		i / 4, i % 4, value_of(i));
	add_values(out, 10, i, ",\n                    ");
	pe_text_add(out, "\n                ],\n                [\n                    ");
	add_values(out, 10, i, ",\n                    ");
	pe_text_add(out, "\n                ]\n            ]\n        },\n        "
			 "\"secondaryMetrics\" : {\n        }\n    }");
}

static void dotnet(struct pe_text *out, unsigned i)
{
	pe_text_addf(out,
		     "      {\n         \"DisplayInfo\":\"Sorts.Quick: DefaultJob\",\n         "
		     "\"Namespace\":\"My.Bench\",\n         \"Type\":\"Sorts\",\n         "
		     "\"Method\":\"Quick\",\n         \"Parameters\":\"N=%u\",\n         "
		     "\"Measurements\":[\n            ",
		     i);
	for (unsigned k = 0; k < 30; k++)
		pe_text_addf(
			out,
			"%s{\n               \"IterationMode\":\"Workload\",\n               "
			"\"IterationStage\":\"%s\",\n               \"LaunchIndex\":1,\n"
			"               \"IterationIndex\":%u,\n               \"Nanoseconds\":%u,\n"
			"               \"Operations\":4194304\n            }",
			k > 0 ? "," : "", k < 15 ? "Actual" : "Result", k, 1000000 + i + k);
	pe_text_add(out, "\n         ]\n      }");
}

static void hyperfine(struct pe_text *out, unsigned i)
{
	pe_text_addf(
		out,
		"    {\n      \"command\": \"sort --parallel %u\",\n      \"mean\": %.17g,\n      "
		"\"user\": 0.5,\n      \"system\": 0.25,\n      \"times\": [\n        ",
		i, value_of(i));
	add_values(out, 20, i, ",\n        ");
	pe_text_add(out,
		    "\n      ],\n      \"exit_codes\": [\n        0,\n        0\n      ]\n    }");
}

static void benchmark_js(struct pe_text *out, unsigned i)
{
	pe_text_addf(out,
		     "links in a text of %u bytes x %.2f ops/sec \xc2\xb1"
		     "1.23%% (89 runs sampled)\n",
		     i, 1 / value_of(i));
}

static void bmf(struct pe_text *out, unsigned i)
{
	pe_text_addf(out,
		     "  \"parse::case_%u\": {\n    \"latency\": {\n      \"value\": %.17g,\n      "
		     "\"lower_value\": %.17g,\n      \"upper_value\": %.17g\n    }\n  }",
		     i, value_of(i), value_of(i + 1), value_of(i + 2));
}

static void lines(struct pe_text *out, unsigned i)
{
	pe_text_addf(out,
		     "{\"name\": \"parse\", \"parameters\": {\"size\": %u}, \"metric\": \"wall\", "
		     "\"unit\": \"us\", \"values\": [",
		     i / 2);
	add_values(out, 3, i, ", ");
	pe_text_add(out, "]}\n");
}

static const struct maker makers[] = {
	{PE_SUITE_LINES, "", "", "", lines},
	{PE_SUITE_GOOGLE_BENCHMARK,
	 "{\n  \"context\": {\n    \"num_cpus\": 8,\n    \"library_build_type\": \"release\"\n  },\n"
	 "  \"benchmarks\": [\n",
	 ",\n", "\n  ]\n}\n", google},
	{PE_SUITE_CATCH2,
	 "<?xml version=\"1.0\"?>\n<Catch2TestRun name=\"s\" catch2-version=\"3.7.1\">\n", "",
	 "</Catch2TestRun>\n", catch2},
	{PE_SUITE_NANOBENCH, "{\n    \"results\": [\n", ",\n", "    ]\n}\n", nanobench},
	{PE_SUITE_NANOBENCH,
	 "|   ns/op |    op/s |    err% |     total | benchmark\n"
	 "|--------:|--------:|--------:|----------:|:----------\n",
	 "", "", nanobench_row},
	{PE_SUITE_PYTEST_BENCHMARK,
	 "{\n \"machine_info\": {},\n \"commit_info\": {},\n \"benchmarks\": [\n", ",\n",
	 "\n ],\n \"version\": \"4.0.0\"\n}", pytest},
	{PE_SUITE_PYPERF, "{\"benchmarks\": [", ", ",
	 "], \"metadata\": {\"loops\": 8}, \"version\": \"1.0\"}\n", pyperf},
	{PE_SUITE_GO, "goos: linux\npkg: example.org/suite\n", "", "PASS\n", go},
	{PE_SUITE_CRITERION_RS, "", "", "", criterion},
	{PE_SUITE_JMH, "[\n", ",\n", "\n]\n", jmh},
	{PE_SUITE_BENCHMARKDOTNET,
	 "{\n   \"Title\":\"x\",\n   \"HostEnvironmentInfo\":{\n      \"Configuration\":\"RELEASE\"\n   "
	 "},\n   \"Benchmarks\":[\n",
	 ",\n", "\n   ]\n}\n", dotnet},
	{PE_SUITE_HYPERFINE, "{\n  \"results\": [\n", ",\n", "\n  ]\n}\n", hyperfine},
	{PE_SUITE_BMF, "{\n", ",\n", "\n}\n", bmf},
	{PE_SUITE_BENCHMARK_JS, "", "", "", benchmark_js},
};

static struct pe_text make(const struct maker *maker, size_t bytes)
{
	struct pe_text out = PE_TEXT_INIT;

	pe_text_add(&out, maker->head);
	for (unsigned i = 0; out.len < bytes; i++) {
		pe_text_add(&out, i > 0 ? maker->between : "");
		maker->record(&out, i);
	}
	pe_text_add(&out, maker->tail);
	return out;
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Megabytes a second of CPU time, the better of three. */
static double speed(const struct pe_text *text, enum pe_suite_format format, size_t *entries)
{
	double best = 0;

	for (int round = 0; round < 3; round++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		struct pe_suite_output out;
		double begin = cpu_s(), took;

		if (pe_suite_read(text->data, text->len, PE_SUITE_AUTO, &arena, &out, &err) != 0 ||
		    out.format != format || out.cut_short || out.n_notes > 1) {
			fprintf(stderr, "%s: %s\n", pe_suite_format_name(format), err.message);
			exit(1);
		}
		took = cpu_s() - begin;
		*entries = out.n_entries;
		if ((double)text->len / 1e6 / took > best)
			best = (double)text->len / 1e6 / took;
		pe_arena_release(&arena);
	}
	return best;
}

int main(int argc, char **argv)
{
	size_t bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 32) << 20;

	printf("%-18s %8s %10s %12s\n", "format", "MB/s", "entries", "a quarter");
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		if (argc > 2 && makers[i].format != pe_suite_format_find(argv[2]))
			continue;
		struct pe_text all = make(&makers[i], bytes), quarter = make(&makers[i], bytes / 4);
		size_t entries, ignored;
		double fast = speed(&all, makers[i].format, &entries);

		printf("%-18s %8.0f %10zu %12.0f\n", pe_suite_format_name(makers[i].format), fast,
		       entries, speed(&quarter, makers[i].format, &ignored));
		pe_text_release(&all);
		pe_text_release(&quarter);
	}
	return 0;
}
