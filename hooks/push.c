#include "hooks/push.h"

#include "core/base/array.h"

#include <string.h>

static bool is_oid(const char *word, bool *zeros)
{
	size_t n = strlen(word);

	*zeros = strspn(word, "0") == n;
	return (n == 40 || n == 64) && strspn(word, "0123456789abcdefABCDEF") == n;
}

/*
 * Cut four words off a line. A local side that git took from the command line may hold blanks ("HEAD@{1 day ago}"):
 * the other three words never do, so the line is read from its end.
 */
static bool split(char *words[4], char *line)
{
	for (int i = 3; i > 0; i--) {
		char *blank = strrchr(line, ' ');

		if (blank == NULL || blank[1] == '\0')
			return false;
		*blank = '\0';
		words[i] = blank + 1;
	}
	words[0] = line;
	return line[0] != '\0';
}

static int parse_line(struct pe_pushed *out, char *line, size_t number, struct pe_err *err)
{
	char *words[4];

	if (!split(words, line) || !is_oid(words[1], &out->deletes) ||
	    !is_oid(words[3], &out->creates))
		return pe_fail(
			err, PE_EINVALID,
			"line %zu of what git says it pushes is not '<local ref> <local oid> <remote ref> <remote oid>'",
			number);
	out->local_ref = words[0];
	out->local_oid = words[1];
	out->remote_ref = words[2];
	out->remote_oid = words[3];
	return PE_OK;
}

int pe_push_parse(struct pe_push *out, const char *text, size_t n, struct pe_arena *arena,
		  struct pe_err *err)
{
	pe_auto_free PE_VEC(struct pe_pushed) lines = {NULL, 0, 0};
	const char *end = text + n;
	int rc = PE_OK;

	*out = (struct pe_push){NULL, 0};
	for (size_t number = 1; rc == PE_OK && text < end; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop != NULL ? stop : end) - text);
		struct pe_pushed one;

		if (memchr(text, '\0', length) != NULL) {
			rc = pe_fail(err, PE_EINVALID,
				     "line %zu of what git says it pushes has a NUL", number);
		} else if (length > 0) {
			rc = parse_line(&one, pe_arena_strndup(arena, text, length), number, err);
			if (rc == PE_OK)
				pe_vec_push(&lines, one);
		}
		text += length + 1;
	}
	if (rc == PE_OK && lines.n > 0) {
		out->at = pe_vec_copy(arena, &lines);
		out->n = lines.n;
	}
	return rc;
}
