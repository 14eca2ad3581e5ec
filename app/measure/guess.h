/*
 * Guess: a config for a repository that has none. The build system of HEAD lists its targets, in a temporary copy of
 * HEAD's tree in the cache, so that it writes to no file of the user's.
 */
#pragma once

#include "app/app.h"

/** A request for a guess. Borrowed. */
struct pe_guess_request {
	bool one;            /**< for a first answer: see struct pe_guess_opts */
	const char *command; /**< with `one`: see struct pe_guess_opts */
	/**
	 * the revision that HEAD is compared with: if others committed since, the build system runs with `sandbox:
	 * require`; NULL: none
	 */
	const char *base;
};

/**
 * Guess a config.
 *
 * Listing targets runs the code of HEAD, as building it does: PERFEVO_SANDBOX sets how it is confined; else `auto`
 * applies where there are namespaces. If the build system cannot run, out->unknown has the reason.
 *
 * @return  PE_EUNSUPPORTED: a bare repository; PE_ESTOPPED; PE_ESYS
 */
int pe_guess_head(struct pe_guess *out, struct pe_app *app, const struct pe_guess_request *request);
