/*
 * Suspects: a difference that is sure as a whole may have no part that is sure by itself. Then the modified methods
 * on the delta hot path are the likely ones, for it is below them that most of it lies.
 */
#include "compare/causes.h"

#include <math.h>
#include <stdlib.h>

/* Of the whole difference: one with less below it is no suspect. */
static const double LEAST_PART = 0.2;
/* Of a suspect's difference: its own. */
static const double MOSTLY = 0.5;

static int64_t inclusive(const struct causes *causes, uint32_t node)
{
	return pe_delta_difference(pe_causes_cost(causes, node, true));
}

/* The child with the greatest variation in the direction of the whole; PE_CCT_NONE: none has any. */
static uint32_t hottest_child(const struct causes *causes, uint32_t node, bool more)
{
	const struct pe_delta *delta = causes->delta;
	uint32_t best = PE_CCT_NONE;
	int64_t most = 0;

	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end) {
		int64_t difference = inclusive(causes, c);

		difference = more ? difference : -difference;
		if (difference > most) {
			most = difference;
			best = c;
		}
	}
	return best;
}

static bool is_suspect(const struct causes *causes, uint32_t node)
{
	return pe_delta_state(causes->delta, node) != PE_DELTA_REMOVED &&
	       pe_changes_touched(causes->opts->changes, causes->delta->nodes[node].frame);
}

/* What one says of what its context took: counts may say what the samples of it do not show, and that is no part of them. */
static int64_t said_by(const struct causes *causes, const struct pe_cause *cause)
{
	int64_t shown =
		cause->kind == PE_CAUSE_COUNTED ? inclusive(causes, cause->node) : cause->amount;

	if ((shown > 0) != (cause->amount > 0))
		return 0;
	return llabs(shown) < llabs(cause->amount) ? shown : cause->amount;
}

/* What the chosen causes say of what is below a node, and not below another one. */
static int64_t said_below(const struct causes *causes, const struct pe_verdict_report *chosen,
			  uint32_t node, uint32_t but)
{
	const struct pe_delta_node *nodes = causes->delta->nodes;
	int64_t sum = 0;

	for (uint32_t i = 0; i < chosen->n; i++) {
		uint32_t at = chosen->causes[i].node;

		if (at != PE_CCT_NONE && at >= node && at < nodes[node].end &&
		    (but == PE_CCT_NONE || at < but || at >= nodes[but].end))
			sum += said_by(causes, &chosen->causes[i]);
	}
	return sum;
}

static double variance_below(const struct causes *causes, uint32_t node)
{
	const struct pe_delta *delta = causes->delta;
	const struct pe_delta_node *at = &delta->nodes[node];
	double variance = 0;

	if (causes->unit != PE_VERDICT_NS)
		return 0;
	if (at->old_node != PE_CCT_NONE)
		variance +=
			pe_runs_variance(delta->old_runs, at->old_node, true) / delta->old_runs->n;
	if (at->new_node != PE_CCT_NONE)
		variance +=
			pe_runs_variance(delta->new_runs, at->new_node, true) / delta->new_runs->n;
	return variance;
}

/* Whether what differs is mostly the method's own time, of which it was decided that it does not show. */
static bool is_settled(const struct causes *causes, const struct pe_cause *cause)
{
	const struct pe_decision *decision = pe_decisions_of(causes->opts->decisions, cause->frame);

	return causes->unit == PE_VERDICT_NS && decision != NULL &&
	       decision->what != PE_DECIDED_NOT &&
	       !pe_decision_shows(decision, (double)cause->amount) &&
	       fabs(decision->beyond_ns) >= MOSTLY * fabs((double)cause->amount);
}

static void suspect(struct causes *causes, const struct pe_verdict_report *chosen, uint32_t node,
		    uint32_t next)
{
	const struct pe_delta *delta = causes->delta;
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct pe_delta_values cost = pe_causes_cost(causes, node, true);
	uint32_t parent = delta->nodes[node].parent;
	struct group group = {
		.class = CLASS_SUSPECT,
		.cause = {.kind = PE_CAUSE_SUSPECT,
			  .node = node,
			  .frame = delta->nodes[node].frame,
			  .caller = parent != PE_CCT_NONE ? delta->nodes[parent].frame
							  : PE_FRAME_NONE,
			  .other = PE_FRAME_NONE,
			  .origin = PE_FRAME_NONE,
			  .probably = true,
			  .contexts = 1,
			  .nodes = delta->nodes[node].end - node,
			  .amount =
				  inclusive(causes, node) - said_below(causes, chosen, node, next),
			  .old_calls = calls.old_value,
			  .new_calls = calls.new_value},
		.variance = variance_below(causes, node),
		.old_cost = cost.old_value,
		.new_cost = cost.new_value,
	};
	double size;

	if (next != PE_CCT_NONE)
		group.cause.amount -= inclusive(causes, next);
	size = fabs((double)group.cause.amount);
	group.variance = pe_causes_variance(causes, &group);
	if ((group.cause.amount > 0) == (chosen->whole > 0) &&
	    size >= LEAST_PART * fabs((double)chosen->whole) && size > sqrt(group.variance) &&
	    !is_settled(causes, &group.cause))
		pe_vec_push(&causes->groups, group);
}

void pe_causes_suspect(struct causes *causes, const struct pe_verdict_report *chosen)
{
	uint32_t node = 0, last = PE_CCT_NONE;

	if (chosen->whole == 0)
		return;
	/* From above: each is known to be one when the next one is reached. */
	while ((node = hottest_child(causes, node, chosen->whole > 0)) != PE_CCT_NONE) {
		if (!is_suspect(causes, node))
			continue;
		if (last != PE_CCT_NONE)
			suspect(causes, chosen, last, node);
		last = node;
	}
	if (last != PE_CCT_NONE)
		suspect(causes, chosen, last, PE_CCT_NONE);
}
