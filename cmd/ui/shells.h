/* Shells: completions for bash, zsh and fish, printed from the commands' tables. */
#ifndef PE_CMD_UI_SHELLS_H
#define PE_CMD_UI_SHELLS_H

#include "cmd/ui/cmd.h"

/** What a word can be completed with. */
enum pe_complete {
	PE_COMPLETE_NOTHING, /**< a value that cannot be completed */
	PE_COMPLETE_FILE,
	PE_COMPLETE_DIR,
	PE_COMPLETE_REVISION, /**< or a range of them */
	PE_COMPLETE_BENCHMARK,
	PE_COMPLETE_WORDS, /**< one of a few */
};

struct pe_completion {
	enum pe_complete kind;
	const char *words; /**< of PE_COMPLETE_WORDS, separated by spaces */
};

/** A command as the completions see it. */
struct pe_shell_command {
	const struct pe_cmd *cmd; /**< NULL: before the command */
	const struct pe_opt *opts;
	struct pe_completion operands;
};

struct pe_shell_commands {
	const struct pe_shell_command *at; /**< the one without a command first */
	size_t n;
	const char *names; /**< of all commands, separated by spaces */
	struct pe_arena *arena;
};

/** What an option's value is completed with; words live in the arena. */
struct pe_completion pe_completion_of(const struct pe_opt *opt, struct pe_arena *arena);

/** Whether an option takes a value. */
bool pe_completion_takes_value(const struct pe_opt *opt);

/** A shell's completion script: the commands with their options and words, ready to be sourced. */
void pe_shell_bash(struct pe_text *out, const struct pe_shell_commands *commands);
void pe_shell_zsh(struct pe_text *out, const struct pe_shell_commands *commands);
void pe_shell_fish(struct pe_text *out, const struct pe_shell_commands *commands);

#endif
