#include "analysis/compare/zam_steps.h"

#include "analysis/profile/cct.h"
#include "core/base/hash_index.h"

#include <stdlib.h>
#include <string.h>

/* Greatest depth at which recursion is looked for, because that costs the length of the path. */
enum { MOST_DEPTH = 1000 };

static bool is_level(const struct pe_frame *frame)
{
	return frame->kind == PE_FRAME_PROCESS || frame->kind == PE_FRAME_THREAD;
}

static bool is_engine(const struct pe_frame *frame)
{
	return frame->kind == PE_FRAME_METHOD && frame->component[0] == '\0' &&
	       (strcmp(frame->name, "(program)") == 0 ||
		strcmp(frame->name, "(garbage collector)") == 0);
}

/* Whether a node is removed; then its time is added to the rest. */
static bool is_rest(const struct pe_cct *cct, uint32_t node, struct pe_zam_rest *rest)
{
	const struct pe_frame *frame = pe_cct_frame(cct, node);
	double ns = cct->self_ns != NULL ? (double)cct->self_ns[node] : 0;

	if (node == 0 ||
	    (cct->nodes[node].parent != 0 && !is_level(pe_cct_frame(cct, cct->nodes[node].parent))))
		return false;
	if (frame->kind == PE_FRAME_WAITING)
		rest->waiting_ns += ns;
	else if (is_engine(frame))
		rest->engine_ns += ns;
	else
		return false;
	return true;
}

struct making {
	const struct pe_cct *cct;
	struct pe_cct_builder *builder;
	uint32_t *depth;      /* by node of the builder */
	uint8_t *was_made;    /* by frame: a node has it */
	struct pe_map before; /* by parent and frame: the call site for its next child */
};

/* Call sites from here on number siblings without a site; lines are smaller. */
static const uint32_t COUNTED = UINT32_C(1) << 31;

/* Find the nearest node, at or above a given one, of the same method and, if known, call site; PE_CCT_NONE: none. */
static uint32_t find_above(const struct making *making, uint32_t at, const struct pe_cct_node *node)
{
	if (making->was_made[node->frame] == 0 || making->depth[at] >= MOST_DEPTH)
		return PE_CCT_NONE;
	for (; at != PE_CCT_NONE; at = pe_cct_builder_node(making->builder, at)->parent) {
		uint32_t site = pe_cct_builder_node(making->builder, at)->site;

		if (pe_cct_builder_node(making->builder, at)->frame == node->frame &&
		    (site == node->site || node->site == 0 || site >= COUNTED))
			break;
	}
	return at;
}

/*
 * Make a node, or fold it. Siblings of one method stay separate without call sites, too, except those of samples, whose order
 * is chance.
 */
static uint32_t make_child(struct making *making, uint32_t parent, uint32_t i)
{
	const struct pe_cct_node *node = &making->cct->nodes[i];
	uint32_t above = find_above(making, parent, node), child, site = node->site;

	if (above != PE_CCT_NONE) {
		pe_cct_builder_flag(making->builder, above, PE_CCT_FOLDED);
		return above;
	}
	if (site == 0 && making->cct->calls != NULL) {
		site = pe_map_get(&making->before, node->parent, node->frame, COUNTED);
		pe_map_set(&making->before, node->parent, node->frame, site + 1);
	}
	child = pe_cct_builder_child(making->builder, parent, node->frame, site);
	making->depth[child] = making->depth[parent] + 1;
	making->was_made[node->frame] = 1;
	return child;
}

struct pe_cct *pe_timeline_calls(const struct pe_cct *cct, struct pe_zam_rest *rest,
				 struct pe_arena *arena)
{
	unsigned known =
		cct->known & (unsigned)(PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_SAMPLES);
	struct pe_cct_facts facts = cct->facts;
	struct making making = {
		.cct = cct,
		.builder = pe_cct_builder_new(cct->frames, known),
		.depth = pe_realloc(NULL, cct->n, sizeof(uint32_t)),
		.was_made = pe_realloc(NULL, cct->frames->n + 1, 1),
	};
	pe_auto_free uint32_t *at = pe_realloc(NULL, cct->n, sizeof(*at));
	struct pe_cct *calls;

	*rest = (struct pe_zam_rest){0};
	memset(at, 0, cct->n * sizeof(*at));
	memset(making.was_made, 0, cct->frames->n + 1);
	making.depth[0] = 0;
	for (uint32_t i = 0; i < cct->n;) {
		const struct pe_cct_node *node = &cct->nodes[i];

		if (is_rest(cct, i, rest)) {
			if (cct->samples != NULL && cct->samples[i] <= facts.samples)
				facts.samples -= cct->samples[i];
			i = node->end;
			continue;
		}
		if (i > 0)
			at[i] = make_child(&making, at[node->parent], i);
		pe_cct_builder_add(making.builder, at[i], cct, i);
		pe_cct_builder_flag(making.builder, at[i], cct->flags[i]);
		i++;
	}
	pe_cct_builder_vary_all(making.builder, cct, at);
	free(making.depth);
	free(making.was_made);
	pe_map_release(&making.before);
	calls = pe_cct_builder_finish(making.builder, &facts, arena);
	calls->nodes[0].frame = cct->nodes[0].frame;
	for (uint32_t i = 0; i < calls->n; i++)
		if (calls->nodes[i].site >= COUNTED)
			calls->nodes[i].site = 0;
	return calls;
}
