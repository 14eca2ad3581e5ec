/* The file of accepted changes: what is written is read back, mistakes are named by their place. */
#include "configs/accepted.h"

#include "tests/support/test.h"

#define ID "8f0c2d6b1a4e5f60718293a4b5c6d7e8f9012345"

static struct pe_arena arena;
static struct pe_err err;
static struct pe_text text;

TestSuiteWith(accepted, (void)0, (pe_text_release(&text), pe_arena_release(&arena)),
	      .timeout = 600);

static struct pe_accepted_list parse(const char *document)
{
	struct pe_accepted_list list;

	err = (struct pe_err)PE_ERR_INIT;
	pe_accepted_parse(&list, "a.yml", document, strlen(document), &arena, &err);
	return list;
}

static void refused(const char *document, const char *message)
{
	parse(document);
	cr_expect(eq(int, err.code, PE_EINVALID), "accepted: %s", document);
	cr_expect_str_eq(err.message, message);
}

static struct pe_accepted entry(const char *benchmark, const char *metric, const char *why)
{
	return (struct pe_accepted){.benchmark = benchmark,
				    .revision = ID,
				    .metric = metric,
				    .why = why,
				    .by = "Ada \"x\" \\ <a@example.org>",
				    .when = "2024-05-01"};
}

Test(accepted, what_is_written_is_read_back)
{
	struct pe_accepted one = entry("parse: big", NULL, "two\nlines, # no comment: {[");
	struct pe_accepted two = entry("- odd\x01", "wall", "yes");
	struct pe_accepted_list list;

	pe_accepted_append(&text, &one, "subject # with: \"anything\"\ttab");
	pe_accepted_append(&text, &two, NULL);
	list = parse(pe_text_str(&text));
	cr_assert_ok(err.code, err.message);
	cr_assert(eq(sz, list.n, 2));
	cr_expect_str_eq(list.at[0].benchmark, "parse: big");
	cr_expect_str_eq(list.at[0].why, one.why);
	cr_expect_str_eq(list.at[0].by, one.by);
	cr_expect(list.at[0].metric == NULL);
	cr_expect_str_eq(list.at[1].benchmark, "- odd\x01");
	cr_expect_str_eq(list.at[1].metric, "wall");
	cr_expect_str_eq(list.at[1].revision, ID);
}

Test(accepted, an_entry_is_found_by_what_it_names)
{
	struct pe_accepted_list list =
		parse("- {benchmark: a, revision: 8f0c2d6, why: w}\n"
		      "- {benchmark: b, revision: 8f0c2d6, metric: wall, why: w}\n");

	cr_assert(eq(sz, list.n, 2), "%s", err.message);
	cr_expect_eq(pe_accepted_find(&list, "a", "wall", ID), &list.at[0]);
	cr_expect_eq(pe_accepted_find(&list, "b", "wall", ID), &list.at[1]);
	cr_expect_eq(pe_accepted_find(&list, "b", "max-rss", ID), NULL);
	cr_expect_eq(
		pe_accepted_find(&list, "a", "wall", "9f0c2d6b1a4e5f60718293a4b5c6d7e8f9012345"),
		NULL);
}

Test(accepted, nothing_is_an_empty_list)
{
	cr_expect(eq(sz, parse("").n, 0));
	cr_expect(eq(int, err.code, PE_OK));
	cr_expect(eq(sz, parse("# only a comment\n").n, 0));
	cr_expect(eq(int, err.code, PE_OK));
}

Test(accepted, an_entry_is_cut_out_and_the_rest_stays)
{
	struct pe_accepted_list list;

	pe_text_add(&text, "# mine\n- benchmark: a\n  revision: 8f0c2d6\n  why: one\n"
			   "# about b\n- benchmark: b # here\n  revision: 8f0c2d6\n  why: two\n");
	list = parse(pe_text_str(&text));
	cr_assert(eq(int, pe_accepted_cut(&text, "a.yml", &list, 1, &err), PE_OK));
	cr_expect_str_eq(pe_text_str(&text), "# mine\n- benchmark: a\n  revision: 8f0c2d6\n"
					     "  why: one\n# about b\n");
	list = parse(pe_text_str(&text));
	cr_assert(eq(int, pe_accepted_cut(&text, "a.yml", &list, 0, &err), PE_OK));
	cr_expect_str_eq(pe_text_str(&text), "# mine\n");
}

Test(accepted, entries_on_one_line_are_left_to_the_user)
{
	struct pe_accepted_list list;

	pe_text_add(&text, "[{benchmark: a, revision: 8f0c2d6, why: w}]\n");
	list = parse(pe_text_str(&text));
	cr_assert(eq(sz, list.n, 1), "%s", err.message);
	cr_expect(eq(int, pe_accepted_cut(&text, "a.yml", &list, 0, &err), PE_EINVALID));
}

Test(accepted, mistakes_are_named_by_their_place)
{
	refused("a: b\n", "a.yml:1:1: expected a list of accepted changes, '- benchmark: ...', not "
			  "a mapping");
	refused("- benchmark: a\n  why: w\n",
		"a.yml:1:3: an accepted change needs 'revision': write 'revision: ...'");
	refused("- benchmark: a\n  revision: main\n  why: w\n",
		"a.yml:2:13: 'revision' must be the id of a commit, of 7 to 40 hexadecimal digits, "
		"not 'main'");
	refused("- benchmark: a\n  revision: 8f0c2d6\n  reason: w\n",
		"a.yml:3:3: unknown key 'reason' in an accepted change (known: benchmark, "
		"revision, metric, why, by, when)");
	refused("- 5\n", "a.yml:1:3: an accepted change must be a mapping, not a single value");
}
