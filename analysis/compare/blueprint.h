/* Blueprint: the measures of the performance evolution blueprint for every node of a delta tree. */
#pragma once

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"

/** The measure of heights. */
enum pe_basis {
	/** own cost, without callees, relative to the whole old execution: heights add up */
	PE_BASIS_OWN,
	PE_BASIS_TIME,  /**< with its callees, relative to the whole old execution */
	PE_BASIS_SHARE, /**< with its callees, as a share of its own execution (the paper's) */
	PE_N_BASES
};

/** "own", "time", "share". */
const char *pe_basis_name(enum pe_basis basis);

enum pe_box_colour {
	PE_COLOUR_NEUTRAL,   /**< in both, without a difference beyond noise */
	PE_COLOUR_RED,       /**< slower, its method changed */
	PE_COLOUR_LIGHT_RED, /**< slower, its method unchanged */
	PE_COLOUR_GREEN,     /**< faster, its method changed */
	PE_COLOUR_LIGHT_GREEN,
	PE_COLOUR_YELLOW, /**< added */
	PE_COLOUR_GRAY,   /**< removed */
	PE_N_COLOURS
};

/** "neutral", "red", "light red", ... */
const char *pe_colour_name(enum pe_box_colour colour);

/** Boxes shown at first in addition to the hot path: their least share of the largest one, and their greatest number. */
#define PE_BLUEPRINT_LEAST 0.05
#define PE_BLUEPRINT_FIRST 16

struct pe_blueprint_opts {
	enum pe_basis basis;
	const struct pe_changes
		*changes; /**< NULL: unknown; then red and green are the light ones */
	/** By node: not 0 where a cause of time shows (struct pe_attribution); NULL: each difference counts as one */
	const uint32_t *cause_of;
};

struct pe_blueprint_box {
	double height;        /**< >= 0, in shares of an execution */
	double signed_height; /**< height with its sign: positive is slower */
	double width; /**< >= 0: ln of the difference in calls, plus 1; 0 where calls are unknown */
	uint8_t colour; /**< enum pe_box_colour */
	bool hot;       /**< on the delta hot path */
	bool first;     /**< shown at first */
};

struct pe_blueprint {
	struct pe_blueprint_box *boxes; /**< by node of the delta tree */
	uint32_t *hot_path; /**< from the root down to a leaf, nodes of the delta tree */
	uint32_t n_hot;
	double old_whole; /**< the execution that heights are shares of: old's, or new's where old is 0 */
};

/**
 * Find height, width and colour of every node (Blueprint section III), and the delta hot path: from the root, the child with
 * the greatest variation of time, down to a leaf. The paper has slips: for the logarithm of |a - b + 1| it means |a - b| + 1,
 * and slower is positive. Where times are unknown, heights are of allocations, else of calls, and every difference has its
 * colour. n log n in the boxes that vary, else linear.
 *
 * With T for the inclusive cost, the height of a node in both is T_2 - T_1; of an added one T_2(n) - sum of T_1(c) over
 * its children; of a removed one the mirror image. PE_BASIS_SHARE divides each side by its own execution, the others divide
 * both by the old one. PE_BASIS_OWN takes T without the children's T, so that the signed heights of all nodes add up to
 * the root's by PE_BASIS_TIME, whatever nodes were added or removed. There, a node whose own cost does not differ has the
 * colour of its inclusive cost. A time differs only where a cause of the verdict shows, in the node or below it, so that
 * colours and verdict agree; counts are exact.
 *
 * The width of a node is ln(|Ex_2 - Ex_1| + 1). An added node is compared with Ex_1 of its parent, and, where the parent was
 * added as well, with the parent's Ex_2; the paper has no rule for that case.
 *
 * Boxes shown at first are the hot path, the highest boxes by PE_BASIS_OWN, those beside the hot path with as large an
 * inclusive variation, and all boxes above them. Each is beyond noise and has at least PE_BLUEPRINT_LEAST of the
 * greatest; there are at most PE_BLUEPRINT_FIRST. They are the same for every basis.
 *
 * @param arena  owns the arrays
 */
void pe_blueprint_make(struct pe_blueprint *out, const struct pe_delta *delta,
		       const struct pe_blueprint_opts *opts, struct pe_arena *arena);

/** The cost by which a tree is drawn: time where it is known, else allocations where they differ, else calls. */
enum pe_cost pe_blueprint_cost(const struct pe_delta *delta);

/** Make the blueprint of a given cost. A difference within noise is neutral for time alone; counts are exact. */
void pe_blueprint_make_of(struct pe_blueprint *out, const struct pe_delta *delta, enum pe_cost cost,
			  const struct pe_blueprint_opts *opts, struct pe_arena *arena);
