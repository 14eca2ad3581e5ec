/*
 * Cmd: the table of commands, and what every command does first and last. Whatever is printed for people goes
 * through here, so that the progress line is taken away before it.
 */
#include "cmd/ui/cmd.h"

#include "cmd/ui/progress.h"
#include "cmd/ui/term.h"
#include "cmd/ui/usage.h"
#include "core/base/nearest.h"
#include "core/base/outfile.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "report/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct pe_cmd *pe_cmd_find(const struct pe_cmd_ctx *ctx, const char *name)
{
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	const char *nearest;

	for (const struct pe_cmd *cmd = ctx->cmds; cmd->name != NULL; cmd++) {
		if (strcmp(cmd->name, name) == 0)
			return cmd;
		pe_vec_push(&names, cmd->name);
	}
	nearest = pe_nearest(name, names.data, names.n);
	if (nearest != NULL)
		pe_fail(ctx->app.err, PE_EINVALID, "unknown command '%s' (did you mean '%s'?)",
			name, nearest);
	else
		pe_fail(ctx->app.err, PE_EINVALID, "unknown command '%s'", name);
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
		OPT_STRING(0, "config", &ctx->app.config_path, "FILE",
			   "the config, in place of perfevo.yml at the top of the tree"),
		OPT_STRING(0, "store", &ctx->app.store_path, "FILE",
			   "the database, in place of perfevo/perfevo.db in the git directory"),
		OPT_FLAG('q', "quiet", &ctx->app.quiet, "no progress, no advice"),
		OPT_CHOICE(0, "color", &ctx->colour, pe_colours, "colours on the terminal"),
		OPT_FLAG(0, "no-pager", &ctx->no_pager, "print long results without a pager"),
		OPT_FLAG('h', "help", &ctx->help, "explain the command"),
		OPT_END,
	};
	size_t n_own = count_rows(own), n = count_rows(general);
	struct pe_opt *all = pe_arena_new(ctx->app.arena, struct pe_opt, n_own + n + 1);

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
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_manual help = {&text, &ctx->out};

	ctx->out = pe_term_detect(STDOUT_FILENO, (enum pe_colour)ctx->colour);
	pe_manual_command(&help, usage, opts);
	PE_TRY(pe_cmd_print(ctx, &text, true));
	return PE_EXIT_ANSWERED;
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

	ctx->for_programs = format != NULL && strcmp(format, "term") != 0;
	if (ctx->app.quiet)
		return;
	if (format != NULL && strcmp(format, "json") == 0)
		show.mode = PE_DISPLAY_JSON;
	else if (!ctx->errs.interactive || name == NULL || strcmp(name, "dumb") == 0)
		show.mode = PE_DISPLAY_PLAIN;
	else
		show.mode = PE_DISPLAY_LINE;
	ctx->display = pe_display_open(&show);
	ctx->app.progress = (struct pe_progress){pe_display_report, ctx->display};
}

int pe_cmd_begin(struct pe_cmd_ctx *ctx, const struct pe_opt *opts, int *argc, char ***argv)
{
	const struct pe_usage usage = pe_usage_of(ctx->cmd->name, ctx->app.arena);
	const struct pe_opt *all = pe_cmd_options(ctx, opts);
	const char *dir = ctx->dir;

	if (ctx->visit != NULL) {
		ctx->visit(ctx->cmd, all, &usage, ctx->visit_payload);
		return PE_EXIT_ANSWERED;
	}
	ctx->dir = NULL;
	if (pe_opts_parse(all, argc, *argv, ctx->app.arena, ctx->app.err) != PE_OK)
		return pe_cmd_misused(ctx, "%s", ctx->app.err->message);
	if (ctx->help)
		return print_help(ctx, all, &usage);
	if (*argc > ctx->cmd->operands)
		return pe_cmd_misused(ctx, "unexpected argument '%s'", (*argv)[ctx->cmd->operands]);
	/* As in git, a second -C counts from the first. */
	if ((dir != NULL && chdir(dir) < 0) || (ctx->dir != NULL && chdir(ctx->dir) < 0))
		return pe_fail_errno(ctx->app.err, "cannot work in %s",
				     ctx->dir != NULL ? ctx->dir : dir);
	ctx->out = pe_term_detect(STDOUT_FILENO, (enum pe_colour)ctx->colour);
	ctx->errs = pe_term_detect(STDERR_FILENO, (enum pe_colour)ctx->colour);
	open_display(ctx, all);
	return pe_app_open(&ctx->app, ctx->cmd->needs);
}

void pe_cmd_end(struct pe_cmd_ctx *ctx)
{
	pe_display_close(ctx->display);
	ctx->display = NULL;
	pe_app_close(&ctx->app);
}

void pe_cmd_visit_all(const struct pe_cmd *cmds,
		      void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
				    const struct pe_usage *usage, void *payload),
		      void *payload)
{
	for (; cmds->name != NULL; cmds++) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_err err = PE_ERR_INIT;
		struct pe_cmd_ctx ctx = {
			.app = {.arena = &arena, .err = &err},
			.cmd = cmds,
			.visit = visit,
			.visit_payload = payload,
		};
		char *none[] = {NULL};

		cmds->run(&ctx, 0, none);
	}
}

/* --- Saying --- */

void pe_cmd_say(void *payload, const char *sentence)
{
	const struct pe_cmd_ctx *ctx = payload;
	struct pe_display *display = ctx->display;
	const struct pe_display_opts plain = {.mode = PE_DISPLAY_PLAIN};

	if (display == NULL)
		display = pe_display_open(&plain);
	pe_display_note(display, sentence);
	if (ctx->display == NULL)
		pe_display_close(display);
}

int pe_cmd_fail(struct pe_cmd_ctx *ctx, int code)
{
	const char *sentence = ctx->app.err->message[0] != '\0' ? ctx->app.err->message : "failed";

	if (code == PE_ESTOPPED && (ctx->cmd->needs & PE_RESUMES) != 0)
		sentence = "stopped; run the same command to resume";
	pe_cmd_say(ctx, sentence);
	return PE_EXIT_FAILURE;
}

int pe_cmd_misused(struct pe_cmd_ctx *ctx, const char *format, ...)
{
	char sentence[sizeof(ctx->app.err->message) + 256];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	pe_cmd_say(ctx, sentence);
	if (ctx->cmd != NULL)
		fprintf(stderr, "'perfevo %s --help' explains it\n", ctx->cmd->name);
	else
		fprintf(stderr, "'perfevo help' lists the commands\n");
	return PE_EXIT_USAGE;
}

/* How many bytes of a document are perfevo's own control of the terminal: a line break, a tab, a colour; or 0. */
static size_t own_control(const char *at, bool colour)
{
	size_t n;

	if (*at == '\n' || *at == '\t')
		return 1;
	if (at[0] == '\r' && at[1] == '\n')
		return 2;
	if (!colour || at[0] != '\033' || at[1] != '[')
		return 0;
	n = 2 + strspn(at + 2, "0123456789;");
	return at[n] == 'm' ? n + 1 : 0;
}

/* The last gate before a person's eyes: writers filter names where they lay them out, and this what they missed. */
static void add_visible(struct pe_text *out, const char *document, bool colour)
{
	while (*document != '\0') {
		char one[5] = "";
		uint32_t point;
		size_t n = own_control(document, colour);

		if (n == 0) {
			n = pe_utf8_next(&point, document);
			memcpy(one, document, n);
			pe_utf8_add_visible(out, one, "");
		} else {
			pe_text_addn(out, document, n);
		}
		document += n;
	}
}

int pe_cmd_print(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page)
{
	pe_auto_text text = PE_TEXT_INIT;

	add_visible(&text, pe_text_str(document), ctx->out.colour);
	pe_display_hide(ctx->display);
	if (page && !ctx->no_pager && isatty(STDOUT_FILENO) == 1 && pe_term_page(&text))
		return PE_OK;
	return pe_term_write(STDOUT_FILENO, pe_text_str(&text), text.len, ctx->app.err);
}

int pe_cmd_print_commands(struct pe_cmd_ctx *ctx, const struct pe_text *commands)
{
	pe_auto_text text = PE_TEXT_INIT;

	add_visible(&text, pe_text_str(commands), false);
	return pe_term_write_commands(STDOUT_FILENO, pe_text_str(&text), text.len, ctx->app.err);
}

int pe_cmd_show(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (ctx->for_programs)
		return pe_cmd_print(ctx, document, false);
	pe_term_fold(&text, &ctx->out, pe_text_str(document));
	return pe_cmd_print(ctx, &text, page);
}

void pe_cmd_report_page(struct pe_cmd_ctx *ctx, const char *path, bool open)
{
	if (pe_outfile_is_standard(path))
		return;
	if (open && isatty(STDOUT_FILENO) == 1 && pe_term_browse(path))
		pe_app_note(&ctx->app, "opened %s", path);
	else
		pe_app_note(&ctx->app, "report: %s", path);
}
