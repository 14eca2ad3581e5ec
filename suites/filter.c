/*
 * Filters: names in the language of a library's filter. Each quotes differently, and some cannot quote at all: then
 * there is no expression, because a wider one would select more benchmarks.
 */
#include "suites/library.h"

#include "core/base/text.h"

#include <string.h>

/* Append a text with a backslash before each special byte. */
static void add_quoted(struct pe_text *out, const char *text, size_t n, const char *special)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr(special, text[i]) != NULL)
			pe_text_addc(out, '\\');
		pe_text_addc(out, text[i]);
	}
}

/*
 * POSIX extended, and std::regex with that grammar, which Google Benchmark uses if available: it refuses a
 * backslash before a byte that is not special, such as ] and }.
 */
static const char EXTENDED[] = ".[\\()*+?{|^$";
/* RE2 (Go), Rust, Java. */
static const char MODERN[] = ".[]\\()*+?{}|^$";

/* Append ^(one|other)$. */
static void add_alternatives(struct pe_text *out, const char *const *names, size_t n,
			     const char *special)
{
	pe_text_add(out, "^(");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pe_text_addc(out, '|');
		add_quoted(out, names[i], strlen(names[i]), special);
	}
	pe_text_add(out, ")$");
}

/*
 * Append names for Go, which splits an expression at slashes and matches part by part: several names can be selected exactly
 * only if they differ in their last part alone (and before 1.20, in no other way).
 */
static bool add_go(struct pe_text *out, const char *const *names, size_t n)
{
	const char *last = strrchr(names[0], '/');
	size_t common = last != NULL ? (size_t)(last - names[0]) + 1 : 0;
	pe_auto_free const char **parts = pe_realloc(NULL, n, sizeof(*parts));

	for (size_t i = 0; i < n; i++) {
		parts[i] = names[i] + common;
		if (strncmp(names[i], names[0], common) != 0 || strchr(parts[i], '/') != NULL)
			return false;
	}
	for (const char *at = names[0], *slash; at < names[0] + common; at = slash + 1) {
		slash = strchr(at, '/');
		pe_text_addc(out, '^');
		add_quoted(out, at, (size_t)(slash - at), MODERN);
		pe_text_add(out, "$/");
	}
	add_alternatives(out, parts, n, MODERN);
	return true;
}

/* Append names with commas; an asterisk at either end is a wildcard that cannot be quoted, and blanks there are lost. */
static bool add_catch2(struct pe_text *out, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(names[i]);

		if (len == 0 || strchr("* -", names[i][0]) != NULL ||
		    strchr("* ", names[i][len - 1]) != NULL ||
		    strncmp(names[i], "exclude:", 8) == 0)
			return false;
		if (i > 0)
			pe_text_addc(out, ',');
		if (names[i][0] == '~')
			pe_text_addc(out, '\\');
		add_quoted(out, names[i], len, ",[\"\\");
	}
	return true;
}

const char *pe_suite_filter(enum pe_suite_format format, const char *const *selectors, size_t n,
			    struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;
	bool named = n > 0;

	if (n == 0)
		return NULL;
	switch (format) {
	case PE_SUITE_GOOGLE_BENCHMARK:
		add_alternatives(&out, selectors, n, EXTENDED);
		break;
	case PE_SUITE_JMH:
	case PE_SUITE_CRITERION_RS:
		add_alternatives(&out, selectors, n, MODERN);
		break;
	case PE_SUITE_GO:
		named = add_go(&out, selectors, n);
		break;
	case PE_SUITE_CATCH2:
		named = add_catch2(&out, selectors, n);
		break;
	default:
		named = false;
	}
	return named ? pe_arena_strdup(arena, pe_text_str(&out)) : NULL;
}
