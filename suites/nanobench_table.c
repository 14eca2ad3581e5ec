/*
 * The table that nanobench prints unless it is told otherwise, a row a benchmark with the median of its epochs:
 *
 *	|               ns/op |                op/s |    err% |     total | benchmark
 *	|--------------------:|--------------------:|--------:|----------:|:----------
 *	|               12.30 |       81,300,813.01 |    0.5% |      0.01 | `name`
 *
 * The last cell of the header is the title, that of a row the name, in which a backtick is doubled and a | is not
 * escaped: what is before it is counted. Which columns there are depends on the machine, and on what the program hides
 * and adds; a column of the program's own (contextColumn()) and complexityN are parameters. Both times have two decimals,
 * so the one with the larger number is taken: 0.38 ns/op is 2,659,271,528.72 op/s.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 64, LONGEST_LINE = 64 * 1024 };

struct span {
	const char *at;
	size_t n;
};

enum column { OTHER, PARAMETER, TIME, RATE, INSTRUCTIONS, CYCLES, BRANCHES };

struct table {
	struct pe_suite_reader *reader; /* NULL: it is looked for alone */
	size_t n;                       /* columns before the last; 0: no header came yet */
	enum column columns[MAX_COLUMNS];
	struct span names[MAX_COLUMNS]; /* of columns, in the file */
	struct span title;
	double unit_ns; /* of TIME; 0: a unit that is not known */
	unsigned n_headers;
	size_t n_rows; /* below this header */
};

static const struct pe_suite_definition metrics[] = {
	[INSTRUCTIONS] = {"instructions", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY},
	[CYCLES] = {"cpu-cycles", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT},
	[BRANCHES] = {"branches", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT},
};

static struct span trim(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	while (end > at && end[-1] == ' ')
		end--;
	return (struct span){at, (size_t)(end - at)};
}

static bool is(struct span span, const char *text)
{
	return span.n == strlen(text) && memcmp(span.at, text, span.n) == 0;
}

/* ---- The header ---- */

/* "|----:|----:|:----": so many cells that are aligned to the right, and one to the left; 0: it is none. */
static size_t count_separator(struct span line)
{
	const char *at = line.at, *end = line.at + line.n;
	size_t n = 0;

	while (end - at > 2 && at[0] == '|' && at[1] == '-') {
		for (at++; at < end && *at == '-';)
			at++;
		if (at == end || *at++ != ':')
			return 0;
		n++;
	}
	if (end - at < 3 || at[0] != '|' || at[1] != ':')
		return 0;
	for (at += 2; at < end; at++)
		if (*at != '-')
			return 0;
	return n;
}

/* The first n cells of a line; *rest: behind the | that ends them. */
static bool split(struct span *cells, size_t n, struct span line, struct span *rest)
{
	const char *at = line.at, *end = line.at + line.n;

	if (line.n == 0 || *at++ != '|')
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *stop = memchr(at, '|', (size_t)(end - at));

		if (stop == NULL)
			return false;
		cells[i] = trim(at, stop);
		at = stop + 1;
	}
	*rest = trim(at, end);
	return true;
}

/* The factor of "ns" in "ns/op", where what is behind it is "op" or anything (NULL); NAN: it is no such cell. */
static double time_of(struct span cell, const struct span *unit)
{
	const char *slash = memchr(cell.at, '/', cell.n);
	char name[32];
	size_t n = slash != NULL ? (size_t)(slash - cell.at) : 0;

	if (n == 0 || n >= sizeof(name))
		return NAN;
	if (unit != NULL &&
	    (cell.n - n - 1 != unit->n || memcmp(slash + 1, unit->at, unit->n) != 0))
		return NAN;
	memcpy(name, cell.at, n);
	name[n] = '\0';
	return pe_suite_time_unit(name);
}

/* "op" of "op/s" */
static bool rate_of(struct span cell, struct span *unit)
{
	*unit = (struct span){cell.at, cell.n - 2};
	return cell.n > 2 && memcmp(cell.at + cell.n - 2, "/s", 2) == 0;
}

/*
 * Where the time is, the rate, or both next to each other; whatever is before them says which benchmark a row is. Either
 * can be hidden. @return the first column behind them, 0: there is none
 */
static size_t find_time(struct table *table)
{
	for (size_t i = 0; i + 1 < table->n; i++) {
		struct span unit;

		if (!rate_of(table->names[i + 1], &unit))
			continue;
		table->unit_ns = time_of(table->names[i], &unit);
		if (isnan(table->unit_ns))
			continue;
		table->columns[i] = TIME;
		table->columns[i + 1] = RATE;
		return i + 2;
	}
	for (size_t i = 0; i < table->n; i++) {
		struct span unit;

		table->unit_ns = time_of(table->names[i], NULL);
		if (table->unit_ns > 0)
			table->columns[i] = TIME;
		else if (rate_of(table->names[i], &unit))
			table->columns[i] = RATE;
		if (table->columns[i] != OTHER)
			return i + 1;
	}
	return 0;
}

static void name_columns(struct table *table, size_t behind_time)
{
	for (size_t i = 0; i < table->n; i++) {
		struct span name = table->names[i];

		if (table->columns[i] != OTHER)
			continue;
		if (i < behind_time && !is(name, "relative") && !is(name, "95% CI"))
			table->columns[i] = PARAMETER;
		else if (name.n > 4 && memcmp(name.at, "ins/", 4) == 0)
			table->columns[i] = INSTRUCTIONS;
		else if (name.n > 4 && memcmp(name.at, "cyc/", 4) == 0)
			table->columns[i] = CYCLES;
		else if (name.n > 4 && memcmp(name.at, "bra/", 4) == 0)
			table->columns[i] = BRANCHES;
	}
}

/* Take the line before a separator for a header; a table of something else is left alone. */
static void take_header(struct table *table, struct span line, size_t n)
{
	struct table next = {.reader = table->reader, .n = n, .n_headers = table->n_headers + 1};
	size_t behind;

	if (n == 0 || n > MAX_COLUMNS || !split(next.names, n, line, &next.title))
		return;
	behind = find_time(&next);
	if (behind == 0)
		return;
	name_columns(&next, behind);
	*table = next;
}

/* ---- Rows ---- */

struct row {
	struct span cells[MAX_COLUMNS];
	struct span complexity; /* where the header has no column for it; else empty */
	struct span name;       /* within its backticks, which are doubled */
	struct span message;    /* of one that failed */
	bool failed, unstable;
};

static bool skip(struct span *text, const char *what)
{
	size_t n = strlen(what);

	if (text->n < n || memcmp(text->at, what, n) != 0)
		return false;
	text->at += n;
	text->n -= n;
	return true;
}

/* "`name`", ":boom: `name` (why)" or ":wavy_dash: `name` (Unstable ...)". */
static bool take_name(struct row *row, struct span text)
{
	const char *at, *end = text.at + text.n;

	row->failed = skip(&text, ":boom: ");
	row->unstable = !row->failed && skip(&text, ":wavy_dash: ");
	if (!skip(&text, "`"))
		return false;
	for (at = text.at; at < end; at++) {
		if (*at != '`')
			continue;
		if (at + 1 == end || at[1] != '`')
			break;
		at++;
	}
	if (at >= end)
		return false;
	row->name = (struct span){text.at, (size_t)(at - text.at)};
	row->message = trim(at + 1, end);
	return true;
}

/* "81,300,813.01", "0.5%", "inf"; false: it is no number. */
static bool number_of(struct span cell, double *value)
{
	char digits[64], *end;
	size_t n = 0;

	for (size_t i = 0; i < cell.n; i++) {
		if (cell.at[i] == ',')
			continue;
		if (n + 1 == sizeof(digits))
			return false;
		digits[n++] = cell.at[i];
	}
	n -= n > 0 && digits[n - 1] == '%';
	digits[n] = '\0';
	*value = strtod(digits, &end);
	return n > 0 && *end == '\0';
}

/* Nanoseconds for one; false: the row has no time, and is none. */
static bool wall_of(const struct table *table, const struct row *row, double *wall)
{
	double time = NAN, rate = NAN;
	bool has_time = false, has_rate = false;

	for (size_t i = 0; i < table->n; i++) {
		if (table->columns[i] == TIME)
			has_time = number_of(row->cells[i], &time);
		else if (table->columns[i] == RATE)
			has_rate = number_of(row->cells[i], &rate);
	}
	if (has_rate && rate > 0 && isfinite(rate) &&
	    (!has_time || !(table->unit_ns > 0) || rate > time))
		*wall = 1e9 / rate;
	else
		*wall = has_time && table->unit_ns > 0 ? time * table->unit_ns : NAN;
	return has_time || has_rate;
}

static char *copy(const struct table *table, struct span span)
{
	return pe_arena_strndup(&table->reader->scratch, span.at, span.n);
}

/* 1,000 of complexityN is 1000; any other text is the program's. */
static void take_parameter(const struct table *table, struct pe_suite_name *name,
			   struct span column, struct span cell)
{
	char *value = copy(table, cell), *to = value;

	if (is(column, "complexityN")) {
		for (const char *from = value; *from != '\0'; from++)
			if (*from != ',')
				*to++ = *from;
		*to = '\0';
	}
	if (*value != '\0')
		pe_suite_param(table->reader, name, copy(table, column), value);
}

/* Title and name, as of the JSON: "benchmark" is the title where the program says none. */
static void make_name(const struct table *table, struct pe_suite_name *name, const struct row *row)
{
	char *text = copy(table, row->name), *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		*to++ = *from;
		if (from[0] == '`' && from[1] == '`')
			from++;
	}
	*to = '\0';
	name->name = table->title.n == 0 || is(table->title, "benchmark")
			     ? text
			     : pe_arena_printf(&table->reader->scratch, "%s/%s",
					       copy(table, table->title), text);
	if (row->complexity.n > 0)
		take_parameter(table, name, (struct span){"complexityN", 11}, row->complexity);
	for (size_t i = 0; i < table->n && !row->failed; i++)
		if (table->columns[i] == PARAMETER)
			take_parameter(table, name, table->names[i], row->cells[i]);
}

static void take_values(const struct table *table, struct pe_suite_draft *draft,
			const struct row *row, double wall)
{
	struct pe_suite_reader *reader = table->reader;

	pe_suite_value(reader, draft, &pe_suite_wall, wall);
	for (size_t i = 0; i < table->n; i++) {
		double value;

		/* A counter that was not counted is 0. */
		if (table->columns[i] >= INSTRUCTIONS && number_of(row->cells[i], &value) &&
		    value > 0)
			pe_suite_value(reader, draft, &metrics[table->columns[i]], value);
	}
}

/* A header is printed anew when columns change; by version 4.2 not when complexityN comes in front of them. */
static bool take_cells(struct row *row, const struct table *table, struct span line)
{
	struct span rest, behind;
	double number;

	row->complexity = (struct span){line.at, 0};
	if (split(row->cells, table->n, line, &rest) && take_name(row, rest))
		return true;
	if (!split(&row->complexity, 1, line, &rest) || !number_of(row->complexity, &number))
		return false;
	behind.at = memchr(line.at + 1, '|', line.n - 1);
	behind.n = (size_t)(line.at + line.n - behind.at);
	return split(row->cells, table->n, behind, &rest) && take_name(row, rest);
}

static void take_row(struct table *table, struct span line, bool whole)
{
	struct pe_suite_reader *reader = table->reader;
	struct pe_suite_name name = {.name = ""};
	struct pe_suite_draft *draft;
	struct row row;
	double wall = NAN;

	if (!take_cells(&row, table, line) || (!row.failed && !wall_of(table, &row, &wall)))
		return;
	table->n_rows++;
	if (reader == NULL || row.name.n == 0)
		return;
	make_name(table, &name, &row);
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft == NULL)
		return;
	if (row.failed) {
		skip(&row.message, "(");
		row.message.n -= row.message.n > 0 && row.message.at[row.message.n - 1] == ')';
		pe_suite_failed(reader, draft, PE_SUITE_FAILED, copy(table, row.message));
		return;
	}
	if (row.unstable)
		pe_suite_note(reader, PE_SUITE_NOTE_MACHINE,
			      "nanobench calls results unstable, the first is %.200s; "
			      "minEpochIterations() makes them longer",
			      name.name);
	take_values(table, draft, &row, wall);
}

/* A line that does not end: what ran is known where its name is whole. */
static void take_last(struct table *table, struct span line)
{
	if (table->reader != NULL)
		pe_suite_cut(table->reader, NULL);
	take_row(table, line, false);
}

/* ---- Lines ---- */

static void take_lines(struct table *table, const char *bytes, size_t n)
{
	const char *at = bytes, *end = bytes + n;
	struct span before = {bytes, 0};

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct span line = {at, (size_t)((stop != NULL ? stop : end) - at)};

		line.n -= line.n > 0 && line.at[line.n - 1] == '\r';
		if (line.n > 1 && line.n < LONGEST_LINE && *at == '|') {
			size_t columns = at[1] == '-' ? count_separator(line) : 0;

			if (columns > 0)
				take_header(table, before, columns);
			else if (table->n > 0 && stop != NULL)
				take_row(table, line, true);
			else if (table->n > 0)
				take_last(table, line);
		}
		before = line;
		at = stop != NULL ? stop + 1 : end;
		if (table->reader != NULL)
			pe_arena_release(&table->reader->scratch);
	}
}

bool pe_suite_is_nanobench_table(const char *bytes, size_t n)
{
	struct table table = {.n = 0};

	take_lines(&table, bytes, n < 1 << 20 ? n : 1 << 20);
	return table.n_headers > 0;
}

void pe_suite_read_nanobench_table(struct pe_suite_reader *reader)
{
	struct table table = {.reader = reader};

	take_lines(&table, reader->bytes, reader->n);
	if (table.n_headers == 0)
		return;
	reader->found += table.n_headers;
	/* A header is printed with its first row. */
	if (table.n_rows == 0)
		pe_suite_cut(reader, NULL);
	pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
		      "nanobench's table has one value a process, the median of its epochs: "
		      "render(ankerl::nanobench::templates::json(), std::cout) prints all");
}
