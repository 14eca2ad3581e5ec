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
	PE_NEEDS_CONFIG = 1 << 1,      /**< of the user's current tree, or --config */
	PE_NEEDS_STORE = 1 << 2,       /**< created when it is not there */
	PE_NEEDS_STORE_READ = 1 << 3,  /**< must exist: "nothing measured yet; run 'perfevo track'" */
};

enum pe_output { PE_OUTPUT_TERM, PE_OUTPUT_JSON, PE_OUTPUT_CSV, PE_OUTPUT_HTML };

/** One command's surroundings. What it does not need is NULL. */
struct pe_cmd_ctx {
	const struct pe_cmd *cmd;
	struct pe_arena *arena;     /**< released when the command is over */
	struct pe_repo *repo;
	struct pe_config *config;
	struct pe_store *store;
	const char *config_path;    /**< --config, or NULL */
	const char *store_path;     /**< --store, or NULL: COMMON_DIR/perfevo/perfevo.db */
	bool quiet;                 /**< --quiet: no progress, no advice */
	struct pe_term out, errs;   /**< what stdout and stderr are */
	struct pe_progress progress;
	const volatile sig_atomic_t *interrupts; /**< how often Ctrl-C, SIGTERM or SIGHUP came */
	/**
	 * How far main has gone: the options were parsed and it is time to open. A command calls
	 * pe_cmd_begin() after its options, which fills in repo, config and store.
	 */
	struct pe_err *err;
};

/** A row of the table of commands; help, man page and completions are printed from it. */
struct pe_cmd {
	const char *name;
	int (*run)(struct pe_cmd_ctx *ctx, int argc, char **argv); /**< an enum pe_exit */
	unsigned needs;
	const char *summary;     /**< one line for the list of commands */
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

/** Print "perfevo: <sentence>" for ctx->err and return the fitting exit status. */
int pe_cmd_fail(struct pe_cmd_ctx *ctx);

/** Print one line of advice or warning on stderr, unless quiet. */
void pe_cmd_note(struct pe_cmd_ctx *ctx, const char *format, ...) PE_PRINTF(2, 3);

/** Write a document to stdout, through a pager when stdout is a terminal and page is set. PE_ESYS on failure. */
int pe_cmd_print(struct pe_cmd_ctx *ctx, const struct pe_text *document, bool page);

int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_init(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_log(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_show(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_export(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_gc(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_help(struct pe_cmd_ctx *ctx, int argc, char **argv);

#endif
