/*
 * go test -bench: the Go benchmark data format (golang.org/design/14313-benchmark-format), a line a run of a benchmark,
 *
 *	BenchmarkSize/n=16-8   1000   1234 ns/op   12.5 MB/s   64 B/op   2 allocs/op
 *
 * among any output of the program: that may also come between the name and its values, which go prints when the
 * benchmark has ended. -count repeats lines.
 *
 * The name is PACKAGE.BenchmarkSize, with the package's last element; n=16 is a parameter (the convention of benchstat),
 * and so is a part that is a number. A suffix -8 is GOMAXPROCS: if all lines have the same one, it is the machine's, and
 * dropped; if they differ (-cpu 1,8), it is the parameter procs.
 */
#include "suites/suite_internal.h"

#include <stdlib.h>
#include <string.h>

struct lines {
	struct pe_suite_reader *reader;
	const char *package; /* last element; NULL: unknown */
	const char *pending; /* name whose values have not been printed yet */
	bool same_procs;     /* all lines have the same suffix */
	bool any;
	long procs;    /* the suffix of the first line; 0: none */
	bool counting; /* the first pass, which reads suffixes alone */
};

/* The number after the last dash of a name; 0: there is none. */
static long suffix_of(const char *name, const char **dash)
{
	const char *last = strrchr(name, '-');

	*dash = name + strlen(name);
	if (last == NULL || !pe_suite_is_digits(last + 1) || last[1] == '0' || strlen(last + 1) > 6)
		return 0;
	*dash = last;
	return strtol(last + 1, NULL, 10);
}

/* ---- Values ---- */

static const struct pe_suite_known units[] = {
	{"ns/op", {"wall", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"B/op", {"allocated-bytes", "bytes", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC}, 1},
	{"allocs/op", {"allocations", "1", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC}, 1},
	{"MB/s", {"throughput", "bytes/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY}, 1e6},
	{.key = NULL},
};

static char *next_word(char **at)
{
	char *word;

	*at += strspn(*at, " \t");
	word = *at;
	*at += strcspn(*at, " \t");
	if (**at != '\0')
		*(*at)++ = '\0';
	return word;
}

/* Whether a word is a value; go prints those that are no finite number, too, which are counted. */
static bool is_number(const char *text)
{
	return strcmp(text, "NaN") == 0 ||
	       strcmp(text + (*text == '+' || *text == '-'), "Inf") == 0 ||
	       (*text != '\0' && text[strspn(text, "0123456789.eE+-")] == '\0');
}

/* Whether a text is a list of values, "1000  1234 ns/op ...", the iterations first. */
static bool are_values(const char *text, struct pe_arena *scratch)
{
	char *at = pe_arena_strdup(scratch, text);

	return pe_suite_is_digits(next_word(&at)) && is_number(next_word(&at)) &&
	       strchr(next_word(&at), '/') != NULL;
}

/* ---- Names ---- */

/* Split a name into the name itself and its parameters. */
static void take_apart(struct lines *lines, struct pe_suite_name *name, char *text)
{
	struct pe_suite_reader *reader = lines->reader;
	pe_auto_text rest = PE_TEXT_INIT;
	char *part = text;

	if (lines->package != NULL)
		pe_text_addf(&rest, "%s.", lines->package);
	for (bool first = true; part != NULL; first = false) {
		char *slash = strchr(part, '/'), *equals;

		if (slash != NULL)
			*slash++ = '\0';
		equals = strchr(part, '=');
		if (!first && pe_suite_is_digits(part)) {
			pe_suite_param(reader, name, "", part);
		} else if (!first && equals != NULL && equals > part) {
			*equals = '\0';
			pe_suite_param(reader, name, part, equals + 1);
		} else {
			pe_text_addf(&rest, "%s%s", first ? "" : "/", part);
		}
		part = slash;
	}
	name->name = pe_arena_strdup(&reader->scratch, pe_text_str(&rest));
}

static void take_run(struct lines *lines, const char *full, char *metrics)
{
	struct pe_suite_reader *reader = lines->reader;
	struct pe_suite_name name = {0};
	struct pe_suite_draft *draft;
	const char *dash;
	long procs = suffix_of(full, &dash);
	char *bare, *value;

	if (lines->counting) {
		lines->same_procs = lines->any ? lines->same_procs && lines->procs == procs : true;
		lines->procs = procs;
		lines->any = true;
		return;
	}
	bare = pe_arena_strndup(&reader->scratch, full, (size_t)(dash - full));
	name.selector = pe_arena_strdup(&reader->scratch, bare);
	take_apart(lines, &name, bare);
	if (!lines->same_procs && procs != 0)
		pe_suite_param(reader, &name, "procs", dash + 1);
	reader->found++;
	draft = pe_suite_draft(reader, &name, PE_SUITE_MERGE);
	if (draft == NULL)
		return;
	pe_suite_iterations(draft, strtod(next_word(&metrics), NULL));
	while (*(value = next_word(&metrics)) != '\0') {
		const char *unit = next_word(&metrics);

		if (*unit == '\0' || !is_number(value))
			break;
		pe_suite_value_of(reader, draft, units, unit, unit, strtod(value, NULL));
	}
}

/* Mark the output as cut, with the running benchmark, without the machine's suffix. */
static void cut(struct lines *lines, const char *name)
{
	const char *dash;

	if (suffix_of(name, &dash) == 0 || !lines->same_procs)
		dash = name + strlen(name);
	pe_suite_cut(lines->reader,
		     pe_arena_strndup(&lines->reader->scratch, name, (size_t)(dash - name)));
}

/* Read a line that begins with a name. A name alone has go's tab after it, then output of the program, or the line's end. */
static void take_benchmark_line(struct lines *lines, char *text)
{
	size_t blanks = strcspn(text, " \t");
	bool has_tab = text[blanks + strspn(text + blanks, " ")] == '\t';
	char *name;

	if (text[9] >= 'a' && text[9] <= 'z')
		return;
	name = next_word(&text);
	if (are_values(text, &lines->reader->scratch)) {
		lines->pending = NULL;
		take_run(lines, name, text);
	} else if (has_tab) {
		lines->pending = pe_arena_strdup(lines->reader->arena, name);
	}
}

/* Read a terminated line, which is split in place. */
static void take_line(struct lines *lines, char *text)
{
	const char *slash;

	if (strncmp(text, "Benchmark", 9) == 0) {
		take_benchmark_line(lines, text);
	} else if (lines->pending != NULL && are_values(text, &lines->reader->scratch)) {
		take_run(lines, lines->pending, text);
		lines->pending = NULL;
	} else if (strncmp(text, "pkg: ", 5) == 0) {
		slash = strrchr(text + 5, '/');
		lines->package =
			pe_arena_strdup(lines->reader->arena, slash != NULL ? slash + 1 : text + 5);
	}
}

/* ---- Lines of a file ---- */

static void take_printed(char *line, bool whole, void *payload)
{
	struct lines *lines = payload;

	/* A last line without its end may lack values. */
	if (whole)
		take_line(lines, line);
	else if (!lines->counting && strncmp(line, "Benchmark", 9) == 0)
		cut(lines, strtok(line, " \t"));
}

void pe_suite_read_go(struct pe_suite_reader *reader)
{
	struct lines lines = {.reader = reader, .counting = true};

	pe_suite_lines(reader, take_printed, &lines);
	lines.counting = false;
	lines.pending = NULL;
	pe_suite_lines(reader, take_printed, &lines);
	if (lines.pending != NULL)
		cut(&lines, lines.pending);
}
