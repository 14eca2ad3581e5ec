/* Common parts of the readers of foreign formats. Apart from the table, which links all readers. */
#define _GNU_SOURCE /* memmem(3) */
#include "analysis/profile/importers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int pe_import_refuse_in(const struct pe_import *import, uint64_t line, uint64_t offset,
			const char *expected, const char *format, ...)
{
	char where[64] = "", found[512];
	va_list args;

	if (line > 0)
		snprintf(where, sizeof(where), "%" PRIu64 ":", line);
	va_start(args, format);
	vsnprintf(found, sizeof(found), format, args);
	va_end(args);
	/* Bytes of a foreign file must not disturb a terminal. */
	for (unsigned char *at = (unsigned char *)found; *at != '\0'; at++)
		if (*at < 0x20 || *at >= 0x7f)
			*at = '?';
	return pe_fail(import->err, PE_EINVALID, "%s:%s offset %" PRIu64 ": %s; expected %s",
		       pe_input_at(import->input)->name, where, offset, found, expected);
}

int pe_import_lines(struct pe_import *import, pe_import_line_fn *take, void *self)
{
	char *line;
	size_t n;

	for (;;) {
		PE_TRY(pe_input_line(import->input, &line, &n, import->err));
		if (line == NULL)
			return PE_OK;
		PE_TRY(take(self, line, n));
	}
}

bool pe_import_is_text(const char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)head[i] < 0x20 && head[i] != '\t' && head[i] != '\r' &&
		    head[i] != '\n')
			return false;
	return true;
}

static int supply(const char **bytes, size_t *n, void *payload, struct pe_err *err)
{
	struct pe_json_source *source = payload;

	pe_input_take(source->input, source->given);
	source->given = 0;
	PE_TRY(pe_input_peek(source->input, 1, bytes, n, err));
	source->given = *n;
	return PE_OK;
}

struct pe_json_stream *pe_import_json(struct pe_json_source *source, unsigned flags)
{
	return pe_json_stream_new(pe_input_at(source->input)->name, flags, supply, source);
}

bool pe_import_begins(const char *head, size_t n, char first)
{
	size_t at = 0;

	while (at < n && (head[at] == ' ' || (head[at] >= '\t' && head[at] <= '\r')))
		at++;
	return at < n && head[at] == first;
}

bool pe_import_holds(const char *head, size_t n, const char *text)
{
	return memmem(head, n, text, strlen(text)) != NULL;
}
