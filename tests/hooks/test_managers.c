#include "hooks/managers.h"
#include "tests/support/test.h"
#include "tests/support/tmp_repo.h"

static struct tmp_repo tmp;
static char *folder;
static const char *config;

TestSuiteWith(managers, (tmp_repo_init(&tmp), folder = tmp_repo_path(&tmp, "repo/.git/hooks")),
	      tmp_repo_release(&tmp), .timeout = 600);

static enum pe_hook_manager detect(void)
{
	return pe_manager_detect(&config, tmp.dir, folder);
}

Test(managers, a_plain_repository_has_none)
{
	cr_expect(eq(int, (int)detect(), PE_MANAGER_NONE));
	cr_expect(eq(int, (int)pe_manager_detect(&config, NULL, folder), PE_MANAGER_NONE));
}

Test(managers, are_told_by_their_config)
{
	tmp_repo_write(&tmp, "lefthook.yml", "{}\n");
	cr_expect(eq(int, (int)detect(), PE_MANAGER_LEFTHOOK));
	cr_expect_str_eq(config, "lefthook.yml");
	tmp_repo_write(&tmp, ".pre-commit-config.yaml", "repos: []\n");
	cr_expect(eq(int, (int)detect(), PE_MANAGER_PRE_COMMIT));
	tmp_repo_write(&tmp, ".husky/pre-commit", "npm test\n");
	cr_expect(eq(int, (int)detect(), PE_MANAGER_HUSKY));
}

Test(managers, are_told_by_the_hooks_they_wrote)
{
	tmp_repo_sh(&tmp,
		    "mkdir -p repo/.git/hooks; printf '#!/usr/bin/env bash\\n# File generated "
		    "by pre-commit: https://pre-commit.com\\n' >repo/.git/hooks/pre-push");
	cr_expect(eq(int, (int)detect(), PE_MANAGER_PRE_COMMIT));
	cr_expect_str_eq(config, ".pre-commit-config.yaml");
}

Test(managers, are_advised_for_the_chosen_hooks_only)
{
	static const bool chosen[PE_N_HOOKS] = {[PE_HOOK_PRE_PUSH] = true};

	for (int i = PE_MANAGER_HUSKY; i <= PE_MANAGER_LEFTHOOK; i++) {
		struct pe_text text = PE_TEXT_INIT;

		pe_manager_advise(&text, (enum pe_hook_manager)i, "the.config", chosen);
		cr_expect_has(pe_text_str(&text), "perfevo hook pre-push");
		cr_expect(strstr(pe_text_str(&text), "perfevo hook post-commit") == NULL);
		pe_text_release(&text);
	}
}
