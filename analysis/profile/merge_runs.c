/*
 * Counting runs of one build: their differences are the program's own variation.
 *
 *	struct shown            a node of the first run or of any later one, and the distance of the runs from the first
 *	struct pe_merge_joint   the nodes in a builder, in the common order of all runs
 */
#include "analysis/profile/merge.h"

#include "core/base/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct shown {
	uint32_t in_run; /* its node in the run that is being added; PE_CCT_NONE */
	bool counted;    /* by counting runs, not from samples alone */
	bool present;    /* in the first run */
	bool varies;     /* it differs in some run */
	struct pe_cct_range range;
};

struct pe_merge_joint {
	struct pe_cct_builder *builder;
	struct pe_cct_facts facts;
	PE_VEC(struct shown) shown; /* by node of the builder */
};

static void show(struct shown *shown, const struct pe_cct *first, uint32_t node)
{
	const struct pe_cct_range *range = pe_cct_range_of(first, node);
	const unsigned flags = first->flags[node];

	shown->counted = pe_cct_is_counted(first, node);
	/* In a joint tree, nodes that the first run lacked have no calls. */
	shown->present =
		(flags & PE_CCT_SOMETIMES) == 0 || first->calls == NULL || first->calls[node] > 0;
	shown->varies = range != NULL;
	if (range != NULL)
		shown->range = *range;
}

struct pe_merge_joint *pe_merge_joint_new(const struct pe_cct *first)
{
	struct pe_merge_joint *joint = pe_realloc(NULL, 1, sizeof(*joint));
	pe_auto_arena work = PE_ARENA_INIT;
	uint32_t *became;

	*joint = (struct pe_merge_joint){
		.builder = pe_cct_builder_new(first->frames, first->known),
		.facts = first->facts,
	};
	if (joint->facts.counting_runs == 0)
		joint->facts.counting_runs = 1;
	/* `shown` holds the ranges until the end. */
	became = pe_cct_builder_copy(joint->builder, first, &work);
	while (joint->shown.n < pe_cct_builder_count(joint->builder))
		pe_vec_push(&joint->shown, (struct shown){0});
	assert(joint->shown.data != NULL); /* each tree has a root */
	for (uint32_t i = 0; i < first->n; i++)
		show(&joint->shown.data[became[i]], first, i);
	return joint;
}

/*
 * Find the nodes of a run among those of the joint, and add new ones after the siblings that they follow in this run.
 *
 * @return  by node of the run: that of the joint
 */
static uint32_t *place_run(struct pe_merge_joint *joint, const struct pe_cct *run)
{
	static const unsigned of_joint = PE_CCT_UNSTABLE | PE_CCT_SHUFFLED | PE_CCT_SOMETIMES;
	uint32_t *became = pe_realloc(NULL, run->n, sizeof(*became));
	uint32_t *elder = pe_realloc(NULL, run->n, sizeof(*elder)); /* the last child so far */

	for (uint32_t i = 0; i < joint->shown.n; i++)
		joint->shown.data[i].in_run = PE_CCT_NONE;
	for (uint32_t i = 0; i < run->n; i++) {
		const struct pe_cct_node *node = &run->nodes[i];

		elder[i] = PE_CCT_NONE;
		became[i] = 0;
		if (i > 0) {
			became[i] = pe_cct_builder_child_after(joint->builder, became[node->parent],
							       elder[node->parent], node->frame,
							       node->site);
			if (became[i] == joint->shown.n)
				pe_vec_push(&joint->shown, (struct shown){.counted = true});
			elder[node->parent] = became[i];
		}
		joint->shown.data[became[i]].in_run = i;
		pe_cct_builder_flag(joint->builder, became[i], run->flags[i] & ~of_joint);
	}
	free(elder);
	return became;
}

/* A child in a run, with its place among its siblings in the joint. */
struct child {
	uint32_t node, place;
};

typedef PE_VEC(struct child) children;

/* Mark children in another order than in the joint: after a later sibling, or before an earlier one. */
static void find_shuffled(struct pe_merge_joint *joint, children *of, bool *shuffled)
{
	uint32_t most = 0, least = PE_CCT_NONE;

	for (size_t k = 0; k < of->n; k++) {
		const struct child *child = &of->data[k];

		shuffled[child->node] = child->place < most;
		most = child->place > most ? child->place : most;
	}
	for (size_t k = of->n; k-- > 0;) {
		const struct child *child = &of->data[k];

		shuffled[child->node] |= child->place > least;
		least = child->place < least ? child->place : least;
		if (shuffled[child->node])
			pe_cct_builder_flag(joint->builder, child->node, PE_CCT_SHUFFLED);
	}
}

static void find_all_shuffled(struct pe_merge_joint *joint, const struct pe_cct *run,
			      const uint32_t *became, bool *shuffled)
{
	pe_auto_free uint32_t *place = pe_realloc(NULL, joint->shown.n, sizeof(*place));
	pe_auto_free children of = {NULL, 0, 0};

	memset(shuffled, 0, joint->shown.n * sizeof(*shuffled));
	for (uint32_t i = 0; i < joint->shown.n; i++) {
		uint32_t at = 0;

		for (uint32_t c = pe_cct_builder_node(joint->builder, i)->first; c != PE_CCT_NONE;
		     c = pe_cct_builder_node(joint->builder, c)->next)
			place[c] = ++at;
	}
	for (uint32_t i = 0; i < run->n; i++) {
		of.n = 0;
		for (uint32_t c = pe_cct_first(run, i); c != PE_CCT_NONE; c = pe_cct_next(run, c))
			pe_vec_push(&of, (struct child){became[c], place[became[c]]});
		if (of.n > 1)
			find_shuffled(joint, &of, shuffled);
	}
}

/* Whether a run has other counts than shown; the range grows to contain them. */
static bool counts_differ(struct pe_merge_joint *joint, uint32_t node, const struct pe_cct *run)
{
	const struct pe_cct_values *values = pe_cct_builder_at(joint->builder, node);
	struct shown *shown = &joint->shown.data[node];
	bool differ = false;

	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		const uint64_t *counts = run->columns[c];
		uint64_t is = values->of[c], was = 0;

		if (counts == NULL)
			continue;
		if (shown->in_run != PE_CCT_NONE)
			was = counts[shown->in_run];
		if (was < is && is - was > shown->range.less[c])
			shown->range.less[c] = is - was;
		if (was > is && was - is > shown->range.more[c])
			shown->range.more[c] = was - is;
		differ |= was != is;
	}
	if (run->frees != NULL)
		differ |= values->frees !=
			  (shown->in_run != PE_CCT_NONE ? run->frees[shown->in_run] : 0);
	return differ;
}

uint32_t pe_merge_joint_add(struct pe_merge_joint *joint, const struct pe_cct *run)
{
	pe_auto_free uint32_t *became = place_run(joint, run);
	pe_auto_free bool *shuffled = pe_realloc(NULL, joint->shown.n, sizeof(*shuffled));
	uint32_t fresh = 0;

	find_all_shuffled(joint, run, became, shuffled);
	joint->facts.counting_runs++;
	for (uint32_t i = 0; i < joint->shown.n; i++) {
		struct shown *shown = &joint->shown.data[i];
		bool present = shown->in_run != PE_CCT_NONE;

		if (!shown->counted)
			continue;
		if (present != shown->present)
			pe_cct_builder_flag(joint->builder, i, PE_CCT_SOMETIMES);
		if (!counts_differ(joint, i, run) && present == shown->present && !shuffled[i])
			continue;
		shown->range.runs++;
		fresh += !shown->varies;
		shown->varies = true;
	}
	return fresh;
}

struct pe_cct *pe_merge_joint_finish(struct pe_merge_joint *joint, struct pe_arena *arena)
{
	struct pe_cct *cct;

	for (uint32_t i = 0; i < joint->shown.n; i++)
		if (joint->shown.data[i].varies)
			pe_cct_builder_vary(joint->builder, i, &joint->shown.data[i].range);
	cct = pe_cct_builder_finish(joint->builder, &joint->facts, arena);
	joint->builder = NULL;
	pe_merge_joint_free(joint);
	return cct;
}

void pe_merge_joint_free(struct pe_merge_joint *joint)
{
	if (joint == NULL)
		return;
	pe_cct_builder_free(joint->builder);
	pe_vec_release(&joint->shown);
	free(joint);
}
