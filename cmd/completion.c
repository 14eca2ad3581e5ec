/* Completion: what every word can be completed with, and the command that prints it for a shell. */
#include "cmd/commands.h"
#include "cmd/ui/shells.h"

#include "core/base/vec.h"
#include "core/model/metric.h"

#include <string.h>

/* --- What completes a value --- */

bool pe_completion_takes_value(const struct pe_opt *opt)
{
	return opt->kind != PE_OPT_FLAG;
}

static const char *join(const char *const *words, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; words[i] != NULL; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? " " : "", words[i]);
	return pe_arena_strdup(arena, pe_text_str(&text));
}

static const char *metric_names(struct pe_arena *arena)
{
	const char *names[PE_N_METRICS + 1] = {NULL};

	for (size_t i = 0; i < PE_N_METRICS; i++)
		names[i] = pe_metrics[i].name;
	return join(names, arena);
}

struct pe_completion pe_completion_of(const struct pe_opt *opt, struct pe_arena *arena)
{
	static const struct {
		const char *argument;
		enum pe_complete kind;
	} kinds[] = {
		{"FILE", PE_COMPLETE_FILE},
		{"DIR", PE_COMPLETE_DIR},
		{"REV", PE_COMPLETE_REVISION},
	};

	if (opt->kind == PE_OPT_CHOICE)
		return (struct pe_completion){PE_COMPLETE_WORDS, join(opt->choices, arena)};
	if (opt->name != NULL && strcmp(opt->name, "metric") == 0)
		return (struct pe_completion){PE_COMPLETE_WORDS, metric_names(arena)};
	if (opt->name != NULL && strcmp(opt->name, "bench") == 0)
		return (struct pe_completion){PE_COMPLETE_BENCHMARK, NULL};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (opt->argument != NULL && strcmp(opt->argument, kinds[i].argument) == 0)
			return (struct pe_completion){kinds[i].kind, NULL};
	return (struct pe_completion){PE_COMPLETE_NOTHING, NULL};
}

/* Operands, from the usage lines: "[A..B]", "[REV]", "[COMMAND]", "bash|zsh|fish". */
static struct pe_completion operands_of(const struct pe_usage *of, const char *names)
{
	for (size_t i = 0; of->lines[i] != NULL; i++) {
		const char *line = of->lines[i];

		if (strstr(line, "A..B") != NULL || strstr(line, "REV") != NULL)
			return (struct pe_completion){PE_COMPLETE_REVISION, NULL};
		if (strstr(line, "[COMMAND]") != NULL)
			return (struct pe_completion){PE_COMPLETE_WORDS, names};
		if (strstr(line, "bash|zsh|fish") != NULL)
			return (struct pe_completion){PE_COMPLETE_WORDS, "bash zsh fish"};
	}
	return (struct pe_completion){PE_COMPLETE_NOTHING, NULL};
}

/* --- The commands --- */

/* A visit's rows point into the command's own frame: they are copied, their texts are constants. */
struct collection {
	PE_VEC(struct pe_shell_command) commands;
	const char *names;
	struct pe_arena *arena;
};

static const struct pe_opt *copy_rows(const struct pe_opt *opts, struct pe_arena *arena)
{
	struct pe_opt *copy;
	size_t n = 0;

	while (opts[n].kind != PE_OPT_END)
		n++;
	copy = pe_arena_new(arena, struct pe_opt, n + 1);
	memcpy(copy, opts, (n + 1) * sizeof(*copy));
	return copy;
}

static void collect(const struct pe_cmd *cmd, const struct pe_opt *opts,
		    const struct pe_usage *command_usage, void *payload)
{
	struct collection *all = payload;
	const struct pe_shell_command one = {
		.cmd = cmd,
		.opts = copy_rows(opts, all->arena),
		.operands = operands_of(command_usage, all->names),
	};

	if ((cmd->needs & PE_IS_HIDDEN) == 0)
		pe_vec_push(&all->commands, one);
}

static const char *command_names(const struct pe_cmd *cmds, struct pe_arena *arena)
{
	pe_auto_free PE_VEC(const char *) names = {0};

	for (; cmds->name != NULL; cmds++)
		if ((cmds->needs & PE_IS_HIDDEN) == 0)
			pe_vec_push(&names, cmds->name);
	pe_vec_push(&names, NULL);
	return join(names.data, arena);
}

static void print_script(struct pe_text *out, struct pe_cmd_ctx *ctx,
			 void (*write)(struct pe_text *, const struct pe_shell_commands *))
{
	bool version = false;
	const struct pe_opt own[] = {
		OPT_FLAG(0, "version", &version, "print the version"),
		OPT_END,
	};
	struct collection all = {.names = command_names(ctx->cmds, ctx->app.arena),
				 .arena = ctx->app.arena};
	struct pe_shell_command top = {
		.opts = pe_cmd_options(ctx, own),
		.operands = {PE_COMPLETE_WORDS, all.names},
	};

	pe_vec_push(&all.commands, top);
	pe_cmd_visit_all(ctx->cmds, collect, &all);
	write(out, &(struct pe_shell_commands){all.commands.data, all.commands.n, all.names,
					       ctx->app.arena});
	pe_vec_release(&all.commands);
}

/* Members of suites, and tests: only the store has them. */
static void print_members(struct pe_text *out, struct pe_app *app)
{
	struct pe_strings names;

	if (pe_app_open_store(app, PE_NEEDS_STORE_READ) == PE_OK &&
	    pe_store_member_names(&names, app->store, app->arena, app->err) == PE_OK)
		for (size_t i = 0; i < names.n; i++)
			pe_text_addf(out, "%s\n", names.at[i]);
}

/* Called by the scripts while a -b is being typed; without a config nothing is printed. */
static void print_benchmarks(struct pe_text *out, struct pe_cmd_ctx *ctx)
{
	ctx->app.quiet = true;
	if (pe_app_open(&ctx->app, PE_NEEDS_REPO | PE_WANTS_CONFIG) != PE_OK ||
	    ctx->app.config == NULL)
		return;
	for (size_t i = 0; i < ctx->app.config->n_benchmarks; i++)
		pe_text_addf(out, "%s\n", ctx->app.config->benchmarks[i].name);
	if (ctx->app.config->n_suites > 0 || ctx->app.config->tests.kind != PE_TESTS_NONE)
		print_members(out, &ctx->app);
}

int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	static const struct {
		const char *shell;
		void (*write)(struct pe_text *, const struct pe_shell_commands *);
	} shells[] = {{"bash", pe_shell_bash}, {"zsh", pe_shell_zsh}, {"fish", pe_shell_fish}};
	bool benchmarks = false;
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "benchmarks", &benchmarks,
			 "print the benchmarks of this project instead"),
		OPT_END,
	};
	pe_auto_text text = PE_TEXT_INIT;
	size_t i, n = sizeof(shells) / sizeof(*shells);
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	if (code >= 0)
		return code;
	for (i = 0; i < n && argc == 1 && !benchmarks; i++)
		if (strcmp(argv[0], shells[i].shell) == 0)
			break;
	if ((argc != 1 || i == n) && !benchmarks)
		return pe_cmd_misused(ctx, "for which shell: bash, zsh or fish?");
	if (benchmarks)
		print_benchmarks(&text, ctx);
	else
		print_script(&text, ctx, shells[i].write);
	return pe_cmd_print(ctx, &text, false) == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}
