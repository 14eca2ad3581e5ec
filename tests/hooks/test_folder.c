/* Numbers in parentheses are the promises of hooks/folder.h. */
#include "hooks/folder.h"
#include "tests/support/test.h"
#include "tests/support/tmp_repo.h"

static struct tmp_repo tmp;
static struct pe_err err;
static char *folder;
static enum pe_hook_done done;
static bool aside;

TestSuiteWith(folder, (tmp_repo_init(&tmp), folder = tmp_repo_path(&tmp, "hooks")),
	      tmp_repo_release(&tmp), .timeout = 600);

static void install(enum pe_hook_done expected)
{
	cr_assert_ok(pe_hook_install(&done, &aside, folder, PE_HOOK_PRE_COMMIT, &err), err.message);
	cr_expect(eq(int, (int)done, (int)expected));
}

static void take_away(enum pe_hook_done expected)
{
	cr_assert_ok(pe_hook_remove(&done, &aside, folder, PE_HOOK_PRE_COMMIT, &err), err.message);
	cr_expect(eq(int, (int)done, (int)expected));
}

static struct pe_hook_found look(void)
{
	struct pe_hook_found found;

	cr_assert_eq(pe_hook_look(&found, folder, PE_HOOK_PRE_COMMIT, &err), PE_OK);
	return found;
}

static void same(const char *command, const char *expected)
{
	char *output = tmp_repo_output(&tmp, "%s", command);

	cr_expect_str_eq(output, expected, "%s", command);
}

Test(folder, gives_back_a_link) /* (2) */
{
	tmp_repo_sh(&tmp, "mkdir hooks; echo exit >hooks/all; chmod +x hooks/all; ln -s all "
			  "hooks/pre-commit");
	install(PE_HOOK_CHAINED);
	same("readlink hooks/pre-commit.before-perfevo", "all");
	take_away(PE_HOOK_RESTORED);
	same("readlink hooks/pre-commit; cat hooks/all", "all\nexit");
}

Test(folder, a_changed_mode_counts_as_an_edit) /* (2) */
{
	tmp_repo_sh(&tmp, "mkdir hooks; echo exit >hooks/pre-commit; chmod 755 hooks/pre-commit");
	install(PE_HOOK_CHAINED);
	tmp_repo_sh(&tmp, "chmod 700 hooks/pre-commit.before-perfevo");
	take_away(PE_HOOK_RESTORED_EDITED);
	same("stat -c %a hooks/pre-commit", "700");
}

Test(folder, lines_added_to_ours_are_kept_aside) /* (3) */
{
	install(PE_HOOK_INSTALLED);
	tmp_repo_sh(&tmp, "echo mine >>hooks/pre-commit");
	cr_expect(eq(int, (int)look().state, PE_HOOK_CHANGED));
	install(PE_HOOK_RENEWED);
	cr_expect(aside);
	same("tail -n 1 hooks/pre-commit.perfevo-edited", "mine");
	tmp_repo_sh(&tmp, "echo again >>hooks/pre-commit");
	cr_expect(eq(int, pe_hook_remove(&done, &aside, folder, PE_HOOK_PRE_COMMIT, &err),
		     PE_EINVALID));
	tmp_repo_sh(&tmp, "rm hooks/pre-commit.perfevo-edited");
	take_away(PE_HOOK_REMOVED);
	same("ls -A hooks; tail -n 1 hooks/pre-commit.perfevo-edited",
	     "pre-commit.perfevo-edited\nagain");
}

Test(folder, a_hook_written_over_ours_stays) /* (3) */
{
	tmp_repo_sh(&tmp, "mkdir hooks; echo one >hooks/pre-commit");
	install(PE_HOOK_CHAINED);
	tmp_repo_sh(&tmp, "echo perfevo hook pre-commit >hooks/pre-commit");
	take_away(PE_HOOK_LEFT);
	cr_expect_fails(pe_hook_install(&done, &aside, folder, PE_HOOK_PRE_COMMIT, &err),
			PE_EINVALID, err.message, "before-perfevo");
	same("cat hooks/pre-commit hooks/pre-commit.before-perfevo",
	     "perfevo hook pre-commit\none");
}

Test(folder, goes_on_with_an_installation_that_was_cut_off) /* (1) */
{
	tmp_repo_sh(&tmp, "mkdir hooks; echo one >hooks/pre-commit; "
			  "ln hooks/pre-commit hooks/pre-commit.before-perfevo");
	install(PE_HOOK_CHAINED);
	take_away(PE_HOOK_RESTORED);
	same("cat hooks/pre-commit", "one");
}

Test(folder, a_hook_deleted_by_hand_leaves_the_one_before_to_be_restored) /* (2) */
{
	tmp_repo_sh(&tmp, "mkdir hooks; echo one >hooks/pre-commit");
	install(PE_HOOK_CHAINED);
	tmp_repo_sh(&tmp, "rm hooks/pre-commit");
	take_away(PE_HOOK_RESTORED);
	same("cat hooks/pre-commit", "one");
}

Test(folder, renews_the_hook_of_another_version_without_a_word)
{
	install(PE_HOOK_INSTALLED);
	/* As another version would have written it: other lines, and the sum of them. */
	tmp_repo_sh(&tmp, "chmod -x hooks/pre-commit");
	install(PE_HOOK_RENEWED);
	cr_expect(not(aside));
	cr_expect(look().runs);
}

Test(folder, says_what_it_cannot_write)
{
	tmp_repo_sh(&tmp, "echo file >hooks");
	cr_expect_fails(pe_hook_install(&done, &aside, folder, PE_HOOK_PRE_COMMIT, &err), PE_ESYS,
			err.message, "hooks");
}
