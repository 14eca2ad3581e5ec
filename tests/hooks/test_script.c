#include "hooks/script.h"

#include "tests/support/test.h"

static const struct pe_hook_before none = {"", 0};
static const struct pe_hook_before some = {"0123456789abcdef0123456789abcdef", 0751};
static struct pe_text text;
static struct pe_hook_before found;

TestSuiteWith(script, (void)0, pe_text_release(&text), .timeout = 600);

Test(script, knows_its_own)
{
	for (int i = 0; i < PE_N_HOOKS; i++) {
		pe_text_clear(&text);
		pe_hook_script(&text, (enum pe_hook)i, &none);
		cr_expect(eq(int, pe_hook_author(text.data, &found), PE_HOOK_BY_US));
		cr_expect_str_eq(found.hash, "");
	}
}

Test(script, remembers_what_was_there_before)
{
	pe_hook_script(&text, PE_HOOK_PRE_PUSH, &some);
	cr_expect(eq(int, pe_hook_author(text.data, &found), PE_HOOK_BY_US));
	cr_expect_str_eq(found.hash, some.hash);
	cr_expect(eq(uint, found.mode, 0751));
}

Test(script, sees_an_edit)
{
	pe_hook_script(&text, PE_HOOK_PRE_PUSH, &some);
	pe_text_add(&text, "echo mine\n");
	cr_expect(eq(int, pe_hook_author(text.data, &found), PE_HOOK_BY_US_AND_OTHERS));
	cr_expect_str_eq(found.hash, some.hash, "what was before is known all the same");
}

Test(script, does_not_take_others_for_its_own)
{
	cr_expect(eq(int, pe_hook_author("#!/bin/sh\nperfevo hook pre-push\n", &found),
		     PE_HOOK_BY_OTHERS));
	cr_expect(eq(int, pe_hook_author("", &found), PE_HOOK_BY_OTHERS));
}

Test(script, finds_hooks_by_name)
{
	struct pe_err err = PE_ERR_INIT;
	enum pe_hook hook;

	for (int i = 0; i < PE_N_HOOKS; i++) {
		cr_expect(eq(int, pe_hook_find(&hook, pe_hook_name((enum pe_hook)i), &err), PE_OK));
		cr_expect(eq(int, (int)hook, i));
	}
	cr_expect(eq(int, pe_hook_find(&hook, "update", &err), PE_ENOTFOUND));
}
