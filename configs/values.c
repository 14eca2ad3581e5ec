/* Values: the single values of a config, as texts, numbers, durations, sizes, paths and
 * expressions. */
#include "configs/parameters.h"
#include "configs/read.h"

#include "core/base/text.h"
#include "core/base/regex.h"

#include <stdlib.h>
#include <string.h>

int pe_read_text(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, "a single value");
	return pe_parameters_fill(field, reader, node, node->text);
}

/* Read one value or a list of them, each by a function for const char *. */
static int read_list(struct pe_reader *reader, const struct pe_yaml *node, struct pe_strings *out,
		     pe_read_fn read)
{
	size_t n = node->kind == PE_YAML_LIST ? node->n : 1;
	const char **at = pe_arena_new(reader->arena, const char *, n + 1);

	if (node->kind == PE_YAML_MAP || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, "a value or a list of values");
	for (size_t i = 0; i < n; i++)
		PE_TRY(read(reader, node->kind == PE_YAML_LIST ? node->items[i] : node,
			    (void *)&at[i]));
	*out = (struct pe_strings){.at = at, .n = n};
	return PE_OK;
}

int pe_read_texts(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_list(reader, node, field, pe_read_text);
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
	while (*text != '\0') {
		size_t n = strcspn(text, "/");

		if (n == 2 && strncmp(text, "..", 2) == 0)
			return pe_read_fail(reader, node, "'%s' may not leave the tree ('..')",
					    reader->key);
		if (n > 0 && !(n == 1 && text[0] == '.')) {
			if (path.len > 0)
				pe_text_addc(&path, '/');
			pe_text_addn(&path, text, n);
		}
		text += n + (text[n] == '/');
	}
	*(const char **)field =
		pe_arena_strdup(reader->arena, path.len > 0 ? pe_text_str(&path) : ".");
	return PE_OK;
}

int pe_read_paths(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_list(reader, node, field, pe_read_path);
}

/* Read a key's fingerprint as printed by ssh-keygen: SHA-256 in base64, without padding. */
static int read_key(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *key;

	PE_TRY(pe_read_text(reader, node, field));
	key = *(const char **)field;
	if (strncmp(key, "SHA256:", 7) != 0 || strspn(key + 7, digits) != 43 || strlen(key) != 50)
		return pe_read_expected(
			reader, node,
			"the fingerprint of a key, as 'ssh-keygen -lf KEY.pub' prints it");
	return PE_OK;
}

int pe_read_keys(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_list(reader, node, field, read_key);
}

static bool is_variable(const char *name)
{
	if (*name == '\0' || (*name >= '0' && *name <= '9'))
		return false;
	return name[strspn(name,
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")] ==
	       '\0';
}

static int read_variable(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char *name;
	size_t n;

	PE_TRY(pe_read_text(reader, node, field));
	name = *(const char **)field;
	n = strlen(name);
	/* "NAME_*" is a prefix. */
	if (n > 1 && name[n - 1] == '*')
		name = pe_arena_strndup(reader->arena, name, n - 1);
	return is_variable(name)
		       ? PE_OK
		       : pe_read_expected(reader, node, "the name of an environment variable");
}

int pe_read_names(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_list(reader, node, field, read_variable);
}

/* Read digits alone, between two bounds. */
static int read_whole(unsigned *out, struct pe_reader *reader, const struct pe_yaml *node,
		      unsigned min, unsigned max, const char *what)
{
	const char *text = "";
	unsigned long number;

	if (node->kind != PE_YAML_SCALAR || pe_yaml_is_null(node))
		return pe_read_expected(reader, node, what);
	PE_TRY(pe_read_text(reader, node, (void *)&text));
	number = strtoul(text, NULL, 10); /* a number that is too large becomes its maximum */
	if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || number < min ||
	    number > max)
		return pe_read_expected(reader, node, what);
	*out = (unsigned)number;
	return PE_OK;
}

int pe_read_count(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_whole(field, reader, node, 0, 1000000, "a whole number up to 1000000");
}

int pe_read_positive(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return read_whole(field, reader, node, 1, 1000000, "a whole number from 1 to 1000000");
}

int pe_read_status(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	unsigned status = 0;

	PE_TRY(read_whole(&status, reader, node, 0, 255, "an exit status from 0 to 255"));
	*(int *)field = (int)status;
	return PE_OK;
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

bool pe_read_decimal(double *out, const char **at)
{
	double value = 0, unit = 1;
	const char *text = *at;
	bool digits = false;

	for (; *text >= '0' && *text <= '9'; text++, digits = true)
		value = 10 * value + (*text - '0');
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true) {
			value = 10 * value + (*text - '0');
			unit *= 10;
		}
	}
	*out = value / unit;
	*at = text;
	return digits && *out < 1e30;
}

struct unit {
	const char *name;
	double factor;
};

/* Read a unit at *at, which is moved behind it; returns its factor, 0: no such unit. */
static double read_unit(const char **at, const struct unit *units, size_t n)
{
	size_t length = strcspn(*at, "0123456789. ");

	for (size_t i = 0; i < n; i++) {
		if (strlen(units[i].name) == length && strncmp(units[i].name, *at, length) == 0) {
			*at += length;
			return units[i].factor;
		}
	}
	return 0;
}

bool pe_read_duration_text(double *out_ns, const char *text)
{
	static const struct unit units[] = {
		{"ns", 1},   {"us", 1e3},   {"ms", 1e6},   {"s", 1e9},
		{"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9},
	};
	double number;

	*out_ns = 0;
	if (!pe_read_decimal(&number, &text))
		return false;
	if (*text == '\0') {
		*out_ns = number * 1e9;
		return true;
	}
	for (;;) {
		double factor;

		text += strspn(text, " ");
		factor = read_unit(&text, units, sizeof(units) / sizeof(*units));
		if (factor == 0)
			return false;
		*out_ns += number * factor;
		text += strspn(text, " ");
		if (*text == '\0')
			return true;
		if (!pe_read_decimal(&number, &text))
			return false;
	}
}

bool pe_read_size_text(double *out_bytes, const char *text)
{
	static const struct unit units[] = {
		{"", 1},       {"B", 1},        {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},
		{"T", 0x1p40}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
		{"kB", 1e3},   {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
	};
	double number, factor;

	if (!pe_read_decimal(&number, &text))
		return false;
	text += strspn(text, " ");
	factor = read_unit(&text, units, sizeof(units) / sizeof(*units));
	*out_bytes = number * factor;
	return factor != 0 && *text == '\0';
}

bool pe_read_fraction_text(double *out, const char *text)
{
	if (!pe_read_decimal(out, &text))
		return false;
	text += strspn(text, " ");
	if (*text == '%') {
		*out /= 100;
		text++;
	}
	return *text == '\0' && *out >= 0 && *out < 1;
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
