#include "app/changes/outside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Where the reduction of a content stands. */
struct reduction {
	struct pe_text *out;
	const bool *hidden; /* by line: it is part of a method */
	size_t line;
	bool blank; /* a space is due before the next character */
};

static void emit(struct reduction *to, const char *bytes, size_t n)
{
	bool first = to->out->len == 0 || to->out->data[to->out->len - 1] == '\n';

	if (to->hidden[to->line])
		return;
	if (to->blank && !first)
		pe_text_addc(to->out, ' ');
	to->blank = false;
	pe_text_addn(to->out, bytes, n);
}

static void end_line(struct reduction *to)
{
	if (to->out->len > 0 && to->out->data[to->out->len - 1] != '\n')
		pe_text_addc(to->out, '\n');
	to->blank = false;
}

const char *pe_outside_piece(const char *at)
{
	const char *end;

	if (at[0] == '/' && at[1] == '*') {
		end = strstr(at + 2, "*/");
		return end != NULL ? end + 2 : at + strlen(at);
	}
	if (at[0] == '/' && at[1] == '/')
		return at + strcspn(at, "\n");
	if (*at != '"' && *at != '\'')
		return at + 1;
	for (end = at + 1; *end != '\0' && *end != *at && *end != '\n'; end++)
		end += end[0] == '\\' && end[1] != '\0' && end[1] != '\n';
	return end + (*end == *at);
}

static const bool *hide_methods(const char *text, const struct pe_methods *methods)
{
	size_t n = 2;
	bool *hidden;

	for (const char *at = text; *at != '\0'; at++)
		n += *at == '\n';
	hidden = pe_realloc(NULL, n, sizeof(*hidden));
	memset(hidden, 0, n * sizeof(*hidden));
	for (size_t i = 0; i < methods->n; i++)
		for (size_t line = methods->at[i].first_line;
		     line <= methods->at[i].last_line && line < n; line++)
			hidden[line] = true;
	return hidden;
}

void pe_outside_add(struct pe_text *out, const char *text, const struct pe_methods *methods)
{
	struct reduction to = {.out = out, .hidden = hide_methods(text, methods), .line = 1};

	for (const char *at = text, *end; *at != '\0'; at = end) {
		bool comment = at[0] == '/' && (at[1] == '*' || at[1] == '/');

		end = pe_outside_piece(at);
		if (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
			end = strchr(at, '\n') + 1;
			to.blank = true;
		} else if (*at == '\n') {
			end_line(&to);
		} else if (comment || isspace((unsigned char)*at)) {
			to.blank = true;
		} else {
			emit(&to, at, (size_t)(end - at));
		}
		for (const char *passed = at; passed < end; passed++)
			to.line += *passed == '\n';
	}
	end_line(&to);
	free((void *)to.hidden);
}

const char *pe_outside_macro(const char *line, size_t *n)
{
	if (*line++ != '#')
		return NULL;
	line += *line == ' ';
	if (strncmp(line, "define ", 7) != 0)
		return NULL;
	line += 7;
	for (*n = 0; isalnum((unsigned char)line[*n]) || line[*n] == '_';)
		++*n;
	return line;
}
