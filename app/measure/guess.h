/*
 * Guess: a config for a repository that has none. The build system of HEAD is asked what it makes, in a copy of HEAD's tree
 * that lies in the cache and goes away again: what it writes there reaches no file of the user's.
 */
#ifndef PE_APP_MEASURE_GUESS_H
#define PE_APP_MEASURE_GUESS_H

#include "app/app.h"

/** What is wanted of a guess. Borrowed. */
struct pe_guess_request {
	bool one;            /**< for a first answer: a config with one thing to run */
	const char *command; /**< with `one`: see struct pe_guess_opts */
	/** the revision that HEAD is compared with: what others did since is asked with `sandbox: require`; NULL: none */
	const char *base;
};

/**
 * Guess a config.
 *
 * Asking runs the code of HEAD, as building it does: PERFEVO_SANDBOX says how it is confined; else `auto` holds where there
 * are namespaces. What cannot be asked is a sentence in out->unknown.
 *
 * @return  PE_EUNSUPPORTED: a bare repository; PE_ESTOPPED; PE_ESYS
 */
int pe_guess_head(struct pe_guess *out, struct pe_app *app, const struct pe_guess_request *request);

#endif
