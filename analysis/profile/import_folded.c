/*
 * Folded stacks: a line a stack, "outer;inner;innermost COUNT", as stackcollapse scripts, py-spy,
 * async-profiler, rbspy and flame graph tools write them.
 *
 * Counts are samples. The format has no interval, so there are no times; no calls and no call sites either.
 */
#include "analysis/profile/importers.h"

#include "analysis/profile/import_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct folded {
	struct pe_import *import;
	struct pe_import_names names;
	double reused; /* remainder of rounded counts so far */
	bool has_fractions;
	uint64_t lines, lines_of_two_counts;
	bool is_deep; /* some stack has more than one frame */
};

static const char EXPECTED[] = "a stack and its count, as in 'main;parse;read 12'";

/* Enter a stack, and return its innermost node. Empty names are skipped: py-spy once ended stacks with ';'. */
static int enter(struct folded *folded, uint32_t *out, const char *stack, size_t n)
{
	size_t length, depth = 0;

	*out = 0;
	for (size_t from = 0; from < n; from += length + 1) {
		const char *end = memchr(stack + from, ';', n - from);
		uint32_t frame;

		length = end != NULL ? (size_t)(end - stack) - from : n - from;
		if (length == 0)
			continue;
		frame = pe_names_frame(&folded->names, stack + from, length, NULL, 0);
		if (frame == PE_FRAME_NONE)
			return pe_import_refuse(folded->import, from, EXPECTED,
						"a NUL byte in a name");
		*out = pe_cct_builder_child(folded->import->builder, *out, frame, 0);
		depth++;
	}
	folded->is_deep = folded->is_deep || depth > 1;
	return PE_OK;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The offset of the last word of the first n bytes; 0 when no blank precedes it. */
static size_t last_word(const char *line, size_t n)
{
	while (n > 0 && !is_blank(line[n - 1]))
		n--;
	return n;
}

/*
 * Whether a line is a comment: "# duration: 23873" (Austin), "// ...", and any other line that begins with '#' and has
 * no stack. Private methods of JavaScript begin with '#', too, and occur in stacks: "#run;#step 12".
 */
static bool is_comment(const char *line, size_t n)
{
	if (n > 2 && memcmp(line, "// ", 3) == 0)
		return true;
	return n > 0 && line[0] == '#' &&
	       (n == 1 || is_blank(line[1]) || memchr(line, ';', n) == NULL);
}

static bool is_number(const char *text, size_t n)
{
	size_t digits = 0, points = 0;

	for (size_t i = 0; i < n; i++) {
		digits += isdigit((unsigned char)text[i]) != 0;
		points += text[i] == '.';
	}
	return digits > 0 && points <= 1 && digits + points == n;
}

/* Round a fractional count, and carry the remainder over to the next one, so that the sum holds. */
static uint64_t whole(struct folded *folded, const char *number)
{
	double exact = strtod(number, NULL) + folded->reused;
	uint64_t count = exact > 0 ? (uint64_t)exact : 0;

	folded->has_fractions = true;
	folded->reused = exact - (double)count;
	return count;
}

static int read_count(struct folded *folded, uint64_t *out, const char *number, size_t n,
		      size_t column)
{
	const char *point;
	uint64_t count = 0;

	if (n > 1 && number[0] == '-' && is_number(number + 1, n - 1))
		return pe_import_refuse(folded->import, column,
					"a profile, not a difference of two",
					"the count %s is below 0", number);
	if (!is_number(number, n))
		return pe_import_refuse(folded->import, column, EXPECTED,
					n > 0 ? "'%.60s' is no count" : "no count%s", number);
	point = memchr(number, '.', n);
	if ((point != NULL ? (size_t)(point - number) : n) > 18)
		return pe_import_refuse(folded->import, column, "a count below 10^18",
					"the count %.60s is too large", number);
	if (point != NULL) {
		*out = whole(folded, number);
		return PE_OK;
	}
	for (size_t i = 0; i < n; i++)
		count = count * 10 + (uint64_t)(number[i] - '0');
	*out = count;
	return PE_OK;
}

/* Whether the stack itself ends in a second count, as in a difference of two profiles. */
static bool ends_in_count(const char *stack, size_t n)
{
	size_t word = last_word(stack, n);

	return word > 0 && is_number(stack + word, n - word);
}

static int read_line(void *self, char *line, size_t n)
{
	struct folded *folded = self;
	uint64_t *all = &folded->import->facts.samples, *samples, count = 0;
	size_t word, n_stack;
	uint32_t node = 0;

	while (n > 0 && is_blank(line[n - 1]))
		line[--n] = '\0';
	word = last_word(line, n);
	if (n == 0 || is_comment(line, n))
		return PE_OK;
	n_stack = word;
	while (n_stack > 0 && is_blank(line[n_stack - 1]))
		n_stack--;
	if (n_stack == 0)
		return pe_import_refuse(folded->import, 0, EXPECTED, "'%.60s' is %s", line,
					is_number(line, n) ? "a count without a stack"
							   : "a stack without a count");
	PE_TRY(read_count(folded, &count, line + word, n - word, word));
	if (count == 0)
		return PE_OK;
	folded->lines++;
	folded->lines_of_two_counts += ends_in_count(line, n_stack);
	PE_TRY(enter(folded, &node, line, n_stack));
	samples = &pe_cct_builder_at(folded->import->builder, node)->samples;
	pe_cct_add(samples, count);
	pe_cct_add(all, count);
	return PE_OK;
}

static int read_lines(struct folded *folded)
{
	PE_TRY(pe_import_lines(folded->import, read_line, folded));
	if (folded->lines >= 2 && folded->lines == folded->lines_of_two_counts && folded->is_deep)
		return pe_import_refuse(folded->import, 0, "one, of one profile",
					"every line has two counts");
	return PE_OK;
}

/* A line that may go on beyond the bytes in which a format is recognised. */
enum { LONG_LINE = 4096 };

/* Whether a line has more than one frame. */
static bool is_deep(const char *line, size_t n)
{
	const char *end = memchr(line, ';', n);

	return end != NULL && end + 1 < line + n && !is_blank(end[1]);
}

/* Whether a line is a stack and a count. */
static bool is_stack_line(const char *line, size_t n)
{
	size_t word = last_word(line, n), sign = word < n && line[word] == '-';

	return word > 0 && is_number(line + word + sign, n - word - sign);
}

/*
 * Most lines of text that end in a number are no stacks: tables, settings, logs ("/old /new 301"). So the first line that
 * says something is a stack, at least half of all are, and one of them has two frames. What the other lines hold is an
 * error, which the reader reports.
 */
bool pe_folded_recognises(const char *head, size_t n)
{
	size_t good = 0, bad = 0, deep = 0;
	const char *end;

	if (!pe_import_is_text(head, n))
		return false;
	for (const char *line = head; line < head + n; line = end + 1) {
		size_t length;

		end = memchr(line, '\n', (size_t)(head + n - line));
		/* A line cut off by the end of the head is ignored, unless it is one stack with thousands of frames. */
		if (end == NULL && good > 0)
			break;
		length = (size_t)(end != NULL ? end - line : head + n - line);
		if (end == NULL && length >= LONG_LINE)
			return is_deep(line, length) && memchr(line, '{', length) == NULL;
		end = line + length;
		while (length > 0 && (is_blank(line[length - 1]) || line[length - 1] == '\r'))
			length--;
		if (length == 0 || is_comment(line, length))
			continue;
		if (is_stack_line(line, length)) {
			good++;
			deep += is_deep(line, length);
		} else if (good == 0) {
			return false;
		} else {
			bad++;
		}
	}
	return deep > 0 && good >= bad;
}

int pe_folded_read(struct pe_import *import)
{
	struct folded folded = {
		.import = import,
		.names = {.frames = import->frames, .read = pe_names_read_folded},
	};
	int rc;

	pe_cct_builder_know(import->builder, PE_CCT_SAMPLES);
	rc = read_lines(&folded);
	if (folded.has_fractions)
		import->note = "counts with fractions were rounded, so that their sum holds";
	else
		import->note = "folded stacks say nothing of calls, call sites and times";
	pe_names_release(&folded.names);
	return rc;
}
