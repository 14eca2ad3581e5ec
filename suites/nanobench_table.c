/*
 * The table that nanobench prints by default, a row a benchmark with the median of its epochs:
 *
 *	|               ns/op |                op/s |    err% |     total | benchmark
 *	|--------------------:|--------------------:|--------:|----------:|:----------
 *	|               12.30 |       81,300,813.01 |    0.5% |      0.01 | `name`
 *
 * The last cell of the header is the title, that of a row the name, in which a backtick is doubled and a | is not
 * escaped. The columns depend on the machine, and on those that the program hides and adds; the program's own columns
 * (contextColumn()) and complexityN are parameters. Both times have two decimals, so the one with the larger
 * number is used: 0.38 ns/op is 2,659,271,528.72 op/s.
 *
 * A program prints JSON in its place only if its source does so: there is no option.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 64 };

enum column { OTHER, PARAMETER, TIME, RATE, COUNTER };

struct table {
	struct pe_suite_reader *reader;
	struct pe_arena header; /* owns the title and the names of columns */
	struct pe_text before;  /* the line before: a header, if a rule follows it */
	size_t n;               /* columns before the last; 0: no header yet */
	enum column columns[MAX_COLUMNS];
	char *names[MAX_COLUMNS];
	const char *title;
	double unit_ns; /* of TIME; 0: unknown */
	size_t n_rows;  /* below this header */
};

/* Counters by the unit before "/op". */
static const struct pe_suite_known counters[] = {
	{"ins", {"instructions", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"cyc", {"cpu-cycles", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT}, 1},
	{"bra", {"branches", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT}, 1},
	{.key = NULL},
};

static char *trim(char *text)
{
	text += strspn(text, " ");
	for (size_t n = strlen(text); n > 0 && text[n - 1] == ' ';)
		text[--n] = '\0';
	return text;
}

/* Text before the name of a row: normal, failed, too much variation. */
static const char *const marks[] = {"`", ":boom: `", ":wavy_dash: `"};

enum mark { PLAIN, FAILED, UNSTABLE, NO_NAME };

static enum mark mark_of(const char *text)
{
	enum mark mark = PLAIN;

	while (mark < NO_NAME && strncmp(text, marks[mark], strlen(marks[mark])) != 0)
		mark++;
	return mark;
}

/* Split cells off a line, at most `most`, up to a name; *rest: the text after them. Returns their number. */
static size_t split(char **cells, char **rest, char *line, size_t most)
{
	size_t n = 0;
	char *at = line + 1, *bar;

	while (n < most && mark_of(at + strspn(at, " ")) == NO_NAME &&
	       (bar = strchr(at, '|')) != NULL) {
		*bar = '\0';
		cells[n++] = trim(at);
		at = bar + 1;
	}
	*rest = trim(at);
	return n;
}

/* ---- The header ---- */

/* Count the columns of "|----:|----:|:----" that are aligned to the right, before one aligned to the left; 0: no rule. */
static size_t count_rule(const char *line)
{
	size_t n = 0;

	while (line[0] == '|' && line[1] == '-') {
		line += 1 + strspn(line + 1, "-");
		if (*line++ != ':')
			return 0;
		n++;
	}
	return strncmp(line, "|:", 2) == 0 && line[2] == '-' &&
			       line[2 + strspn(line + 2, "-")] == '\0'
		       ? n
		       : 0;
}

/* The length of "op" in "op/s"; 0: it is no rate. */
static size_t rate_of(const char *cell)
{
	size_t n = strlen(cell);

	return n > 2 && strcmp(cell + n - 2, "/s") == 0 ? n - 2 : 0;
}

/* The factor of "ns" in "ns/op", where "op" is the unit of a rate, or any (NULL); NAN: no such cell. */
static double time_of(const struct table *table, const char *cell, const char *unit)
{
	const char *slash = strchr(cell, '/');

	if (slash == NULL || slash == cell ||
	    (unit != NULL &&
	     (strlen(slash + 1) != rate_of(unit) || strncmp(slash + 1, unit, rate_of(unit)) != 0)))
		return NAN;
	return pe_suite_time_unit(
		pe_arena_strndup(&table->reader->scratch, cell, (size_t)(slash - cell)));
}

/*
 * Find the columns of time and rate, next to each other, or the one that is not hidden; columns before them identify
 * the benchmark of a row. @return the first column after them, 0: there is none
 */
static size_t find_time(struct table *table)
{
	for (size_t i = 0; i + 1 < table->n; i++) {
		if (rate_of(table->names[i + 1]) == 0)
			continue;
		table->unit_ns = time_of(table, table->names[i], table->names[i + 1]);
		if (isnan(table->unit_ns))
			continue;
		table->columns[i] = TIME;
		table->columns[i + 1] = RATE;
		return i + 2;
	}
	for (size_t i = 0; i < table->n; i++) {
		table->unit_ns = time_of(table, table->names[i], NULL);
		if (table->unit_ns > 0)
			table->columns[i] = TIME;
		else if (rate_of(table->names[i]) > 0)
			table->columns[i] = RATE;
		if (table->columns[i] != OTHER)
			return i + 1;
	}
	return 0;
}

static void name_columns(struct table *table, size_t behind_time)
{
	for (size_t i = 0; i < table->n; i++) {
		char *name = table->names[i];

		if (table->columns[i] != OTHER)
			continue;
		if (i < behind_time && strcmp(name, "relative") != 0 && strcmp(name, "95% CI") != 0)
			table->columns[i] = PARAMETER;
		for (const struct pe_suite_known *known = counters; known->key != NULL; known++)
			if (i >= behind_time && strncmp(name, known->key, 3) == 0 &&
			    name[3] == '/') {
				table->columns[i] = COUNTER;
				name[3] = '\0';
			}
	}
}

/* Read the line before a rule of n cells as a header; a table of another kind is ignored. */
static void take_header(struct table *table, size_t n)
{
	struct table next = {.reader = table->reader, .n = n, .before = table->before};
	char *line = pe_arena_strdup(&next.header, pe_text_str(&table->before)), *title;
	size_t behind = 0;

	if (n <= MAX_COLUMNS && *line == '|' && split(next.names, &title, line, n) == n)
		behind = find_time(&next);
	if (behind == 0) {
		pe_arena_release(&next.header);
		return;
	}
	next.title = title;
	name_columns(&next, behind);
	pe_arena_release(&table->header);
	*table = next;
	table->reader->found++;
}

/* ---- Rows ---- */

/* Cut a name at the backtick that ends it, and undouble those in it. Returns the text after it; NULL: it does not end. */
static char *end_name(char *name)
{
	char *to = name;

	for (char *from = name; *from != '\0'; from++) {
		if (*from == '`' && from[1] != '`') {
			*to = '\0';
			return from + 1;
		}
		from += *from == '`';
		*to++ = *from;
	}
	return NULL;
}

/* Read "81,300,813.01" or "0.5%". */
static double number_of(const char *cell)
{
	size_t n = strlen(cell);

	return pe_suite_decimal(cell, n - (n > 0 && cell[n - 1] == '%'));
}

/* Compute nanoseconds per operation; false: the row has no time, and is none of the table's. */
static bool wall_of(double *wall, const struct table *table, char **cells)
{
	double time = NAN, rate = NAN;

	for (size_t i = 0; i < table->n; i++) {
		if (table->columns[i] == TIME)
			time = number_of(cells[i]);
		else if (table->columns[i] == RATE)
			rate = number_of(cells[i]);
	}
	if (rate > 0 && isfinite(rate) && !(table->unit_ns > 0 && time >= rate))
		*wall = 1e9 / rate;
	else
		*wall = table->unit_ns > 0 ? time * table->unit_ns : NAN;
	return !isnan(time) || !isnan(rate);
}

/* Add a parameter. 1,000 of complexityN is 1000; other columns are the program's own text. */
static void take_parameter(const struct table *table, struct pe_suite_name *name,
			   const char *column, char *value)
{
	char *to = value;

	for (const char *from = value; *from != '\0'; from++)
		if (*from != ',' || strcmp(column, "complexityN") != 0)
			*to++ = *from;
	*to = '\0';
	if (*value != '\0')
		pe_suite_param(table->reader, name, column, value);
}

static void take_values(const struct table *table, struct pe_suite_draft *draft, char **cells,
			double wall)
{
	pe_suite_value(table->reader, draft, &pe_suite_wall, wall);
	for (size_t i = 0; i < table->n; i++)
		/* A counter that was not available is 0. */
		if (table->columns[i] == COUNTER && number_of(cells[i]) > 0)
			pe_suite_value_of(table->reader, draft, counters, table->names[i],
					  number_of(cells[i]));
}

/* Title and name, as in the JSON; "benchmark" is the title by default. */
static const char *full_name(const struct table *table, const char *name)
{
	return *table->title == '\0' || strcmp(table->title, "benchmark") == 0
		       ? name
		       : pe_arena_printf(&table->reader->scratch, "%s/%s", table->title, name);
}

/* Take "why" from "(why)". */
static const char *message_of(char *text)
{
	text = trim(text);
	text += *text == '(';
	if (*text != '\0' && text[strlen(text) - 1] == ')')
		text[strlen(text) - 1] = '\0';
	return text;
}

static void take_row(struct table *table, char *line, bool whole)
{
	struct pe_suite_reader *reader = table->reader;
	struct pe_suite_name name = {.name = NULL};
	struct pe_suite_draft *draft;
	char *all[MAX_COLUMNS + 1], **cells = all, *text, *behind;
	size_t n = split(all, &text, line, table->n + 1);
	enum mark mark = mark_of(text);
	double wall;

	if (mark == NO_NAME || n < table->n || (n > table->n && isnan(number_of(all[0]))))
		return;
	text += strlen(marks[mark]);
	behind = end_name(text);
	if (behind == NULL)
		return;
	name.name = full_name(table, text);
	/* The header is printed again when columns change; up to version 4.2 not when complexityN is inserted before them. */
	if (n > table->n)
		take_parameter(table, &name, "complexityN", *cells++);
	if (!wall_of(&wall, table, cells) && mark != FAILED)
		return;
	table->n_rows++;
	for (size_t i = 0; i < table->n && mark != FAILED; i++)
		if (table->columns[i] == PARAMETER)
			take_parameter(table, &name, table->names[i], cells[i]);
	if (*text == '\0')
		return;
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft == NULL)
		return;
	if (mark == FAILED) {
		pe_suite_failed(reader, draft, PE_SUITE_FAILED, message_of(behind));
		return;
	}
	if (mark == UNSTABLE)
		pe_suite_note(reader, PE_SUITE_NOTE_MACHINE,
			      "nanobench calls results unstable, the first is %.200s; "
			      "minEpochIterations() makes them longer",
			      name.name);
	take_values(table, draft, cells, wall);
}

/* ---- Lines ---- */

static void take_line(char *line, bool whole, void *payload)
{
	struct table *table = payload;
	size_t columns = count_rule(line);

	if (columns > 0)
		take_header(table, columns);
	pe_text_clear(&table->before);
	pe_text_add(&table->before, line);
	if (columns > 0 || *line != '|' || table->n == 0)
		return;
	if (!whole)
		pe_suite_cut(table->reader, NULL);
	take_row(table, line, whole);
}

void pe_suite_read_nanobench_table(struct pe_suite_reader *reader)
{
	struct table table = {.reader = reader};

	pe_suite_lines(reader, reader->bytes, reader->n, take_line, &table);
	/* A header is printed with its first row. */
	if (table.n > 0 && table.n_rows == 0)
		pe_suite_cut(reader, NULL);
	if (table.n > 0)
		pe_suite_note(
			reader, PE_SUITE_NOTE_AGGREGATES,
			"nanobench's table has one value a process, the median of its epochs: "
			"render(ankerl::nanobench::templates::json(), std::cout) prints all");
	pe_arena_release(&table.header);
	pe_text_release(&table.before);
}
