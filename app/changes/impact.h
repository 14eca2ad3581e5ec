/*
 * Impact: which benchmarks a commit can affect, as far as that is decided before anything is built. Measuring under a
 * budget of time begins with those.
 */
#ifndef PE_APP_CHANGES_IMPACT_H
#define PE_APP_CHANGES_IMPACT_H

#include "app/measure/session.h"

/** How a commit may bear upon a benchmark. */
enum pe_impact {
	PE_BEARS, /**< a method that it changed was executed when the benchmark was profiled last */
	PE_MAY_BEAR,     /**< not known */
	PE_HARDLY_BEARS, /**< all that it changed are methods, and none of them was executed */
	PE_CANNOT_BEAR,  /**< what the benchmark executes and reads is the same in both builds */
};

/**
 * Estimate it before anything is built: changed methods by their names against the methods of the benchmark's last stored
 * profile.
 *
 * @param out  one for each benchmark of the session
 */
int pe_impact_estimate(enum pe_impact *out, struct pe_session *session, const char *base,
		       const struct pe_revision *tip);

#endif
