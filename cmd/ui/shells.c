/*
 * Shells. Each script is made of a fixed part, which calls git and perfevo (completion.bash and its
 * neighbours), and of one branch a command, printed from its table in place of a line "# @...@".
 */
#include "cmd/ui/shells.h"

#include <string.h>

extern const char pe_completion_bash[], pe_completion_zsh[], pe_completion_fish[];

/* The fixed text up to the line with a mark, which is left out; the rest of it is for the next call. */
static void put_until(struct pe_text *out, const char **rest, const char *mark)
{
	const char *at = strstr(*rest, mark), *line = at;

	while (line > *rest && line[-1] == '\t')
		line--;
	pe_text_addn(out, *rest, (size_t)(line - *rest));
	*rest = strchr(at, '\n') + 1;
}

static bool is_row(const struct pe_opt *opt)
{
	return opt->kind != PE_OPT_GROUP;
}

static const char *name_of(const struct pe_shell_command *command)
{
	return command->cmd != NULL ? command->cmd->name : "";
}

/* --- bash --- */

static void bash_action(struct pe_text *out, const struct pe_completion *completion)
{
	static const char *const actions[] = {
		[PE_COMPLETE_NOTHING] = ":",
		[PE_COMPLETE_FILE] = "_perfevo_files -f",
		[PE_COMPLETE_DIR] = "_perfevo_files -d",
		[PE_COMPLETE_REVISION] = "_perfevo_revisions",
		[PE_COMPLETE_BENCHMARK] = "_perfevo_benchmarks",
	};

	if (completion->kind == PE_COMPLETE_WORDS)
		pe_text_addf(out, "_perfevo_words '%s'", completion->words);
	else
		pe_text_add(out, actions[completion->kind]);
}

/* What follows each option that takes a value. */
static void bash_values(struct pe_text *out, const struct pe_shell_command *command,
			struct pe_arena *arena)
{
	for (const struct pe_opt *opt = command->opts; opt->kind != PE_OPT_END; opt++) {
		const char *name = name_of(command);
		struct pe_completion value;

		if (!is_row(opt) || !pe_completion_takes_value(opt))
			continue;
		value = pe_completion_of(opt, arena);
		pe_text_addf(out, "\t\"%s --%s\"", name, opt->name);
		if (opt->letter != 0)
			pe_text_addf(out, " | \"%s -%c\"", name, opt->letter);
		pe_text_add(out, ")\n\t\t");
		bash_action(out, &value);
		pe_text_add(out, "\n\t\treturn\n\t\t;;\n");
	}
}

static void bash_words(struct pe_text *out, const struct pe_shell_command *command)
{
	pe_text_addf(out, "\t'%s')\n\t\toptions='", name_of(command));
	for (const struct pe_opt *opt = command->opts; opt->kind != PE_OPT_END; opt++)
		if (is_row(opt))
			pe_text_addf(out, "%s--%s", opt == command->opts ? "" : " ", opt->name);
	pe_text_add(out, "'\n\t\tcase $cur in\n\t\t-*) _perfevo_words \"$options\" ;;\n\t\t*) ");
	bash_action(out, &command->operands);
	pe_text_add(out, " ;;\n\t\tesac\n\t\t;;\n");
}

void pe_shell_bash(struct pe_text *out, const struct pe_shell_commands *commands)
{
	const char *rest = pe_completion_bash;

	put_until(out, &rest, "# @commands@");
	for (size_t i = 1; i < commands->n; i++)
		pe_text_addf(out, "\t\t%s%s", name_of(&commands->at[i]),
			     i + 1 < commands->n ? " | \\\n" : ")\n");
	pe_text_add(out, "\t\t\tcommand=${COMP_WORDS[i]}\n\t\t\tbreak\n\t\t\t;;\n");
	put_until(out, &rest, "# @values@");
	for (size_t i = 0; i < commands->n; i++)
		bash_values(out, &commands->at[i], commands->arena);
	put_until(out, &rest, "# @words@");
	for (size_t i = 0; i < commands->n; i++)
		bash_words(out, &commands->at[i]);
	pe_text_add(out, rest);
}

/* --- zsh --- */

/* Inside single quotes, in _arguments' own language: brackets, colons and quotes are special. */
static void zsh_add(struct pe_text *out, const char *string)
{
	for (; *string != '\0'; string++) {
		if (*string == '\'')
			pe_text_add(out, "'\\''");
		else if (strchr("[]:\\", *string) != NULL)
			pe_text_addf(out, "\\%c", *string);
		else
			pe_text_addc(out, *string);
	}
}

static void zsh_action(struct pe_text *out, const struct pe_completion *completion)
{
	static const char *const actions[] = {
		[PE_COMPLETE_NOTHING] = " ",
		[PE_COMPLETE_FILE] = "_files",
		[PE_COMPLETE_DIR] = "_files -/",
		[PE_COMPLETE_REVISION] = "_perfevo_revisions",
		[PE_COMPLETE_BENCHMARK] = "_perfevo_benchmarks",
	};

	if (completion->kind == PE_COMPLETE_WORDS)
		pe_text_addf(out, "(%s)", completion->words);
	else
		pe_text_add(out, actions[completion->kind]);
}

/* '(-b --bench)'{-b+,--bench=}'[help]:REGEX:action' */
static void zsh_option(struct pe_text *out, const struct pe_opt *opt, struct pe_arena *arena)
{
	bool takes = pe_completion_takes_value(opt), again = opt->kind == PE_OPT_LIST;

	pe_text_add(out, "\t\t");
	if (opt->letter != 0 && again)
		pe_text_addf(out, "'*'{-%c,--%s%s}'", opt->letter, opt->name, takes ? "=" : "");
	else if (opt->letter != 0)
		pe_text_addf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", opt->letter, opt->name,
			     opt->letter, takes ? "+" : "", opt->name, takes ? "=" : "");
	else
		pe_text_addf(out, "'%s--%s%s", again ? "*" : "", opt->name, takes ? "=" : "");
	pe_text_addc(out, '[');
	zsh_add(out, opt->help);
	pe_text_addc(out, ']');
	if (takes) {
		struct pe_completion value = pe_completion_of(opt, arena);

		pe_text_addf(out, ":%s:", opt->argument != NULL ? opt->argument : opt->name);
		zsh_action(out, &value);
	}
	pe_text_add(out, "' \\\n");
}

static void zsh_options(struct pe_text *out, const struct pe_shell_command *command,
			struct pe_arena *arena)
{
	for (const struct pe_opt *opt = command->opts; opt->kind != PE_OPT_END; opt++)
		if (is_row(opt))
			zsh_option(out, opt, arena);
}

static void zsh_command(struct pe_text *out, const struct pe_shell_command *command,
			struct pe_arena *arena)
{
	pe_text_addf(out, "_perfevo_%s() {\n\t_arguments -s -S \\\n", name_of(command));
	zsh_options(out, command, arena);
	pe_text_add(out, "\t\t'*:operand:");
	zsh_action(out, &command->operands);
	pe_text_add(out, "'\n}\n\n");
}

static void zsh_list(struct pe_text *out, const struct pe_shell_commands *commands)
{
	pe_text_add(out, "_perfevo_commands() {\n\tlocal -a commands\n\tcommands=(\n");
	for (size_t i = 1; i < commands->n; i++) {
		pe_text_addf(out, "\t\t'%s:", name_of(&commands->at[i]));
		zsh_add(out, commands->at[i].cmd->summary);
		pe_text_add(out, "'\n");
	}
	pe_text_add(out, "\t)\n\t_describe command commands\n}\n\n");
}

void pe_shell_zsh(struct pe_text *out, const struct pe_shell_commands *commands)
{
	const char *rest = pe_completion_zsh;

	put_until(out, &rest, "# @commands@");
	zsh_list(out, commands);
	for (size_t i = 1; i < commands->n; i++)
		zsh_command(out, &commands->at[i], commands->arena);
	put_until(out, &rest, "# @options@");
	zsh_options(out, &commands->at[0], commands->arena);
	pe_text_add(out, rest);
}

/* --- fish --- */

static void fish_add(struct pe_text *out, const char *string)
{
	pe_text_addc(out, '\'');
	for (; *string != '\0'; string++) {
		if (*string == '\'' || *string == '\\')
			pe_text_addc(out, '\\');
		pe_text_addc(out, *string);
	}
	pe_text_addc(out, '\'');
}

static void fish_action(struct pe_text *out, const struct pe_completion *completion)
{
	static const char *const actions[] = {
		[PE_COMPLETE_NOTHING] = "",
		[PE_COMPLETE_FILE] = " -F",
		[PE_COMPLETE_DIR] = " -a '(__fish_complete_directories)'",
		[PE_COMPLETE_REVISION] = " -a '(__perfevo_revisions)'",
		[PE_COMPLETE_BENCHMARK] = " -a '(__perfevo_benchmarks)'",
	};

	if (completion->kind == PE_COMPLETE_WORDS)
		pe_text_addf(out, " -a '%s'", completion->words);
	else
		pe_text_add(out, actions[completion->kind]);
}

static void fish_start(struct pe_text *out, const struct pe_shell_command *command,
		       const char *names)
{
	if (command->cmd == NULL)
		pe_text_addf(out, "complete -c perfevo -n 'not __fish_seen_subcommand_from %s'",
			     names);
	else
		pe_text_addf(out, "complete -c perfevo -n '__fish_seen_subcommand_from %s'",
			     name_of(command));
}

static void fish_command(struct pe_text *out, const struct pe_shell_command *command,
			 const struct pe_shell_commands *commands)
{
	pe_text_addc(out, '\n');
	for (const struct pe_opt *opt = command->opts; opt->kind != PE_OPT_END; opt++) {
		if (!is_row(opt))
			continue;
		fish_start(out, command, commands->names);
		if (opt->letter != 0)
			pe_text_addf(out, " -s %c", opt->letter);
		pe_text_addf(out, " -l %s", opt->name);
		if (pe_completion_takes_value(opt)) {
			struct pe_completion value = pe_completion_of(opt, commands->arena);

			pe_text_add(out, value.kind == PE_COMPLETE_FILE ? " -r" : " -x");
			fish_action(out, &value);
		}
		pe_text_add(out, " -d ");
		fish_add(out, opt->help);
		pe_text_addc(out, '\n');
	}
	if (command->cmd != NULL && command->operands.kind != PE_COMPLETE_NOTHING) {
		fish_start(out, command, commands->names);
		fish_action(out, &command->operands);
		pe_text_addc(out, '\n');
	}
}

void pe_shell_fish(struct pe_text *out, const struct pe_shell_commands *commands)
{
	pe_text_add(out, pe_completion_fish);
	for (size_t i = 1; i < commands->n; i++) {
		fish_start(out, &commands->at[0], commands->names);
		pe_text_addf(out, " -a %s -d ", name_of(&commands->at[i]));
		fish_add(out, commands->at[i].cmd->summary);
		pe_text_addc(out, '\n');
	}
	for (size_t i = 0; i < commands->n; i++)
		fish_command(out, &commands->at[i], commands);
}
