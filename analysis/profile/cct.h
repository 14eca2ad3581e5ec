/*
 * Calling context tree: one node per method and path of callers (PARCS sections 2
 * to 3.1). The runtime, importers and the store all produce this tree; comparison and output work on nothing else.
 *
 * A finished tree is in preorder: a parent precedes its children, and the nodes below node i are
 * i + 1 to end - 1. So sums over subtrees are loops from the back, walks are loops from the front, and
 * nothing recurses. Children are in the order of their first call, if the source recorded it.
 *
 *	for (uint32_t c = i + 1; c < cct->nodes[i].end; c = cct->nodes[c].end)   the children of i
 *
 * Values are columns, one value a node. A column that the source of a tree does not have is NULL, never zero.
 */
#pragma once

#include "core/base/arena.h"
#include "analysis/profile/frames.h"

#include <stdbool.h>
#include <stdint.h>

#define PE_CCT_NONE UINT32_MAX

struct pe_cct_node {
	uint32_t parent; /**< PE_CCT_NONE for the root, which is node 0 */
	uint32_t end;    /**< one past the last node below this one */
	uint32_t frame;  /**< in the tree's table */
	uint32_t site;   /**< call site: line in the caller's source; 0: unknown */
};

/** Columns that a tree has. */
enum pe_cct_known {
	PE_CCT_CALLS = 1 << 0,
	PE_CCT_SITES = 1 << 1,
	PE_CCT_TIME = 1 << 2,
	PE_CCT_ALLOCATIONS = 1 << 4, /**< their number, bytes and frees */
	PE_CCT_SAMPLES = 1 << 5,
};

/** Properties of one node. */
enum pe_cct_flag {
	PE_CCT_FOLDED = 1 << 0, /**< recursive calls from below are counted here */
	PE_CCT_UNSTABLE =
		1 << 1, /**< counting runs of one build differ here: see struct pe_cct_range */
	PE_CCT_UNCOUNTED =
		1 << 2,      /**< seen in samples only: its calls and allocations are unknown */
	PE_CCT_CUT = 1 << 3, /**< the source omits the nodes below, or lost the path to it */
	PE_CCT_SPLIT =
		1 << 4, /**< its values are a share of its method's: the source kept no paths */
	PE_CCT_SHUFFLED =
		1 << 5, /**< not in the same order among its siblings in each counting run */
	PE_CCT_SOMETIMES = 1 << 6, /**< missing in some counting runs */
};

/** Counts in which counting runs can differ: the first columns of a tree. */
enum pe_cct_count {
	PE_CCT_COUNT_CALLS,
	PE_CCT_COUNT_ALLOCATIONS,
	PE_CCT_COUNT_BYTES,
	PE_CCT_N_COUNTS
};

/** Further columns, in the order of the members of struct pe_cct_values. */
enum {
	PE_CCT_COLUMN_FREES = PE_CCT_N_COUNTS,
	PE_CCT_COLUMN_TIME,
	PE_CCT_COLUMN_SAMPLES,
	PE_CCT_N_COLUMNS
};

/**
 * Differences of the counting runs of one build at a node that is PE_CCT_UNSTABLE. The tree shows the first of
 * them; less and more are the distances from it to the least and to the greatest count of all runs.
 */
struct pe_cct_range {
	uint32_t node;
	uint32_t
		runs; /**< of facts.counting_runs: with other counts or another place than is shown */
	uint64_t less[PE_CCT_N_COUNTS], more[PE_CCT_N_COUNTS];
};

/** Values of one node, without its children. */
struct pe_cct_values {
	union {
		struct {
			uint64_t calls;           /**< invocations */
			uint64_t allocations;     /**< their number */
			uint64_t allocated_bytes; /**< as requested */
			uint64_t frees;           /**< blocks that were freed here */
			uint64_t self_ns;         /**< time */
			uint64_t samples;         /**< with it on top of the stack */
		};
		uint64_t of[PE_CCT_N_COLUMNS];
	};
};

struct pe_timeline;

/** Origin of a tree, and facts about it as a whole. */
struct pe_cct_facts {
	/** collection method: "counting", "counting+samples", or an importer's name; static or arena */
	const char *source;
	/** of the whole execution: sum of all self times, unless the source recorded more; 0: unknown */
	uint64_t duration_ns;
	uint64_t samples;      /**< taken; 0: none were */
	uint64_t samples_lost; /**< of these: with no path in the tree */
	uint64_t interval_ns;  /**< between samples; 0: unknown */
	/** unit of the samples column if it is no sample of a clock: "Ir", "page-faults"; else NULL. Not stored. */
	const char *counted;
	uint32_t processes, threads;
	/** most bytes in use at once, summed over processes; 0: unknown */
	uint64_t peak_bytes;
	uint32_t counting_runs; /**< behind the ranges (struct pe_cct_range); 0: unknown */
	/**
	 * Overlap of consecutive counting runs (PARCS section 3.4), the mean over all pairs, by calls and by
	 * allocations; 0: unknown.
	 */
	double own_overlap[2];
	const struct pe_timeline *timeline; /**< of one sampled run (timeline.h); NULL: unknown */
};

struct pe_cct {
	struct pe_frames *frames; /**< borrowed; shared with the trees it is compared with */
	uint32_t n;
	unsigned known; /**< enum pe_cct_known */
	struct pe_cct_node *nodes;
	uint8_t *flags; /**< enum pe_cct_flag */
	/** Values of each node without its children; NULL: unknown. The meaning is that of struct pe_cct_values. */
	union {
		struct {
			uint64_t *calls, *allocations, *allocated_bytes, *frees, *self_ns, *samples;
		};
		uint64_t *columns[PE_CCT_N_COLUMNS];
	};
	/** With everything below; NULL if the own column is. */
	uint64_t *total_ns, *total_allocations, *total_bytes;
	struct pe_cct_range *ranges; /**< by ascending node; NULL: none */
	uint32_t n_ranges;
	/**
	 * Time in which nothing ran, by pe_cct_sum(): that of the PE_FRAME_WAITING nodes. The one below the root has waiting
	 * time whose cause is unknown; those below a call have the waiting time of this call. Samples cover the rest.
	 */
	uint64_t waiting_ns;
	struct pe_cct_facts facts;
};

/** The first child of a node, PE_CCT_NONE when it has none. */
static inline uint32_t pe_cct_first(const struct pe_cct *cct, uint32_t node)
{
	return cct->nodes[node].end > node + 1 ? node + 1 : PE_CCT_NONE;
}

/** The child of the same parent after this one, PE_CCT_NONE after the last. */
static inline uint32_t pe_cct_next(const struct pe_cct *cct, uint32_t node)
{
	uint32_t parent = cct->nodes[node].parent;

	return parent != PE_CCT_NONE && cct->nodes[node].end < cct->nodes[parent].end
		       ? cct->nodes[node].end
		       : PE_CCT_NONE;
}

/** The frame of a node. */
static inline const struct pe_frame *pe_cct_frame(const struct pe_cct *cct, uint32_t node)
{
	return &cct->frames->at[cct->nodes[node].frame];
}

/** Whether a node is of a counting run: not from samples alone, no wait, and no process below a method. */
static inline bool pe_cct_is_counted(const struct pe_cct *cct, uint32_t node)
{
	const enum pe_frame_kind kind = pe_cct_frame(cct, node)->kind;

	return (cct->flags[node] & PE_CCT_UNCOUNTED) == 0 && kind != PE_FRAME_WAITING &&
	       (kind != PE_FRAME_PROCESS || cct->nodes[node].parent == 0);
}

/** n numbers of nodes that are all PE_CCT_NONE, in the arena. */
uint32_t *pe_cct_no_nodes(size_t n, struct pe_arena *arena);

/** The difference of the counting runs at a node; NULL: none, or unknown. */
const struct pe_cct_range *pe_cct_range_of(const struct pe_cct *cct, uint32_t node);

/**
 * Make a tree of n nodes with the columns of `known`, all zero, in an arena. The caller fills nodes,
 * flags and own values, then calls pe_cct_sum().
 */
struct pe_cct *pe_cct_new(struct pe_frames *frames, uint32_t n, unsigned known,
			  struct pe_arena *arena);

/** Fill the total_ columns from the own ones. Linear. Sums that pass 2^64 stay at 2^64 - 1. */
void pe_cct_sum(struct pe_cct *cct);

/** The same of one column, which may be both; own is NULL: nothing. */
void pe_cct_sum_column(const struct pe_cct *cct, const uint64_t *own, uint64_t *total);

/**
 * Check that the nodes form one preorder tree over frames that exist. A tree from a file must be checked before
 * it is walked.
 *
 * @return  PE_EINVALID with the first node that is wrong
 */
int pe_cct_check(const struct pe_cct *cct, struct pe_err *err);

/**
 * Compute an interval for the self time of a node that was estimated from samples: Wilson's score interval of its
 * share of all samples, times the duration without waiting.
 *
 * @param z  1.96 for 95 %
 * @return   false, and both ends at self_ns, when the tree has no samples
 */
bool pe_cct_self_interval(const struct pe_cct *cct, uint32_t node, double z, double *low_ns,
			  double *high_ns);

/** pe_cct_self_interval() for the samples of any set of nodes, such as a subtree or a method in all its contexts. */
bool pe_cct_share_interval(const struct pe_cct *cct, uint64_t samples, double z, double *low_ns,
			   double *high_ns);

/*
 * Builder of a tree, in any order. Finding a child takes constant time whatever the number of
 * siblings; a node takes 88 bytes and its entry in the index.
 */
struct pe_cct_builder;

struct pe_cct_made {
	uint32_t parent, first, last, next; /**< next: sibling; PE_CCT_NONE: none */
	uint32_t frame, site;
	uint32_t flags;
	struct pe_cct_values values;
};

/** A builder with a root. @param frames  borrowed; must outlive the tree */
struct pe_cct_builder *pe_cct_builder_new(struct pe_frames *frames, unsigned known);

/** The child of a node with this frame and call site, made when it is new. The root is node 0. */
uint32_t pe_cct_builder_child(struct pe_cct_builder *builder, uint32_t parent, uint32_t frame,
			      uint32_t site);

/** Like pe_cct_builder_child(), but a new child follows a sibling, `elder`; PE_CCT_NONE: it is the first. */
uint32_t pe_cct_builder_child_after(struct pe_cct_builder *builder, uint32_t parent, uint32_t elder,
				    uint32_t frame, uint32_t site);

/**
 * Like pe_cct_builder_child(), but a frame and site that already occur on the path lead back to their node there, which
 * becomes PE_CCT_FOLDED: recursion, also mutual, makes the tree no deeper than its methods. Costs the length of the
 * path where the child is new.
 */
uint32_t pe_cct_builder_fold(struct pe_cct_builder *builder, uint32_t parent, uint32_t frame,
			     uint32_t site);

/** Whether a node is a program. */
bool pe_cct_builder_is_process(const struct pe_cct_builder *builder, uint32_t node);

/** A node of a builder; valid until the next child is made. */
const struct pe_cct_made *pe_cct_builder_node(const struct pe_cct_builder *builder, uint32_t node);

/** The values of a node, to be added to; valid until the next child is made. */
struct pe_cct_values *pe_cct_builder_at(struct pe_cct_builder *builder, uint32_t node);

/** Add to a value; the sum is at most 2^64 - 1. */
static inline void pe_cct_add(uint64_t *to, uint64_t value)
{
	if (__builtin_add_overflow(*to, value, to))
		*to = UINT64_MAX;
}

/** Add the values of a tree's node to those of a node. */
void pe_cct_builder_add(struct pe_cct_builder *builder, uint32_t node, const struct pe_cct *cct,
			uint32_t from);

/**
 * Add all nodes of a tree, with their values and flags, but not its ranges.
 *
 * @return  by node, its copy; in the arena
 */
uint32_t *pe_cct_builder_copy(struct pe_cct_builder *builder, const struct pe_cct *cct,
			      struct pe_arena *arena);

/** Set flags of a node. */
void pe_cct_builder_flag(struct pe_cct_builder *builder, uint32_t node, unsigned flags);

/**
 * Add a difference of counting runs to a node; range->node is ignored. If nodes are merged, their counts and
 * ranges add up; the runs are those of the one that differs most often.
 */
void pe_cct_builder_vary(struct pe_cct_builder *builder, uint32_t node,
			 const struct pe_cct_range *range);

/** Add all ranges of a tree. @param became  by its nodes: those of the builder */
void pe_cct_builder_vary_all(struct pe_cct_builder *builder, const struct pe_cct *cct,
			     const uint32_t *became);

/** Nodes so far. */
uint32_t pe_cct_builder_count(const struct pe_cct_builder *builder);

/** Set the known columns: a source may discover them only while it reads. */
void pe_cct_builder_know(struct pe_cct_builder *builder, unsigned known);

/**
 * Finish the tree, compute its sums, and free the builder. Children are in the order in which they were made, unless they
 * were made after another one.
 *
 * @param facts  copied; duration_ns 0 becomes the sum of the self times
 */
struct pe_cct *pe_cct_builder_finish(struct pe_cct_builder *builder,
				     const struct pe_cct_facts *facts, struct pe_arena *arena);

/** The same. @param place  filled in: by node of the builder, its number in the tree; NULL: not asked */
struct pe_cct *pe_cct_builder_finish_placed(uint32_t *place, struct pe_cct_builder *builder,
					    const struct pe_cct_facts *facts,
					    struct pe_arena *arena);

/** Free a builder that is not finished; NULL is allowed. */
void pe_cct_builder_free(struct pe_cct_builder *builder);
