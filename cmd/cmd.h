/*
 * Cmd: the command line. main opens what a command needs and hands it a context; a command is a screenful:
 * options, a call into one or two rooms, a writer.
 */
#ifndef PE_CMD_CMD_H
#define PE_CMD_CMD_H

#include "cmd/options.h"
#include "configs/config.h"
#include "core/base/arena.h"
#include "core/bench/ports.h"
#include "report/evolution.h"
#include "store/store.h"
#include "vcs/repo.h"

#include <signal.h>

/** Exit codes speak `git bisect run`. */
enum pe_exit {
	PE_EXIT_GOOD = 0,
	PE_EXIT_REGRESSED = 1,
	PE_EXIT_UNMEASURABLE = 125,
	PE_EXIT_FAILURE = 128,
	PE_EXIT_USAGE = 129,
};

/** What main opens before a command runs. */
enum pe_cmd_needs {
	PE_NEEDS_REPO = 1 << 0,
	PE_NEEDS_CONFIG = 1 << 1, /**< of the user's current tree, or --config */
	PE_NEEDS_STORE = 1 << 2,  /**< created when it is not there */
	PE_NEEDS_STORE_READ =
		1 << 3,           /**< must exist: "nothing measured yet; run 'perfevo track'" */
	PE_WANTS_CONFIG = 1 << 4, /**< read where there is a good one; a bad one is a note */
	PE_COUNTS_INTERRUPTS =
		1 << 5, /**< Ctrl-C is counted for the command; else it ends the program */
	PE_STOPS_AT_ONCE = 1 << 6, /**< and the first one counts as two: no run is to be finished */
	PE_IS_HIDDEN = 1 << 7,     /**< called by programs: not in the lists, only in the manual */
};

enum pe_output { PE_OUTPUT_TERM, PE_OUTPUT_JSON, PE_OUTPUT_CSV, PE_OUTPUT_HTML };

/** One command's surroundings. What it does not need is NULL. */
struct pe_cmd_ctx {
	const struct pe_cmd *cmd;
	struct pe_arena *arena; /**< released when the command is over */
	struct pe_repo *repo;
	struct pe_config *config;
	struct pe_store *store;
	const char *config_path;  /**< --config, or NULL */
	const char *store_path;   /**< --store, or NULL: COMMON_DIR/perfevo/perfevo.db */
	const char *dir;          /**< -C, or NULL */
	bool quiet;               /**< --quiet: no progress, no advice */
	bool no_pager;            /**< --no-pager */
	bool help;                /**< --help */
	int colour;               /**< --color: an enum pe_colour */
	struct pe_term out, errs; /**< what stdout and stderr are */
	struct pe_progress progress;
	struct pe_display *display;              /**< what draws the progress; NULL when quiet */
	const volatile sig_atomic_t *interrupts; /**< how often Ctrl-C, SIGTERM or SIGHUP came */
	/**
	 * How far main has gone: the options were parsed and it is time to open. A command calls
	 * pe_cmd_begin() after its options, which fills in repo, config and store.
	 */
	struct pe_err *err;
	/**
	 * Set when only the command's table is wanted (for the man page and the completions):
	 * pe_cmd_begin() calls it and returns at once.
	 */
	void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
		      const struct pe_usage *usage, void *payload);
	void *visit_payload;
};

/** A row of the table of commands; help, man page and completions are printed from it. */
struct pe_cmd {
	const char *name;
	int (*run)(struct pe_cmd_ctx *ctx, int argc, char **argv); /**< an enum pe_exit */
	unsigned needs;
	const char *summary; /**< one line for the list of commands */
};

extern const struct pe_cmd pe_cmds[];
extern const size_t pe_n_cmds;

/**
 * Parse the options, answer --help (and the hidden modes for the man page and completions), then open what
 * the command needs.
 *
 * @param opts   table, ended by OPT_END; rows point at local variables
 * @param usage  usage lines, description and examples, for --help and the man page
 * @param argc   in: as given to the command; out: what is left of it are the operands
 * @return       -1: go on; otherwise the exit status to return at once
 */
int pe_cmd_begin(struct pe_cmd_ctx *ctx, const struct pe_opt *opts, const struct pe_usage *usage,
		 int *argc, char ***argv);

/** Open what a command needs, an enum pe_cmd_needs; pe_cmd_begin() does it for the needs of the table. */
int pe_cmd_open(struct pe_cmd_ctx *ctx, unsigned needs);

/** Close what was opened, after the command. */
void pe_cmd_end(struct pe_cmd_ctx *ctx);

/** Call visit for every command's table; nothing is opened. Commands that are not there yet are left out. */
void pe_cmd_visit_all(void (*visit)(const struct pe_cmd *cmd, const struct pe_opt *opts,
				    const struct pe_usage *usage, void *payload),
		      void *payload);

/** Find a command by its name; NULL with "unknown command 'trak' (did you mean 'track'?)". */
const struct pe_cmd *pe_cmd_find(const char *name, struct pe_err *err);

/**
 * The options that every command has, and that may stand before its name. The rows point into ctx.
 *
 * @param own  the command's own table, whose letters win; may be NULL
 * @return     own's rows followed by the general ones, in ctx's arena
 */
const struct pe_opt *pe_cmd_options(struct pe_cmd_ctx *ctx, const struct pe_opt *own);

/** Print "perfevo: <sentence>" for ctx->err and return the fitting exit status. */
int pe_cmd_fail(struct pe_cmd_ctx *ctx);

/** Say what is wrong with the command line and where its help is; returns PE_EXIT_USAGE. */
int pe_cmd_misused(struct pe_cmd_ctx *ctx, const char *format, ...) PE_PRINTF(2, 3);

/** Print one line of advice or warning on stderr, unless quiet. */
void pe_cmd_note(struct pe_cmd_ctx *ctx, const char *format, ...) PE_PRINTF(2, 3);

/** Write a document to stdout, through a pager when stdout is a terminal and page is set. PE_ESYS on failure. */
int pe_cmd_print(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page);

/**
 * Show a page to the user: in a browser when stdout is a terminal on a desktop, otherwise by printing its
 * path as a note.
 */
void pe_cmd_open_browser(struct pe_cmd_ctx *ctx, const char *path);

/* The commands, one file each: every one takes its own arguments and returns an enum pe_exit. */
int cmd_accept(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_init(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_log(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_report(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_show(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_changes(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_compare(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_bisect(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_localize(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_parcs(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_profile(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_hooks(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_hook(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_status(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_import(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_export(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_ci(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_nightly(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_push(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_pull(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_gc(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_help(struct pe_cmd_ctx *ctx, int argc, char **argv);

#endif
