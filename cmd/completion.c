/*
 * Completion: a shell's script hands what was typed to `perfevo completion --words`, and shows what that prints: candidates,
 * one a line, each with a tab and its description where it has one; or a line that names what the shell itself knows,
 * ":files", ":folders" or ":revisions".
 */
#include "cmd/commands.h"
#include "cmd/ui/usage.h"

#include "core/model/metric.h"

#include <string.h>

extern const char pe_completion_bash[], pe_completion_zsh[], pe_completion_fish[];

/* What was typed, and what it may become. */
struct completing {
	struct pe_cmd_ctx *ctx;
	const char *command; /* "": its name does not stand there yet */
	const char
		*option; /* the word before the last, which may be an option that takes a value */
	const char *word,
		*kept; /* the last word; in "--format=j", "--format=" is kept before each candidate */
	struct pe_text out;
};

static void put(struct completing *at, const char *word, const char *description)
{
	pe_text_addf(&at->out, "%s%s%s%s\n", at->kept, word, description[0] != '\0' ? "\t" : "",
		     description);
}

static void put_all(struct completing *at, const char *const *words)
{
	for (; *words != NULL; words++)
		put(at, *words, "");
}

static void put_commands(struct completing *at)
{
	for (const struct pe_cmd *cmd = at->ctx->cmds; cmd->name != NULL; cmd++)
		if ((cmd->needs & PE_IS_HIDDEN) == 0)
			put(at, cmd->name, cmd->summary);
}

/* Members of suites, and tests: only the store has them. */
static void put_members(struct completing *at, struct pe_app *app)
{
	struct pe_strings names;

	if (pe_app_open_store(app, PE_NEEDS_STORE_READ) == PE_OK &&
	    pe_store_member_names(&names, app->store, app->arena, app->err) == PE_OK)
		for (size_t i = 0; i < names.n; i++)
			put(at, names.at[i], "");
}

/* Without a config there are none. */
static void put_benchmarks(struct completing *at)
{
	struct pe_app *app = &at->ctx->app;

	app->quiet = true;
	if (pe_app_open(app, PE_NEEDS_REPO | PE_WANTS_CONFIG) != PE_OK || app->config == NULL)
		return;
	for (size_t i = 0; i < app->config->n_benchmarks; i++)
		put(at, app->config->benchmarks[i].name, "");
	if (app->config->n_suites > 0 || app->config->tests.kind != PE_TESTS_NONE)
		put_members(at, app);
}

static void put_values(struct completing *at, const struct pe_opt *opt)
{
	static const struct {
		const char *argument, *line;
	} known[] = {{"FILE", ":files\n"}, {"DIR", ":folders\n"}, {"REV", ":revisions\n"}};

	if (opt->kind == PE_OPT_CHOICE)
		put_all(at, opt->choices);
	for (size_t i = 0; strcmp(opt->name, "metric") == 0 && i < PE_N_METRICS; i++)
		put(at, pe_metrics[i].name, "");
	if (strcmp(opt->name, "bench") == 0)
		put_benchmarks(at);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (opt->argument != NULL && strcmp(opt->argument, known[i].argument) == 0)
			pe_text_add(&at->out, known[i].line);
}

/* Topics of help: the commands and the config, below that its keys. */
static void put_topics(struct completing *at)
{
	const struct pe_usage keys = pe_usage_of("list keys", at->ctx->app.arena);

	if (strcmp(at->option, "config") != 0) {
		put_commands(at);
		put(at, "config", "the keys of perfevo.yml");
		return;
	}
	for (const struct pe_example *key = keys.examples; key->command != NULL; key++)
		if (strchr(key->command, '.') == NULL)
			put(at, key->command, key->what);
}

/* Operands, from the usage lines: "[A..B]", "[REV]", "[COMMAND]", "bash|zsh|fish". */
static void put_operands(struct completing *at, const struct pe_usage *usage)
{
	static const char *const shells[] = {"bash", "zsh", "fish", NULL};

	for (size_t i = 0; usage->lines[i] != NULL; i++) {
		const char *line = usage->lines[i];

		if (strstr(line, "A..B") != NULL || strstr(line, "REV") != NULL)
			pe_text_add(&at->out, ":revisions\n");
		else if (strstr(line, "[COMMAND]") != NULL)
			put_topics(at);
		else if (strstr(line, "bash|zsh|fish") != NULL)
			put_all(at, shells);
		else
			continue;
		return;
	}
}

/* The option that the word before asks a value of; NULL: none. */
static const struct pe_opt *find_asking(const struct pe_opt *opts, const char *word)
{
	for (; opts->kind != PE_OPT_END; opts++) {
		const bool named = strncmp(word, "--", 2) == 0 && opts->name != NULL &&
				   strcmp(word + 2, opts->name) == 0;
		const bool lettered = word[0] == '-' && opts->letter != 0 &&
				      word[1] == opts->letter && word[2] == '\0';

		if (opts->kind != PE_OPT_GROUP && opts->kind != PE_OPT_FLAG && (named || lettered))
			return opts;
	}
	return NULL;
}

/* @param usage  NULL: the command's name does not stand there yet */
static void complete(struct completing *at, const struct pe_opt *opts, const struct pe_usage *usage)
{
	const struct pe_opt *asking = find_asking(opts, at->option);

	if (asking != NULL) {
		put_values(at, asking);
		return;
	}
	for (; at->word[0] == '-' && opts->kind != PE_OPT_END; opts++)
		if (opts->kind != PE_OPT_GROUP)
			put(at, pe_arena_printf(at->ctx->app.arena, "--%s", opts->name),
			    opts->help);
	if (at->word[0] != '-' && usage == NULL)
		put_commands(at);
	else if (at->word[0] != '-')
		put_operands(at, usage);
}

static void complete_command(const struct pe_cmd *cmd, const struct pe_opt *opts,
			     const struct pe_usage *usage, void *payload)
{
	struct completing *at = payload;

	if (strcmp(cmd->name, at->command) == 0)
		complete(at, opts, usage);
}

/* Read the words; bash gives the parts of --option=value as three. */
static struct completing read_words(struct pe_cmd_ctx *ctx, char **words, int n)
{
	struct completing at = {.ctx = ctx, .command = "", .option = "", .word = "", .kept = ""};
	const char *end;

	if (n > 0 && strcmp(words[n - 1], "=") != 0)
		at.word = words[--n];
	while (n > 0 && strcmp(words[n - 1], "=") == 0)
		n--;
	for (int i = 1; i < n && at.command[0] == '\0'; i++)
		for (const struct pe_cmd *cmd = ctx->cmds; cmd->name != NULL; cmd++)
			if (strcmp(cmd->name, words[i]) == 0)
				at.command = cmd->name;
	if (n > 0)
		at.option = words[n - 1];
	end = strncmp(at.word, "--", 2) == 0 ? strchr(at.word, '=') : NULL;
	if (end != NULL) {
		at.option = pe_arena_strndup(ctx->app.arena, at.word, (size_t)(end - at.word));
		at.kept = pe_arena_strndup(ctx->app.arena, at.word, (size_t)(end + 1 - at.word));
		at.word = end + 1;
	}
	return at;
}

static void complete_words(struct pe_text *out, struct pe_cmd_ctx *ctx, char **words, int n)
{
	bool version = false;
	const struct pe_opt own[] = {
		OPT_FLAG(0, "version", &version, "print the version"),
		OPT_END,
	};
	struct completing at = read_words(ctx, words, n);

	if (at.command[0] == '\0')
		complete(&at, pe_cmd_options(ctx, own), NULL);
	else
		pe_cmd_visit_all(ctx->cmds, complete_command, &at);
	*out = at.out;
}

int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	static const struct {
		const char *shell, *script;
	} scripts[] = {{"bash", pe_completion_bash},
		       {"zsh", pe_completion_zsh},
		       {"fish", pe_completion_fish}};
	bool benchmarks = false, words = false;
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "benchmarks", &benchmarks,
			 "print the benchmarks of this project instead"),
		OPT_FLAG(0, "words", &words,
			 "print what the last of these words may become, for the scripts"),
		OPT_END,
	};
	struct completing all = {.ctx = ctx, .kept = ""};
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	for (size_t i = 0;
	     !words && !benchmarks && argc == 1 && i < sizeof(scripts) / sizeof(*scripts); i++)
		if (strcmp(argv[0], scripts[i].shell) == 0)
			pe_text_add(&text, scripts[i].script);
	if (words) {
		complete_words(&text, ctx, argv, argc);
	} else if (benchmarks) {
		put_benchmarks(&all);
		text = all.out;
	} else if (text.len == 0) {
		return pe_cmd_misused(ctx, "for which shell: bash, zsh or fish?");
	}
	return pe_cmd_print(ctx, &text, false);
}
