#include "hooks/managers.h"

#include <unistd.h>

/* A commit never fails for perfevo's sake; a push does when the answer is no. */
#define HUSKY(hook, behind)                                                                        \
	"Add this line to .husky/" hook " (make the file if there is none):\n\n"                   \
	"    ! command -v perfevo >/dev/null || perfevo hook " hook behind "\n\n"

#define PRE_COMMIT(hook)                                                                           \
	"      - id: perfevo-" hook "\n"                                                           \
	"        name: perfevo\n"                                                                  \
	"        entry: perfevo hook " hook "\n"                                                   \
	"        language: system\n"                                                               \
	"        stages: [" hook "]\n"                                                             \
	"        always_run: true\n"                                                               \
	"        pass_filenames: false\n"

#define LEFTHOOK(hook, behind)                                                                     \
	"    " hook ":\n"                                                                          \
	"      commands:\n"                                                                        \
	"        perfevo:\n"                                                                       \
	"          run: perfevo hook " hook behind "\n"

static const struct {
	const char *name;
	const char *configs[8]; /* below the tree; one of them is there */
	const char *head;       /* of its advice, behind the config's name; NULL: none */
	const char *each[PE_N_HOOKS], *middle, *again[PE_N_HOOKS], *tail;
} managers[] = {
	[PE_MANAGER_NONE] = {.name = "none"},
	[PE_MANAGER_HUSKY] =
		{
			.name = "husky",
			.configs = {".husky"},
			.each = {[PE_HOOK_POST_COMMIT] = HUSKY("post-commit", " || true"),
				 [PE_HOOK_PRE_PUSH] = HUSKY("pre-push", " \"$@\""),
				 [PE_HOOK_PRE_COMMIT] = HUSKY("pre-commit", "")},
		},
	[PE_MANAGER_PRE_COMMIT] =
		{
			.name = "pre-commit",
			.configs = {".pre-commit-config.yaml", ".pre-commit-config.yml"},
			.head = ", under 'repos:':\n\n  - repo: local\n    hooks:\n",
			.each = {[PE_HOOK_POST_COMMIT] = PRE_COMMIT("post-commit"),
				 [PE_HOOK_PRE_PUSH] = PRE_COMMIT("pre-push"),
				 [PE_HOOK_PRE_COMMIT] = PRE_COMMIT("pre-commit")},
			.middle = "\nand let it install what it has not yet:\n\n"
				  "    pre-commit install",
			.again = {[PE_HOOK_POST_COMMIT] = " --hook-type post-commit",
				  [PE_HOOK_PRE_PUSH] = " --hook-type pre-push",
				  [PE_HOOK_PRE_COMMIT] = " --hook-type pre-commit"},
			.tail = "\n\n",
		},
	[PE_MANAGER_LEFTHOOK] =
		{
			.name = "lefthook",
			.configs = {"lefthook.yml", ".lefthook.yml", "lefthook.yaml",
				    ".lefthook.yaml", "lefthook.toml", "lefthook.json",
				    ".config/lefthook.yml"},
			.head = ":\n\n",
			.each = {[PE_HOOK_POST_COMMIT] = LEFTHOOK("post-commit", ""),
				 [PE_HOOK_PRE_PUSH] = LEFTHOOK("pre-push", " {0}\n"
									   "          use_stdin: "
									   "true"),
				 [PE_HOOK_PRE_COMMIT] = LEFTHOOK("pre-commit", "")},
			.tail = "\nand run 'lefthook install'.\n\n",
		},
};

const char *pe_manager_name(enum pe_hook_manager manager)
{
	return managers[manager].name;
}

enum pe_hook_manager pe_manager_detect(const char **config, const char *tree)
{
	*config = NULL;
	for (int m = PE_MANAGER_HUSKY; tree != NULL && m <= PE_MANAGER_LEFTHOOK; m++)
		for (size_t i = 0; managers[m].configs[i] != NULL; i++) {
			pe_auto_text path = PE_TEXT_INIT;

			pe_text_addf(&path, "%s/%s", tree, managers[m].configs[i]);
			if (access(path.data, F_OK) == 0) {
				*config = managers[m].configs[i];
				return (enum pe_hook_manager)m;
			}
		}
	return PE_MANAGER_NONE;
}

static void add_chosen(struct pe_text *out, const char *const texts[PE_N_HOOKS],
		       const bool chosen[PE_N_HOOKS])
{
	for (int i = 0; i < PE_N_HOOKS; i++)
		if (chosen[i] && texts[i] != NULL)
			pe_text_add(out, texts[i]);
}

void pe_manager_advise(struct pe_text *out, enum pe_hook_manager manager, const char *config,
		       const bool chosen[PE_N_HOOKS])
{
	if (managers[manager].head != NULL)
		pe_text_addf(out, "Add this to %s%s", config, managers[manager].head);
	add_chosen(out, managers[manager].each, chosen);
	if (managers[manager].middle != NULL)
		pe_text_add(out, managers[manager].middle);
	add_chosen(out, managers[manager].again, chosen);
	if (managers[manager].tail != NULL)
		pe_text_add(out, managers[manager].tail);
}
