#include "json/document.h"
#include "json/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Deeper nesting than any benchmark's output, and shallow enough for the stack. */
enum { MAX_DEPTH = 256 };

int pe_json_parse(struct json_object **out, const char *document, size_t n, struct pe_err *err)
{
	struct json_tokener *tokener;
	enum json_tokener_error error;
	int rc = PE_OK;

	*out = NULL;
	if (n > INT_MAX - 1)
		return pe_fail(err, PE_EINVALID, "JSON document over 2 GiB");
	tokener = json_tokener_new_ex(MAX_DEPTH);
	if (tokener == NULL)
		pe_out_of_memory(sizeof(void *));
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	*out = json_tokener_parse_ex(tokener, document, (int)n);
	error = json_tokener_get_error(tokener);
	/* A number at the very end is complete only when something follows it. */
	if (error == json_tokener_continue) {
		*out = json_tokener_parse_ex(tokener, "\n", 1);
		error = json_tokener_get_error(tokener);
	}
	if (error == json_tokener_continue)
		rc = pe_fail(err, PE_EINVALID, "not JSON: it ends too early");
	else if (error != json_tokener_success)
		rc = pe_fail(err, PE_EINVALID, "not JSON: %s at byte %zu",
			     json_tokener_error_desc(error),
			     json_tokener_get_parse_end(tokener) + 1);
	json_tokener_free(tokener);
	return rc;
}

struct json_object *pe_json_member(const struct json_object *object, const char *key)
{
	struct json_object *member = NULL;

	if (!json_object_is_type(object, json_type_object))
		return NULL;
	json_object_object_get_ex(object, key, &member);
	return member;
}

const char *pe_json_string(const struct json_object *object, const char *key,
			   struct pe_arena *arena)
{
	struct json_object *member = pe_json_member(object, key);

	if (!json_object_is_type(member, json_type_string))
		return NULL;
	return pe_arena_strdup(arena, json_object_get_string(member));
}

size_t pe_json_length(const struct json_object *array)
{
	return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

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
static struct json_object *element(const struct json_object *array, const char *token)
{
	size_t index = 0;

	if (token[0] == '\0' || (token[0] == '0' && token[1] != '\0') || strlen(token) > 9)
		return NULL;
	for (const char *at = token; *at != '\0'; at++) {
		if (*at < '0' || *at > '9')
			return NULL;
		index = 10 * index + (size_t)(*at - '0');
	}
	return json_object_array_get_idx(array, index);
}

static struct json_object *resolve(struct json_object *root, const char *pointer,
				   struct pe_arena *arena)
{
	struct json_object *at = root;

	while (at != NULL && *pointer == '/') {
		size_t n = strcspn(++pointer, "/");
		const char *token = unescape(pointer, n, arena);

		if (json_object_is_type(at, json_type_array))
			at = element(at, token);
		else
			at = pe_json_member(at, token);
		pointer += n;
	}
	return *pointer == '\0' ? at : NULL;
}

static int read_number(double *out, const char *document, size_t n, const char *pointer,
		       void *payload, struct pe_err *err)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct json_object *root, *at;
	int rc;

	(void)payload;
	rc = pe_json_parse(&root, document, n, err);
	if (rc != PE_OK)
		goto done;
	at = resolve(root, pointer, &arena);
	if (at == NULL)
		rc = pe_fail(err, PE_ENOTFOUND, "nothing at '%s' in the JSON output", pointer);
	else if (!json_object_is_type(at, json_type_int) &&
		 !json_object_is_type(at, json_type_double))
		rc = pe_fail(err, PE_ENOTFOUND, "no number at '%s' in the JSON output but %s",
			     pointer, json_type_to_name(json_object_get_type(at)));
	else if (!isfinite(json_object_get_double(at)))
		rc = pe_fail(err, PE_ENOTFOUND, "no finite number at '%s' in the JSON output",
			     pointer);
	else
		*out = json_object_get_double(at);
done:
	json_object_put(root);
	pe_arena_release(&arena);
	return rc;
}

struct pe_json_reader pe_json_number_reader(void)
{
	return (struct pe_json_reader){.number = read_number, .payload = NULL};
}
