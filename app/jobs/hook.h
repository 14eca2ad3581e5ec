/*
 * Hook: what git calls. A hook returns fast and lets git go on whatever happens; measuring is left to a job in the
 * background. `perfevo hook NAME` is not in the list of commands: only hooks call it.
 */
#pragma once

#include "app/app.h"
#include "hooks/journal.h"

/** The environment, without what git set for the hook alone, of another perfevo in this repository. In the arena. */
const char *const *pe_hook_env(struct pe_app *app);

/** Start the job where commits wait and none lives. A failure is a note. */
void pe_hook_start_job(struct pe_app *app);

/** Ask the job to end, and wait ten seconds at most until it has: `perfevo hook pre-push` needs the machine now. */
void pe_hook_stop_job(struct pe_app *app);

/**
 * The job: measure the commits that wait, the newest first, each by a `perfevo track` of its own, until none waits.
 *
 * @return  as the journal and the store
 */
int pe_hook_work(struct pe_app *app);

/** After a commit: enter HEAD, print two lines of finished results, start the job. What goes wrong is a note. */
void pe_hook_commit(struct pe_app *app);

/** Before a commit: whether the staged config cannot be read; the reason is printed on stderr. */
bool pe_hook_config_is_broken(struct pe_app *app);

/**
 * Before a push: as `perfevo ci`, what is pushed against what the other side has, within a budget; git's lines are on
 * stdin.
 *
 * @param blocked  a confirmed regression is to stop the push
 * @return         PE_ESTOPPED: by the user. What is wrong with perfevo or its config is a note
 */
int pe_hook_push(bool *blocked, struct pe_app *app, const char *remote);
