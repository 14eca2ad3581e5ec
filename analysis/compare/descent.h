/*
 * Descent: the nodes from the root of a delta tree to the one that a walk in preorder has come to. Private to the room.
 */
#ifndef PE_COMPARE_DESCENT_H
#define PE_COMPARE_DESCENT_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"
#include "core/base/vec.h"

struct step {
	uint32_t node;   /**< of the delta tree */
	uint32_t both;   /**< step of the nearest ancestor that both have */
	uint32_t caller; /**< step of the nearest ancestor that is there on its own side */
	uint32_t
		origin; /**< method: itself or its nearest ancestor in new, modified or recompiled */
	uint32_t chain; /**< group that its difference in calls belongs to, PE_CCT_NONE: none */
	double ratio;   /**< new calls / old calls; -1: unknown */
};

/** Zero-initialise; steps are released by pe_vec_release(). */
struct descent {
	PE_VEC(struct step) steps; /**< from the root */
};

/** Go on to the next node in preorder. */
void pe_descent_go(struct descent *descent, const struct pe_delta *delta,
		   const struct pe_changes *changes, uint32_t node);

/** The node that the walk has come to. */
static inline struct step *pe_descent_top(const struct descent *descent)
{
	return &descent->steps.data[descent->steps.n - 1];
}

/** A step by its number; NULL for PE_CCT_NONE. */
static inline const struct step *pe_descent_at(const struct descent *descent, uint32_t number)
{
	return number != PE_CCT_NONE ? &descent->steps.data[number] : NULL;
}

/** The caller of the node that the walk has come to; NULL: it is the root. */
static inline const struct step *pe_descent_caller(const struct descent *descent)
{
	return pe_descent_at(descent, pe_descent_top(descent)->caller);
}

#endif
