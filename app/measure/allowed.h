/*
 * Allowed: what a config asks for beyond running its commands within the sandbox. Somebody else's branch brings a
 * perfevo.yml; that its commands run is nothing new, for the Makefile beside it runs as well. But it could switch the
 * sandbox off, have it give more paths, pass secrets of the environment on, trust another key's results, or name a command
 * for the nightly news, which no sandbox confines. So these are remembered for each clone, in perfevo/allowed of its git
 * folder, and what asks for more is not run, from hooks and by night neither, before `perfevo allow`.
 *
 * Nobody is asked who wrote the change himself (pe_repo_is_own_work()), who uses perfevo for the first time in a clone, who
 * names the file (--config), or where CI is set, for nobody could answer there: what guards there is
 * `ci --config-from base`.
 */
#ifndef PE_APP_MEASURE_ALLOWED_H
#define PE_APP_MEASURE_ALLOWED_H

#include "app/app.h"

/**
 * Whether the config may have what it asks for; what needs no question is remembered.
 *
 * @return  PE_EUNSUPPORTED: not yet; the sentence names what it asks for
 */
int pe_allowed_check(struct pe_app *app);

/**
 * Remember that the config may have what it asks for, in place of what was allowed before.
 *
 * @param out  receives a line for each thing: "sandbox: off"
 * @param new  of these lines, those that were not allowed before
 */
int pe_allowed_put(struct pe_app *app, struct pe_text *out, size_t *new);

#endif
