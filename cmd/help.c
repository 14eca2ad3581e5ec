/* Help: the list of commands, one command's help, and both as manual pages (for the build). */
#include "cmd/commands.h"
#include "cmd/ui/usage.h"

#include "core/base/clock.h"

#include <string.h>

enum { COMMAND_COLUMN = 16 };

static const char summary[] = "find the commit that made a program slower";

static const char *const top_lines[] = {
	"perfevo [--version] [--help] [GENERAL OPTION...] COMMAND [OPTION...]",
	"git perfevo COMMAND [OPTION...]",
	NULL,
};

static const char top_description[] =
	"perfevo walks the history of a git repository, builds each commit away from the user's "
	"checkout, runs the benchmarks that perfevo.yml names with warm-up and repeats in rounds "
	"over all commits, stores every sample, and reports at which commits a metric moved to "
	"another level, by how much, and how sure that is.";

struct item {
	const char *name, *text;
};

static const struct item words[] = {
	{"benchmark", "A command of perfevo.yml that is run and measured at each commit."},
	{"metric",
	 "What is measured of a run: wall time, peak memory, allocations, or a number that it prints."},
	{"level", "The value that a metric stays at over a stretch of history, but for noise."},
	{"jump",
	 "A commit at which a metric moved to another level; a regression when it got worse."},
	{"suspect", "A jump that was found in the stored runs and is not confirmed yet."},
	{"confirmed", "A jump that fresh runs of both sides, in random order, show as well."},
	{"accepted", "A jump that perfevo-accepted.yml records as known and wanted."},
};

static const struct item exit_codes[] = {
	{"0", "No regression, or none was asked for."},
	{"1", "A regression was found, and --fail-on-regression was given."},
	{"125", "Nothing could be measured; git bisect run skips such a commit."},
	{"128", "perfevo failed, or was stopped by a signal."},
	{"129", "The command line was wrong."},
};

static const struct item variables[] = {
	{"NO_COLOR", "When set and not empty, no colours are used unless --color=always asks."},
	{"PERFEVO_PAGER, GIT_PAGER, PAGER",
	 "The pager for long results on a terminal; the first that is set. Nothing or cat: none."},
	{"XDG_CACHE_HOME", "Where trees and builds are kept, in perfevo/; ~/.cache by default."},
	{"PERFEVO_SKIP", "When set, neither empty nor 0, the git hooks do nothing."},
	{"PERFEVO_BACKGROUND",
	 "With 'normal', commits are measured in the background at normal priority: for machines that are never idle."},
	{"PERFEVO_NOW", "Seconds since 1970, in place of today's date in reports."},
};

static const struct item files[] = {
	{"perfevo.yml, .perfevo.yml",
	 "How to build and what to run, at the top of the tree. 'perfevo init' writes one."},
	{"GIT_DIR/perfevo/perfevo.db",
	 "Every sample, in SQLite; one file a repository, shared by its worktrees."},
	{"GIT_DIR/perfevo/report.html",
	 "The page that the last 'perfevo track' or 'perfevo report' left."},
	{"GIT_DIR/perfevo/compare.html", "The page of the last 'perfevo compare --format html'."},
};

static const struct item config_keys[] = {
	{"build", "Commands that build a commit, run by the shell at the top of its tree."},
	{"benchmarks",
	 "What is measured: for each a name, and a command or a mapping with command, setup, input, parameters, warmup, repeats, metrics and more."},
	{"suites",
	 "Programs of a benchmark library (Google Benchmark, Catch2, JMH, ...): each benchmark in them."},
	{"tests",
	 "Unit tests as benchmarks: ctest, meson, a program of a test library, or 'list' and 'run'."},
	{"defaults", "Keys for all benchmarks, such as repeats."},
	{"overlay",
	 "Files of your tree that every commit gets, such as a benchmark written today."},
	{"metrics", "Per metric, which change matters: min-change, judge, primary."},
	{"gate",
	 "Changes for the worse that fail 'perfevo ci': wall, instructions, allocations, peak."},
	{"paths", "Source files in which changed methods are looked for."},
	{"run, profile, tree, limits, sandbox",
	 "How programs are run and profiled, what of the tree they see, and what they may do."},
	{"hooks, nightly, farm, trust",
	 "Background measurement, the nightly run, a cluster, and whose results count."},
	{"disk, cache, spark, layout",
	 "Space and place of builds, the circles of the graph, layout."},
};

#define N_OF(array) (sizeof(array) / sizeof(*(array)))

/* --- All of it --- */

static void put_items(struct pe_manual *manual, const char *heading, const struct item *items,
		      size_t n)
{
	pe_manual_section(manual, heading);
	for (size_t i = 0; i < n; i++)
		pe_manual_item(manual, items[i].name, items[i].text, COMMAND_COLUMN);
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
static void put_surroundings(struct pe_manual *manual, const struct pe_cmd *cmds)
{
	pe_auto_text others = PE_TEXT_INIT;

	put_items(manual, "Environment", variables, N_OF(variables));
	put_items(manual, "Files", files, N_OF(files));
	for (; cmds->name != NULL; cmds++)
		pe_text_addf(&others, ".BR perfevo\\-%s (1),\n", cmds->name);
	pe_text_add(&others, ".BR git (1)\n");
	pe_manual_end(manual, pe_text_str(&others));
}

static void put_top(struct pe_manual *manual, struct pe_cmd_ctx *ctx)
{
	const struct pe_usage top = {top_lines, top_description, NULL};
	const struct pe_opt none[] = {OPT_END};

	if (manual->term == NULL)
		pe_manual_begin(manual, "perfevo", summary, PE_VERSION, pe_clock_now_s());
	pe_manual_introduce(manual, &top);
	put_commands(manual, ctx);
	pe_manual_options(manual, pe_cmd_options(ctx, none));
	put_items(manual, "Words", words, N_OF(words));
	put_items(manual, "Exit status", exit_codes, N_OF(exit_codes));
	if (manual->term == NULL)
		put_surroundings(manual, ctx->cmds);
	else
		pe_text_add(
			manual->out,
			"\n'perfevo help COMMAND' explains one of them, 'perfevo help config' the "
			"config;\n'perfevo init' is where to start.\n");
}

static void put_config(struct pe_manual *manual)
{
	pe_text_add(manual->out, "The config is perfevo.yml, at the top of the tree.\n");
	put_items(manual, "Keys", config_keys, N_OF(config_keys));
	pe_text_add(manual->out,
		    "\n'perfevo init' writes a config with comments, and 'perfevo check' tries it. "
		    "All keys\nare in perfevo.schema.json, in share/perfevo/ of the installation, "
		    "beside examples/.\n");
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
	int code = pe_cmd_begin(ctx, opts, &argc, &argv);

	if (code >= 0)
		return code;
	if (argc > 1)
		return pe_cmd_misused(ctx, "one command at a time");
	wanted = (struct wanted){argc == 1 ? argv[0] : NULL, {&text, man ? NULL : &ctx->out}};
	if (argc == 1 && strcmp(argv[0], "config") == 0) {
		put_config(&(struct pe_manual){&text, &ctx->out});
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
	return pe_cmd_print(ctx, &text, !man) == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}
