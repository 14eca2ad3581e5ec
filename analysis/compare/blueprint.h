/* Blueprint: the measures of the performance evolution blueprint for every node of a delta tree. */
#ifndef PE_COMPARE_BLUEPRINT_H
#define PE_COMPARE_BLUEPRINT_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"

/** What heights are measured by. */
enum pe_basis {
	/** what a node itself spends, without its callees, relative to the whole old execution: heights add up */
	PE_BASIS_OWN,
	PE_BASIS_TIME,  /**< with its callees, relative to the whole old execution */
	PE_BASIS_SHARE, /**< with its callees, as a share of its own execution (the paper's) */
	PE_N_BASES
};

/** "own", "time", "share". */
const char *pe_basis_name(enum pe_basis basis);

enum pe_box_colour {
	PE_COLOUR_NEUTRAL,   /**< in both, and does not differ, or by no more than noise */
	PE_COLOUR_RED,       /**< slower, its method touched */
	PE_COLOUR_LIGHT_RED, /**< slower, its method the same */
	PE_COLOUR_GREEN,     /**< faster, its method touched */
	PE_COLOUR_LIGHT_GREEN,
	PE_COLOUR_YELLOW, /**< added */
	PE_COLOUR_GRAY,   /**< removed */
	PE_N_COLOURS
};

/** "neutral", "red", "light red", ... */
const char *pe_colour_name(enum pe_box_colour colour);

/** What is shown beside the hot path at first. */
#define PE_BLUEPRINT_LEAST 0.05
#define PE_BLUEPRINT_FIRST 16

struct pe_blueprint_opts {
	enum pe_basis basis;
	const struct pe_changes
		*changes; /**< NULL: unknown; then red and green are the light ones */
	/** By node: not 0 where a cause of time shows (struct pe_attribution); NULL: each difference is taken for one */
	const uint32_t *cause_of;
};

struct pe_blueprint_box {
	double height;        /**< >= 0, in shares of an execution */
	double signed_height; /**< before the bars: positive is slower */
	double width; /**< >= 0: ln of the difference in calls, plus 1; 0 where calls are unknown */
	uint8_t colour; /**< enum pe_box_colour */
	bool hot;       /**< on the delta hot path */
	bool first;     /**< shown before a reader asks for more */
};

struct pe_blueprint {
	struct pe_blueprint_box *boxes; /**< by node of the delta tree */
	uint32_t *hot_path; /**< from the root down to a leaf, nodes of the delta tree */
	uint32_t n_hot;
	double old_whole; /**< what heights are shares of; 0: old took nothing, so they are of new */
};

/**
 * Height, width and colour of every node (Blueprint section III; where it writes the logarithm of
 * |a - b + 1| and calls slower negative, |a - b| + 1 and positive are meant), and the delta hot path: from the
 * root, the child with the greatest variation of time, down to a leaf. Where times are not known, heights are of
 * allocations, else of calls, and every difference has its colour. n log n in what varies, else linear.
 *
 * With T for what a node takes with all below it, a node in both is T_2 - T_1 high, one that was added
 * T_2(n) - sum of T_1(c) over its children, one that was removed mirrors it; by share, both sides are divided by
 * their own execution, else by the old one. By PE_BASIS_OWN the height is what T holds beyond the children's T, so
 * that the signed heights of all nodes sum to that of the root by PE_BASIS_TIME, whatever came or went in between.
 * A node that does not differ itself has there the colour of what it spends with its callees. A time differs where a
 * cause of the verdict shows, itself or below it, so that colours and verdict agree; counts are exact.
 *
 * A node is ln(|Ex_2 - Ex_1| + 1) wide; one that was added is held against Ex_1 of its parent, and against its
 * Ex_2 where the parent was added as well, for which the paper has no rule: what has no past is no variation.
 *
 * Shown at first are the hot path; the highest boxes by PE_BASIS_OWN; and those beside the hot path that vary as
 * much: each beyond noise, PE_BLUEPRINT_LEAST of the greatest at least, PE_BLUEPRINT_FIRST of them at most; and
 * all above them. This is the same for every basis.
 *
 * @param arena  owns the arrays
 */
void pe_blueprint_make(struct pe_blueprint *out, const struct pe_delta *delta,
		       const struct pe_blueprint_opts *opts, struct pe_arena *arena);

/** What a tree is read by: time where it is known, else allocations where they differ, else calls. */
enum pe_cost pe_blueprint_cost(const struct pe_delta *delta);

/**
 * The same by another cost. Only of time a difference can be noise; counts
 * are exact.
 */
void pe_blueprint_make_of(struct pe_blueprint *out, const struct pe_delta *delta, enum pe_cost cost,
			  const struct pe_blueprint_opts *opts, struct pe_arena *arena);

#endif
