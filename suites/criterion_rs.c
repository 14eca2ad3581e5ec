/*
 * Criterion.rs: the files below target/criterion (benchmark.json and sample.json of each benchmark, concatenated by
 * pe_suite_gather()), and the messages of cargo-criterion --message-format=json. sample.json has, for each sample, its
 * iterations and the nanoseconds of all of them. All values are of one process.
 *
 * And what Rust's own library prints, libtest, and Criterion.rs with --output-format bencher:
 *
 *	test sort        ... bench:       1,234.56 ns/iter (+/- 56)
 *
 * libtest pads names with blanks to the longest one, and its filter matches substrings: its benchmarks have no selector, so
 * all of them run.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct pe_json_value *member(const struct pe_json_value *object, const char *key)
{
	return pe_json_member(object, key);
}

/* Make the entry of "group/function/20". benchmark.json has the value apart; in a message, only a number is one. */
static struct pe_suite_draft *draft_of(struct pe_suite_reader *reader, const char *id,
				       const char *value)
{
	struct pe_suite_name name = {.name = id, .selector = id};
	const char *slash = strrchr(id, '/');

	if (slash != NULL && slash > id &&
	    (*value != '\0' ? strcmp(slash + 1, value) == 0 : pe_suite_is_digits(slash + 1))) {
		name.name = pe_arena_strndup(&reader->scratch, id, (size_t)(slash - id));
		pe_suite_param(reader, &name, "", slash + 1);
	}
	return pe_suite_draft(reader, &name, PE_SUITE_MERGE);
}

static void take_samples(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			 const struct pe_suite_definition *about, double factor,
			 const struct pe_json_value *iterations, const struct pe_json_value *values)
{
	for (size_t i = 0; i < pe_json_length(values); i++) {
		double n = pe_json_number(pe_json_element(iterations, i));

		pe_suite_value(reader, draft, about,
			       factor * pe_json_number(pe_json_element(values, i)) / n);
		pe_suite_iterations(draft, n);
	}
}

static void take_message(struct pe_suite_reader *reader, const struct pe_json_value *message)
{
	const char *id = pe_suite_string(member(message, "id"));
	const char *unit = pe_suite_string(member(message, "unit"));
	double factor = pe_suite_time_unit(unit);
	const struct pe_suite_definition other = {"value", *unit != '\0' ? unit : "1",
						  PE_LOWER_IS_BETTER, PE_METRIC_NOISY};
	struct pe_suite_draft *draft;

	if (*id == '\0')
		return;
	draft = draft_of(reader, id, "");
	if (draft != NULL)
		take_samples(reader, draft, factor != 0 ? &pe_suite_wall : &other,
			     factor != 0 ? factor : 1, member(message, "iteration_count"),
			     member(message, "measured_values"));
}

/* Begin the benchmark that the following files belong to. */
static void begin(struct pe_suite_reader *reader, const struct pe_json_value *benchmark)
{
	reader->current = draft_of(reader, pe_suite_string(member(benchmark, "full_id")),
				   pe_suite_string(member(benchmark, "value_str")));
}

static void take_sample(struct pe_suite_reader *reader, const struct pe_json_value *sample)
{
	if (reader->current == NULL)
		reader->current = draft_of(reader, "benchmark", "");
	if (reader->current == NULL)
		return;
	take_samples(reader, reader->current, &pe_suite_wall, 1, member(sample, "iters"),
		     member(sample, "times"));
}

void pe_suite_take_criterion_rs(struct pe_suite_reader *reader,
				const struct pe_json_value *document)
{
	reader->process = reader->document = 0;
	if (document->is_cut)
		pe_suite_cut(reader, pe_suite_string(member(document, "id")));
	else if (pe_json_there(member(document, "reason")))
		take_message(reader, document);
	else if (pe_json_there(member(document, "full_id")))
		begin(reader, document);
	else
		take_sample(reader, document);
}

/* ---- libtest ---- */

/* The value of "test NAME ... bench: 1,234.56 ns/iter (+/- 56)"; NaN: another line. */
static double bench_of(char *line, const char **name)
{
	char *dots = strstr(line, " ... bench:"), *at;
	size_t n;

	if (strncmp(line, "test ", 5) != 0 || dots == NULL)
		return NAN;
	at = dots + strlen(" ... bench:");
	at += strspn(at, " ");
	n = strspn(at, "0123456789.,");
	if (strncmp(at + n, " ns/iter", 8) != 0)
		return NAN;
	while (dots > line + 5 && dots[-1] == ' ')
		dots--;
	*dots = '\0';
	*name = line + 5;
	return pe_suite_decimal(at, n);
}

static void take_line(char *line, bool whole, void *payload)
{
	struct pe_suite_reader *reader = payload;
	struct pe_suite_name name = {.selector = ""};
	double value = bench_of(line, &name.name);
	struct pe_suite_draft *draft;

	(void)whole;
	if (isnan(value))
		return;
	reader->found++;
	draft = pe_suite_draft(reader, &name, PE_SUITE_MERGE);
	if (draft != NULL)
		pe_suite_value(reader, draft, &pe_suite_wall, value);
}

void pe_suite_read_libtest(struct pe_suite_reader *reader)
{
	pe_suite_lines(reader, take_line, reader);
}
