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

static void make_repo(void)
{
	free(tmp_repo_output(&f.tmp, "git init -q repo"));
}

Test(lines, stay_where_nothing_changed)
{
	struct pe_line_map map;

	make_repo();
	map = map_of("a\\nb\\nc\\n", "a\\nb\\nc\\n");
	for (uint32_t line = 1; line <= 4; line++)
		cr_expect(eq(u32, pe_line_map_find(&map, line), line));
}

Test(lines, move_down_by_what_is_inserted_above_them)
{
	struct pe_line_map map;

	make_repo();
	map = map_of("a\\nb\\nc\\n", "x\\ny\\na\\nb\\nz\\nc\\n");
	cr_expect_text("3 4 6", pe_line_map_find(&map, 1), pe_line_map_find(&map, 2),
		       pe_line_map_find(&map, 3));
}

Test(lines, move_up_by_what_is_removed_above_them_and_are_gone_themselves)
{
	struct pe_line_map map;

	make_repo();
	map = map_of("a\\nb\\nc\\nd\\n", "c\\nd\\n");
	cr_expect_text("0 0 1 2", pe_line_map_find(&map, 1), pe_line_map_find(&map, 2),
		       pe_line_map_find(&map, 3), pe_line_map_find(&map, 4));
}

Test(lines, are_edited_in_their_place_where_as_many_took_it)
{
	struct pe_line_map map;

	make_repo();
	map = map_of("a\\nb\\nc\\nd\\n", "x\\na\\nB\\nC\\nd\\n");
	cr_expect_text("3 4 5", pe_line_map_find(&map, 2), pe_line_map_find(&map, 3),
		       pe_line_map_find(&map, 4));
	map = map_of("a\\nb\\nc\\nd\\n", "a\\nB\\nd\\n");
	cr_expect_text("0 0 3", pe_line_map_find(&map, 2), pe_line_map_find(&map, 3),
		       pe_line_map_find(&map, 4));
}

Test(lines, of_a_content_that_is_not_there_are_an_error)
{
	struct pe_line_map map;
	const char *content;

	make_repo();
	content = blob("a\\n");
	fixture_open(&f, "repo");
	cr_expect(lt(int,
		     pe_repo_line_map(&map, f.repo, content,
				      "0123456789012345678901234567890123456789", &f.arena, &f.err),
		     0));
	cr_expect(lt(int, pe_repo_line_map(&map, f.repo, "none", content, &f.arena, &f.err), 0));
}
