/*
 * Gain: the additional time of each call of the new tree, where work moved as well, as from a loop to the callbacks of
 * timers, or from one caller to another. A call in a new context gains at most as much as its method gains over all contexts;
 * the rest was done before, elsewhere. Private to the room.
 */
#ifndef PE_COMPARE_ZAM_GAIN_H
#define PE_COMPARE_ZAM_GAIN_H

#include "analysis/compare/match.h"

/** Values of a tree by node: own, and inclusive. */
struct zam_values {
	double *own, *total;
};

struct zam_gain {
	double *ns; /**< by new node, inclusive: gain over its partner, without work that moved here */
	double *moved; /**< by new node, inclusive: work that moved here */
	double *own; /**< by new node: gain of its own, at most that of its method over all contexts */
};

/** Find the times of a tree. */
struct zam_values pe_zam_times(const struct pe_cct *cct, struct pe_arena *arena);

/** Find the waiting times of a tree. */
struct zam_values pe_zam_waiting(const struct pe_cct *cct, struct pe_arena *arena);

/** Find the gain of each new node. @param key  by frame, of methods */
void pe_zam_gain_find(struct zam_gain *out, const struct pe_match *match,
		      const struct zam_values *old_values, const struct zam_values *new_values,
		      const uint32_t *key, struct pe_arena *arena);

#endif
