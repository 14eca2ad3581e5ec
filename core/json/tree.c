#include "core/json/tree.h"

#include "core/base/vec.h"
#include "core/json/fields.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct pe_json_value none = {.kind = PE_JSON_END, .text = ""};

/* Values that are complete, or open: what is in an open one stands behind it. */
struct builder {
	PE_VEC(struct pe_json_value) values;
	PE_VEC(size_t) open;
	const char *key; /* of the value that comes next */
	struct pe_arena *arena;
};

static const char *keep_text(struct builder *builder, const struct pe_json_token *token)
{
	char *text = pe_arena_new(builder->arena, char, token->n + 1);

	memcpy(text, token->text, token->n);
	return text;
}

static void close(struct builder *builder)
{
	struct pe_json_value *value, *items;
	size_t at;

	assert(builder->open.n > 0); /* the stream has no end without a beginning */
	at = builder->open.data[--builder->open.n];
	value = &builder->values.data[at];
	value->n = builder->values.n - at - 1;
	items = pe_arena_new(builder->arena, struct pe_json_value, value->n);
	if (value->n > 0)
		memcpy(items, value + 1, value->n * sizeof(*items));
	value->items = items;
	builder->values.n = at + 1;
}

static void take(struct builder *builder, const struct pe_json_token *token)
{
	struct pe_json_value value = {.kind = token->kind, .key = builder->key, .text = ""};

	if (token->kind == PE_JSON_KEY) {
		builder->key = keep_text(builder, token);
		return;
	}
	builder->key = NULL;
	if (token->kind == PE_JSON_OBJECT_END || token->kind == PE_JSON_ARRAY_END) {
		close(builder);
		return;
	}
	if (token->kind == PE_JSON_STRING || token->kind == PE_JSON_NUMBER) {
		value.text = keep_text(builder, token);
		value.n = token->n;
	}
	if (token->kind == PE_JSON_OBJECT || token->kind == PE_JSON_ARRAY)
		pe_vec_push(&builder->open, builder->values.n);
	pe_vec_push(&builder->values, value);
}

/* Take tokens until a value is whole. */
static int take_value(struct builder *builder, struct pe_json_stream *stream,
		      const struct pe_json_token *first, size_t depth, struct pe_err *err)
{
	struct pe_json_token token;

	take(builder, first);
	while (builder->open.n > 0) {
		PE_TRY(pe_json_next(stream, &token, err));
		if (builder->open.n == depth &&
		    (token.kind == PE_JSON_OBJECT || token.kind == PE_JSON_ARRAY))
			return pe_json_refuse(stream, &token, "less nesting", err);
		take(builder, &token);
	}
	return PE_OK;
}

int pe_json_tree_value(const struct pe_json_value **out, struct pe_json_stream *stream,
		       const struct pe_json_token *first, size_t depth, struct pe_arena *arena,
		       struct pe_err *err)
{
	struct builder builder = {.arena = arena};
	struct pe_json_value *root = pe_arena_new(arena, struct pe_json_value, 1);
	int rc = take_value(&builder, stream, first, depth, err);

	while (rc != PE_OK && builder.open.n > 0) {
		builder.values.data[builder.open.data[builder.open.n - 1]].is_cut = true;
		close(&builder);
	}
	assert(builder.values.n > 0);
	*root = builder.values.data[0];
	*out = root;
	pe_vec_release(&builder.values);
	pe_vec_release(&builder.open);
	return rc;
}

int pe_json_tree(const struct pe_json_value **out, const char *document, size_t n,
		 struct pe_arena *arena, struct pe_err *err)
{
	struct pe_json_stream *stream = pe_json_stream_of("not JSON", 0, document, n);
	struct pe_json_token token;
	int rc = pe_json_next(stream, &token, err);

	*out = &none;
	if (rc == PE_OK)
		rc = pe_json_tree_value(out, stream, &token, SIZE_MAX, arena, err);
	if (rc == PE_OK)
		rc = pe_json_next(stream, &token, err);
	if (rc != PE_OK)
		*out = &none;
	pe_json_stream_free(stream);
	return rc;
}

const struct pe_json_value *pe_json_member(const struct pe_json_value *object, const char *key)
{
	if (object->kind == PE_JSON_OBJECT)
		for (size_t i = object->n; i-- > 0;)
			/* Most keys differ in their first byte. */
			if (*object->items[i].key == *key && strcmp(object->items[i].key, key) == 0)
				return &object->items[i];
	return &none;
}

const struct pe_json_value *pe_json_element(const struct pe_json_value *array, size_t i)
{
	return i < pe_json_length(array) ? &array->items[i] : &none;
}

size_t pe_json_length(const struct pe_json_value *array)
{
	return array->kind == PE_JSON_ARRAY ? array->n : 0;
}

const struct pe_json_value *pe_json_at(const struct pe_json_value *value, const char *path)
{
	char key[64];

	for (size_t n; *path != '\0'; path += n + (path[n] == '.')) {
		n = strcspn(path, ".");
		assert(n < sizeof(key)); /* paths are constants */
		memcpy(key, path, n);
		key[n] = '\0';
		value = pe_json_member(value, key);
	}
	return value;
}

struct pe_strings pe_json_strings(const struct pe_json_value *array, struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, pe_json_length(array) + 1);
	size_t n = 0;

	for (size_t i = 0; i < pe_json_length(array); i++)
		if (array->items[i].kind == PE_JSON_STRING)
			at[n++] = array->items[i].text;
	return (struct pe_strings){.at = at, .n = n};
}

const char *pe_json_string(const struct pe_json_value *value)
{
	return value->kind == PE_JSON_STRING ? value->text : NULL;
}

bool pe_json_equals(const struct pe_json_value *value, const char *text)
{
	return value->kind == PE_JSON_STRING && strcmp(value->text, text) == 0;
}

static struct pe_json_token token_of(const struct pe_json_value *value)
{
	return (struct pe_json_token){.kind = value->kind, .text = value->text, .n = value->n};
}

int64_t pe_json_whole(const struct pe_json_value *value, int64_t other)
{
	const struct pe_json_token token = token_of(value);
	int64_t whole;

	return pe_json_integer(&token, &whole) ? whole : other;
}

double pe_json_number(const struct pe_json_value *value)
{
	const struct pe_json_token token = token_of(value);
	double number;

	return pe_json_double(&token, &number) ? number : NAN;
}

bool pe_json_true(const struct pe_json_value *value)
{
	return value->kind == PE_JSON_TRUE;
}

bool pe_json_there(const struct pe_json_value *value)
{
	return value->kind != PE_JSON_END && value->kind != PE_JSON_NULL;
}
