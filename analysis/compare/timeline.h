/*
 * Timeline: a tree of calls as ZAM compares it. What nobody called is taken out: time in which nothing ran and nobody
 * is known to have waited, and the engine's own, "(program)" and "(garbage collector)". Recursion is folded: a method
 * that stands on the path leads back to its node there, so that a library that goes on from a callback, deeper by a
 * call each step, has the tree of one that loops. Private to the room.
 */
#ifndef PE_COMPARE_TIMELINE_H
#define PE_COMPARE_TIMELINE_H

#include "analysis/profile/cct.h"

/** What was taken out. */
struct timeline_rest {
	double waiting_ns, engine_ns;
};

/** @param rest  receives what was taken out */
struct pe_cct *pe_timeline_calls(const struct pe_cct *cct, struct timeline_rest *rest,
				 struct pe_arena *arena);

#endif
