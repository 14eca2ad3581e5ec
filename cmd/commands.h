/* Commands: one file each, and the table of them. */
#pragma once

#include "cmd/ui/cmd.h"

/** Ended by a row without a name. */
extern const struct pe_cmd pe_cmds[];

/* What each does stands in its row of the table. */
pe_cmd_fn cmd_accept;
pe_cmd_fn cmd_allow;
pe_cmd_fn cmd_bisect;
pe_cmd_fn cmd_changes;
pe_cmd_fn cmd_check;
pe_cmd_fn cmd_ci;
pe_cmd_fn cmd_compare;
pe_cmd_fn cmd_completion;
pe_cmd_fn cmd_diff;
pe_cmd_fn cmd_doctor;
pe_cmd_fn cmd_export;
pe_cmd_fn cmd_farm;
pe_cmd_fn cmd_gc;
pe_cmd_fn cmd_help;
pe_cmd_fn cmd_hook;
pe_cmd_fn cmd_hooks;
pe_cmd_fn cmd_import;
pe_cmd_fn cmd_init;
pe_cmd_fn cmd_localize;
pe_cmd_fn cmd_log;
pe_cmd_fn cmd_nightly;
pe_cmd_fn cmd_parcs;
pe_cmd_fn cmd_profile;
pe_cmd_fn cmd_pull;
pe_cmd_fn cmd_push;
pe_cmd_fn cmd_report;
pe_cmd_fn cmd_shell;
pe_cmd_fn cmd_show;
pe_cmd_fn cmd_site;
pe_cmd_fn cmd_status;
pe_cmd_fn cmd_track;
pe_cmd_fn cmd_try;

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
