/*
 * Delta: two executions as one tree, and its methods. Old is the first execution, the baseline; new is the second. A
 * difference is new less old, so more time is positive.
 *
 * The tree is in preorder, like the two trees that it merges: a pair is one node; the others are removed (only old has them)
 * or added (only new has them). A node has its numbers in the two trees, where its values are.
 */
#pragma once

#include "analysis/compare/match.h"
#include "analysis/compare/runs.h"

enum pe_delta_state { PE_DELTA_BOTH, PE_DELTA_ADDED, PE_DELTA_REMOVED };

struct pe_delta_node {
	uint32_t parent;   /**< PE_CCT_NONE for the root, which is node 0 */
	uint32_t end;      /**< one past the last node below */
	uint32_t frame;    /**< of the new tree; of the old one for a removed node */
	uint32_t old_node; /**< PE_CCT_NONE: added */
	uint32_t new_node; /**< PE_CCT_NONE: removed */
};

struct pe_delta {
	const struct pe_runs *old_runs, *new_runs; /**< borrowed, as is the match */
	const struct pe_match *match;
	const struct pe_frames *frames;
	uint32_t n;
	struct pe_delta_node *nodes;
	uint32_t both, added, removed;
};

/**
 * Make the delta tree of two executions. Siblings have the order of the new tree; a removed one follows its elder sibling of
 * the old tree.
 *
 * @param match  of old_runs->cct and new_runs->cct, without cuts
 */
void pe_delta_make(struct pe_delta *out, const struct pe_runs *old_runs,
		   const struct pe_runs *new_runs, const struct pe_match *match,
		   struct pe_arena *arena);

static inline enum pe_delta_state pe_delta_state(const struct pe_delta *delta, uint32_t node)
{
	if (delta->nodes[node].old_node == PE_CCT_NONE)
		return PE_DELTA_ADDED;
	return delta->nodes[node].new_node == PE_CCT_NONE ? PE_DELTA_REMOVED : PE_DELTA_BOTH;
}

/** The event, such as "Ir", whose counts are in the columns of times; NULL: they are times. */
static inline const char *pe_delta_event(const struct pe_delta *delta)
{
	return delta->old_runs->cct->facts.counted;
}

/** A metric of a node on both sides. Metrics of trees have the same names there. */
enum pe_delta_metric {
	PE_DELTA_CALLS,
	PE_DELTA_SELF_NS,
	PE_DELTA_TOTAL_NS,
	PE_DELTA_ALLOCATIONS,
	PE_DELTA_TOTAL_ALLOCATIONS,
	PE_DELTA_BYTES,
	PE_DELTA_TOTAL_BYTES,
	PE_DELTA_INSTRUCTIONS,
	PE_DELTA_TOTAL_INSTRUCTIONS,
};

struct pe_delta_values {
	bool known; /**< on both sides; a side that lacks the node has 0 */
	uint64_t old_value, new_value;
};

/** The values of a metric by node of one side's tree; NULL: unknown. */
static inline const uint64_t *pe_delta_column(const struct pe_runs *runs,
					      enum pe_delta_metric metric)
{
	const struct pe_cct *cct = runs->cct;
	const uint64_t *const columns[] = {
		[PE_DELTA_CALLS] = cct->calls,
		[PE_DELTA_SELF_NS] = cct->self_ns,
		[PE_DELTA_TOTAL_NS] = cct->total_ns,
		[PE_DELTA_ALLOCATIONS] = cct->allocations,
		[PE_DELTA_TOTAL_ALLOCATIONS] = cct->total_allocations,
		[PE_DELTA_BYTES] = cct->allocated_bytes,
		[PE_DELTA_TOTAL_BYTES] = cct->total_bytes,
		[PE_DELTA_INSTRUCTIONS] = runs->instructions,
		[PE_DELTA_TOTAL_INSTRUCTIONS] = runs->total_instructions,
	};

	return columns[metric];
}

/** Whether a side has a node from samples alone, so that its calls are unknown. */
static inline bool pe_delta_uncounted(const struct pe_cct *cct, uint32_t node)
{
	return node != PE_CCT_NONE && (cct->flags[node] & PE_CCT_UNCOUNTED) != 0;
}

/** One value of a node on both sides. */
static inline struct pe_delta_values pe_delta_values(const struct pe_delta *delta, uint32_t node,
						     enum pe_delta_metric metric)
{
	const struct pe_delta_node *at = &delta->nodes[node];
	const struct pe_cct *old_cct = delta->old_runs->cct, *new_cct = delta->new_runs->cct;
	const uint64_t *old_column = pe_delta_column(delta->old_runs, metric);
	const uint64_t *new_column = pe_delta_column(delta->new_runs, metric);

	if (old_column == NULL || new_column == NULL ||
	    (metric == PE_DELTA_CALLS && (pe_delta_uncounted(old_cct, at->old_node) ||
					  pe_delta_uncounted(new_cct, at->new_node))))
		return (struct pe_delta_values){0};
	return (struct pe_delta_values){
		.known = true,
		.old_value = at->old_node != PE_CCT_NONE ? old_column[at->old_node] : 0,
		.new_value = at->new_node != PE_CCT_NONE ? new_column[at->new_node] : 0,
	};
}

/** new_value - old_value, clamped to int64_t. */
static inline int64_t pe_delta_difference(struct pe_delta_values values)
{
	const bool less = values.new_value < values.old_value;
	const uint64_t size =
		less ? values.old_value - values.new_value : values.new_value - values.old_value;
	const int64_t held = size > INT64_MAX ? INT64_MAX : (int64_t)size;

	return less ? -held : held;
}

/** The cost that is compared. */
enum pe_cost {
	PE_COST_TIME,
	PE_COST_ALLOCATIONS,
	PE_COST_BYTES,
	PE_N_JUDGED, /**< count of the costs above; instructions have causes where time has none */
	PE_COST_INSTRUCTIONS = PE_N_JUDGED,
	PE_N_COSTS,
	PE_COST_CALLS = PE_N_COSTS, /**< calls: attributed, but not summed by method */
};

/** The metric of a node's own cost. */
enum pe_delta_metric pe_cost_own(enum pe_cost cost);

/** The metric of a node's inclusive cost; for calls, it is the node's own. */
enum pe_delta_metric pe_cost_total(enum pe_cost cost);

/** Whether both sides know a cost. */
bool pe_delta_knows(const struct pe_delta *delta, enum pe_cost cost);

/** One method in all its contexts. */
struct pe_delta_method {
	uint32_t frame;                      /**< in the new tree, where it was renamed */
	uint32_t contexts_old, contexts_new; /**< nodes */
	uint64_t calls_old, calls_new;       /**< 0 where unknown */
	uint64_t self_old_ns, self_new_ns;
	uint64_t allocations_old, allocations_new;
	uint64_t instructions_old,
		instructions_new;       /**< exact; of one that varies, the most; 0 where unknown */
	int64_t difference[PE_N_COSTS]; /**< of own cost; 0: unknown */
};

/** All methods with any context, by |time|, then allocations, then the other costs, then frame. */
struct pe_delta_methods {
	struct pe_delta_method *at;
	uint32_t n;
};

/** Sum a delta tree by method. n log n in the methods, else linear. */
void pe_delta_methods_sum(struct pe_delta_methods *out, const struct pe_delta *delta,
			  struct pe_arena *arena);
