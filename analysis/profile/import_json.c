/* memmem(3) is GNU. */
#define _GNU_SOURCE
#include "analysis/profile/import_json.h"

#include <string.h>

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
	return pe_json_stream_new(pe_input_name(source->input), flags, supply, source);
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
