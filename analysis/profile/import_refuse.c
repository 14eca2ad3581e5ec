/* Error messages of readers of foreign formats. Apart from the table, which links all readers. */
#include "analysis/profile/import_json.h"
#include "analysis/profile/importers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static PE_PRINTF(4, 0) int refuse(const struct pe_import *import, const char *where,
				  const char *expected, const char *format, va_list args)
{
	char found[512];

	vsnprintf(found, sizeof(found), format, args);
	/* Bytes of a foreign file must not disturb a terminal. */
	for (unsigned char *at = (unsigned char *)found; *at != '\0'; at++)
		if (*at < 0x20 || *at >= 0x7f)
			*at = '?';
	return pe_fail(import->err, PE_EINVALID, "%s:%s: %s; expected %s",
		       pe_input_name(import->input), where, found, expected);
}

int pe_import_refuse(const struct pe_import *import, size_t column, const char *expected,
		     const char *format, ...)
{
	char where[64];
	va_list args;
	int rc;

	snprintf(where, sizeof(where), "%" PRIu64 ": offset %" PRIu64,
		 pe_input_line_number(import->input), pe_input_line_offset(import->input) + column);
	va_start(args, format);
	rc = refuse(import, where, expected, format, args);
	va_end(args);
	return rc;
}

int pe_import_refuse_at(const struct pe_import *import, uint64_t offset, const char *expected,
			const char *format, ...)
{
	char where[64];
	va_list args;
	int rc;

	snprintf(where, sizeof(where), " offset %" PRIu64, offset);
	va_start(args, format);
	rc = refuse(import, where, expected, format, args);
	va_end(args);
	return rc;
}

int pe_import_lines(struct pe_import *import, pe_import_line_fn *take, void *self)
{
	char *line;
	size_t n;
	int rc;

	do {
		rc = pe_input_line(import->input, &line, &n, import->err);
		if (rc == PE_OK && line != NULL)
			rc = take(self, line, n);
	} while (rc == PE_OK && line != NULL);
	return rc;
}

bool pe_import_is_text(const char *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)head[i] < 0x20 && head[i] != '\t' && head[i] != '\r' &&
		    head[i] != '\n')
			return false;
	return true;
}
