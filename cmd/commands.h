/* Commands: one file each, and the table of them. */
#ifndef PE_CMD_COMMANDS_H
#define PE_CMD_COMMANDS_H

#include "cmd/ui/cmd.h"

/** Ended by a row without a name. */
extern const struct pe_cmd pe_cmds[];

/** Every one takes its own arguments (argv[0] is its name, borrowed) and returns an enum pe_exit; messages are printed. */
int cmd_accept(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_allow(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_doctor(struct pe_cmd_ctx *ctx, int argc, char **argv);
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
int cmd_farm(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_gc(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv);
int cmd_help(struct pe_cmd_ctx *ctx, int argc, char **argv);

/**
 * What `check` does once its config and store are open; `init --check` calls it, too.
 *
 * @param spec   a revision; NULL: HEAD
 * @param bench  chooses benchmarks; NULL: all
 * @param format PE_FORMAT_TERM or PE_FORMAT_JSON
 * @return       an enum pe_exit; messages are printed
 */
int cmd_check_revision(struct pe_cmd_ctx *ctx, const char *spec, const char *bench, int format);

#endif
