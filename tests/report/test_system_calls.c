/* System calls on paper: what differs for sure first, ranges where runs differ, and an end to long lists. */
#include "report/system_calls.h"

#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(system_calls, (void)0, pe_text_release(&text), .timeout = 600);

static void expect(const struct pe_function_changes *changes, const char *line)
{
	pe_text_clear(&text);
	pe_system_calls_say(&text, changes);
	cr_expect_str_eq(pe_text_str(&text), line);
}

Test(system_calls, are_said_in_a_line)
{
	struct pe_function_change at[] = {{"write", "", "", 12, 12, 4012, 4012, .amount = 4000},
					  {"lseek", "", "", 5, 5, 0, 0, .amount = -5},
					  {"futex", "", "", 3, 5, 4, 4, .spread = 2}};

	expect(&(struct pe_function_changes){.at = at, .n = 2, .n_varying = 1, .n_same = 14},
	       "system calls: write 12 → 4,012, lseek 5 → 0; 1 varies from run to run by itself (futex); 14 others as often as before");
	expect(&(struct pe_function_changes){.at = at + 2, .n = 0, .n_varying = 1, .n_same = 1},
	       "system calls: 1 varies from run to run by itself (futex); 1 other as often as before");
	expect(&(struct pe_function_changes){.at = at + 2, .n = 1, .n_varying = 0, .n_same = 0},
	       "system calls: futex 3 to 5 → 4");
	expect(&(struct pe_function_changes){.at = NULL, .n = 0, .n_varying = 0, .n_same = 17},
	       "system calls: each of 17 is made exactly as often");
}

Test(system_calls, of_which_many_differ_are_cut_short)
{
	struct pe_function_change at[12];

	for (size_t i = 0; i < 12; i++)
		at[i] = (struct pe_function_change){.name = "read",
						    .old_least = i,
						    .old_most = i,
						    .new_least = 2 * i + 1,
						    .new_most = 2 * i + 1};
	pe_system_calls_say(&text, &(struct pe_function_changes){
					   .at = at, .n = 12, .n_varying = 0, .n_same = 0});
	cr_expect_has(pe_text_str(&text), ", read 9 → 19 and 2 more");
}
