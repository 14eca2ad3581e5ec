/*
 * Evidence: the own difference of each node of a delta tree, with its error. Private to the room.
 *
 * Time has two measurements. The samples of a method estimate its time, with an error that falls with their number. Its
 * instructions are exact; their time is derived from the method's own speed, or the whole program's, and is uncertain by a
 * factor (analysis/compare/thresholds.h). Both are combined by their variances, so that many samples overrule instructions
 * and counts decide where samples are few. The estimates of all methods are then fitted to the difference of the profiles:
 * the residual goes to each in proportion to its variance (least squares under a constraint).
 */
#pragma once

#include "analysis/compare/attribution.h"

static inline double square(double x)
{
	return x * x;
}

struct evidence {
	double *amount;   /**< by node */
	double *variance; /**< by node; of time alone */
	bool *varies;     /**< by node: runs of one build differ there by as much */
	/** Of time: the factor of variances beyond those of repetitions, as unchanged methods show; >= 1 */
	double spread;
};

/** Whether both sides have a node and its counts are equal, or differ no more than runs of one build. */
bool pe_evidence_same_counts(const struct pe_delta *delta, uint32_t node);

/** Fill in the evidence of a cost that both sides know. */
void pe_evidence_find(struct evidence *out, const struct pe_delta *delta,
		      const struct pe_attribution_opts *opts, struct pe_arena *arena);
