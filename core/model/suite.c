#include "core/model/suite.h"

#include "core/base/regex.h"

#include <string.h>

static const char *step(const struct pe_suite *suite, const char *name, bool back)
{
	for (size_t i = 0; i < suite->n_renamed; i++) {
		const struct pe_rename *one = &suite->renamed[i];

		if (strcmp(back ? one->to : one->from, name) == 0)
			return back ? one->from : one->to;
	}
	return NULL;
}

/* A circle has no first name: it is followed once at most. */
static const char *follow(const struct pe_suite *suite, const char *name, bool back)
{
	const char *next = name;

	for (size_t i = 0; i < suite->n_renamed && next != NULL; i++) {
		name = next;
		next = step(suite, name, back);
	}
	return next != NULL ? next : name;
}

const char *pe_suite_renamed(const struct pe_suite *suite, const char *name)
{
	return follow(suite, name, false);
}

void pe_suite_version(struct pe_suite *suite, const char *recipe_hash,
		      bool (*precise)(const char *option))
{
	struct pe_benchmark shared = suite->model;
	struct pe_hash hash;

	shared.command = suite->command;
	pe_benchmark_version(&shared, recipe_hash, "");
	pe_hash_init(&hash);
	pe_hash_string(&hash, shared.version);
	pe_hash_string(&hash, suite->format);
	pe_hash_string(&hash, suite->output);
	for (size_t i = 0; i < suite->options.n; i++)
		if (precise == NULL || !precise(suite->options.at[i]))
			pe_hash_string(&hash, suite->options.at[i]);
	pe_hash_hex(&hash, suite->version);
}

void pe_suite_member_version(char version[PE_HASH_HEX], const struct pe_suite *suite,
			     const char *name)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, suite->version);
	pe_hash_string(&hash, follow(suite, name, true));
	pe_hash_hex(&hash, version);
}

static bool matches(const char *expression, const char *name, bool otherwise)
{
	struct pe_regex regex;
	bool found;

	if (expression == NULL || pe_regex_init(&regex, expression, NULL) != PE_OK)
		return otherwise; /* it was compiled when the config was read */
	found = pe_regex_matches(&regex, name);
	pe_regex_release(&regex);
	return found;
}

bool pe_suite_wants(const struct pe_suite *suite, const char *name)
{
	return matches(suite->include, name, true) && !matches(suite->exclude, name, false);
}

bool pe_suite_has(const struct pe_suite *suite, const char *name, const char *version)
{
	size_t n = strlen(suite->name);
	char expected[PE_HASH_HEX];

	if (strncmp(name, suite->name, n) != 0 || name[n] != '/')
		return false;
	pe_suite_member_version(expected, suite, name + n + 1);
	return strcmp(expected, version) == 0 && pe_suite_wants(suite, name + n + 1);
}
