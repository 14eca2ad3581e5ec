/*
 * What `cargo bench` prints, for programs whose files nobody gathers. Criterion.rs has a line a benchmark, with its name
 * before it where that is long; the middle one is its estimate:
 *
 *	sort/fast/1024          time:   [5.9531 us 5.9677 us 5.9859 us]
 *
 * and libtest, and Criterion.rs with --output-format bencher:
 *
 *	test sort        ... bench:       1,234.56 ns/iter (+/- 56)
 *
 * libtest fills names up to the longest with blanks, and its filter names parts of names where that of Criterion.rs is an
 * expression: its benchmarks have no selector, so that all of them run.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 4096 };

/* "5.9677 us" at *at, which moves behind it; NaN: it is none. */
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

/* The estimate of a line of Criterion.rs; *name_end: behind what stands before it. */
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

/* "test NAME ... bench: 1,234.56 ns/iter (+/- 56)" */
static double bench_of(char *line, const char **name)
{
	char digits[64], *dots = strstr(line, " ... bench:"), *at, *end;
	size_t n = 0;
	double value;

	if (strncmp(line, "test ", 5) != 0 || dots == NULL)
		return NAN;
	at = dots + strlen(" ... bench:");
	at += strspn(at, " ");
	for (; n + 1 < sizeof(digits) && *at != '\0' && strchr("0123456789.,", *at) != NULL; at++)
		if (*at != ',')
			digits[n++] = *at;
	digits[n] = '\0';
	value = strtod(digits, &end);
	if (n == 0 || *end != '\0' || strncmp(at, " ns/iter", 8) != 0)
		return NAN;
	while (dots > line + 5 && dots[-1] == ' ')
		dots--;
	*dots = '\0';
	*name = line + 5;
	return value;
}

struct lines {
	struct pe_suite_reader *reader; /* NULL: they are counted */
	char before[LONGEST_LINE];      /* the last line that may be a name */
	unsigned n, n_estimates;
};

static void take_value(struct lines *lines, const char *name, double value, bool selects)
{
	const struct pe_suite_name unnamed = {.name = name, .selector = ""};
	struct pe_suite_draft *draft;

	lines->n++;
	lines->n_estimates += selects;
	if (lines->reader == NULL)
		return;
	draft = selects ? pe_suite_criterion_draft(lines->reader, name, "")
			: pe_suite_draft(lines->reader, &unnamed, PE_SUITE_MERGE);
	if (draft != NULL)
		pe_suite_value(lines->reader, draft, &pe_suite_wall, value);
}

static void take_line(struct lines *lines, char *line)
{
	const char *name_end = line, *name = NULL;
	double value = estimate_of(line, &name_end);
	size_t n;

	if (isnan(value)) {
		value = bench_of(line, &name);
		if (isnan(value))
			memcpy(lines->before, line, strlen(line) + 1);
		else
			take_value(lines, name, value, false);
		return;
	}
	for (n = (size_t)(name_end - line); n > 0 && line[n - 1] == ' ';)
		n--;
	line[n] = '\0';
	if (n > 0 && *line != ' ')
		take_value(lines, line, value, true);
	else if (*lines->before != '\0' && *lines->before != ' ')
		take_value(lines, lines->before, value, true);
}

static void take_lines(struct lines *lines, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;
	char line[LONGEST_LINE];

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop != NULL ? stop : end) - at);

		while (len > 0 && (at[len - 1] == '\r' || at[len - 1] == ' '))
			len--;
		if (len > 0 && len < sizeof(line)) {
			memcpy(line, at, len);
			line[len] = '\0';
			take_line(lines, line);
		}
		at = stop != NULL ? stop + 1 : end;
		if (lines->reader != NULL)
			pe_arena_release(&lines->reader->scratch);
	}
}

bool pe_suite_is_criterion_text(const char *bytes, size_t n)
{
	struct lines lines = {.n = 0};

	take_lines(&lines, bytes, n < 1 << 20 ? n : 1 << 20);
	return lines.n > 0;
}

void pe_suite_read_criterion_text(struct pe_suite_reader *reader)
{
	struct lines lines = {.reader = reader};

	take_lines(&lines, reader->bytes, reader->n);
	reader->found += lines.n;
	if (lines.n_estimates > 0)
		pe_suite_note(
			reader, PE_SUITE_NOTE_AGGREGATES,
			"cargo bench prints estimates alone: its samples are in target/criterion");
}
