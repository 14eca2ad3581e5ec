/*
 * Cmd: the command line. main opens what a command needs and hands it a context; a command is a screenful:
 * options, a call into one or two rooms, a writer.
 */
#pragma once

#include "app/app.h"
#include "cmd/ui/options.h"
#include "report/evolution.h"

#include <limits.h>

/** How a command is called, besides what it needs of enum pe_app_needs. */
enum pe_cmd_traits {
	/** Ctrl-C is counted for the command; else it ends the program */
	PE_COUNTS_INTERRUPTS = 1 << PE_N_APP_NEEDS,
	/** and the first one counts as two: no run is to be finished */
	PE_STOPS_AT_ONCE = 1 << (PE_N_APP_NEEDS + 1),
	/** called by programs: not in the lists, only in the manual */
	PE_IS_HIDDEN = 1 << (PE_N_APP_NEEDS + 2),
	/** stopped, it goes on with the next call */
	PE_RESUMES = 1 << (PE_N_APP_NEEDS + 3),
};

enum { PE_ANY_OPERANDS = INT_MAX };

/** Of pe_cmd_begin(): --help was answered. The program then exits with 0. */
enum { PE_EXIT_ANSWERED = 256 };

/** One command's surroundings. */
struct pe_cmd_ctx {
	struct pe_app app;         /**< repo, config and store are filled in by pe_cmd_begin() */
	const struct pe_cmd *cmds; /**< the table, whose last row has no name */
	const struct pe_cmd *cmd;
	const char *dir;            /**< -C, or NULL */
	bool no_pager;              /**< --no-pager */
	bool help;                  /**< --help */
	bool for_programs;          /**< --format names another form than "term" */
	int colour;                 /**< --color: an enum pe_colour */
	struct pe_term out, errs;   /**< what stdout and stderr are */
	struct pe_display *display; /**< what draws the progress; NULL when quiet */
	/**
	 * Set when only the command's table is wanted (for the man page and the completions):
	 * pe_cmd_begin() calls it and returns at once.
	 */
	void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
		      const struct pe_usage *usage, void *payload);
	void *visit_payload;
};

/**
 * A command.
 *
 * @param argc  its own arguments; argv is borrowed
 * @return      an enum pe_exit, or the enum pe_code of a failure, whose sentence is then printed
 */
typedef int pe_cmd_fn(struct pe_cmd_ctx *ctx, int argc, char **argv);

/** A row of the table of commands; help, man page and completions are printed from it. */
struct pe_cmd {
	const char *name;
	pe_cmd_fn *run;
	int operands;        /**< that it takes at most */
	unsigned needs;      /**< of enum pe_app_needs, and of enum pe_cmd_traits */
	const char *summary; /**< one line for the list of commands */
};

/**
 * Parse the options, answer --help (and the hidden modes for the man page and completions), then open what
 * the command needs.
 *
 * @param opts   table, ended by OPT_END; rows point at local variables
 * @param argc   in: as given to the command; out: what is left of it are the operands
 * @return       PE_OK: go on; otherwise what the command returns at once
 */
int pe_cmd_begin(struct pe_cmd_ctx *ctx, const struct pe_opt *opts, int *argc, char ***argv);

/** Close what was opened, after the command. */
void pe_cmd_end(struct pe_cmd_ctx *ctx);

/** Call visit for every command's table; nothing is opened. */
void pe_cmd_visit_all(const struct pe_cmd *cmds,
		      void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
				    const struct pe_usage *usage, void *payload),
		      void *payload);

/** Find a command of the context's table by its name; NULL with "unknown command 'trak' (did you mean 'track'?)". */
const struct pe_cmd *pe_cmd_find(const struct pe_cmd_ctx *ctx, const char *name);

/**
 * The options that every command has, and that may stand before its name. The rows point into ctx.
 *
 * @param own  the command's own table, whose letters win; may be NULL
 * @return     own's rows followed by the general ones, in ctx's arena
 */
const struct pe_opt *pe_cmd_options(struct pe_cmd_ctx *ctx, const struct pe_opt *own);

/**
 * Print "perfevo: <sentence>" for ctx->app.err.
 *
 * @param code  what a command returned, an enum pe_code
 * @return      its exit status
 */
int pe_cmd_fail(struct pe_cmd_ctx *ctx, int code);

/** Write a sentence on stderr, below which the progress goes on; payload is the struct pe_cmd_ctx. */
void pe_cmd_say(void *payload, const char *sentence);

/** Print the fault of the command line and where its help is; returns PE_EXIT_USAGE. */
int pe_cmd_misused(struct pe_cmd_ctx *ctx, const char *format, ...) PE_PRINTF(2, 3);

/** Write a text document to stdout, with what controls a terminal made visible but perfevo's own colours, through a pager when stdout is a terminal and page is set. PE_ESYS on failure. */
int pe_cmd_print(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page);

/** Print commands for GitHub's runner: all other text is printed so that it holds none. */
int pe_cmd_print_commands(struct pe_cmd_ctx *ctx, const struct pe_text *commands);

/**
 * Write what a command was asked for as pe_cmd_print() does: in the form "term" of --format no line of it wider than the
 * terminal, or 120 columns where there is none. A form for programs is written as it is, and is not paged.
 */
int pe_cmd_show(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page);

/**
 * Report a written page: with `open` in a browser when stdout is a terminal on a desktop, otherwise by printing
 * its path as a note. A page on standard output is not reported.
 */
void pe_cmd_report_page(struct pe_cmd_ctx *ctx, const char *path, bool open);
