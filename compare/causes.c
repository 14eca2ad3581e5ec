/*
 * Causes. A difference in calls belongs to the highest call that was made more often: what it calls is
 * called more often with it, in the same ratio. A subtree that only one side has belongs to its root. The
 * rest of a node, the cost of its calls themselves, belongs to its method.
 */
#include "compare/causes.h"

#include "compare/descent.h"
#include "compare/own.h"
#include "compare/steady.h"

#include <math.h>
#include <stdlib.h>

/* Calls follow those of their caller when the ratios of both differ by less. */
static const double SAME_RATIO = 0.02;
/* Work that moved between caller and callee: what one gained against what the other lost. */
static const double LEAST_MOVED = 0.25, MOST_MOVED = 4;

struct walk {
	struct causes *causes;
	const struct pe_delta *delta;
	struct descent descent;
	struct own own;
	uint8_t *came, *went; /* by frame: roots of subtrees that only new, only old has */
	uint8_t *called;      /* by frame: more or fewer calls of it */
};

static enum pe_delta_metric own_metric(enum pe_verdict_unit unit)
{
	switch (unit) {
	case PE_VERDICT_NS:
		return PE_DELTA_SELF_NS;
	case PE_VERDICT_ALLOCATIONS:
		return PE_DELTA_ALLOCATIONS;
	case PE_VERDICT_BYTES:
		return PE_DELTA_BYTES;
	default:
		return PE_DELTA_CALLS;
	}
}

static enum pe_delta_metric total_metric(enum pe_verdict_unit unit)
{
	switch (unit) {
	case PE_VERDICT_NS:
		return PE_DELTA_TOTAL_NS;
	case PE_VERDICT_ALLOCATIONS:
		return PE_DELTA_TOTAL_ALLOCATIONS;
	case PE_VERDICT_BYTES:
		return PE_DELTA_TOTAL_BYTES;
	default:
		return PE_DELTA_CALLS;
	}
}

struct pe_delta_values pe_causes_cost(const struct causes *causes, uint32_t node, bool inclusive)
{
	return pe_delta_values(causes->delta, node,
			       inclusive ? total_metric(causes->unit) : own_metric(causes->unit));
}

static int64_t own_difference(const struct causes *causes, uint32_t node)
{
	return pe_delta_difference(pe_causes_cost(causes, node, false));
}

static struct pe_parts parts_of(const struct causes *causes, uint32_t node)
{
	static const enum pe_cost costs[] = {
		[PE_VERDICT_NS] = PE_COST_TIME,
		[PE_VERDICT_ALLOCATIONS] = PE_COST_ALLOCATIONS,
		[PE_VERDICT_BYTES] = PE_COST_BYTES,
	};
	struct pe_parts parts = {{0}};

	if (causes->unit != PE_VERDICT_CALLS)
		return pe_delta_parts(causes->delta, node, costs[causes->unit]);
	parts.part[PE_PART_CALLS] = own_difference(causes, node);
	return parts;
}

/* Of a node's mean own time on one side. */
static double side_variance(const struct causes *causes, const struct pe_runs *runs, uint32_t node)
{
	if (causes->unit != PE_VERDICT_NS || node == PE_CCT_NONE || !pe_runs_varies(runs))
		return 0;
	return pe_runs_variance(runs, node, false) / runs->n;
}

/* Of the difference of a node's mean own time. */
static double variance_of(const struct causes *causes, uint32_t node)
{
	const struct pe_delta *delta = causes->delta;

	return side_variance(causes, delta->old_runs, delta->nodes[node].old_node) +
	       side_variance(causes, delta->new_runs, delta->nodes[node].new_node);
}

static uint32_t hash_of(const struct group_key *key)
{
	return pe_hash_pair((uint64_t)key->frame << 32 | key->with,
			    ((uint64_t)key->origin << 4) + key->class);
}

/* key.with: the caller; of work that moved, the callee. */
static uint32_t group_of(struct causes *causes, struct group_key key)
{
	bool callee = key.class == CLASS_INLINED || key.class == CLASS_OUTLINED;
	const uint32_t hash = hash_of(&key), n = (uint32_t)causes->groups.n;

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&causes->index, hash, slot)) != NULL;) {
		const struct group_key *other = &causes->keys.data[slot->row];

		if (other->class == key.class && other->frame == key.frame &&
		    other->with == key.with && other->origin == key.origin)
			return slot->row;
	}
	pe_hash_index_add(&causes->index, hash, n);
	pe_vec_push(&causes->keys, key);
	pe_vec_push(&causes->groups,
		    (struct group){.class = (enum cause_class)key.class,
				   .cause = {
					   .node = PE_CCT_NONE,
					   .frame = key.frame,
					   .caller = callee ? PE_FRAME_NONE : key.with,
					   .other = callee ? key.with : PE_FRAME_NONE,
					   .origin = key.origin,
				   }});
	return n;
}

static uint32_t frame_of(const struct pe_delta *delta, uint32_t node)
{
	return node != PE_CCT_NONE ? delta->nodes[node].frame : PE_FRAME_NONE;
}

/* The node that calls the one that the walk has come to. */
static uint32_t caller_of(const struct walk *walk)
{
	const struct step *caller = pe_descent_caller(&walk->descent);

	return caller != NULL ? caller->node : PE_CCT_NONE;
}

/* The modified method that stands behind a change of calls, which are the caller's doing: it is above the node. */
static uint32_t calls_origin(const struct walk *walk)
{
	const struct step *caller = pe_descent_caller(&walk->descent);

	return caller != NULL ? caller->origin : PE_FRAME_NONE;
}

static uint32_t calls_group(struct walk *walk, enum cause_class class, uint32_t node)
{
	return group_of(walk->causes,
			(struct group_key){
				class,
				frame_of(walk->delta, node),
				frame_of(walk->delta, caller_of(walk)),
				class == CLASS_CALLS ? calls_origin(walk) : PE_FRAME_NONE,
			});
}

/* One more place where a group's change happens. */
static void open_context(struct walk *walk, uint32_t index, uint32_t node, uint32_t caller,
			 bool inclusive)
{
	struct group *group = &walk->causes->groups.data[index];
	const struct pe_delta *delta = walk->delta;
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct pe_delta_values cost = pe_causes_cost(walk->causes, node, inclusive);
	struct pe_delta_values allocations = pe_delta_values(delta, node, PE_DELTA_ALLOCATIONS);
	int64_t difference = pe_delta_difference(cost);
	uint64_t size = difference < 0 ? -(uint64_t)difference : (uint64_t)difference;

	group->cause.contexts++;
	group->cause.old_calls += calls.old_value;
	group->cause.new_calls += calls.new_value;
	group->cause.old_allocations += allocations.old_value;
	group->cause.new_allocations += allocations.new_value;
	group->old_cost += cost.old_value;
	group->new_cost += cost.new_value;
	if (caller != PE_CCT_NONE) {
		struct pe_delta_values above = pe_delta_values(delta, caller, PE_DELTA_CALLS);

		group->cause.old_caller_calls += above.old_value;
		group->cause.new_caller_calls += above.new_value;
	}
	if (group->cause.node == PE_CCT_NONE || size > group->greatest) {
		group->cause.node = node;
		group->greatest = size;
	}
}

static void contribute(struct walk *walk, uint32_t index, int64_t amount, double variance)
{
	struct group *group = &walk->causes->groups.data[index];

	group->cause.amount = (int64_t)((uint64_t)group->cause.amount + (uint64_t)amount);
	group->variance += variance;
	group->cause.nodes++;
}

/* From the back: what the subtrees that only one side has cost in all, and which methods lead them. */
static void sum_subtrees(struct walk *walk)
{
	const struct pe_delta *delta = walk->delta;
	struct own_share *shares = walk->own.shares;

	for (uint32_t i = delta->n; i-- > 1;) {
		enum pe_delta_state state = pe_delta_state(delta, i);
		uint32_t parent = delta->nodes[i].parent;

		if (state == PE_DELTA_BOTH)
			continue;
		shares[i].group = PE_CCT_NONE;
		shares[i].amount += own_difference(walk->causes, i);
		walk->own.marks[parent] |= OWN_FORK;
		if (pe_delta_state(delta, parent) == state)
			shares[parent].amount += shares[i].amount;
		else
			(state == PE_DELTA_ADDED ? walk->came : walk->went)[delta->nodes[i].frame] =
				1;
	}
}

/* What runs of one revision differ by themselves is no cause. */
static bool own_doing(const struct causes *causes, uint32_t node, enum pe_cct_count count)
{
	const struct pe_delta *delta = causes->delta;
	const struct pe_delta_node *at = &delta->nodes[node];

	return pe_steady_own_doing(delta->old_runs->cct, at->old_node, delta->new_runs->cct,
				   at->new_node, count);
}

/* The group that a node's difference in calls belongs to; PE_CCT_NONE when they are the same. */
static uint32_t find_chain(struct walk *walk, uint32_t node, bool by_chance)
{
	struct step *step = pe_descent_top(&walk->descent);
	const struct step *above;
	struct pe_delta_values calls = pe_delta_values(walk->delta, node, PE_DELTA_CALLS);

	if (!calls.known || calls.old_value == calls.new_value)
		return PE_CCT_NONE;
	walk->causes->counts_differ = true;
	if (by_chance)
		return PE_CCT_NONE;
	if (calls.old_value > 0)
		step->ratio = (double)calls.new_value / (double)calls.old_value;
	above = pe_descent_at(&walk->descent, step->both);
	if (above != NULL && above->chain != PE_CCT_NONE && above->ratio > 0 &&
	    fabs(step->ratio / above->ratio - 1) <= SAME_RATIO)
		return step->chain = above->chain;
	step->chain = calls_group(walk, CLASS_CALLS, node);
	open_context(walk, step->chain, node, caller_of(walk), true);
	walk->called[frame_of(walk->delta, node)] = 1;
	return step->chain;
}

/* The child that only one side has with the greatest cost. */
static uint32_t greatest_child(const struct walk *walk, uint32_t node, enum pe_delta_state state)
{
	const struct pe_delta *delta = walk->delta;
	uint32_t best = PE_CCT_NONE;

	for (uint32_t c = node + 1; c < delta->nodes[node].end; c = delta->nodes[c].end)
		if (pe_delta_state(delta, c) == state && walk->own.shares[c].amount != 0 &&
		    (best == PE_CCT_NONE ||
		     llabs(walk->own.shares[c].amount) > llabs(walk->own.shares[best].amount)))
			best = c;
	return best;
}

/*
 * Work moved between a method and its callee: the callee is gone and the method itself costs more by about
 * as much, or the other way round. Not so where the callee turns up elsewhere, or something took its place.
 */
static uint32_t find_moved_work(struct walk *walk, uint32_t node, int64_t gain, double variance)
{
	enum pe_delta_state lost = gain > 0 ? PE_DELTA_REMOVED : PE_DELTA_ADDED;
	const uint8_t *elsewhere = gain > 0 ? walk->came : walk->went;
	double size = fabs((double)gain), moved;
	uint32_t child, rival, group;

	if ((walk->own.marks[node] & OWN_FORK) == 0 ||
	    size <= walk->causes->opts->z * sqrt(variance))
		return PE_CCT_NONE;
	child = greatest_child(walk, node, lost);
	if (child == PE_CCT_NONE || elsewhere[frame_of(walk->delta, child)] != 0)
		return PE_CCT_NONE;
	moved = fabs((double)walk->own.shares[child].amount);
	rival = greatest_child(walk, node,
			       lost == PE_DELTA_ADDED ? PE_DELTA_REMOVED : PE_DELTA_ADDED);
	if (size < LEAST_MOVED * moved || size > MOST_MOVED * moved ||
	    (rival != PE_CCT_NONE &&
	     fabs((double)walk->own.shares[rival].amount) > LEAST_MOVED * moved))
		return PE_CCT_NONE;
	group = group_of(walk->causes, (struct group_key){
					       gain > 0 ? CLASS_INLINED : CLASS_OUTLINED,
					       frame_of(walk->delta, node),
					       frame_of(walk->delta, child),
					       PE_FRAME_NONE,
				       });
	walk->own.shares[child].group = group;
	return group;
}

/* What a node in both adds: by more or fewer calls of it, and by what a call costs. */
struct shares {
	int64_t calls, rest;
	double calls_variance, rest_variance;
	bool unsplit; /* calls are not known */
};

/* What a node's difference is beyond that of its calls, and beyond chance. */
static int64_t rest_of(const struct causes *causes, uint32_t node, const struct pe_parts *parts,
		       bool calls_by_chance)
{
	if ((causes->unit == PE_VERDICT_ALLOCATIONS &&
	     own_doing(causes, node, PE_CCT_COUNT_ALLOCATIONS)) ||
	    (causes->unit == PE_VERDICT_BYTES && own_doing(causes, node, PE_CCT_COUNT_BYTES)))
		return 0;
	/* No part of what it costs belongs to calls that are more or fewer by chance. */
	if (causes->unit != PE_VERDICT_CALLS && calls_by_chance)
		return own_difference(causes, node);
	return parts->part[PE_PART_PER_CALL] + parts->part[PE_PART_UNSPLIT];
}

/*
 * The difference in calls at the price of an old call, and the rest. Where a call costs what it did, as far as noise
 * lets see, and the price of few old calls is the less sure value, the whole difference is that of the calls.
 */
static struct shares shares_of(const struct causes *causes, uint32_t node, bool calls_by_chance)
{
	const struct pe_delta *delta = causes->delta;
	const struct pe_delta_node *at = &delta->nodes[node];
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct pe_parts parts = parts_of(causes, node);
	double before = side_variance(causes, delta->old_runs, at->old_node);
	double after = side_variance(causes, delta->new_runs, at->new_node), ratio = 1;
	struct shares shares = {
		.calls = parts.part[PE_PART_CALLS],
		.rest = rest_of(causes, node, &parts, calls_by_chance),
		.calls_variance = before + after,
		.unsplit = parts.part[PE_PART_UNSPLIT] != 0,
	};

	if (calls_by_chance) {
		shares.calls = 0;
	} else if (calls.known && calls.old_value > 0) {
		ratio = (double)calls.new_value / (double)calls.old_value;
		shares.calls_variance = before * (ratio - 1) * (ratio - 1);
	}
	shares.rest_variance = before * ratio * ratio + after;
	if (shares.calls != 0 && shares.calls_variance > before + after &&
	    fabs((double)shares.rest) <= causes->opts->z * sqrt(shares.rest_variance)) {
		shares.calls += shares.rest;
		shares.calls_variance = before + after;
		shares.rest = 0;
	}
	return shares;
}

/* Own cost that is exactly what it was. */
static void note_steady(struct walk *walk, uint32_t node)
{
	struct own_witness *steady = &walk->own.steady[frame_of(walk->delta, node)];
	const uint64_t cost = pe_causes_cost(walk->causes, node, false).old_value;

	if (cost == 0)
		return;
	steady->old_cost += cost;
	steady->contexts++;
}

static void note_own(struct walk *walk, uint32_t node, const struct shares *shares)
{
	const uint32_t frame = frame_of(walk->delta, node);

	walk->own.shares[node] = (struct own_share){
		.amount = shares->rest,
		.variance = shares->rest_variance,
		.old_cost = pe_causes_cost(walk->causes, node, false).old_value,
		.caller = frame_of(walk->delta, caller_of(walk)),
		.origin = pe_descent_top(&walk->descent)->origin,
	};
	walk->own.marks[node] |= shares->unsplit ? OWN_UNSPLIT : OWN_PER_CALL;
	walk->own.families[pe_own_family(frame, shares->unsplit)]++;
}

static void place_both(struct walk *walk, uint32_t node)
{
	const bool by_chance = own_doing(walk->causes, node, PE_CCT_COUNT_CALLS);
	const struct shares shares = shares_of(walk->causes, node, by_chance);
	const uint32_t chain = find_chain(walk, node, by_chance);
	uint32_t group;

	if (shares.calls != 0 && chain != PE_CCT_NONE)
		contribute(walk, chain, shares.calls, shares.calls_variance);
	if (shares.rest == 0) {
		if (shares.calls == 0)
			note_steady(walk, node);
		return;
	}
	group = find_moved_work(walk, node, shares.rest, shares.rest_variance);
	if (group == PE_CCT_NONE) {
		note_own(walk, node, &shares);
		return;
	}
	open_context(walk, group, node, caller_of(walk), false);
	contribute(walk, group, shares.rest, shares.rest_variance);
}

/* Of calls that are not told apart by it: the origin that all have in common. */
static void note_origin(struct walk *walk, uint32_t index)
{
	struct pe_cause *cause = &walk->causes->groups.data[index].cause;
	uint32_t origin = calls_origin(walk);

	cause->origin = cause->contexts == 0 || cause->origin == origin ? origin : PE_FRAME_NONE;
	cause->probably = true;
}

/* The nearest ancestor that is not gone; those above have been passed. */
static uint32_t caller_in_new(const struct walk *walk, uint32_t node)
{
	const uint32_t parent = walk->delta->nodes[node].parent;

	return parent != PE_CCT_NONE && pe_delta_state(walk->delta, parent) == PE_DELTA_REMOVED
		       ? walk->own.shares[parent].caller
		       : parent;
}

static void place_single(struct walk *walk, uint32_t node, enum pe_delta_state state)
{
	struct own_share *share = &walk->own.shares[node];
	uint32_t parent = walk->delta->nodes[node].parent;

	walk->causes->counts_differ = true;
	if (state == PE_DELTA_REMOVED)
		share->caller = caller_in_new(walk, node);
	if (own_doing(walk->causes, node, PE_CCT_COUNT_CALLS))
		return;
	if (share->group == PE_CCT_NONE && parent != PE_CCT_NONE &&
	    pe_delta_state(walk->delta, parent) == state)
		share->group = walk->own.shares[parent].group;
	if (share->group == PE_CCT_NONE) {
		share->group = calls_group(
			walk, state == PE_DELTA_ADDED ? CLASS_ADDED : CLASS_REMOVED, node);
		note_origin(walk, share->group);
		open_context(walk, share->group, node, caller_of(walk), true);
	}
	contribute(walk, share->group, own_difference(walk->causes, node),
		   variance_of(walk->causes, node));
}

static void note_facts(struct causes *causes, uint32_t node)
{
	const struct pe_delta *delta = causes->delta;
	struct pe_delta_values allocations = pe_delta_values(delta, node, PE_DELTA_ALLOCATIONS);

	if (allocations.old_value != allocations.new_value)
		causes->counts_differ = true;
	if (pe_changes_touched(causes->opts->changes, delta->nodes[node].frame))
		causes->touched = true;
}

/* Calls that are as many as they were, where other calls of the method are not: witnesses against these. */
static void note_steady_calls(struct walk *walk, uint32_t node, uint32_t caller)
{
	const uint32_t frame = frame_of(walk->delta, node);
	struct pe_delta_values calls;

	if (walk->called[frame] == 0)
		return;
	calls = pe_delta_values(walk->delta, node, PE_DELTA_CALLS);
	if (calls.known && calls.old_value == calls.new_value && calls.old_value > 0)
		++*pe_map_put(&walk->causes->steady_calls, frame, frame_of(walk->delta, caller), 0,
			      NULL);
}

/* Once more, through what both have: where each change of own cost happens, now that it has its group. */
static void open_own_contexts(struct walk *walk)
{
	const bool changes_known = walk->causes->opts->changes != NULL;
	const struct pe_delta *delta = walk->delta;

	for (uint32_t i = 0; i < delta->n; i++) {
		const bool marked = (walk->own.marks[i] & OWN_MARKS) != 0;

		if (!marked && (!changes_known || pe_delta_state(delta, i) != PE_DELTA_BOTH))
			continue;
		if (marked)
			open_context(walk, walk->own.shares[i].group, i, caller_in_new(walk, i),
				     false);
		if (changes_known)
			note_steady_calls(walk, i, caller_in_new(walk, i));
	}
}

void pe_causes_collect(struct causes *causes)
{
	const struct pe_delta *delta = causes->delta;
	pe_auto_arena work = PE_ARENA_INIT;
	struct walk walk = {
		.causes = causes,
		.delta = delta,
		.came = pe_arena_new(&work, uint8_t, delta->frames->n),
		.went = pe_arena_new(&work, uint8_t, delta->frames->n),
		.called = pe_arena_new(&work, uint8_t, delta->frames->n),
	};

	causes->counted = pe_delta_values(delta, 0, PE_DELTA_CALLS).known;
	pe_own_begin(&walk.own, delta, &work);
	sum_subtrees(&walk);
	for (uint32_t i = 0; i < delta->n; i++) {
		enum pe_delta_state state = pe_delta_state(delta, i);

		pe_descent_go(&walk.descent, delta, causes->opts->changes, i);
		note_facts(causes, i);
		if (state == PE_DELTA_BOTH)
			place_both(&walk, i);
		else
			place_single(&walk, i, state);
	}
	pe_own_merge(&walk.own, causes);
	open_own_contexts(&walk);
	pe_vec_release(&walk.descent.steps);
}

void pe_causes_release(struct causes *causes)
{
	pe_vec_release(&causes->groups);
	pe_vec_release(&causes->keys);
	pe_hash_index_release(&causes->index);
	pe_map_release(&causes->steady_calls);
}
