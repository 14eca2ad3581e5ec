/*
 * Top: who executes more or fewer instructions, from counts of functions and changed methods alone: nothing is built or profiled.
 * The rule is that of analysis/compare/attribution.h without call paths.
 */
#ifndef PE_COMPARE_TOP_H
#define PE_COMPARE_TOP_H

#include "analysis/compare/functions.h"

struct pe_attribution_top {
	const struct pe_function_change *who; /**< the changed function; NULL: none that is known */
	const struct pe_function_change *shows; /**< the one that differs most */
	bool probably; /**< `who` is another one, which is likely to have `shows` do other work */
	int64_t whole; /**< new - old of all functions */
};

/**
 * Find them.
 *
 * @param functions  with `change` of each filled in, as far as it is known
 * @return           false: no function differs for sure
 */
bool pe_attribution_top(struct pe_attribution_top *out,
			const struct pe_function_changes *functions);

#endif
