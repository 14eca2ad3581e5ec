/* Commands: one file each, and the table of them. */
#ifndef PE_CMD_COMMANDS_H
#define PE_CMD_COMMANDS_H

#include "cmd/ui/cmd.h"

/** Ended by a row without a name. */
extern const struct pe_cmd pe_cmds[];

/* Each takes its own arguments (argv[0] is its name, all borrowed) and returns as the field run of struct pe_cmd. */

/** Accept jumps as intended, take that back, or list what is accepted. */
int cmd_accept(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Allow what a config asks for beyond its commands. */
int cmd_allow(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Measure the commits of a range and detect changes. */
int cmd_track(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Try the config at one revision. */
int cmd_check(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Build one commit as the others are built, and look into it by hand. */
int cmd_shell(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Look over the store, the cache and what was left behind. */
int cmd_doctor(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Compare HEAD with its parent by a config that is guessed. */
int cmd_try(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Write a first config. */
int cmd_init(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print the history of commits with their values and jumps. */
int cmd_log(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Write the page. */
int cmd_report(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Write the reports of branches as a static site. */
int cmd_site(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print everything stored about one revision. */
int cmd_show(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print the methods that changed between two revisions. */
int cmd_changes(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Compare two revisions, worktrees or profiles, and explain the difference. */
int cmd_compare(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Compare recorded profiles of an old and a new version. */
int cmd_diff(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Find the commit of a change. */
int cmd_bisect(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print the critical graph of two sets of profiles (ZAM). */
int cmd_localize(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print the categories of a comparison of trees (PARCS). */
int cmd_parcs(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Collect, or print, the profile of a benchmark. */
int cmd_profile(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Install, remove or list git hooks. */
int cmd_hooks(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** What an installed hook runs. */
int cmd_hook(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print what is measured, queued, suspected and confirmed of the last commits. */
int cmd_status(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Import profiles or a suite's results of other tools. */
int cmd_import(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Write stored measurements or profiles as files. */
int cmd_export(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Decide whether a change passes. */
int cmd_ci(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Track by night, and tell what is new. */
int cmd_nightly(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Share results with a remote. */
int cmd_push(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Import results of remotes. */
int cmd_pull(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Choose, show or end the machines of a farm. */
int cmd_farm(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Free what the cache and the store need no longer. */
int cmd_gc(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print the completion of a shell. */
int cmd_completion(struct pe_cmd_ctx *ctx, int argc, char **argv);
/** Print what help there is of a command. */
int cmd_help(struct pe_cmd_ctx *ctx, int argc, char **argv);

/**
 * What `check` does once its config and store are open; `init --check` calls it, too.
 *
 * @param spec   a revision; NULL: HEAD
 * @param bench  chooses benchmarks; NULL: all
 * @param format PE_FORMAT_TERM or PE_FORMAT_JSON
 * @return       as cmd_check()
 */
int cmd_check_revision(struct pe_cmd_ctx *ctx, const char *spec, const char *bench, int format);

struct pe_session;

/** The benchmark of a session that an expression means: the one of exactly that name, else the only one. PE_EINVALID */
int cmd_choose_benchmark(const struct pe_benchmark **out, const struct pe_session *session,
			 const char *bench);

#endif
