/*
 * One test by name, in the filter language of its library:
 *
 *   gtest    *, ? and lists by ':', negation after '-', without escapes: '?' replaces these
 *   doctest  * and ?, lists by ',', which newer versions escape; case-insensitive by default
 *   Boost    suites by '/', which is replaced in names since 1.59, with all other special characters
 *   Catch2   backslash escapes, but for '*' at either end; never case-sensitive, without blanks at either end
 *
 * The matches of an expression are computed as in the library, over all tests of the list.
 */
#include "configs/test_list.h"
#include "core/base/text.h"

#include <string.h>
#include <strings.h>

/* Match like gtest and doctest: '*' for any bytes, '?' for one. Bounded by the product of both lengths. */
static bool matches_wild(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name != '\0') {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star != NULL) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}

/* A name in the form in which Catch2 compares it. */
struct trimmed {
	const char *at;
	size_t n;
};

static struct trimmed trim(const char *text)
{
	static const char blanks[] = "\t\n\r ";
	size_t n;

	text += strspn(text, blanks);
	for (n = strlen(text); n > 0 && strchr(blanks, text[n - 1]) != NULL;)
		n--;
	return (struct trimmed){text, n};
}

/* Match like Catch2's WildcardPattern. @param pattern  an expression without its escapes */
static bool matches_catch2(const char *pattern, const char *name)
{
	struct trimmed wanted = trim(pattern), has = trim(name);
	bool before = wanted.n > 0 && wanted.at[0] == '*', after;

	wanted.at += before;
	wanted.n -= before;
	after = wanted.n > 0 && wanted.at[wanted.n - 1] == '*';
	wanted.n -= after;
	if (has.n < wanted.n || (has.n > wanted.n && !before && !after))
		return false;
	if (!before)
		return strncasecmp(has.at, wanted.at, wanted.n) == 0;
	if (!after)
		return strncasecmp(has.at + has.n - wanted.n, wanted.at, wanted.n) == 0;
	for (size_t i = 0; i + wanted.n <= has.n; i++)
		if (strncasecmp(has.at + i, wanted.at, wanted.n) == 0)
			return true;
	return false;
}

/* --- Expressions --- */

static const char *gtest_expression(const char *name, struct pe_arena *arena)
{
	char *expression = pe_arena_strdup(arena, name);

	for (char *at = expression; *at != '\0'; at++)
		if (strchr("*?:-", *at) != NULL)
			*at = '?';
	return expression;
}

/*
 * The pattern that doctest matches, before its commas are escaped. A backslash before a comma or another one has had
 * two meanings: '?' replaces it, and also commas if they cannot be escaped.
 */
static const char *doctest_pattern(const char *name, bool escapes, struct pe_arena *arena)
{
	char *pattern = pe_arena_strdup(arena, name);

	for (char *at = pattern; *at != '\0'; at++)
		if ((*at == '\\' && (at[1] == ',' || at[1] == '\\')) || (*at == ',' && !escapes))
			*at = '?';
	return pattern;
}

static const char *doctest_expression(const char *pattern, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (; *pattern != '\0'; pattern++)
		pe_text_addf(&out, *pattern == ',' ? "\\%c" : "%c", *pattern);
	return pe_arena_strdup(arena, pe_text_str(&out));
}

/*
 * A pattern whose escapes Catch2 reads as the name itself. Otherwise, a '*' replaces the first byte:
 * "exclude:" keeps its meaning when it is escaped, and a blank after an escaped first byte is lost.
 */
static const char *catch2_pattern(const char *name, struct pe_arena *arena)
{
	struct trimmed shown = trim(name);
	char *pattern = pe_arena_strndup(arena, shown.at, shown.n);

	if (strncasecmp(pattern, "exclude:", 8) == 0 ||
	    (pattern[0] != '\0' && strchr("\\,[]\"~-", pattern[0]) != NULL && pattern[1] == ' '))
		pattern[0] = '*';
	return pattern;
}

static const char *catch2_expression(const char *pattern, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (const char *at = pattern; *at != '\0'; at++) {
		if (strchr("\\,[]\"~", *at) != NULL || (*at == '-' && at == pattern))
			pe_text_addc(&out, '\\');
		pe_text_addc(&out, *at);
	}
	return pe_arena_strdup(arena, pe_text_str(&out));
}

/* --- Words --- */

/* Whether a pattern for one test also matches item j. */
static bool catches(enum pe_tests_kind kind, const struct pe_test_list *list, const char *pattern,
		    const char *suite, size_t j)
{
	const struct pe_test_item *other = &list->items[j];

	switch (kind) {
	case PE_TESTS_CATCH2:
		return matches_catch2(pattern, other->name);
	case PE_TESTS_DOCTEST:
		return matches_wild(pattern, other->name) &&
		       (suite[0] == '\0' ? other->suite[0] == '\0'
					 : matches_wild(suite, other->suite));
	case PE_TESTS_BOOST:
		return strcmp(pattern, other->name) == 0;
	default:
		return matches_wild(pattern, other->name);
	}
}

static const char *only_it(enum pe_tests_kind kind, const struct pe_test_list *list,
			   const char *pattern, const char *suite, size_t i, struct pe_arena *arena)
{
	for (size_t j = 0; j < list->n; j++)
		if (j != i && catches(kind, list, pattern, suite, j))
			return strcmp(list->items[i].name, list->items[j].name) == 0
				       ? "another test has this name"
				       : pe_arena_printf(
						 arena,
						 "the library's filter cannot name it without '%s'",
						 list->items[j].name);
	return NULL;
}

static const char *boost_reason(const char *name)
{
	for (const char *at = name; *at != '\0'; at += strcspn(at, "/"), at += *at == '/')
		if (strchr("!+@", *at) != NULL)
			return "Boost's filter gives its first character a meaning";
	return strpbrk(name, ",:*") != NULL
		       ? "Boost's filter gives a character of its name a meaning"
		       : NULL;
}

void pe_test_words(struct pe_strings *out, const char **reason, enum pe_tests_kind kind,
		   const struct pe_test_list *list, size_t i, struct pe_arena *arena)
{
	const struct pe_test_item *item = &list->items[i];
	const char *pattern = item->name, *suite = item->suite;
	const char **words = pe_arena_new(arena, const char *, 5);
	size_t n = 0;

	*reason = item->name[0] == '\0' ? "it has no name" : NULL;
	if (kind == PE_TESTS_GTEST) {
		pattern = gtest_expression(item->name, arena);
		words[n++] = pe_arena_printf(arena, "--gtest_filter=%s", pattern);
	} else if (kind == PE_TESTS_DOCTEST) {
		pattern = doctest_pattern(item->name, list->escapes_commas, arena);
		suite = doctest_pattern(item->suite, list->escapes_commas, arena);
		words[n++] = pe_arena_printf(arena, "--dt-test-case=%s",
					     doctest_expression(pattern, arena));
		/* For a test outside of all suites, exclude tests whose suite has a name of one byte or more. */
		words[n++] = suite[0] != '\0' ? pe_arena_printf(arena, "--dt-test-suite=%s",
								doctest_expression(suite, arena))
					      : "--dt-test-suite-exclude=?*";
		words[n++] = "--dt-case-sensitive=true";
		words[n++] = "--dt-exit=true";
	} else if (kind == PE_TESTS_BOOST) {
		*reason = *reason != NULL ? *reason : boost_reason(item->name);
		words[n++] = pe_arena_printf(arena, "--run_test=%s", item->name);
	} else {
		pattern = catch2_pattern(item->name, arena);
		words[n++] = catch2_expression(pattern, arena);
	}
	/* Version 3 fails without an option when no test ran. */
	if (list->old_catch) {
		words[n++] = "--warn";
		words[n++] = "NoTests";
	}
	if (*reason == NULL)
		*reason = only_it(kind, list, pattern, suite, i, arena);
	*out = (struct pe_strings){.at = words, .n = n};
}
