/* Text: lines and numbers in output for people. */
#include "suites/suite_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64 };

void pe_suite_lines(struct pe_suite_reader *reader,
		    void (*take)(char *line, bool whole, void *payload), void *payload)
{
	const char *at = reader->bytes, *end = at + reader->n;
	pe_auto_text line = PE_TEXT_INIT;
	size_t lines = 0;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop != NULL ? stop : end) - at);

		length -= length > 0 && at[length - 1] == '\r';
		if (length > 0) {
			pe_text_clear(&line);
			pe_text_addn(&line, at, length);
			take(line.data, stop != NULL, payload);
		}
		/* Not after each line: a block of the arena costs more than one. */
		if (++lines % 64 == 0)
			pe_arena_release(&reader->scratch);
		at = stop != NULL ? stop + 1 : end;
	}
}

bool pe_suite_is_digits(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

double pe_suite_decimal(const char *text, size_t n)
{
	char digits[LONGEST_NUMBER], *end;
	size_t length = 0;
	double value;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == ',')
			continue;
		if (length + 1 == sizeof(digits))
			return NAN;
		digits[length++] = text[i];
	}
	digits[length] = '\0';
	value = strtod(digits, &end);
	return length > 0 && *end == '\0' ? value : NAN;
}
