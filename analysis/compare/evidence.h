/*
 * Evidence: the own difference of each node of a delta tree, with its error. Private to the room.
 *
 * Time has two witnesses. The samples of a method say how long it took, with an error that falls with their number. Its
 * instructions are exact; what they take is known from its own speed, or that of the whole program, and is uncertain by a factor
 * (analysis/compare/thresholds.h). Both are combined by their variances, so that many samples overrule what instructions suggest and counts
 * decide where samples are few. The estimates of all methods are then fitted to the difference of the profiles: what is left goes to
 * each in proportion to its variance (least squares under a constraint).
 */
#ifndef PE_COMPARE_EVIDENCE_H
#define PE_COMPARE_EVIDENCE_H

#include "analysis/compare/attribution.h"

struct evidence {
	double *amount;   /**< by node */
	double *variance; /**< by node; of time alone */
	bool *varies;     /**< by node: runs of one build differ there as much */
	/** Of time: by what factor variances are larger than those of repetitions, as methods that did not change show; >= 1 */
	double spread;
};

/** Whether a node's counts are the program's own doing, or are known to be the same on both sides. */
bool pe_evidence_same_counts(const struct pe_delta *delta, uint32_t node);

/** Fill in the evidence of a cost that both sides know. */
void pe_evidence_find(struct evidence *out, const struct pe_delta *delta,
		      const struct pe_attribution_opts *opts, struct pe_arena *arena);

#endif
