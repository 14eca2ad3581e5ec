/*
 * Glob. The table is the specification by example; tests/cli/changes/paths.sh asks git itself about such
 * patterns.
 */
#include "core/base/glob.h"

#include "tests/support/random.h"
#include "core/base/text.h"
#include "tests/support/test.h"

TestSuite(glob, .timeout = 600);

static const struct {
	const char *pattern, *path;
	bool match;
} cases[] = {
	/* A name at any depth, and everything below a folder of that name. */
	{"foo", "foo", true},
	{"foo", "a/foo", true},
	{"foo", "a/foo/b", true},
	{"foo", "foobar", false},
	{"foo", "a/barfoo", false},
	{"*.c", "a.c", true},
	{"*.c", "src/deep/a.c", true},
	{"*.c", "src/a.cc", false},
	{"*.d", "conf.d/file", true},
	/* From the top. */
	{"/foo", "foo", true},
	{"/foo", "foo/bar", true},
	{"/foo", "a/foo", false},
	{"src/*.c", "src/a.c", true},
	{"src/*.c", "lib/src/a.c", false},
	{"src/*.c", "src/a/b.c", false},
	{"src/*", "src/a/b.c", true}, /* the folder src/a matches */
	{"a/b", "a/b/c", true},
	/* Folders only. */
	{"foo/", "foo", false},
	{"foo/", "foo/bar", true},
	{"foo/", "a/foo/bar", true},
	{"foo/", "a/foo", false},
	{"foo/", "foo/foo", true},
	{"a/foo/", "a/foo/b", true},
	{"a/foo/", "a/foo", false},
	/* Any number of folders. */
	{"**/foo", "foo", true},
	{"**/foo", "a/b/foo", true},
	{"**/foo/bar", "x/foo/bar", true},
	{"**/foo/bar", "x/foo/y/bar", false},
	{"foo/**", "foo", false},
	{"foo/**", "foo/a/b", true},
	{"foo/**", "a/foo/b", false},
	{"a/**/b", "a/b", true},
	{"a/**/b", "a/x/b", true},
	{"a/**/b", "a/x/y/b", true},
	{"a/**/b", "a/x/bb", false},
	{"a/**/b/**/c", "a/1/b/2/b/3/c", true},
	{"a/**/b/**/c", "a/1/c/2/b/3", false},
	{"a/**/", "a/b", false},
	{"a/**/", "a/b/c", true},
	{"**", "a", true},
	{"**", "a/b", true},
	{"**/", "a", false},
	{"**/", "a/b", true},
	{"**/b/", "b/b", true},
	{"**/b/", "a/b", false},
	/* Two asterisks inside a part are as good as one. */
	{"a**b", "axxb", true},
	{"a**b", "ax/xb", false},
	{"/a**b", "axxb", true},
	/* Characters. */
	{"a?c", "abc", true},
	{"a?c", "ac", false},
	{"a?c/x", "a/c/x", false},
	{"[abc].h", "b.h", true},
	{"[abc].h", "d.h", false},
	{"[!abc].h", "d.h", true},
	{"[^abc].h", "a.h", false},
	{"[a-cx-z]1", "y1", true},
	{"[a-cx-z]1", "d1", false},
	{"[]]", "]", true},
	{"[a-]", "-", true},
	{"[\\]x]", "]", true},
	{"[*]", "*", true},
	{"[*]", "a", false},
	{"[abc", "[abc", true},
	{"[abc", "a", false},
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"\\!a", "!a", true},
	{"a\\", "a\\", true},
	{"*a*b*c*", "xxaxxbxxcxx", true},
	{"*a*b*c*", "xxaxxcxxbxx", false},
	{"*", "anything/at/all", true},
	{"", "a", false},
	{"/", "a", false},
	{"a//b", "a/b", false},
};

Test(glob, does_what_the_table_says)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(int, pe_glob_match(cases[i].pattern, cases[i].path), cases[i].match),
			  "'%s' on '%s'", cases[i].pattern, cases[i].path);
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
