#include "app/measure/trouble.h"

#include "core/base/text.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_text noted;
static struct pe_troubles troubles;

static void take(void *payload, const char *sentence)
{
	(void)payload;
	pe_text_addf(&noted, "%s\n", sentence);
}

static const struct pe_app app = {.note = take};

TestSuiteWith(trouble, (void)0, (pe_text_release(&noted), pe_arena_release(&arena)));

static const struct pe_revision one = {.id = "1111111111111111", .subject = "first"},
				two = {.id = "2222222222222222", .subject = "second"};
static const struct pe_build unbuilt = {.outcome = PE_BUILD_FAILED, .log = "cc: no"},
			     refused = {
				     .outcome = PE_TREE_REFUSED,
				     .log = "2222222: submodule 'vendor/x' is not here: run this"};
static const struct pe_run crash = {.outcome = PE_CRASHED}, fine = {.outcome = PE_MEASURED},
			   uncounted = {.outcome = PE_NOT_COUNTABLE},
			   young = {.outcome = PE_ABSENT, .missing = "bench/new.sh"},
			   wrong = {.outcome = PE_EXIT_WRONG, .missing = "bench/nwe.sh"},
			   unlisted = {.outcome = PE_ABSENT};

static void expect(const char *text)
{
	pe_troubles_report(&troubles, &app);
	cr_expect_str_eq(pe_text_str(&noted), text);
	cr_expect(eq(sz, pe_troubles_commits(&troubles), 0));
}

Test(trouble, of_one_commit_names_it_and_where_its_log_is)
{
	pe_trouble_add_build(&troubles, &one, &unbuilt, &arena);
	pe_trouble_add_build(&troubles, &two, &refused, &arena);
	expect("1111111111 (first): build failed ('perfevo show 1111111111' prints the log)\n"
	       "2222222222 (second): submodule 'vendor/x' is not here: run this\n");
}

Test(trouble, of_a_missing_file_says_the_outcome_and_what_gives_it)
{
	pe_trouble_add_run(&troubles, &one, "words", &young, &arena);
	pe_trouble_add_run(&troubles, &one, "lines", &wrong, &arena);
	pe_trouble_add_run(&troubles, &one, "suite/member", &unlisted, &arena);
	expect("1111111111 (first): words: not there, for its tree has no bench/new.sh: files of today are given to every commit "
	       "by 'overlay: [...]' ('perfevo show 1111111111' prints the log)\n"
	       "1111111111 (first): lines: wrong exit status, for its tree has no bench/nwe.sh: files of today are given to every "
	       "commit by 'overlay: [...]' ('perfevo show 1111111111' prints the log)\n");
}

Test(trouble, of_a_commit_that_is_tried_again_is_one)
{
	pe_trouble_add_run(&troubles, &one, "words", &crash, &arena);
	pe_trouble_add_run(&troubles, &one, "words", &crash, &arena);
	pe_trouble_add_run(&troubles, &two, "words", &fine, &arena);
	pe_trouble_add_run(&troubles, &two, "words", &uncounted, &arena);
	pe_trouble_add_run(&troubles, &two, "lines", &crash, &arena);
	expect("1111111111 (first): words: crashed ('perfevo show 1111111111' prints the log)\n"
	       "2222222222 (second): lines: crashed ('perfevo show 2222222222' prints the log)\n");
}
