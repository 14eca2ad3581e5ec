#include "analysis/compare/descent.h"

void pe_descent_go(struct descent *descent, const struct pe_delta *delta,
		   const struct pe_changes *changes, uint32_t node)
{
	const enum pe_delta_state state = pe_delta_state(delta, node);
	struct step step = {.node = node,
			    .both = PE_CCT_NONE,
			    .caller = PE_CCT_NONE,
			    .origin = PE_FRAME_NONE,
			    .chain = PE_CCT_NONE,
			    .ratio = -1};

	while (descent->steps.n > 0 && delta->nodes[pe_descent_top(descent)->node].end <= node)
		descent->steps.n--;
	if (descent->steps.n > 0) {
		const struct step *above = pe_descent_top(descent);
		const uint32_t parent = (uint32_t)descent->steps.n - 1;
		const enum pe_delta_state over = pe_delta_state(delta, above->node);

		step.both = over == PE_DELTA_BOTH ? parent : above->both;
		/* What went stands above what both have, never above or below what came. */
		step.caller =
			state != PE_DELTA_REMOVED && over == PE_DELTA_REMOVED ? step.both : parent;
		step.origin = above->origin;
	}
	if (state != PE_DELTA_REMOVED && pe_changes_touched(changes, delta->nodes[node].frame))
		step.origin = delta->nodes[node].frame;
	pe_vec_push(&descent->steps, step);
}
