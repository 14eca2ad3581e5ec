/*
 * What a picture of the stages shows (PARCS figure 6): the subtrees that were cut, each as its root, and the contexts
 * above them. Private to the writers.
 */
#ifndef PE_REPORT_PARCS_TREE_H
#define PE_REPORT_PARCS_TREE_H

#include "report/compare.h"

/** A context in the picture. Nodes are in preorder. */
struct pe_parcs_shown {
	uint32_t parent;                /**< in the picture; PE_CCT_NONE: the root */
	uint32_t node;                  /**< of the delta tree */
	const struct pe_parcs_cut *cut; /**< NULL: it is in both trees, above one that is not */
	bool modified;                  /**< its method: a rectangle */
	uint32_t hidden;                /**< callees that are not shown */
	double x, y;                    /**< the left end and the middle of its shape, pixels */
	double wide, reach;             /**< of the shape, and with what stands behind it */
};

/** Pixels of a picture: from one row of nodes to the next, of a shape, and the most that a name takes. */
#define PE_PARCS_ROW       40.0
#define PE_PARCS_HIGH      24.0
#define PE_PARCS_MOST_NAME 260.0
#define PE_PARCS_MOST_CUTS 100 /* in a picture */

struct pe_parcs_picture {
	struct pe_parcs_shown *at;
	uint32_t n;
	uint32_t cuts;        /**< subtrees that are shown */
	double width, height; /**< pixels, once it is laid out */
};

/**
 * Choose what is shown of a pair that has stages: at most the largest `most` of the subtrees.
 *
 * @param most     0: all
 */
void pe_parcs_picture_make(struct pe_parcs_picture *out, const struct pe_compare_pair *pair,
			   uint32_t most, struct pe_arena *arena);

/** Lay it on its side: callers left of callees, so that names are lines. */
void pe_parcs_picture_lay_out(struct pe_parcs_picture *picture, const struct pe_compare_pair *pair,
			      struct pe_arena *arena);

/** What stands in a node: its name, and of a cut why, in which tree, how much, and in how many runs it differs. */
void pe_parcs_picture_name(struct pe_text *out, const struct pe_compare_pair *pair,
			   const struct pe_parcs_shown *shown);
void pe_parcs_picture_why(struct pe_text *out, const struct pe_compare_pair *pair,
			  const struct pe_parcs_shown *shown);

#endif
