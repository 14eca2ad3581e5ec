#include "tests/support/test.h"
#include "tests/vcs/fixture.h"
#include "vcs/lines.h"

static struct fixture f;

TestSuiteWith(lines, fixture_init(&f), fixture_release(&f), .timeout = 600);

/* The id of a content, which is written into the repository. */
static const char *blob(const char *content)
{
	char *id = tmp_repo_output(&f.tmp, "printf '%s' | git -C repo hash-object -w --stdin",
				   content);
	const char *copy = pe_arena_strndup(&f.arena, id, 40);

	return copy;
}

static struct pe_line_map map_of(const char *before, const char *after)
{
	struct pe_line_map map;

	fixture_open(&f, "repo");
	cr_assert_eq(pe_repo_line_map(&map, f.repo, blob(before), blob(after), &f.arena, &f.err), 0,
		     "%s", f.err.message);
	return map;
}

/* What is inserted above them moves lines down, what is removed moves them up, and is gone itself (0); as many lines in the
 * place of others are those, edited. */
Test(lines, move_with_what_is_inserted_and_removed_above_them)
{
	static const struct {
		const char *before, *after, *places;
	} cases[] = {
		{"a\\nb\\nc\\n", "a\\nb\\nc\\n", "1 2 3 4"},
		{"a\\nb\\nc\\n", "x\\ny\\na\\nb\\nz\\nc\\n", "3 4 6"},
		{"a\\nb\\nc\\nd\\n", "c\\nd\\n", "0 0 1 2"},
		{"a\\nb\\nc\\nd\\n", "x\\na\\nB\\nC\\nd\\n", "2 3 4 5"},
		{"a\\nb\\nc\\nd\\n", "a\\nB\\nd\\n", "1 0 0 3"},
	};

	tmp_repo_output(&f.tmp, "git init -q repo");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_line_map map = map_of(cases[i].before, cases[i].after);
		pe_auto_text places = PE_TEXT_INIT;

		for (uint32_t line = 1; places.len < strlen(cases[i].places); line++)
			pe_text_addf(&places, "%s%u", line > 1 ? " " : "",
				     pe_line_map_find(&map, line));
		cr_expect_str_eq(places.data, cases[i].places, "%s to %s", cases[i].before,
				 cases[i].after);
	}
}

Test(lines, of_a_content_that_is_not_there_are_an_error)
{
	struct pe_line_map map;
	const char *content;

	tmp_repo_output(&f.tmp, "git init -q repo");
	content = blob("a\\n");
	fixture_open(&f, "repo");
	cr_expect(lt(int,
		     pe_repo_line_map(&map, f.repo, content,
				      "0123456789012345678901234567890123456789", &f.arena, &f.err),
		     0));
	cr_expect(lt(int, pe_repo_line_map(&map, f.repo, "none", content, &f.arena, &f.err), 0));
}
