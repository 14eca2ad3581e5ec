/*
 * Timeline: a tree of calls as ZAM compares it. Nodes that are no calls are removed: idle time without a known waiting
 * method, and the engine's "(program)" and "(garbage collector)". Recursion is folded: a method that is already on the path
 * returns to its node there, so that a library that continues from callbacks, one call deeper each step, has the same tree as
 * one that loops. Private to the room.
 */
#ifndef PE_COMPARE_TIMELINE_H
#define PE_COMPARE_TIMELINE_H

#include "analysis/profile/cct.h"

/** The times of the removed nodes. */
struct timeline_rest {
	double waiting_ns, engine_ns;
};

/** Make the tree of calls. @param rest  receives the removed times */
struct pe_cct *pe_timeline_calls(const struct pe_cct *cct, struct timeline_rest *rest,
				 struct pe_arena *arena);

#endif
