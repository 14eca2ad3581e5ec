/*
 * Output of `cargo bench`, for programs whose files are not gathered. Criterion.rs prints a line a benchmark, with the name
 * on the line before if it is long; the middle number is its estimate:
 *
 *	sort/fast/1024          time:   [5.9531 us 5.9677 us 5.9859 us]
 *
 * and libtest, and Criterion.rs with --output-format bencher:
 *
 *	test sort        ... bench:       1,234.56 ns/iter (+/- 56)
 *
 * libtest pads names with blanks to the longest one, and its filter matches substrings, while that of Criterion.rs is an
 * expression: libtest's benchmarks have no selector, so all of them run.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read "5.9677 us" at *at, and advance *at; NaN: no match. */
static double take_time(const char **at)
{
	char *end, unit[8];
	double value = strtod(*at, &end);
	size_t n;

	if (end == *at || *end != ' ')
		return NAN;
	end++;
	n = strcspn(end, " ]");
	if (n == 0 || n >= sizeof(unit))
		return NAN;
	memcpy(unit, end, n);
	unit[n] = '\0';
	*at = end + n + (end[n] == ' ');
	return pe_suite_time_unit(unit) != 0 ? value * pe_suite_time_unit(unit) : NAN;
}

/* The estimate in a line of Criterion.rs; *name_end: the end of the text before it. */
static double estimate_of(const char *line, const char **name_end)
{
	const char *mark = strstr(line, "time:   ["), *at;
	double low, value, high;

	if (mark == NULL)
		return NAN;
	at = mark + strlen("time:   [");
	low = take_time(&at);
	value = take_time(&at);
	high = take_time(&at);
	*name_end = mark;
	return isnan(low) || isnan(high) || *at != ']' ? NAN : value;
}

/* The value of "test NAME ... bench: 1,234.56 ns/iter (+/- 56)". */
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

struct lines {
	struct pe_suite_reader *reader;
	struct pe_text before; /* the last line that may be a name */
	bool estimates;
};

/* Add a value. @param criterion  printed by Criterion.rs, whose filter matches the name */
static void take_value(struct lines *lines, const char *name, double value, bool criterion)
{
	const struct pe_suite_name unnamed = {.name = name, .selector = ""};
	struct pe_suite_draft *draft;

	lines->reader->found++;
	lines->estimates = lines->estimates || criterion;
	draft = criterion ? pe_suite_criterion_draft(lines->reader, name, "")
			  : pe_suite_draft(lines->reader, &unnamed, PE_SUITE_MERGE);
	if (draft != NULL)
		pe_suite_value(lines->reader, draft, &pe_suite_wall, value);
}

static void trim_end(char *line, size_t n)
{
	while (n > 0 && line[n - 1] == ' ')
		n--;
	line[n] = '\0';
}

static void take_line(char *line, bool whole, void *payload)
{
	struct lines *lines = payload;
	const char *name_end = line, *name = NULL;
	double value;

	(void)whole;
	trim_end(line, strlen(line));
	value = estimate_of(line, &name_end);
	if (isnan(value)) {
		value = bench_of(line, &name);
		if (!isnan(value)) {
			take_value(lines, name, value, false);
		} else if (*line != '\0') {
			pe_text_clear(&lines->before);
			pe_text_add(&lines->before, line);
		}
		return;
	}
	trim_end(line, (size_t)(name_end - line));
	name = *line != '\0' && *line != ' ' ? line : pe_text_str(&lines->before);
	if (*name != '\0' && *name != ' ')
		take_value(lines, name, value, true);
}

void pe_suite_read_criterion_text(struct pe_suite_reader *reader)
{
	struct lines lines = {.reader = reader, .before = PE_TEXT_INIT};

	pe_suite_lines(reader, reader->bytes, reader->n, take_line, &lines);
	if (lines.estimates)
		pe_suite_note(
			reader, PE_SUITE_NOTE_AGGREGATES,
			"cargo bench prints estimates alone: its samples are in target/criterion");
	pe_text_release(&lines.before);
}
