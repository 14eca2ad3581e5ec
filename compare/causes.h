/*
 * Causes: every node's contribution to the difference, put to the change that it belongs to. Private to
 * the room.
 */
#ifndef PE_COMPARE_CAUSES_H
#define PE_COMPARE_CAUSES_H

#include "compare/verdict.h"
#include "core/base/hash_index.h"

/** What kind of contribution a group sums up. */
enum cause_class {
	CLASS_CALLS, /**< more or fewer calls of a method from a caller, and all that follows them */
	CLASS_ADDED,    /**< subtrees that only new has, by method and caller */
	CLASS_REMOVED,  /**< likewise of old */
	CLASS_PER_CALL, /**< own cost of a method's calls, in all contexts that agree */
	CLASS_UNSPLIT,  /**< likewise of a method whose calls are not known */
	CLASS_INLINED,  /**< own cost of a method, with a callee that is gone */
	CLASS_OUTLINED, /**< own cost of a method, with a callee that came */
	CLASS_COUNTED,  /**< instructions of a method by exact counts, in the time that they take */
	CLASS_SUSPECT,  /**< what differs below a modified method, untested */
};

/** What a group is found by. */
struct group_key {
	uint32_t class, frame, with;
	uint32_t origin; /**< PE_FRAME_NONE where contexts are not told apart by it */
};

struct group {
	enum cause_class class;
	bool gone; /**< became part of another */
	/** Own cost that changed in these contexts of the method, while that of others did not, or otherwise. */
	bool apart;
	struct pe_cause cause;
	double variance;
	double floor;                /**< least that the variance can be */
	uint64_t old_cost, new_cost; /**< what per-call values are made of */
	uint64_t greatest;           /**< difference of cause.node */
};

/** The sums of a verdict in the making. */
struct causes {
	const struct pe_delta *delta;
	const struct pe_verdict_opts *opts;
	enum pe_verdict_unit unit;
	double min_part; /**< of the whole difference: smaller causes are left unsaid */
	PE_VEC(struct group) groups;
	PE_VEC(struct group_key) keys; /**< of the groups that are found by one; own cost follows */
	struct pe_hash_index index;    /**< over keys */
	/** by method and caller of CLASS_CALLS: contexts whose calls are as many as they were */
	struct pe_map steady_calls;
	bool counts_differ; /**< calls, allocations or shape */
	bool touched;       /**< a method of either tree was modified or recompiled */
	bool counted;       /**< calls are known */
};

/** Put every node's contribution to a group. */
void pe_causes_collect(struct causes *causes);

/** Put together what follows from one change of calls. */
void pe_causes_agree(struct causes *causes);

/**
 * Variance of a group's amount with what repetitions cannot tell: that times vary more between two profiles than
 * within one, and the speed of the whole execution, which all contexts of a cause have in common, so that it does
 * not average out. What was added or removed is as sure as its own size, the rest as what it was before.
 */
double pe_causes_variance(const struct causes *causes, const struct group *group);

/**
 * Likewise of anything.
 *
 * @param size  what is as sure as the speed of the whole execution
 */
double pe_causes_common_variance(const struct causes *causes, double size, double variance,
				 double floor);

/**
 * The modified methods on the delta hot path, each with what differs below it and not below the next: for a
 * difference that no tested cause explains. Appended to the groups; what a chosen cause has said is left out.
 */
void pe_causes_suspect(struct causes *causes, const struct pe_verdict_report *chosen);

/** A node's cost, own or with all below it, in the unit that is judged. */
struct pe_delta_values pe_causes_cost(const struct causes *causes, uint32_t node, bool inclusive);

/** Merge groups that are one change, and say of each group what kind of change it is. */
void pe_causes_recognise(struct causes *causes);

/** Release what was collected; zeroed causes, too. */
void pe_causes_release(struct causes *causes);

#endif
