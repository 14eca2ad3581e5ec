/*
 * Cmd: the table of commands, and what every command does first and last. Whatever is printed for people goes
 * through here, so that the progress line is taken away before it.
 */
#include "cmd/cmd.h"

#include "cmd/open.h"
#include "cmd/progress.h"
#include "cmd/term.h"
#include "cmd/usage.h"
#include "configs/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct pe_cmd pe_cmds[] = {
	{"init", cmd_init, PE_NEEDS_REPO, "write a perfevo.yml for this project"},
	{"check", cmd_check,
	 PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "try the config, and how steady this machine is"},
	{"track", cmd_track,
	 PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "measure commits and say where the program jumped"},
	{"accept", cmd_accept, PE_NEEDS_REPO | PE_WANTS_CONFIG,
	 "note in a tracked file that a change is known and wanted"},
	{"status", cmd_status, PE_NEEDS_REPO | PE_WANTS_CONFIG,
	 "show what is measured, waiting, suspected and confirmed"},
	{"log", cmd_log, PE_NEEDS_REPO | PE_WANTS_CONFIG | PE_NEEDS_STORE_READ,
	 "list what was measured, commit by commit"},
	{"report", cmd_report, PE_NEEDS_REPO | PE_WANTS_CONFIG | PE_COUNTS_INTERRUPTS,
	 "write a page of everything that is known"},
	{"show", cmd_show, PE_NEEDS_REPO | PE_WANTS_CONFIG | PE_NEEDS_STORE_READ,
	 "show everything known about one commit"},
	{"changes", cmd_changes,
	 PE_NEEDS_REPO | PE_WANTS_CONFIG | PE_COUNTS_INTERRUPTS | PE_STOPS_AT_ONCE,
	 "list the methods that changed between two commits"},
	{"compare", cmd_compare, PE_COUNTS_INTERRUPTS,
	 "say what makes one commit slower or faster than another"},
	{"bisect", cmd_bisect,
	 PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "find the commit that made a benchmark slower or faster"},
	{"localize", cmd_localize, 0,
	 "find the calls that got slower between two sets of profiles"},
	{"parcs", cmd_parcs, PE_COUNTS_INTERRUPTS, "say in three stages why two executions differ"},
	{"profile", cmd_profile,
	 PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "show where a commit spends its calls, time and memory"},
	{"hooks", cmd_hooks, PE_NEEDS_REPO, "install, remove or look at the git hooks"},
	{"hook", cmd_hook, PE_COUNTS_INTERRUPTS | PE_STOPS_AT_ONCE | PE_IS_HIDDEN,
	 "what the installed git hooks call"},
	{"import", cmd_import, 0, "keep or show a profile that another tool took"},
	{"export", cmd_export, PE_NEEDS_REPO | PE_WANTS_CONFIG | PE_NEEDS_STORE_READ,
	 "write figures or a profile for other programs"},
	{"gc", cmd_gc, PE_NEEDS_REPO | PE_WANTS_CONFIG,
	 "drop old figures and builds, give the space back"},
	{"ci", cmd_ci, PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "say what a pull request does to performance"},
	{"nightly", cmd_nightly,
	 PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "measure what is new, every night, and tell of regressions"},
	{"push", cmd_push, PE_NEEDS_REPO | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "send results to a remote, for other clones"},
	{"pull", cmd_pull, PE_NEEDS_REPO | PE_NEEDS_STORE | PE_COUNTS_INTERRUPTS,
	 "take in results that other clones sent"},
	{"completion", cmd_completion, 0, "print the completions for a shell"},
	{"help", cmd_help, 0, "explain a command"},
};
const size_t pe_n_cmds = sizeof(pe_cmds) / sizeof(*pe_cmds);

const struct pe_cmd *pe_cmd_find(const char *name, struct pe_err *err)
{
	const char *names[sizeof(pe_cmds) / sizeof(*pe_cmds)];
	const char *nearest;

	for (size_t i = 0; i < pe_n_cmds; i++) {
		if (strcmp(pe_cmds[i].name, name) == 0)
			return &pe_cmds[i];
		names[i] = pe_cmds[i].name;
	}
	nearest = pe_read_nearest(name, names, pe_n_cmds);
	if (nearest != NULL)
		pe_fail(err, PE_EINVALID, "unknown command '%s' (did you mean '%s'?)", name,
			nearest);
	else
		pe_fail(err, PE_EINVALID, "unknown command '%s'", name);
	return NULL;
}

/* --- Options --- */

static size_t count_rows(const struct pe_opt *opts)
{
	size_t n = 0;

	while (opts != NULL && opts[n].kind != PE_OPT_END)
		n++;
	return n;
}

const struct pe_opt *pe_cmd_options(struct pe_cmd_ctx *ctx, const struct pe_opt *own)
{
	const struct pe_opt general[] = {
		OPT_GROUP("General options"),
		OPT_STRING('C', "directory", &ctx->dir, "DIR", "work as if started in DIR"),
		OPT_STRING(0, "config", &ctx->config_path, "FILE",
			   "the config, in place of perfevo.yml at the top of the tree"),
		OPT_STRING(0, "store", &ctx->store_path, "FILE",
			   "the database, in place of perfevo/perfevo.db in the git directory"),
		OPT_FLAG('q', "quiet", &ctx->quiet, "no progress, no advice"),
		OPT_CHOICE(0, "color", &ctx->colour, pe_colours, "colours on the terminal"),
		OPT_FLAG(0, "no-pager", &ctx->no_pager, "print long results as they are"),
		OPT_FLAG('h', "help", &ctx->help, "explain the command"),
		OPT_END,
	};
	size_t n_own = count_rows(own), n = count_rows(general);
	struct pe_opt *all = pe_arena_new(ctx->arena, struct pe_opt, n_own + n + 1);

	if (n_own > 0)
		memcpy(all, own, n_own * sizeof(*all));
	memcpy(all + n_own, general, (n + 1) * sizeof(*all));
	for (size_t i = n_own; i < n_own + n; i++)
		for (size_t j = 0; j < n_own; j++)
			if (all[i].letter != 0 && all[i].letter == all[j].letter)
				all[i].letter = 0;
	return all;
}

static int print_help(struct pe_cmd_ctx *ctx, const struct pe_opt *opts,
		      const struct pe_usage *usage)
{
	struct pe_text text = PE_TEXT_INIT;
	int rc;

	ctx->out = pe_term_detect(STDOUT_FILENO, (enum pe_colour)ctx->colour);
	pe_usage_help(&text, usage, opts, &ctx->out);
	rc = pe_cmd_print(ctx, &text, true);
	pe_text_release(&text);
	return rc == PE_OK ? PE_EXIT_GOOD : pe_cmd_fail(ctx);
}

/* --- Opening --- */

/* The window may change its size, and the user may send us to the background. */
static unsigned width_now(void *payload)
{
	(void)payload;
	if (tcgetpgrp(STDERR_FILENO) != getpgrp())
		return 0;
	return pe_term_detect(STDERR_FILENO, PE_COLOUR_NEVER).width;
}

/* Programs read progress as they read the answer: with --format json it is JSON too. */
static void open_display(struct pe_cmd_ctx *ctx, const struct pe_opt *opts)
{
	const char *format = pe_opts_choice(opts, "format");
	const char *name = getenv("TERM");
	struct pe_display_opts show = {.term = ctx->errs, .width = width_now};

	if (ctx->quiet)
		return;
	if (format != NULL && strcmp(format, "json") == 0)
		show.mode = PE_DISPLAY_JSON;
	else if (ctx->errs.width == 0 || name == NULL || strcmp(name, "dumb") == 0)
		show.mode = PE_DISPLAY_PLAIN;
	else
		show.mode = PE_DISPLAY_LINE;
	ctx->display = pe_display_open(&show);
	ctx->progress = (struct pe_progress){pe_display_report, ctx->display};
}

static int open_wanted_config(struct pe_cmd_ctx *ctx)
{
	int rc = pe_open_config(ctx);

	/* A file that was named must be good; one that lies there may be in the making. */
	if (rc == PE_OK || ctx->config_path != NULL)
		return rc;
	if (rc != PE_ENOTFOUND)
		pe_cmd_note(ctx, "%s; going on without a config", ctx->err->message);
	*ctx->err = (struct pe_err)PE_ERR_INIT;
	return PE_OK;
}

int pe_cmd_open(struct pe_cmd_ctx *ctx, unsigned needs)
{
	int rc = PE_OK;

	if ((needs & PE_NEEDS_REPO) != 0 && ctx->repo == NULL)
		rc = pe_repo_open(&ctx->repo, NULL, ctx->err);
	if (rc == PE_OK && (needs & PE_NEEDS_CONFIG) != 0)
		rc = pe_open_config(ctx);
	else if (rc == PE_OK && (needs & PE_WANTS_CONFIG) != 0)
		rc = open_wanted_config(ctx);
	if (rc == PE_OK && (needs & (PE_NEEDS_STORE | PE_NEEDS_STORE_READ)) != 0)
		rc = pe_open_store(ctx, needs);
	return rc;
}

int pe_cmd_begin(struct pe_cmd_ctx *ctx, const struct pe_opt *opts, const struct pe_usage *usage,
		 int *argc, char ***argv)
{
	const struct pe_opt *all = pe_cmd_options(ctx, opts);
	const char *dir = ctx->dir;

	if (ctx->visit != NULL) {
		ctx->visit(ctx->cmd, all, usage, ctx->visit_payload);
		return PE_EXIT_GOOD;
	}
	ctx->dir = NULL;
	if (pe_opts_parse(all, argc, *argv, ctx->arena, ctx->err) != PE_OK)
		return pe_cmd_misused(ctx, "%s", ctx->err->message);
	if (ctx->help)
		return print_help(ctx, all, usage);
	/* As in git, a second -C counts from the first. */
	if ((dir != NULL && chdir(dir) < 0) || (ctx->dir != NULL && chdir(ctx->dir) < 0)) {
		pe_fail_errno(ctx->err, "cannot work in %s", ctx->dir != NULL ? ctx->dir : dir);
		return pe_cmd_fail(ctx);
	}
	ctx->out = pe_term_detect(STDOUT_FILENO, (enum pe_colour)ctx->colour);
	ctx->errs = pe_term_detect(STDERR_FILENO, (enum pe_colour)ctx->colour);
	open_display(ctx, all);
	if (pe_cmd_open(ctx, ctx->cmd->needs) != PE_OK)
		return pe_cmd_fail(ctx);
	return -1;
}

void pe_cmd_end(struct pe_cmd_ctx *ctx)
{
	pe_display_close(ctx->display);
	pe_store_close(ctx->store);
	pe_repo_close(ctx->repo);
	pe_arena_release(ctx->arena);
	ctx->display = NULL;
	ctx->store = NULL;
	ctx->repo = NULL;
}

void pe_cmd_visit_all(void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
				    const struct pe_usage *usage, void *payload),
		      void *payload)
{
	for (size_t i = 0; i < pe_n_cmds; i++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		struct pe_cmd_ctx ctx = {
			.cmd = &pe_cmds[i],
			.arena = &arena,
			.err = &err,
			.visit = visit,
			.visit_payload = payload,
		};
		char *none[] = {NULL};

		pe_cmds[i].run(&ctx, 0, none);
		pe_arena_release(&arena);
	}
}

/* --- Saying --- */

static void say(struct pe_cmd_ctx *ctx, const char *sentence)
{
	struct pe_display *display = ctx->display;
	const struct pe_display_opts plain = {.mode = PE_DISPLAY_PLAIN};

	if (display == NULL)
		display = pe_display_open(&plain);
	pe_display_note(display, sentence);
	if (ctx->display == NULL)
		pe_display_close(display);
}

int pe_cmd_fail(struct pe_cmd_ctx *ctx)
{
	say(ctx, ctx->err->message[0] != '\0' ? ctx->err->message : "failed");
	return PE_EXIT_FAILURE;
}

static PE_PRINTF(2, 0) void say_formatted(struct pe_cmd_ctx *ctx, const char *format, va_list args)
{
	char sentence[sizeof(ctx->err->message) + 256];

	vsnprintf(sentence, sizeof(sentence), format, args);
	say(ctx, sentence);
}

int pe_cmd_misused(struct pe_cmd_ctx *ctx, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_formatted(ctx, format, args);
	va_end(args);
	if (ctx->cmd != NULL)
		fprintf(stderr, "'perfevo %s --help' explains it\n", ctx->cmd->name);
	else
		fprintf(stderr, "'perfevo help' lists the commands\n");
	return PE_EXIT_USAGE;
}

void pe_cmd_note(struct pe_cmd_ctx *ctx, const char *format, ...)
{
	va_list args;

	if (ctx->quiet)
		return;
	va_start(args, format);
	say_formatted(ctx, format, args);
	va_end(args);
}

int pe_cmd_print(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page)
{
	pe_display_hide(ctx->display);
	if (page && !ctx->no_pager && isatty(STDOUT_FILENO) == 1 && pe_term_page(document))
		return PE_OK;
	return pe_term_write(STDOUT_FILENO, pe_text_str(document), document->len, ctx->err);
}

void pe_cmd_open_browser(struct pe_cmd_ctx *ctx, const char *path)
{
	if (isatty(STDOUT_FILENO) == 1 && pe_term_browse(path))
		pe_cmd_note(ctx, "opened %s", path);
	else
		pe_cmd_note(ctx, "report: %s", path);
}
