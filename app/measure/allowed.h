/*
 * Allowed: permissions of a config beyond running its commands within the sandbox. Another author's branch may bring a
 * perfevo.yml. That its commands run is no new risk, for the Makefile beside it runs as well. But it could switch the
 * sandbox off, give it more paths, pass on secrets of the environment, trust another key's results, or name a command for
 * the nightly news, which no sandbox confines. So these permissions are remembered for each clone, in perfevo/allowed of
 * its git folder, and a config that wants more is not run before `perfevo allow`, neither from hooks nor by night.
 *
 * No permission is needed by a user who wrote the change (pe_repo_is_own_work()), uses perfevo for the first time in a
 * clone, or names the file (--config), nor where CI is set, for no user could answer there: in CI, the guard is `ci
 * --config-from base`.
 */
#pragma once

#include "app/app.h"

/**
 * Whether the config has the permissions that it wants; those that need no confirmation are remembered.
 *
 * @return  PE_EUNSUPPORTED: not yet; the sentence names the missing ones
 */
int pe_allowed_check(struct pe_app *app);

/**
 * Remember the permissions that the config wants, in place of earlier ones.
 *
 * @param out  receives a line for each: "sandbox: off"
 * @param new  number of these lines that were not allowed before
 */
int pe_allowed_put(struct pe_app *app, struct pe_text *out, size_t *new);
