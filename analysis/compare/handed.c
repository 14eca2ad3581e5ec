#include "analysis/compare/handed.h"

#include <stdlib.h>

/* Of a method to itself: any other one is nearer. */
static const uint32_t FARTHEST = UINT32_MAX - 1;

/* What is found of a decision on the way. */
struct hand {
	uint32_t distance; /* calls between; UINT32_MAX: nobody yet */
	bool others;       /* contexts that are not below it */
};

static bool is_modified(const struct pe_changes *changes, uint32_t frame)
{
	enum pe_source_change source = pe_changes_source(changes, frame);

	return source == PE_SOURCE_MODIFIED || source == PE_SOURCE_ADDED;
}

/*
 * Whether a method may have one below it do other work. Where the machine code of a caller is what it was and the callee was compiled
 * otherwise, an argument was compiled into the callee.
 */
static bool may_hand_on(const struct pe_changes *changes, uint32_t frame, uint32_t callee,
			uint32_t distance)
{
	return is_modified(changes, frame) &&
	       (pe_changes_touched(changes, frame) ||
		(distance == 1 && pe_changes_binary(changes, callee) == PE_BINARY_RECOMPILED));
}

/*
 * The nearest above a context: its frame; PE_FRAME_NONE: none. Another one, if there is any: who calls itself more often may do so
 * for a caller's sake. *distance: calls between.
 */
static uint32_t modified_above(uint32_t *distance, const struct pe_delta *delta,
			       const struct pe_changes *changes, uint32_t context)
{
	const struct pe_delta_node *nodes = delta->nodes;
	const uint32_t itself = nodes[context].frame;
	uint32_t found = PE_FRAME_NONE;

	*distance = 0;
	for (uint32_t i = nodes[context].parent; i != PE_CCT_NONE; i = nodes[i].parent) {
		bool is_other = nodes[i].frame != itself;

		*distance += is_other;
		if (!may_hand_on(changes, nodes[i].frame, itself, *distance))
			continue;
		found = nodes[i].frame;
		if (is_other)
			return found;
	}
	*distance = FARTHEST;
	return found;
}

/* Whether a context is one in which a method does what it does more or less of. */
static bool is_concerned(const struct pe_decision *one, const struct pe_delta *delta,
			 uint32_t context)
{
	struct pe_delta_values calls = pe_delta_values(delta, context, PE_DELTA_CALLS);

	if (one->steady || !calls.known)
		return pe_delta_state(delta, context) != PE_DELTA_REMOVED;
	return one->instructions > 0 ? calls.new_value > calls.old_value
				     : calls.new_value < calls.old_value;
}

static void look(struct pe_decision *one, struct hand *hand, const struct pe_delta *delta,
		 const struct pe_changes *changes, uint32_t context)
{
	uint32_t distance, above;

	if (!is_concerned(one, delta, context))
		return;
	above = modified_above(&distance, delta, changes, context);
	if (above == PE_FRAME_NONE) {
		hand->others = true;
		return;
	}
	hand->others = hand->others || (one->by != PE_FRAME_NONE && above != one->by);
	if (distance >= hand->distance)
		return;
	hand->distance = distance;
	one->by = above;
}

static bool any_modified(const struct pe_changes *changes)
{
	for (uint32_t f = 0; changes != NULL && f < changes->n; f++)
		if (is_modified(changes, f))
			return true;
	return false;
}

void pe_handed_find(struct pe_decisions *decisions, uint32_t n, const struct pe_delta *delta,
		    const struct pe_changes *changes)
{
	struct hand *hands;

	if (!any_modified(changes))
		return;
	hands = pe_realloc(NULL, n, sizeof(*hands));
	for (uint32_t i = 0; i < n; i++)
		hands[i] = (struct hand){UINT32_MAX, false};
	for (uint32_t i = 1; i < delta->n; i++) {
		uint32_t place = decisions->places[delta->nodes[i].frame];
		struct pe_decision *one = place > 0 ? &decisions->at[place - 1] : NULL;

		if (one != NULL && one->counted && one->charged && one->instructions != 0)
			look(one, &hands[place - 1], delta, changes, i);
	}
	for (uint32_t i = 0; i < n; i++)
		decisions->at[i].probably = hands[i].others && decisions->at[i].by != PE_FRAME_NONE;
	free(hands);
}
