/*
 * What did not change: contexts whose method has the machine code that it had, and that are called as often.
 * What moved the time of one of them, where it lies in memory or what else the machine did, moved the others as well.
 * Private to the room.
 */
#ifndef PE_COMPARE_ZAM_SAME_H
#define PE_COMPARE_ZAM_SAME_H

#include "analysis/compare/changes.h"
#include "analysis/compare/match.h"

/** Times of such contexts on both sides, ns. */
struct zam_same_times {
	double old_ns, new_ns;
};

/** By new node: of its own, and with everything below. All are 0 where calls, samples or changes are not known. */
struct zam_same {
	struct zam_same_times *own, *total;
};

/** Sum them over a pair of matched trees; arrays in the arena. */
void pe_zam_same_find(struct zam_same *out, const struct pe_match *match,
		      const struct pe_changes *changes, struct pe_arena *arena);

#endif
