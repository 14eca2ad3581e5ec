/*
 * JMH: -rf json (org.openjdk.jmh.results.format.JSONResultFormat). rawData has a row a fork, which is a process, with a
 * value an iteration; mode `sample` has histograms in place of values, [[time, count], ...], of which each iteration's mean
 * is read. The mode defines the score: one benchmark may have several, and each is a metric.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct pe_suite_known modes[] = {
	{"thrpt", {"throughput", "1/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"avgt", {"wall", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"sample", {"sampled-time", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"ss", {"single-shot-time", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
};

/* The factor from "us/op" to nanoseconds, from "ops/us" to operations a second; NaN: another unit. */
static double factor_of(const char *unit, struct pe_arena *scratch)
{
	const char *slash = strchr(unit, '/');
	double time;

	if (slash == NULL)
		return NAN;
	if (strncmp(unit, "ops/", 4) == 0) {
		time = pe_suite_time_unit(slash + 1);
		return time != 0 ? 1e9 / time : NAN;
	}
	time = pe_suite_time_unit(pe_arena_strndup(scratch, unit, (size_t)(slash - unit)));
	return time != 0 ? time : NAN;
}

/* The mean of [[time, count], ...]; NaN: there is none. */
static double histogram_mean(const struct pe_json_value *histogram)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < pe_json_length(histogram); i++) {
		const struct pe_json_value *bin = pe_json_element(histogram, i);
		double count = pe_json_number(pe_json_element(bin, 1));

		sum += count * pe_json_number(pe_json_element(bin, 0));
		n += count;
	}
	return sum / n;
}

/* Add values by fork; processes count from the reader's. @return forks */
static unsigned take_forks(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			   const struct pe_suite_definition *about, double factor,
			   const struct pe_json_value *metric)
{
	const struct pe_json_value *raw = pe_json_member(metric, "rawData"),
				   *histograms = pe_json_member(metric, "rawDataHistogram");
	bool sampled = pe_json_length(histograms) > 0;
	const struct pe_json_value *forks = sampled ? histograms : raw;
	unsigned first = reader->process, n = (unsigned)pe_json_length(forks);

	for (unsigned f = 0; f < n; f++) {
		const struct pe_json_value *fork = pe_json_element(forks, f);

		reader->process = first + f;
		for (size_t i = 0; i < pe_json_length(fork); i++) {
			const struct pe_json_value *value = pe_json_element(fork, i);

			pe_suite_value(
				reader, draft, about,
				factor * (sampled ? histogram_mean(value) : pe_json_number(value)));
		}
	}
	reader->process = first;
	if (n == 0) {
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "results without raw data: their scores are taken");
		pe_suite_value(reader, draft, about,
			       factor * pe_json_number(pe_json_member(metric, "score")));
	}
	return n;
}

/* Add the metrics of JMH's profilers. Their names begin with a dot, in older versions with a plus. */
static void take_secondary(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			   const struct pe_json_value *metric)
{
	const char *name = metric->key,
		   *unit = pe_suite_string(pe_json_member(metric, "scoreUnit"));
	struct pe_suite_definition about = {name, *unit != '\0' ? unit : "1", PE_LOWER_IS_BETTER,
					    PE_METRIC_CONTEXT};

	name += strncmp(name, "\xc2\xb7", 2) == 0 ? 2 : *name == '+';
	if (strcmp(name, "gc.alloc.rate.norm") == 0)
		about = (struct pe_suite_definition){"allocated-bytes", "bytes", PE_LOWER_IS_BETTER,
						     PE_METRIC_NOISY};
	take_forks(reader, draft, &about, 1, metric);
}

static void take_metrics(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			 const struct pe_json_value *result)
{
	const char *mode = pe_suite_string(pe_json_member(result, "mode"));
	const struct pe_json_value *primary = pe_json_member(result, "primaryMetric"),
				   *others = pe_json_member(result, "secondaryMetrics");
	const char *unit = pe_suite_string(pe_json_member(primary, "scoreUnit"));
	struct pe_suite_definition about = {mode, unit, PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT};
	double factor = 1;
	unsigned forks;

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].key, mode) == 0) {
			about = modes[i].about;
			factor = factor_of(unit, &reader->scratch);
		}
	forks = take_forks(reader, draft, &about, factor, primary);
	for (size_t i = 0; others->kind == PE_JSON_OBJECT && i < others->n; i++)
		take_secondary(reader, draft, &others->items[i]);
	reader->process += forks;
}

static void add_threads(struct pe_suite_reader *reader, struct pe_suite_name *name,
			const struct pe_json_value *result)
{
	int64_t threads = pe_json_whole(pe_json_member(result, "threads"), 1);

	if (threads > 1)
		pe_suite_param(reader, name, "threads",
			       pe_arena_printf(&reader->scratch, "%lld", (long long)threads));
}

const struct pe_suite_layout pe_suite_jmh = {
	.name = "benchmark",
	.params = "params",
	.complete = add_threads,
	.merges = true,
	.version = "jmhVersion",
	.take = take_metrics,
};
