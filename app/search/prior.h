/* Prior: how likely a commit changed what the benchmarks do, before anything of it is measured. */
#pragma once

#include "app/measure/session.h"

/** What weights rest on. */
struct pe_prior {
	bool methods; /**< the changed methods of some commit are known */
	bool executed; /**< every benchmark of the session has a stored profile: those that it executes count */
};

/**
 * Fill in weights: by the number of methods that a commit changed, and, where every benchmark of the session has a
 * stored profile, by how many of them the benchmarks execute. In a session that measures, missing changed methods are
 * computed first.
 *
 * @param weights  one a revision, all above 0; 1: unknown
 * @param first    the first of the revisions in the session; the others are those behind it
 */
int pe_prior_weigh(double *weights, struct pe_prior *known, struct pe_session *session,
		   size_t first);
