/* Explore's prior: how likely a commit changed what the benchmarks do, before anything of it is measured. */
#ifndef PE_CMD_EXPLORE_PRIOR_H
#define PE_CMD_EXPLORE_PRIOR_H

#include "cmd/session.h"
#include "core/stats/explore.h"

/**
 * Fill in the weights: by the number of methods that a commit changed, and, where every benchmark of the session
 * has a stored profile, by how many of them the benchmarks execute. In a session that measures, what the store
 * does not know of changed methods is found out first.
 *
 * @param at        n of them; only weight is written
 * @param revision  their indices in the session
 */
int pe_explore_weigh(struct pe_explore_revision *at, struct pe_session *session,
		     const size_t *revision, size_t n);

#endif
