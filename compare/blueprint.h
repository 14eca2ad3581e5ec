/* Blueprint: the measures of the performance evolution blueprint for every node of a delta tree. */
#ifndef PE_COMPARE_BLUEPRINT_H
#define PE_COMPARE_BLUEPRINT_H

#include "compare/changes.h"
#include "compare/delta.h"

/** What heights are measured by. */
enum pe_basis {
	PE_BASIS_TIME,  /**< time relative to the whole old execution: a uniform slowdown shows */
	PE_BASIS_SHARE, /**< share of its own execution (the paper's) */
};

enum pe_colour {
	PE_COLOUR_NEUTRAL, /**< in both, and varies by no more than the runs do, or times are unknown */
	PE_COLOUR_RED,     /**< slower, its method touched */
	PE_COLOUR_LIGHT_RED, /**< slower, its method the same */
	PE_COLOUR_GREEN,     /**< faster, its method touched */
	PE_COLOUR_LIGHT_GREEN,
	PE_COLOUR_YELLOW, /**< added */
	PE_COLOUR_GRAY,   /**< removed */
	PE_N_COLOURS
};

/** "neutral", "red", "light red", ... */
const char *pe_colour_name(enum pe_colour colour);

struct pe_blueprint_opts {
	enum pe_basis basis;
	const struct pe_changes
		*changes; /**< NULL: unknown; then red and green are the light ones */
	double z;         /**< a difference under z standard errors is neutral; 0: 1.96 */
};

struct pe_blueprint_box {
	double height;        /**< >= 0, in shares of an execution */
	double signed_height; /**< before the bars: positive is slower */
	double width; /**< >= 0: ln of the difference in calls, plus 1; 0 where calls are unknown */
	uint8_t colour; /**< enum pe_colour */
	bool hot;       /**< on the delta hot path */
};

struct pe_blueprint {
	struct pe_blueprint_box *boxes; /**< by node of the delta tree */
	uint32_t *hot_path; /**< from the root down to a leaf, nodes of the delta tree */
	uint32_t n_hot;
};

/**
 * Height, width and colour of every node (Blueprint section III; where it writes the logarithm of
 * |a - b + 1| and calls slower negative, |a - b| + 1 and positive are meant), and the delta hot path: from the root, the child with the greatest variation of time, down to a
 * leaf. Linear.
 *
 * @param arena  owns the arrays
 */
void pe_blueprint_make(struct pe_blueprint *out, const struct pe_delta *delta,
		       const struct pe_blueprint_opts *opts, struct pe_arena *arena);

/** The delta hot path below any node; writes at most `room` nodes, the first of which is `node`. */
uint32_t pe_blueprint_hot_path(const struct pe_delta *delta, uint32_t node, uint32_t *out,
			       uint32_t room);

#endif
