/* Which differences between two trees a build can tell. */
#include "app/measure/reads.h"

#include "tests/support/test.h"

#include <string.h>

static struct pe_arena arena;
static struct pe_stored_reads stored;
static struct pe_reads reads;

#define LIST(...)                                                                                  \
	(struct pe_strings)                                                                        \
	{                                                                                          \
		(const char *[]){__VA_ARGS__},                                                     \
			sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)               \
	}

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(reads, .fini = release);

/* Through the store's form, as the product has it. */
static void pack(bool cached)
{
	const struct pe_dependencies seen = {
		.programs = LIST("tools/gen"),
		.files = LIST("inc1", "inc1/conf.h", "inc2/conf.h", "prog.c", "sub/x.c"),
		.folders = LIST(".", "parts"),
		.made = LIST("out", "out/a.o", "out/deep/b.o", "prog"),
		.complete = true,
		.cached = cached,
	};

	pe_reads_pack(&stored, &seen, &arena);
	cr_assert(stored.reason == NULL);
	pe_reads_unpack(&reads, stored.paths, &arena);
}

static struct pe_changed_name file(const char *path, bool before, bool after)
{
	return (struct pe_changed_name){path, before, after, false, false, true};
}

static bool changed(const char *path)
{
	const struct pe_changed_name name = file(path, true, true);

	return pe_reads_differ(&reads, &name);
}

static bool added(const char *path)
{
	const struct pe_changed_name name = file(path, false, true), gone = file(path, true, false);

	cr_expect(pe_reads_differ(&reads, &name) == pe_reads_differ(&reads, &gone));
	return pe_reads_differ(&reads, &name);
}

Test(reads, come_back_as_they_were_packed)
{
	pack(false);
	cr_assert_eq(reads.files.n, 6);
	cr_expect_str_eq(reads.files.at[1], "inc1/conf.h");
	cr_expect_str_eq(reads.files.at[5], "tools/gen");
	cr_assert_eq(reads.folders.n, 2);
	cr_assert_eq(reads.made.n, 2, "what lies in a folder that was made is made with it");
	cr_expect_str_eq(reads.made.at[0], "out");
	cr_expect(!reads.names);
}

Test(reads, a_file_that_differs_counts_where_it_is_read)
{
	pack(false);
	cr_expect(changed("prog.c"));
	cr_expect(changed("tools/gen"));
	cr_expect(!changed("README"));
	cr_expect(!changed("parts/unread.c"), "names were listed, not contents");
	cr_expect(changed("out/stale.c"), "the build makes that folder");
	cr_expect(changed(".gitattributes") && changed("docs/.gitattributes"));
}

Test(reads, a_name_that_comes_or_goes_counts_where_it_is_looked_for_or_listed)
{
	pack(false);
	cr_expect(added("inc1/conf.h"));
	cr_expect(!added("inc1/other.h"), "that a folder is there is all that was asked");
	cr_expect(added("parts/new.c"));
	cr_expect(!added("parts/deep/new.c"));
	cr_expect(added("new"), "the top was listed");
	cr_expect(!added("docs/new.c"));
}

Test(reads, with_a_compiler_cache_names_count_that_compilers_look_for)
{
	pack(true);
	cr_expect(added("docs/new.c") && added("docs/new.h") && added("docs/vector"));
	cr_expect(!added("docs/new.md") && !added("docs/.gitignore"));
	cr_expect(!changed("docs/new.c"));
}

Test(reads, links_submodules_and_kinds_count_for_what_lies_below)
{
	struct pe_changed_name name = {"sub", true, true, false, false, false};

	pack(false);
	cr_expect(pe_reads_differ(&reads, &name));
	name.path = "other";
	cr_expect(!pe_reads_differ(&reads, &name));
	name = (struct pe_changed_name){"parts", false, true, false, true, false};
	cr_expect(pe_reads_differ(&reads, &name), "a folder that was listed comes");
	name = (struct pe_changed_name){"docs/deep", false, true, false, true, false};
	cr_expect(!pe_reads_differ(&reads, &name));
}

Test(reads, what_was_not_seen_whole_says_why_and_has_no_set)
{
	const struct pe_dependencies unseen = {.complete = false, .reason = "a static program"};
	const struct pe_dependencies asks = {.complete = true, .impure = "it asks 'git'"};
	const struct pe_dependencies odd = {.complete = true, .files = LIST("two\nlines")};

	pe_reads_pack(&stored, NULL, &arena);
	cr_expect(stored.digest == NULL && stored.reason != NULL);
	pe_reads_pack(&stored, &unseen, &arena);
	cr_expect(stored.digest == NULL && strcmp(stored.reason, unseen.reason) == 0);
	pe_reads_pack(&stored, &asks, &arena);
	cr_expect(stored.digest == NULL && strcmp(stored.reason, asks.impure) == 0);
	pe_reads_pack(&stored, &odd, &arena);
	cr_expect(stored.digest == NULL && stored.reason != NULL);
}
