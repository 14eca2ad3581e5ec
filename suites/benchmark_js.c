/*
 * benchmark.js, which most suites of Node are written with: it has no format but the text of a benchmark that has run,
 *
 *	NAME x 1,234,567 ops/sec ±1.23% (89 runs sampled)
 *
 * after whatever the program puts before it: blanks, a bullet, codes that move the cursor. Programs that print it in every
 * cycle, to show how far they are, overwrite it: of a line its last text counts, and of a line without an end none.
 *
 * One value a process: the mean of its samples, as a rate of three digits and more.
 */
#include "suites/suite_internal.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 64 * 1024, LONGEST_NUMBER = 32 };

struct lines {
	struct pe_suite_reader *reader; /* NULL: they are counted */
	unsigned n;
};

/* The text of one benchmark; its name is not terminated. */
struct told {
	const char *name;
	size_t n_name;
	double per_second;
};

/* "1,234,567.89", as it stands before `end`, which is where it ends. @return  where it begins; NULL: it is none */
static const char *take_number(double *out, const char *from, const char *end)
{
	char digits[LONGEST_NUMBER], *stop;
	const char *at = end;
	size_t n = 0;

	while (at > from && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == ',' || at[-1] == '.'))
		at--;
	for (const char *digit = at; digit < end && n + 1 < sizeof(digits); digit++)
		if (*digit != ',')
			digits[n++] = *digit;
	digits[n] = '\0';
	*out = strtod(digits, &stop);
	return n > 0 && *stop == '\0' && *out > 0 ? at : NULL;
}

/* Past what is no part of a name: codes of the terminal and what they follow, blanks, a bullet. */
static const char *begin_name(const char *from, const char *end)
{
	const char *at = from;

	for (const char *c = from; c < end; c++) {
		if ((unsigned char)*c >= ' ')
			continue;
		if (c[0] == '\x1b' && c + 1 < end && c[1] == '[')
			for (c += 2; c + 1 < end && (*c < '@' || *c > '~');)
				c++;
		at = c < end ? c + 1 : end;
	}
	while (at < end && *at == ' ')
		at++;
	if (at + 1 < end && strchr(">*-#+", *at) != NULL && at[1] == ' ')
		for (at++; at < end && *at == ' ';)
			at++;
	return at;
}

/* "1.23% (89 runs sampled)". @return  its end; NULL: it is none */
static const char *end_of(const char *at)
{
	static const char percent[] = "% (", run[] = " run", sampled[] = " sampled)";

	at += strcspn(at, "% ");
	if (strncmp(at, percent, sizeof(percent) - 1) != 0)
		return NULL;
	at += sizeof(percent) - 1;
	at += strspn(at, "0123456789");
	if (strncmp(at, run, sizeof(run) - 1) != 0)
		return NULL;
	at += sizeof(run) - 1;
	at += *at == 's';
	return strncmp(at, sampled, sizeof(sampled) - 1) == 0 ? at + sizeof(sampled) - 1 : NULL;
}

/* The next text of a benchmark in a line, and where the one after it may begin. @return  NULL: there is none */
static const char *next_told(struct told *out, const char *text)
{
	static const char times[] = " x ", rate[] = " ops/sec \xc2\xb1";
	const size_t n_times = sizeof(times) - 1;
	const char *from = text, *mark;

	while ((mark = strstr(from, rate)) != NULL) {
		const char *number = take_number(&out->per_second, text, mark);
		const char *end = end_of(mark + sizeof(rate) - 1);

		from = end != NULL ? end : mark + sizeof(rate) - 1;
		if (number == NULL || end == NULL || (size_t)(number - text) < n_times ||
		    memcmp(number - n_times, times, n_times) != 0) {
			text = from;
			continue;
		}
		out->name = begin_name(text, number - n_times);
		out->n_name = (size_t)(number - n_times - out->name);
		text = from;
		if (out->n_name > 0)
			return end;
	}
	return NULL;
}

static void take(struct lines *lines, char *line, const struct told *told, bool whole)
{
	struct pe_suite_reader *reader = lines->reader;
	struct pe_suite_name name = {.name = told->name, .selector = ""};
	struct pe_suite_draft *draft;

	lines->n++;
	if (reader == NULL)
		return;
	line[told->name + told->n_name - line] = '\0';
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft != NULL)
		pe_suite_value(reader, draft, &pe_suite_wall, 1e9 / told->per_second);
}

static void take_line(struct lines *lines, char *line, bool whole)
{
	struct told next, last = {0};

	for (const char *at = line; (at = next_told(&next, at)) != NULL;)
		last = next;
	if (last.name != NULL)
		take(lines, line, &last, whole);
}

static void take_lines(struct lines *lines, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;
	pe_auto_text line = PE_TEXT_INIT;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const size_t len = (size_t)((stop != NULL ? stop : end) - at);

		if (len > 0 && len < LONGEST_LINE) {
			pe_text_clear(&line);
			pe_text_addn(&line, at, len);
			take_line(lines, line.data, stop != NULL);
		}
		at = stop != NULL ? stop + 1 : end;
	}
}

bool pe_suite_is_benchmark_js(const char *bytes, size_t n)
{
	struct lines lines = {.n = 0};

	take_lines(&lines, bytes, n < 1 << 20 ? n : 1 << 20);
	return lines.n > 0;
}

void pe_suite_read_benchmark_js(struct pe_suite_reader *reader)
{
	struct lines lines = {.reader = reader};

	take_lines(&lines, reader->bytes, reader->n);
	reader->found += lines.n;
	if (lines.n > 0)
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "benchmark.js prints one value a process, the mean of its samples");
}
