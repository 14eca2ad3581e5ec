/*
 * Managers: programs that own a repository's hooks (husky, pre-commit, lefthook). They write their own files over
 * whatever they find there, at every installation; the lines that make them call perfevo belong into their config,
 * which is the team's. The user gets the lines for them; their files are not edited.
 */
#pragma once

#include "hooks/script.h"

enum pe_hook_manager {
	PE_MANAGER_NONE,
	PE_MANAGER_HUSKY,
	PE_MANAGER_PRE_COMMIT,
	PE_MANAGER_LEFTHOOK,
};

/** "husky", "pre-commit", "lefthook". */
const char *pe_manager_name(enum pe_hook_manager manager);

/**
 * Detect which manager owns the hooks, by its config in the tree.
 *
 * @param config  receives the path of its config, relative to the tree; NULL: there is none
 * @param tree    the user's tree; NULL: a bare repository
 */
enum pe_hook_manager pe_manager_detect(const char **config, const char *tree);

/** Append what the user has to add to the manager's config, ready to be copied, for the chosen hooks. */
void pe_manager_advise(struct pe_text *out, enum pe_hook_manager manager, const char *config,
		       const bool chosen[PE_N_HOOKS]);
