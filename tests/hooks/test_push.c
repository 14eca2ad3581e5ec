#include "hooks/push.h"

#include "tests/support/test.h"

#include <string.h>

#define A40 "1111111111111111111111111111111111111111"
#define B40 "abcdefabcdefabcdefabcdefabcdefabcdefabcd"
#define Z40 "0000000000000000000000000000000000000000"

static struct pe_arena arena;
static struct pe_err err;

static void drop(void)
{
	pe_arena_release(&arena);
}

TestSuite(push, .fini = drop, .timeout = 600);

static struct pe_push parse(const char *text)
{
	struct pe_push push;

	cr_assert_eq(pe_push_parse(&push, text, strlen(text), &arena, &err), PE_OK, "%s",
		     err.message);
	return push;
}

static void refuse(const char *text, size_t n)
{
	struct pe_push push;

	cr_expect_eq(pe_push_parse(&push, text, n, &arena, &err), PE_EINVALID, "'%s'", text);
}

Test(push, reads_an_update)
{
	struct pe_push push = parse("refs/heads/main " A40 " refs/heads/trunk " B40 "\n");

	cr_assert(eq(sz, push.n, 1));
	cr_expect_str_eq(push.at[0].local_ref, "refs/heads/main");
	cr_expect_str_eq(push.at[0].local_oid, A40);
	cr_expect_str_eq(push.at[0].remote_ref, "refs/heads/trunk");
	cr_expect_str_eq(push.at[0].remote_oid, B40);
	cr_expect(not(push.at[0].deletes));
	cr_expect(not(push.at[0].creates));
}

Test(push, tells_deletions_and_new_references)
{
	struct pe_push push = parse("(delete) " Z40 " refs/heads/old " A40 "\n"
				    "refs/tags/v1 " B40 " refs/tags/v1 " Z40 "\n");

	cr_assert(eq(sz, push.n, 2));
	cr_expect(push.at[0].deletes);
	cr_expect(not(push.at[0].creates));
	cr_expect(push.at[1].creates);
}

Test(push, takes_any_words_of_the_user_for_the_local_side)
{
	struct pe_push push = parse("HEAD@{1 day ago} " A40 " refs/heads/main " Z40 "\n");

	cr_expect_str_eq(push.at[0].local_ref, "HEAD@{1 day ago}");
}

Test(push, reads_ids_of_sixty_four_digits)
{
	struct pe_push push =
		parse("a " A40 "222222222222222222222222 b " Z40 "000000000000000000000000\n");

	cr_expect(push.at[0].creates);
	cr_expect(eq(sz, strlen(push.at[0].local_oid), 64));
}

Test(push, nothing_is_pushed_by_an_empty_input)
{
	cr_expect(eq(sz, parse("").n, 0));
	cr_expect(eq(sz, parse("\n\n").n, 0));
}

Test(push, a_last_line_may_lack_its_end)
{
	cr_expect(eq(sz, parse("a " A40 " b " B40 "\nc " A40 " d " B40).n, 2));
}

Test(push, says_which_line_is_wrong)
{
	const char *text = "a " A40 " b " B40 "\na " A40 " b\n";
	static const char nul[] = "a " A40 " b\0c " B40 "\n";

	refuse(text, strlen(text));
	cr_expect(strstr(err.message, "line 2") != NULL, "%s", err.message);
	refuse("a 123 b 456\n", 12);
	refuse("a\n", 2);
	refuse("   \n", 4);
	refuse(nul, sizeof(nul) - 1);
}
