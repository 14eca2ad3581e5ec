/*
 * Causes: every node's contribution to the difference, put to the change that it belongs to. Private to
 * the room.
 */
#ifndef PE_COMPARE_CAUSES_H
#define PE_COMPARE_CAUSES_H

#include "compare/verdict.h"
#include "core/base/vec.h"

/** What kind of contribution a group sums up. */
enum cause_class {
	CLASS_CALLS, /**< more or fewer calls of a method from a caller, and all that follows them */
	CLASS_ADDED,    /**< subtrees that only new has, by method and caller */
	CLASS_REMOVED,  /**< likewise of old */
	CLASS_PER_CALL, /**< own cost of a method's calls */
	CLASS_UNSPLIT,  /**< own cost of a method whose calls are not known */
	CLASS_INLINED,  /**< own cost of a method, with a callee that is gone */
	CLASS_OUTLINED, /**< own cost of a method, with a callee that came */
};

/** What a group is found by. */
struct group_key {
	uint32_t class, frame, with;
};

struct group {
	enum cause_class class;
	bool gone; /**< became part of another */
	struct pe_cause cause;
	double variance;
	uint64_t old_cost, new_cost; /**< what per-call figures are made of */
	uint64_t greatest;           /**< difference of cause.node */
};

/** The sums of a verdict in the making. */
struct causes {
	const struct pe_delta *delta;
	const struct pe_verdict_opts *opts;
	enum pe_verdict_unit unit;
	double min_part; /**< of the whole difference: smaller causes are left unsaid */
	PE_VEC(struct group) groups;
	PE_VEC(struct group_key) keys; /**< of the groups */
	uint32_t *slots;               /**< open addressing: group + 1, or 0 */
	uint32_t n_slots;
	bool counts_differ; /**< calls, allocations or shape */
	bool touched;       /**< a method of either tree was modified or recompiled */
	bool counted;       /**< calls are known */
};

/** Put every node's contribution to a group. */
void pe_causes_collect(struct causes *causes);

/** Merge groups that are one change, and say of each group what kind of change it is. */
void pe_causes_recognise(struct causes *causes);

void pe_causes_release(struct causes *causes);

#endif
