/*
 * benchmark.js, the library of most suites for Node: its only format is the text of a finished benchmark,
 *
 *	NAME x 1,234,567 ops/sec ±1.23% (89 runs sampled)
 *
 * after any other text of the program: blanks, a bullet, cursor codes. Programs that print it in every
 * cycle, to show progress, overwrite it: the last text of a line counts, and a line without an end is ignored.
 *
 * One value a process: the mean of its samples, as a rate of three digits and more.
 */
#include "suites/suite_internal.h"

#include <string.h>

/* The text of one benchmark; its name is not terminated. */
struct told {
	const char *name;
	size_t n_name;
	double per_second;
};

/* Skip text before a name: terminal codes and the text before them, blanks, a bullet. */
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

/* Match "1.23% (89 runs sampled)". @return  its end; NULL: no match */
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

/* Find the next text of a benchmark in a line. @return  where the search can continue; NULL: there is none */
static const char *next_told(struct told *out, const char *text)
{
	static const char times[] = " x ", rate[] = " ops/sec \xc2\xb1";

	for (const char *mark; (mark = strstr(text, rate)) != NULL;) {
		const char *end = end_of(mark + sizeof(rate) - 1), *number = mark;
		const char *next = end != NULL ? end : mark + sizeof(rate) - 1;

		while (number > text && strchr("0123456789,.", number[-1]) != NULL)
			number--;
		out->per_second = pe_suite_decimal(number, (size_t)(mark - number));
		if (end != NULL && out->per_second > 0 && number - text >= 3 &&
		    strncmp(number - 3, times, 3) == 0) {
			out->name = begin_name(text, number - 3);
			out->n_name = (size_t)(number - 3 - out->name);
			if (out->n_name > 0)
				return next;
		}
		text = next;
	}
	return NULL;
}

static void take_line(char *line, bool whole, void *payload)
{
	struct pe_suite_reader *reader = payload;
	struct pe_suite_name name = {.selector = ""};
	struct pe_suite_draft *draft;
	struct told next, last = {0};

	for (const char *at = line; (at = next_told(&next, at)) != NULL;)
		last = next;
	if (last.name == NULL)
		return;
	reader->found++;
	name.name = pe_arena_strndup(&reader->scratch, last.name, last.n_name);
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft != NULL)
		pe_suite_value(reader, draft, &pe_suite_wall, 1e9 / last.per_second);
}

void pe_suite_read_benchmark_js(struct pe_suite_reader *reader)
{
	pe_suite_lines(reader, reader->bytes, reader->n, take_line, reader);
	if (reader->found > 0)
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "benchmark.js prints one value a process, the mean of its samples");
}
