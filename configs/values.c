/* Values: the single values of a config, as texts, numbers, durations, sizes, paths and
 * expressions. */
#include "configs/parameters.h"
#include "configs/read.h"

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/base/regex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pe_read_text(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, "a single value");
	return pe_parameters_fill(field, reader, node, node->text);
}

bool pe_read_matches(const char *text, const char *pattern)
{
	struct pe_regex regex;
	bool found;

	/* An expression also matches at the ends of lines within a text, and where a text is too long for it. */
	if (strchr(text, '\n') != NULL || strlen(text) >= PE_REGEX_LINE_BYTES ||
	    pe_regex_init(&regex, pattern, NULL) != PE_OK)
		return false;
	found = pe_regex_matches(&regex, text);
	pe_regex_release(&regex);
	return found;
}

int pe_read_matching(struct pe_reader *reader, const struct pe_yaml *node, void *field,
		     const char *pattern, const char *what)
{
	const char **text = field;

	PE_TRY(pe_read_text(reader, node, field));
	return pe_read_matches(*text, pattern) ? PE_OK : pe_read_expected(reader, node, what);
}

int pe_read_texts(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const struct pe_key text = {.read = pe_read_text};

	return pe_read_list(reader, node, &text, field);
}

int pe_read_path(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	pe_auto_text path = PE_TEXT_INIT;
	const char *text = "";

	PE_TRY(pe_read_text(reader, node, (void *)&text));
	if (text[0] == '/')
		return pe_read_fail(reader, node,
				    "'%s' must be relative to the top of the tree, not '%s'",
				    reader->key, text);
	if (strstr(pe_arena_printf(reader->arena, "/%s/", text), "/../") != NULL)
		return pe_read_fail(reader, node, "'%s' may not leave the tree ('..')",
				    reader->key);
	pe_text_add_clean_path(&path, text);
	*(const char **)field =
		pe_arena_strdup(reader->arena, path.len > 0 ? pe_text_str(&path) : ".");
	return PE_OK;
}

int pe_read_number(struct pe_reader *reader, const struct pe_yaml *node, const struct pe_key *key,
		   void *field)
{
	const char *text = "";
	char *end;
	long number; /* one that is too large becomes its maximum */

	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, key->what);
	PE_TRY(pe_read_text(reader, node, (void *)&text));
	for (int i = 0; key->words != NULL && key->words[i] != NULL; i++)
		if (strcmp(text, key->words[i]) == 0) {
			*(int *)field = key->least - 1 - i;
			return PE_OK;
		}
	number = strtol(text, &end, 10);
	if (text[strspn(text, "-0123456789")] != '\0' || end == text || *end != '\0' ||
	    number < key->least || number > key->most)
		return pe_read_expected(reader, node, key->what);
	*(int *)field = (int)number;
	return PE_OK;
}

int pe_read_count(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const struct pe_key count = {.most = 1000000,
					    .what = "a whole number up to 1000000"};

	return pe_read_number(reader, node, &count, field);
}

int pe_read_positive(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const struct pe_key positive = {
		.least = 1, .most = 1000000, .what = "a whole number from 1 to 1000000"};

	return pe_read_number(reader, node, &positive, field);
}

int pe_read_bool(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

	if (node->kind == PE_YAML_SCALAR && node->plain) {
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (strcmp(node->text, words[i]) == 0) {
				*(bool *)field = i % 2 == 1;
				return PE_OK;
			}
		}
	}
	return pe_read_expected(reader, node, "true or false");
}

/* Read a number without a sign, of a unit that it may have another one of. */
static bool read_quantity(double *out, const char *text, size_t n, const char *unit)
{
	const struct pe_quantity_form form = {.unit = unit};

	return *text != '-' && pe_quantity_read(out, text, n, &form) == NULL;
}

bool pe_read_amount_text(double *out, const char *text, const char *unit)
{
	if (strcmp(unit, "bytes") == 0)
		return pe_read_size_text(out, text);
	return read_quantity(out, text, strlen(text), unit);
}

bool pe_read_duration_text(double *out_ns, const char *text)
{
	const size_t n = strlen(text);

	if (!read_quantity(out_ns, text, n, "ns"))
		return false;
	/* Without a unit it counts seconds. */
	if (strchr("0123456789. ", text[n - 1]) != NULL)
		*out_ns *= 1e9;
	return true;
}

bool pe_read_size_text(double *out_bytes, const char *text)
{
	static const char letters[] = "KMGT";
	size_t n = strlen(text);
	/* A letter alone counts by 1024; in front of B it is the unit's own. */
	const char *letter = n > 0 && strspn(text, "0123456789. ") == n - 1
				     ? strchr(letters, text[n - 1])
				     : NULL;

	if (!read_quantity(out_bytes, text, n - (letter != NULL), "bytes"))
		return false;
	if (letter != NULL)
		*out_bytes = ldexp(*out_bytes, 10 * (int)(letter - letters + 1));
	return true;
}

bool pe_read_fraction_text(double *out, const char *text)
{
	const size_t n = strlen(text);
	const bool percent = n > 0 && text[n - 1] == '%';

	if (!read_quantity(out, text, n - percent, ""))
		return false;
	*out /= percent ? 100 : 1;
	return *out >= 0 && *out < 1;
}

/* The largest duration and size: thirty years, and an exbibyte. */
static const double MAX_NS = 1e18, MAX_SIZE = 0x1p60;

int pe_read_duration(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	double ns;

	if (node->kind != PE_YAML_SCALAR || !pe_read_duration_text(&ns, node->text) || ns < 1 ||
	    ns > MAX_NS)
		return pe_read_expected(reader, node, "a duration such as 90s, 5m or 1500ms");
	*(uint64_t *)field = (uint64_t)ns;
	return PE_OK;
}

int pe_read_size(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	double bytes;

	if (node->kind != PE_YAML_SCALAR || !pe_read_size_text(&bytes, node->text) || bytes < 1 ||
	    bytes > MAX_SIZE)
		return pe_read_expected(reader, node, "a size such as 10GiB or 512M");
	*(uint64_t *)field = (uint64_t)bytes;
	return PE_OK;
}

int pe_read_regex(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_err why = PE_ERR_INIT;
	struct pe_regex regex;

	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node) || node->text[0] == '\0')
		return pe_read_expected(reader, node, "a regular expression");
	if (pe_regex_init(&regex, node->text, &why) != PE_OK)
		return pe_read_fail(reader, node,
				    "'%s' is not a valid regular expression: %s: %.60s",
				    reader->key, why.message, node->text);
	pe_regex_release(&regex);
	*(const char **)field = node->text;
	return PE_OK;
}
