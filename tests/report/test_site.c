#include "report/site.h"

#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(site, (void)0, pe_text_release(&text), .timeout = 600);

static const char *folder(const char *branch)
{
	pe_text_clear(&text);
	pe_site_add_folder(&text, branch);
	return pe_text_str(&text);
}

Test(site, a_plain_name_is_its_folder)
{
	cr_expect_text("main v1.2_x-3", folder("main"), folder("v1.2_x-3"));
}

Test(site, other_bytes_are_written_as_digits)
{
	cr_expect_text("feature~2Fa~20b ~2E.~2Fx ~C3~A9~3C~26~22", folder("feature/a b"),
		       folder("../x"), folder("\xc3\xa9<&\""));
}

Test(site, a_folder_is_neither_hidden_nor_one_of_the_sites_own_names)
{
	cr_expect_text("~2Ex ~5Fx ~6Catest ~69ndex.html latest2", folder(".x"), folder("_x"),
		       folder("latest"), folder("index.html"), folder("latest2"));
}

Test(site, long_names_stay_below_what_a_file_system_takes_and_differ)
{
	char name[1000], other[1000];
	char *first;

	memset(name, '/', sizeof(name));
	memset(other, '/', sizeof(other));
	name[sizeof(name) - 1] = '\0';
	other[sizeof(other) - 2] = '\0';
	first = strdup(folder(name));
	cr_expect_lt(strlen(first), 200);
	cr_expect_str_neq(first, folder(other));
	free(first);
}

Test(site, only_paths_that_a_site_may_have_are_its_files)
{
	static const char *const good[] = {"index.html", "feed.atom", "latest/index.html",
					   "a~2Fb/data.json", "v1.2/badge.svg"};
	static const char *const bad[] = {"",
					  "latest",
					  "other",
					  "/index.html",
					  "../index.html",
					  "./index.html",
					  "a/b/index.html",
					  "a/../index.html",
					  "a/other",
					  "a/index.json",
					  "a b/index.html"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect(pe_site_is_path(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		cr_expect(!pe_site_is_path(bad[i]), "%s", bad[i]);
}
