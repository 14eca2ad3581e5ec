/*
 * Glob. The table is the specification by example; tests/cli/changes/paths.sh asks git itself about such
 * patterns.
 */
#include "core/base/glob.h"

#include "tests/support/random.h"
#include "core/base/text.h"
#include "tests/support/test.h"

TestSuite(glob, .timeout = 600);

/* Paths with a space between. */
static const struct {
	const char *pattern, *matched, *others;
} cases[] = {
	/* A name at any depth, and everything below a folder of that name. */
	{"foo", "foo a/foo a/foo/b", "foobar a/barfoo"},
	{"*.c", "a.c src/deep/a.c", "src/a.cc"},
	{"*.d", "conf.d/file", ""},
	/* From the top. */
	{"/foo", "foo foo/bar", "a/foo"},
	{"src/*.c", "src/a.c", "lib/src/a.c src/a/b.c"},
	{"src/*", "src/a/b.c", ""}, /* the folder src/a matches */
	{"a/b", "a/b/c", ""},
	/* Folders only. */
	{"foo/", "foo/bar a/foo/bar foo/foo", "foo a/foo"},
	{"a/foo/", "a/foo/b", "a/foo"},
	/* Any number of folders. */
	{"**/foo", "foo a/b/foo", ""},
	{"**/foo/bar", "x/foo/bar", "x/foo/y/bar"},
	{"foo/**", "foo/a/b", "foo a/foo/b"},
	{"a/**/b", "a/b a/x/b a/x/y/b", "a/x/bb"},
	{"a/**/b/**/c", "a/1/b/2/b/3/c", "a/1/c/2/b/3"},
	{"a/**/", "a/b/c", "a/b"},
	{"**", "a a/b", ""},
	{"**/", "a/b", "a"},
	{"**/b/", "b/b", "a/b"},
	/* Two asterisks inside a part are as good as one. */
	{"a**b", "axxb", "ax/xb"},
	{"/a**b", "axxb", ""},
	/* Characters. */
	{"a?c", "abc", "ac"},
	{"a?c/x", "", "a/c/x"},
	{"[abc].h", "b.h", "d.h"},
	{"[!abc].h", "d.h", ""},
	{"[^abc].h", "", "a.h"},
	{"[a-cx-z]1", "y1", "d1"},
	{"[]]", "]", ""},
	{"[a-]", "-", ""},
	{"[\\]x]", "]", ""},
	{"[*]", "*", "a"},
	{"[abc", "[abc", "a"},
	{"\\*", "*", "a"},
	{"\\!a", "!a", ""},
	{"a\\", "", "a\\ a"},
	{"*a*b*c*", "xxaxxbxxcxx", "xxaxxcxxbxx"},
	{"*", "anything/at/all", ""},
	{"", "", "a"},
	{"/", "", "a"},
	{"a//b", "", "a/b"},
};

static void expect_each(const char *pattern, const char *paths, bool match)
{
	char path[64];

	for (size_t n; *paths != '\0'; paths += n + (paths[n] == ' ')) {
		n = strcspn(paths, " ");
		snprintf(path, sizeof(path), "%.*s", (int)n, paths);
		cr_expect(eq(int, pe_glob_match(pattern, path), match), "'%s' on '%s'", pattern,
			  path);
	}
}

Test(glob, does_what_the_table_says)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_each(cases[i].pattern, cases[i].matched, true);
		expect_each(cases[i].pattern, cases[i].others, false);
	}
}

/* The textbook definition, by recursion: only for short patterns. */
static bool slow_part(const char *p, const char *p_end, const char *s, const char *s_end)
{
	if (p == p_end)
		return s == s_end;
	if (*p == '*')
		return slow_part(p + 1, p_end, s, s_end) ||
		       (s < s_end && slow_part(p, p_end, s + 1, s_end));
	return s < s_end && (*p == '?' || *p == *s) && slow_part(p + 1, p_end, s + 1, s_end);
}

static bool slow(const char *p, const char *s)
{
	size_t n = strcspn(p, "/"), m = strcspn(s, "/");
	const char *p_next = p + n + (p[n] == '/'), *s_next = s + m + (s[m] == '/');

	if (*p == '\0')
		return true;
	if (*s == '\0')
		return false;
	if (n == 2 && p[0] == '*' && p[1] == '*')
		return *p_next == '\0' || slow(p_next, s) || slow(p, s_next);
	return slow_part(p, p + n, s, s + m) && slow(p_next, s_next);
}

/* Parts joined by slashes, from the top: what is random is how many of what. */
static void random_parts(char *out, struct pe_random *random, const char *letters, bool folders)
{
	size_t parts = 1 + pe_random_below(random, 4), n = 0;

	for (size_t i = 0; i < parts; i++) {
		if (i > 0)
			out[n++] = '/';
		if (folders && pe_random_below(random, 3) == 0) {
			out[n++] = '*';
			out[n++] = '*';
			continue;
		}
		for (size_t k = 1 + pe_random_below(random, 3); k > 0; k--)
			out[n++] = letters[pe_random_below(random, strlen(letters))];
	}
	out[n] = '\0';
}

Test(glob, agrees_with_its_definition)
{
	struct pe_random random = random_of(20240501);
	char pattern[64] = "/", path[64];
	size_t matches = 0;

	for (int i = 0; i < 200000; i++) {
		bool expected;

		random_parts(pattern + 1, &random, "ab*?", true);
		random_parts(path, &random, "ab", false);
		expected = slow(pattern + 1, path);
		matches += expected;
		cr_assert_eq(pe_glob_match(pattern, path), expected, "'%s' on '%s'", pattern, path);
	}
	cr_expect(gt(sz, matches, 10000));
}

/* With a trial of every division, these would not end: 2^1000 of them. */
Test(glob, does_not_blow_up)
{
	pe_auto_text pattern = PE_TEXT_INIT, path = PE_TEXT_INIT;

	for (int i = 0; i < 1000; i++) {
		pe_text_add(&pattern, "*a");
		pe_text_add(&path, "a");
	}
	pe_text_add(&pattern, "b");
	cr_expect_not(pe_glob_match(pe_text_str(&pattern), pe_text_str(&path)));
	pe_text_clear(&pattern);
	pe_text_clear(&path);
	for (int i = 0; i < 1000; i++) {
		pe_text_add(&pattern, "**/a/");
		pe_text_add(&path, "a/");
	}
	pe_text_add(&pattern, "b");
	pe_text_add(&path, "c");
	cr_expect_not(pe_glob_match(pe_text_str(&pattern), pe_text_str(&path)));
}
