/* Help: the list of commands, one command's help, and both as manual pages (for the build). */
#include "cmd/commands.h"
#include "cmd/ui/usage.h"

#include "configs/read.h"
#include "core/base/clock.h"
#include "core/base/vec.h"

#include <string.h>

enum { COMMAND_COLUMN = 16, KEY_COLUMN = 26 };

static const char summary[] = "find the commit that made a program slower";

/* --- All of it --- */

/* A page of cmd/help/ that is a list: its description is the heading, its examples are the rows. */
static void put_list(struct pe_manual *manual, struct pe_cmd_ctx *ctx, const char *page)
{
	const struct pe_usage list = pe_usage_of(page, ctx->app.arena);

	pe_manual_section(manual, list.description);
	for (const struct pe_example *row = list.examples; row->command != NULL; row++)
		pe_manual_item(manual, row->command, row->what, COMMAND_COLUMN);
}

/* A manual page has those, too, that only programs call. */
static void put_commands(struct pe_manual *manual, struct pe_cmd_ctx *ctx)
{
	const bool man = manual->term == NULL;

	pe_manual_section(manual, "Commands");
	for (const struct pe_cmd *cmd = ctx->cmds; cmd->name != NULL; cmd++)
		if (man || (cmd->needs & PE_IS_HIDDEN) == 0)
			pe_manual_item(manual,
				       pe_arena_printf(ctx->app.arena, "%s%s",
						       man ? "perfevo " : "", cmd->name),
				       cmd->summary, COMMAND_COLUMN);
}

/* The rest of the manual page. */
static void put_surroundings(struct pe_manual *manual, struct pe_cmd_ctx *ctx)
{
	pe_auto_text others = PE_TEXT_INIT;

	put_list(manual, ctx, "list environment");
	put_list(manual, ctx, "list files");
	for (const struct pe_cmd *cmd = ctx->cmds; cmd->name != NULL; cmd++)
		pe_text_addf(&others, ".BR perfevo\\-%s (1),\n", cmd->name);
	pe_text_add(&others, ".BR git (1)\n");
	pe_manual_end(manual, pe_text_str(&others));
}

static void put_top(struct pe_manual *manual, struct pe_cmd_ctx *ctx)
{
	const struct pe_usage top = pe_usage_of("[--version]", ctx->app.arena);
	const struct pe_opt none[] = {OPT_END};

	if (manual->term == NULL)
		pe_manual_begin(manual, "perfevo", summary, PE_VERSION, pe_clock_now_s());
	pe_manual_introduce(manual, &top);
	put_commands(manual, ctx);
	pe_manual_options(manual, pe_cmd_options(ctx, none));
	put_list(manual, ctx, "list words");
	put_list(manual, ctx, "list exit");
	if (manual->term == NULL)
		put_surroundings(manual, ctx);
	else
		pe_text_add(
			manual->out,
			"\n'perfevo help COMMAND' explains one of them, 'perfevo help config' the "
			"config;\n'perfevo init' is where to start.\n");
}

/* --- The config --- */

/* Whether a key is listed: NULL: those at the top; else the named one and those below it. */
static bool is_wanted(const char *path, const char *name)
{
	const size_t n = name != NULL ? strlen(name) : 0;

	if (name == NULL)
		return strchr(path, '.') == NULL;
	/* Profiles of one benchmark have the keys of `profile`. */
	return strncmp(path, name, n) == 0 &&
	       (path[n] == '\0' || (path[n] == '.' && strstr(path + n, ".profile.") == NULL));
}

static int put_config(struct pe_manual *manual, struct pe_cmd_ctx *ctx, const char *name)
{
	const struct pe_usage keys = pe_usage_of("list keys", ctx->app.arena);
	pe_auto_free PE_VEC(const char *) top = {0};

	if (name == NULL) {
		pe_text_add(manual->out, "The config is perfevo.yml, at the top of the tree.\n");
		pe_manual_section(manual, keys.description);
	}
	for (const struct pe_example *key = keys.examples; key->command != NULL; key++) {
		if (is_wanted(key->command, name))
			pe_manual_item(manual, key->command, key->what,
				       name != NULL ? KEY_COLUMN : COMMAND_COLUMN);
		if (is_wanted(key->command, NULL))
			pe_vec_push(&top, key->command);
	}
	if (manual->out->len == 0)
		return pe_cmd_misused(ctx, "there is no key '%s' in the config%s", name,
				      pe_read_suggestion(ctx->app.arena, name, top.data, top.n));
	if (name == NULL)
		pe_text_add(manual->out, "\n'perfevo help config KEY' lists the keys of one.\n"
					 "'perfevo init' writes a config with comments, and "
					 "'perfevo check' tries it.\nshare/perfevo/ of the "
					 "installation has perfevo.schema.json, for editors, and\n"
					 "examples/.\n");
	return PE_OK;
}

/* For the build, which asks for a manual page of each. */
static void put_names(struct pe_text *out, const struct pe_cmd *cmds)
{
	for (; cmds->name != NULL; cmds++)
		pe_text_addf(out, "%s\n", cmds->name);
}

/* --- One command --- */

struct wanted {
	const char *name;
	struct pe_manual manual;
};

static void put_command(const struct pe_cmd *cmd, const struct pe_opt *opts,
			const struct pe_usage *usage, void *payload)
{
	struct wanted *wanted = payload;
	struct pe_manual *manual = &wanted->manual;
	pe_auto_text name = PE_TEXT_INIT;

	if (strcmp(cmd->name, wanted->name) != 0)
		return;
	pe_text_addf(&name, "perfevo-%s", cmd->name);
	if (manual->term == NULL)
		pe_manual_begin(manual, name.data, cmd->summary, PE_VERSION, pe_clock_now_s());
	pe_manual_command(manual, usage, opts);
	if (manual->term == NULL)
		pe_manual_end(manual, ".BR perfevo (1)\n");
}

int cmd_help(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool man = false, names = false;
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "man", &man, "print the source of the manual page"),
		OPT_FLAG(0, "names", &names, "print the names of all commands, one a line"),
		OPT_END,
	};
	pe_auto_text text = PE_TEXT_INIT;
	struct wanted wanted;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	wanted = (struct wanted){argc == 1 ? argv[0] : NULL, {&text, man ? NULL : &ctx->out}};
	if (argc > 0 && strcmp(argv[0], "config") == 0) {
		PE_TRY(put_config(&(struct pe_manual){&text, &ctx->out}, ctx,
				  argc == 2 ? argv[1] : NULL));
	} else if (argc == 2) {
		return pe_cmd_misused(ctx, "unexpected argument '%s'", argv[1]);
	} else if (argc == 1 && pe_cmd_find(ctx, argv[0]) == NULL) {
		ctx->cmd = NULL; /* what helps here is the list of commands */
		return pe_cmd_misused(ctx, "%s", ctx->app.err->message);
	} else if (argc == 1) {
		pe_cmd_visit_all(ctx->cmds, put_command, &wanted);
	} else if (names) {
		put_names(&text, ctx->cmds);
	} else {
		put_top(&wanted.manual, ctx);
	}
	return pe_cmd_print(ctx, &text, !man);
}
