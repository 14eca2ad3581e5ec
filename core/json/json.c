#include "core/json/json.h"

#include "core/json/tree.h"

#include <math.h>
#include <string.h>

/* Undo RFC 6901's escapes in one reference token: ~1 is a slash, ~0 a tilde. */
static char *unescape(const char *token, size_t n, struct pe_arena *arena)
{
	char *out = pe_arena_new(arena, char, n + 1);
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		if (token[i] == '~' && i + 1 < n && (token[i + 1] == '0' || token[i + 1] == '1'))
			out[len++] = token[++i] == '0' ? '~' : '/';
		else
			out[len++] = token[i];
	}
	return out;
}

/* RFC 6901 section 4: an index has no leading zero; "-" names the element after the last, which is
 * not there. */
static const struct pe_json_value *element(const struct pe_json_value *array, const char *token)
{
	size_t index = 0;

	if (token[0] == '\0' || (token[0] == '0' && token[1] != '\0') || strlen(token) > 9)
		return pe_json_element(array, SIZE_MAX);
	for (const char *at = token; *at != '\0'; at++) {
		if (*at < '0' || *at > '9')
			return pe_json_element(array, SIZE_MAX);
		index = 10 * index + (size_t)(*at - '0');
	}
	return pe_json_element(array, index);
}

static const struct pe_json_value *resolve(const struct pe_json_value *root, const char *pointer,
					   struct pe_arena *arena)
{
	const struct pe_json_value *at = root;

	while (*pointer == '/') {
		size_t n = strcspn(++pointer, "/");
		const char *token = unescape(pointer, n, arena);

		at = at->kind == PE_JSON_ARRAY ? element(at, token) : pe_json_member(at, token);
		pointer += n;
	}
	return *pointer == '\0' ? at : pe_json_element(root, SIZE_MAX);
}

static int refuse(const char *pointer, const struct pe_json_value *value, struct pe_err *err)
{
	static const char *const names[] = {
		[PE_JSON_FALSE] = "boolean", [PE_JSON_TRUE] = "boolean",
		[PE_JSON_STRING] = "string", [PE_JSON_OBJECT] = "object",
		[PE_JSON_ARRAY] = "array",
	};

	if (!pe_json_there(value))
		return pe_fail(err, PE_ENOTFOUND, "nothing at '%s' in the JSON output", pointer);
	if (value->kind == PE_JSON_NUMBER)
		return pe_fail(err, PE_ENOTFOUND, "no finite number at '%s' in the JSON output",
			       pointer);
	return pe_fail(err, PE_ENOTFOUND, "no number at '%s' in the JSON output but %s", pointer,
		       names[value->kind]);
}

static int read_number(double *out, const char *document, size_t n, const char *pointer,
		       void *payload, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const struct pe_json_value *value;

	(void)payload;
	PE_TRY(pe_json_tree(&value, document, n, &arena, err));
	value = resolve(value, pointer, &arena);
	if (!isfinite(pe_json_number(value)))
		return refuse(pointer, value, err);
	*out = pe_json_number(value);
	return PE_OK;
}

struct pe_json_reader pe_json_number_reader(void)
{
	return (struct pe_json_reader){.number = read_number, .payload = NULL};
}
