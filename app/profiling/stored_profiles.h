/* Stored profiles: found in the store alone, for commands that measure nothing and may have no config. */
#pragma once

#include "app/app.h"

/** A profile that the store has, and the name of its benchmark. */
struct pe_found_profile {
	struct pe_stored_profile row;
	const char *benchmark;
};

/**
 * The latest profile of a revision: of this machine before others, of the newest version of its benchmark
 * before older ones.
 *
 * @param bench  POSIX extended regular expression; of several benchmarks that match, the one called exactly
 *               so. NULL: any
 * @return       PE_ENOTFOUND with the command that collects it; PE_EINVALID: several benchmarks match
 */
int pe_profile_find(struct pe_found_profile *out, struct pe_app *app, const char *revision,
		    const char *bench);
