#include "configs/read.h"

#include "core/base/nearest.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int pe_read_fail(struct pe_reader *reader, const struct pe_yaml *node, const char *format, ...)
{
	char sentence[sizeof(((struct pe_err *)0)->message)];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return pe_fail(reader->err, PE_EINVALID, "%s:%zu:%zu: %s", reader->path, node->mark.line,
		       node->mark.column, sentence);
}

int pe_read_expected(struct pe_reader *reader, const struct pe_yaml *node, const char *what)
{
	if (node->kind == PE_YAML_SCALAR && !pe_yaml_is_null(node))
		return pe_read_fail(reader, node, "'%s' must be %s, not '%.60s'", reader->key, what,
				    node->text);
	return pe_read_fail(reader, node, "'%s' must be %s, not %s", reader->key, what,
			    pe_yaml_kind_name(node));
}

const char *pe_read_suggestion(struct pe_arena *arena, const char *word,
			       const char *const *candidates, size_t n)
{
	const char *nearest = pe_nearest(word, candidates, n);

	return nearest != NULL ? pe_arena_printf(arena, " (did you mean '%s'?)", nearest) : "";
}

static int fail_unknown(struct pe_reader *reader, const struct pe_yaml *key,
			const struct pe_key *keys, size_t n, const char *where)
{
	const char **names = pe_arena_new(reader->arena, const char *, n);
	const char *suggestion;
	pe_auto_text known = PE_TEXT_INIT;

	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	suggestion = pe_read_suggestion(reader->arena, key->text, names, n);
	if (suggestion[0] == '\0') {
		for (size_t i = 0; i < n; i++)
			pe_text_addf(&known, "%s%s", i > 0 ? ", " : " (known: ", names[i]);
		pe_text_addc(&known, ')');
		suggestion = pe_arena_strdup(reader->arena, known.data);
	}
	return pe_read_fail(reader, key, "unknown key '%.60s'%s%s%s", key->text,
			    where != NULL ? " in " : "", where != NULL ? where : "", suggestion);
}

/* Read one of some words, as its number. */
static int read_word(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		     void *field)
{
	pe_auto_text all = PE_TEXT_INIT;

	for (unsigned i = 0; key->words[i] != NULL; i++) {
		pe_text_addf(&all, "%s%s",
			     i == 0                      ? ""
			     : key->words[i + 1] == NULL ? " or "
							 : ", ",
			     key->words[i]);
		if (node->kind != PE_YAML_SCALAR || strcmp(node->text, key->words[i]) != 0)
			continue;
		if (key->size == sizeof(bool))
			*(bool *)field = i == 1;
		else
			*(unsigned *)field = i;
		return PE_OK;
	}
	return pe_read_expected(reader, node, pe_text_str(&all));
}

/* Read one value by its row. */
static int read_value(struct pe_reader *reader, const struct pe_yaml *node,
		      const struct pe_key *key, void *field)
{
	if (key->read != NULL)
		return key->read(reader, node, field);
	if (key->keys != NULL)
		return pe_read_map(reader, node, key->keys, key->n_keys, field,
				   pe_arena_printf(reader->arena, "'%s'", key->name));
	if (key->most > 0)
		return pe_read_number(reader, node, key, field);
	if (key->words != NULL)
		return read_word(reader, node, key, field);
	return key->pattern != NULL ? pe_read_matching(reader, node, field, key->pattern, key->what)
				    : PE_OK;
}

int pe_read_list(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		 void *field)
{
	size_t n = node->kind == PE_YAML_LIST ? node->n : 1;
	const char **at = pe_arena_new(reader->arena, const char *, n + 1);

	if (node->kind == PE_YAML_MAP || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, "a value or a list of values");
	for (size_t i = 0; i < n; i++)
		PE_TRY(read_value(reader, node->kind == PE_YAML_LIST ? node->items[i] : node, key,
				  &at[i]));
	*(struct pe_strings *)field = (struct pe_strings){.at = at, .n = n};
	return PE_OK;
}

int pe_read_key(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		void *target)
{
	const char *outer = reader->key;
	void *field = (char *)target + key->offset;
	int rc;

	reader->key = key->name;
	rc = key->list ? pe_read_list(reader, node, key, field)
		       : read_value(reader, node, key, field);
	reader->key = outer;
	return rc;
}

static const struct pe_key *find_key(const struct pe_key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

int pe_read_map(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *keys,
		size_t n, void *target, const char *where)
{
	if (node->kind != PE_YAML_MAP)
		return pe_read_fail(reader, node, "%s must be a mapping, not %s", where,
				    pe_yaml_kind_name(node));
	for (size_t i = 0; i < node->n; i++) {
		const struct pe_key *key = find_key(keys, n, node->pairs[i].key->text);

		if (key == NULL)
			return fail_unknown(reader, node->pairs[i].key, keys, n, where);
		PE_TRY(pe_read_key(reader, node->pairs[i].value, key, target));
	}
	return PE_OK;
}

int pe_read_map_in_order(struct pe_reader *reader, const struct pe_yaml *node,
			 const struct pe_key *keys, size_t n, void *target)
{
	if (node->kind != PE_YAML_MAP)
		return pe_read_fail(reader, node, "the config must be a mapping, not %s",
				    pe_yaml_kind_name(node));
	for (size_t i = 0; i < node->n; i++)
		/* Keys x-... hold anchors for the rest of the file. */
		if (strncmp(node->pairs[i].key->text, "x-", 2) != 0 &&
		    find_key(keys, n, node->pairs[i].key->text) == NULL)
			return fail_unknown(reader, node->pairs[i].key, keys, n, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct pe_yaml *value = pe_yaml_get(node, keys[i].name);

		if (value != NULL && pe_yaml_is_null(value))
			value = NULL;
		if (value != NULL || keys[i].always)
			PE_TRY(pe_read_key(reader, value, &keys[i], target));
	}
	return PE_OK;
}
