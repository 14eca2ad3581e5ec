#include "configs/parameters.h"

#include "core/base/text.h"

#include <string.h>

/* Of a parameter's name. */
static const char NAME_BYTES[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

static int read_parameter(struct pe_reader *reader, const struct pe_yaml_pair *pair,
			  struct pe_parameter *out)
{
	const struct pe_key key = {.name = pair->key->text, .read = pe_read_texts};

	if (!pe_read_matches(pair->key->text, "^[A-Za-z0-9_-]+$"))
		return pe_read_fail(
			reader, pair->key,
			"parameter '%s': a name is made of letters, digits, '_' and '-'",
			pair->key->text);
	out->name = pair->key->text;
	out->node = pair->key;
	PE_TRY(pe_read_key(reader, pair->value, &key, &out->values));
	return out->values.n > 0 ? PE_OK
				 : pe_read_fail(reader, pair->value, "parameter '%s' has no values",
						out->name);
}

int pe_parameters_read(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_parameters *out = field;
	size_t combinations = 1;

	if (node->kind != PE_YAML_MAP || node->n == 0)
		return pe_read_expected(reader, node, "a mapping of names to lists of values");
	out->n = node->n;
	out->at = pe_arena_new(reader->arena, struct pe_parameter, node->n);
	for (size_t i = 0; i < node->n; i++) {
		PE_TRY(read_parameter(reader, &node->pairs[i], &out->at[i]));
		combinations *= out->at[i].values.n;
		if (combinations > PE_MAX_COMBINATIONS)
			return pe_read_fail(reader, node, "more than %d combinations of parameters",
					    PE_MAX_COMBINATIONS);
	}
	return PE_OK;
}

size_t pe_parameters_count(const struct pe_parameters *parameters)
{
	size_t count = 1;

	for (size_t i = 0; i < parameters->n; i++)
		count *= parameters->at[i].values.n;
	return count;
}

void pe_parameters_pick(struct pe_parameters *parameters, size_t index)
{
	for (size_t i = parameters->n; i-- > 0;) {
		struct pe_parameter *parameter = &parameters->at[i];

		parameter->picked = index % parameter->values.n;
		index /= parameter->values.n;
	}
}

static const char *picked(const struct pe_parameter *parameter)
{
	return parameter->values.at[parameter->picked];
}

struct pe_strings pe_parameters_strings(const struct pe_parameters *parameters,
					struct pe_arena *arena)
{
	const char **at = pe_arena_new(arena, const char *, parameters->n + 1);

	for (size_t i = 0; i < parameters->n; i++)
		at[i] = pe_arena_printf(arena, "%s=%s", parameters->at[i].name,
					picked(&parameters->at[i]));
	return (struct pe_strings){.at = at, .n = parameters->n};
}

const char *pe_parameters_suffix(const struct pe_parameters *parameters, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < parameters->n; i++)
		pe_text_addf(&text, "%c%s=%s", i == 0 ? '[' : ',', parameters->at[i].name,
			     picked(&parameters->at[i]));
	if (parameters->n > 0)
		pe_text_addc(&text, ']');
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static struct pe_parameter *find(struct pe_parameters *parameters, const char *name, size_t n)
{
	for (size_t i = 0; i < parameters->n; i++)
		if (strlen(parameters->at[i].name) == n &&
		    strncmp(parameters->at[i].name, name, n) == 0)
			return &parameters->at[i];
	return NULL;
}

static int fail_parameter(struct pe_reader *reader, const struct pe_yaml *node, const char *name,
			  size_t n)
{
	const struct pe_parameters *parameters = reader->parameters;
	const char **names = pe_arena_new(reader->arena, const char *, parameters->n);
	const char *word = pe_arena_strndup(reader->arena, name, n);
	const char *suggestion;

	for (size_t i = 0; i < parameters->n; i++)
		names[i] = parameters->at[i].name;
	suggestion = pe_read_suggestion(reader->arena, word, names, parameters->n);
	return pe_read_fail(reader, node,
			    "'%s' has no parameter {%s}%s; write {{%s}} for the braces",
			    reader->key, word, suggestion, word);
}

/* Fill in one brace and its contents; *at is moved behind it. */
static int fill_brace(struct pe_text *out, const char **at, struct pe_reader *reader,
		      const struct pe_yaml *node)
{
	const char *text = *at;
	struct pe_parameter *parameter;
	size_t n = 0;

	if (text[1] == text[0]) {
		pe_text_addc(out, text[0]);
		*at += 2;
		return PE_OK;
	}
	if (reader->kept != NULL && strncmp(text, reader->kept, strlen(reader->kept)) == 0) {
		pe_text_add(out, reader->kept);
		*at += strlen(reader->kept);
		return PE_OK;
	}
	if (text[0] == '{')
		n = strspn(text + 1, NAME_BYTES);
	if (n == 0 || text[1 + n] != '}')
		return pe_read_fail(reader, node,
				    "'%s' has a single '%c': with parameters, write '%c%c' for it",
				    reader->key, text[0], text[0], text[0]);
	parameter = find(reader->parameters, text + 1, n);
	if (parameter == NULL)
		return fail_parameter(reader, node, text + 1, n);
	parameter->used = true;
	pe_text_add(out, picked(parameter));
	*at += n + 2;
	return PE_OK;
}

int pe_parameters_fill(const char **out, struct pe_reader *reader, const struct pe_yaml *node,
		       const char *text)
{
	pe_auto_text filled = PE_TEXT_INIT;

	*out = text;
	if (reader->parameters == NULL || reader->parameters->n == 0)
		return PE_OK;
	while (*text != '\0') {
		size_t n = strcspn(text, "{}");

		pe_text_addn(&filled, text, n);
		text += n;
		if (*text != '\0')
			PE_TRY(fill_brace(&filled, &text, reader, node));
	}
	*out = pe_arena_strdup(reader->arena, pe_text_str(&filled));
	return PE_OK;
}

int pe_parameters_check_used(struct pe_reader *reader, const struct pe_parameters *parameters)
{
	for (size_t i = 0; i < parameters->n; i++)
		if (!parameters->at[i].used)
			return pe_read_fail(
				reader, parameters->at[i].node,
				"parameter '%s' is never used: write {%s} where its value belongs",
				parameters->at[i].name, parameters->at[i].name);
	return PE_OK;
}
