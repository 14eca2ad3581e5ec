/*
 * Shells. Each script is made of a fixed part, which knows how to ask git and perfevo, and of one branch a
 * command, printed from its table.
 */
#include "cmd/ui/shells.h"

#include <string.h>

static bool is_row(const struct pe_opt *opt)
{
	return opt->kind != PE_OPT_GROUP;
}

static const char *name_of(const struct pe_shell_command *command)
{
	return command->cmd != NULL ? command->cmd->name : "";
}

/* --- bash --- */

static const char bash_head[] =
	"# bash completion of perfevo; printed by 'perfevo completion bash'\n"
	"\n"
	"_perfevo_words()\n"
	"{\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_perfevo_files()\n"
	"{\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_perfevo_revisions()\n"
	"{\n"
	"\tlocal before=''\n"
	"\tcase $cur in *..*) before=${cur%..*}.. ;; esac\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \\\n"
	"\t\t\"HEAD $(git for-each-ref --format='%(refname:short)' 2>/dev/null)\" -- "
	"\"${cur#\"$before\"}\")\n"
	"}\n"
	"\n"
	"_perfevo_benchmarks()\n"
	"{\n"
	"\tlocal IFS=$'\\n'\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$(perfevo completion --benchmarks 2>/dev/null)\" "
	"-- \"$cur\")\n"
	"}\n"
	"\n"
	"_perfevo()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' "
	"options='' "
	"i\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\t# --option=value comes as three words\n"
	"\tif [ \"$cur\" = = ]; then\n"
	"\t\tcur=\n"
	"\telif [ \"$prev\" = = ]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\tfi\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in\n";

static const char bash_tail[] = "\tesac\n"
				"}\n"
				"\n"
				"# git's own completion calls this for 'git perfevo'\n"
				"_git_perfevo()\n"
				"{\n"
				"\t_perfevo\n"
				"}\n"
				"\n"
				"complete -F _perfevo perfevo git-perfevo\n";

static void bash_action(struct pe_text *out, const struct pe_completion *completion)
{
	switch (completion->kind) {
	case PE_COMPLETE_FILE:
		pe_text_add(out, "_perfevo_files -f");
		break;
	case PE_COMPLETE_DIR:
		pe_text_add(out, "_perfevo_files -d");
		break;
	case PE_COMPLETE_REVISION:
		pe_text_add(out, "_perfevo_revisions");
		break;
	case PE_COMPLETE_BENCHMARK:
		pe_text_add(out, "_perfevo_benchmarks");
		break;
	case PE_COMPLETE_WORDS:
		pe_text_addf(out, "_perfevo_words '%s'", completion->words);
		break;
	default:
		pe_text_add(out, ":");
	}
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
	pe_text_add(out, bash_head);
	for (size_t i = 1; i < commands->n; i++)
		pe_text_addf(out, "\t\t%s%s", name_of(&commands->at[i]),
			     i + 1 < commands->n ? " | \\\n" : ")\n");
	pe_text_add(out, "\t\t\tcommand=${COMP_WORDS[i]}\n\t\t\tbreak\n\t\t\t;;\n\t\tesac\n\tdone\n"
			 "\tcase \"$command $prev\" in\n");
	for (size_t i = 0; i < commands->n; i++)
		bash_values(out, &commands->at[i], commands->arena);
	pe_text_add(out, "\tesac\n\tcase $command in\n");
	for (size_t i = 0; i < commands->n; i++)
		bash_words(out, &commands->at[i]);
	pe_text_add(out, bash_tail);
}

/* --- zsh --- */

static const char zsh_head[] =
	"#compdef perfevo git-perfevo\n"
	"# zsh completion of perfevo; printed by 'perfevo completion zsh'\n"
	"\n"
	"_perfevo_revisions() {\n"
	"\tlocal -a revisions\n"
	"\trevisions=(HEAD ${(f)\"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)\"})\n"
	"\tcompset -P '*..'\n"
	"\tcompadd -a revisions\n"
	"}\n"
	"\n"
	"_perfevo_benchmarks() {\n"
	"\tlocal -a names\n"
	"\tnames=(${(f)\"$(perfevo completion --benchmarks 2>/dev/null)\"})\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n";

static const char zsh_top[] = "_perfevo() {\n"
			      "\tlocal curcontext=$curcontext state line\n"
			      "\tlocal -A opt_args\n"
			      "\n"
			      "\t_arguments -C -s \\\n";

static const char zsh_tail[] =
	"\t\t'1:command:->command' \\\n"
	"\t\t'*::operand:->operands'\n"
	"\tcase $state in\n"
	"\tcommand)\n"
	"\t\t_perfevo_commands\n"
	"\t\t;;\n"
	"\toperands)\n"
	"\t\tcurcontext=${curcontext%:*:*}:perfevo-$words[1]:\n"
	"\t\t(( $+functions[_perfevo_$words[1]] )) && _perfevo_$words[1]\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# loaded by compinit it is the function itself, sourced it is registered\n"
	"if [ \"$funcstack[1]\" = _perfevo ]; then\n"
	"\t_perfevo \"$@\"\n"
	"else\n"
	"\tcompdef _perfevo perfevo git-perfevo\n"
	"fi\n";

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
	pe_text_add(out, zsh_head);
	zsh_list(out, commands);
	for (size_t i = 1; i < commands->n; i++)
		zsh_command(out, &commands->at[i], commands->arena);
	pe_text_add(out, zsh_top);
	zsh_options(out, &commands->at[0], commands->arena);
	pe_text_add(out, zsh_tail);
}

/* --- fish --- */

static const char fish_head[] =
	"# fish completion of perfevo; printed by 'perfevo completion fish'\n"
	"\n"
	"function __perfevo_revisions\n"
	"\techo HEAD\n"
	"\tgit for-each-ref --format='%(refname:short)' 2>/dev/null\n"
	"end\n"
	"\n"
	"function __perfevo_benchmarks\n"
	"\tperfevo completion --benchmarks 2>/dev/null\n"
	"end\n"
	"\n"
	"complete -c git-perfevo -w perfevo\n"
	"complete -c perfevo -f\n";

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
	switch (completion->kind) {
	case PE_COMPLETE_FILE:
		pe_text_add(out, " -F");
		break;
	case PE_COMPLETE_DIR:
		pe_text_add(out, " -a '(__fish_complete_directories)'");
		break;
	case PE_COMPLETE_REVISION:
		pe_text_add(out, " -a '(__perfevo_revisions)'");
		break;
	case PE_COMPLETE_BENCHMARK:
		pe_text_add(out, " -a '(__perfevo_benchmarks)'");
		break;
	case PE_COMPLETE_WORDS:
		pe_text_addf(out, " -a '%s'", completion->words);
		break;
	default:
		break;
	}
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
	pe_text_add(out, fish_head);
	for (size_t i = 1; i < commands->n; i++) {
		fish_start(out, &commands->at[0], commands->names);
		pe_text_addf(out, " -a %s -d ", name_of(&commands->at[i]));
		fish_add(out, commands->at[i].cmd->summary);
		pe_text_addc(out, '\n');
	}
	for (size_t i = 0; i < commands->n; i++)
		fish_command(out, &commands->at[i], commands);
}
