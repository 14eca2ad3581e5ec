/*
 * Own cost: what the calls of each method cost themselves. It is told apart by caller and by the modified method
 * above, tested, and summed up in one group for all contexts that agree and one for those that stand apart. Private
 * to the room.
 */
#ifndef PE_COMPARE_OWN_H
#define PE_COMPARE_OWN_H

#include "compare/causes.h"

/** What a node is to its method's own cost. */
enum own_mark {
	OWN_PER_CALL = 1 << 0, /**< its calls cost more or less */
	OWN_UNSPLIT = 1 << 1,  /**< it costs more or less, and its calls are not known */
	OWN_MARKS = OWN_PER_CALL | OWN_UNSPLIT,
	OWN_FORK = 1 << 2, /**< only one side has one of its children */
};

/** What a node contributes. */
struct own_share {
	/** in both: own cost beyond that of more or fewer calls; in one: own differences of its subtree */
	int64_t amount;
	double variance;
	uint64_t old_cost;
	uint32_t caller; /**< its method; of what is gone: the nearest node above that is not */
	union {
		uint32_t
			origin; /**< until parts are merged: the modified method above, or itself */
		uint32_t group; /**< then, and of subtrees that one side has: what it belongs to */
	};
};

/** Contexts of a method whose own cost is exactly what it was: witnesses against what others gained. */
struct own_witness {
	uint64_t old_cost;
	uint32_t contexts;
};

/** In the arena of whoever collects causes. */
struct own {
	struct own_share *shares;   /**< by node of the delta tree */
	uint8_t *marks;             /**< likewise, enum own_mark */
	struct own_witness *steady; /**< by frame */
	uint32_t *families;         /**< by pe_own_family(): nodes */
};

/** Own costs that are tested against each other: of a method, by whether its calls are known. */
static inline size_t pe_own_family(uint32_t frame, bool unsplit)
{
	return 2 * (size_t)frame + unsplit;
}

/** Room for the nodes and methods of a delta tree. */
void pe_own_begin(struct own *own, const struct pe_delta *delta, struct pe_arena *arena);

/**
 * Test the parts of each method's own cost against each other and put those that agree into one group, so that what
 * one caller does is not lost in the noise of all others. Sets share.group of all nodes that have OWN_MARKS; their
 * contexts are not opened.
 */
void pe_own_merge(struct own *own, struct causes *causes);

#endif
