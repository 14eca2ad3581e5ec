/*
 * An id is typed on a command line and kept in the store: printable, and the same for the same name and
 * parameters whatever the order in which the library printed them. An unquoted name may hold all characters but those of
 * the grammar, so that templates, commas and slashes stay as they are: BM_Copy<int, 4>/aligned[1024].
 *
 *	id     = name [ "[" param { "," param } "]" ]
 *	param  = value | name "=" value
 */
#include "suites/suite_internal.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/utf8.h"

#include <string.h>

/* Whether a character is malformed. U+FFFD itself decodes to the same point, but has three bytes. */
static bool is_malformed(const char *at, uint32_t point, size_t bytes)
{
	return point == 0xfffd && (bytes != 3 || memcmp(at, "\xef\xbf\xbd", 3) != 0);
}

static bool is_plain(const char *text, const char *special)
{
	const size_t n = strlen(text);

	return n > 0 && text[0] != '"' && text[0] != ' ' && text[n - 1] != ' ' &&
	       strpbrk(text, special) == NULL && pe_utf8_is_words(text);
}

/* Append a character. @return  its bytes */
static size_t add_escaped(struct pe_text *out, const char *text)
{
	uint32_t point;
	size_t bytes = pe_utf8_next(&point, text);

	if (is_malformed(text, point, bytes))
		for (size_t i = 0; i < bytes; i++)
			pe_text_addf(out, "\\x%02x", (unsigned char)text[i]);
	else if (point == '"' || point == '\\')
		pe_text_addf(out, "\\%c", (char)point);
	else if (point == '\n' || point == '\t')
		pe_text_add(out, point == '\n' ? "\\n" : "\\t");
	else if (pe_utf8_is_control(point))
		pe_text_addf(out, "\\u%04x", point);
	else
		pe_text_addn(out, text, bytes);
	return bytes;
}

static void add_word(struct pe_text *out, const char *text, const char *special)
{
	if (is_plain(text, special)) {
		pe_text_add(out, text);
		return;
	}
	pe_text_addc(out, '"');
	while (*text != '\0')
		text += add_escaped(out, text);
	pe_text_addc(out, '"');
}

struct place {
	const struct pe_suite_param *param;
	size_t at;
};

/* Order parameters: positional ones first, in their order; the others by name. */
static int param_order(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = *a->param->name == '\0' || *b->param->name == '\0'
			    ? (*a->param->name != '\0') - (*b->param->name != '\0')
			    : strcmp(a->param->name, b->param->name);

	return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

void pe_suite_id_add(struct pe_text *out, const char *name, const struct pe_suite_param *params,
		     size_t n_params)
{
	pe_auto_free struct place *places = NULL;

	add_word(out, name, "[");
	if (n_params == 0)
		return;
	places = pe_realloc(NULL, n_params, sizeof(*places));
	for (size_t i = 0; i < n_params; i++)
		places[i] = (struct place){&params[i], i};
	pe_sort(places, n_params, param_order);
	for (size_t i = 0; i < n_params; i++) {
		pe_text_addc(out, i == 0 ? '[' : ',');
		if (*places[i].param->name != '\0') {
			add_word(out, places[i].param->name, "[],=");
			pe_text_addc(out, '=');
		}
		add_word(out, places[i].param->value, "[],=");
	}
	pe_text_addc(out, ']');
}

/* The end of a word of an id: in quotes it may hold what else ends one. */
static const char *end_of_word(const char *at)
{
	if (*at != '"')
		return at + strcspn(at, ",]=");
	for (at++; *at != '\0' && *at != '"'; at++)
		at += *at == '\\' && at[1] != '\0';
	return at + (*at == '"');
}

struct pe_strings pe_suite_id_params(const char *id, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) found = {0};
	const char *at = *id == '"' ? end_of_word(id) : id + strcspn(id, "["), *end;

	while (*at == '[' || *at == ',') {
		const char *begin = at + 1;

		end = end_of_word(begin);
		if (*end == '=')
			end = end_of_word(end + 1);
		pe_vec_push(&found, pe_arena_strndup(arena, begin, (size_t)(end - begin)));
		at = end;
	}
	return (struct pe_strings){.at = pe_vec_copy(arena, &found), .n = found.n};
}
