/*
 * How much dearer calls became, by node of the new tree, where work moved as well: from a loop to the callbacks of
 * timers, from one caller to another. A call in a context that the old tree does not have is as new as its method
 * became dearer over all contexts; the rest of it was done before, elsewhere. Private to the room.
 */
#ifndef PE_COMPARE_ZAM_GAIN_H
#define PE_COMPARE_ZAM_GAIN_H

#include "analysis/compare/match.h"

/** Values of both trees of a match, by node: what it has itself, and with everything below. */
struct zam_values {
	double *own, *total;
};

struct zam_gain {
	double *ns; /**< by new node, inclusive: its partner's time does not count, nor does what moved here */
	double *moved; /**< by new node: what moved here, from anywhere */
	double *own; /**< by new node: of its own, as far as its method became dearer over all contexts */
};

/** Times of a tree. */
struct zam_values pe_zam_times(const struct pe_cct *cct, struct pe_arena *arena);

/** Those in which nothing ran. */
struct zam_values pe_zam_waiting(const struct pe_cct *cct, struct pe_arena *arena);

/** @param key  by frame, of methods */
void pe_zam_gain_find(struct zam_gain *out, const struct pe_match *match,
		      const struct zam_values *old_values, const struct zam_values *new_values,
		      const uint32_t *key, struct pe_arena *arena);

#endif
