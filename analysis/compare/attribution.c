#include "analysis/compare/attribution.h"

#include "core/base/sort.h"
#include "analysis/compare/evidence.h"
#include "analysis/compare/thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a method changed, as far as it can make a difference. */
enum level {
	UNTOUCHED,
	RECOMPILED, /* machine code alone, or in an unknown way */
	MODIFIED,   /* its source */
};

/* Why a node is in its bundle. */
enum reason {
	BY_CHANGE,
	BY_DATA, /* of a changed method that ran; without a frame: of one of several */
	BY_MEMORY,
	BY_WAITING,
	BY_NOTHING
};

enum { MOST_TOP = 20 };

struct owner {
	enum reason reason;
	uint32_t frame;
	bool probably;
};

/* Sums over nodes. */
struct sums {
	double amount, variance, uncertain; /* uncertain: the probable part of the amount */
	double size;                        /* own time, the base of the runs' common error */
	double waited;                      /* waiting part of the amount */
	double computed;                    /* part of the size without waits */
	uint32_t contexts;                  /* nodes that differ */
};

struct bundle {
	enum reason reason;
	struct pe_cause cause;
	struct sums of;
	uint32_t first_part;   /* 1 + index; 0: none */
	uint32_t cause_number; /* 1 + index among the causes */
};

/* A part of a cause, while nodes are added. */
struct part {
	struct pe_cause_part is;
	struct sums of;
	uint32_t bundle, next;
	uint32_t nodes[2]; /* of old and of new */
	double greatest;
};

/* A node of the delta tree. */
struct place {
	uint32_t above,
		above_weakly; /* the nearest node above it that is modified, or recompiled */
	uint32_t inlined;     /* a modified callee that was inlined into it; PE_CCT_NONE: none */
	uint32_t entry;       /* the node of the call that leads to it */
	uint32_t bundle;      /* its owner's */
	uint32_t part;        /* 1 + index; 0: none */
	struct owner owner;
};

struct attributing {
	const struct pe_delta *delta;
	const struct pe_attribution_opts *opts;
	struct pe_attribution *out;
	struct evidence evidence;
	bool changes_unknown; /* no change of any method is known */
	struct place *at;     /* by node */
	bool *in_tree;        /* by frame */
	uint32_t *
		inlined_by; /* by frame: the modified method whose inlining recompiled it; PE_FRAME_NONE: none */
	PE_VEC(uint32_t) modified; /* frames in the trees, in order of their first node */
	PE_VEC(uint32_t)
	hidden; /* modified frames that are in no tree and no function of their own */
	PE_VEC(struct bundle) bundles;
	PE_VEC(struct part) parts;
	struct pe_map of_owner, of_part;
};

const char *pe_cause_kind_name(enum pe_cause_kind kind)
{
	static const char *const names[PE_N_CAUSE_KINDS] = {
		[PE_CAUSE_ITSELF] = "itself",   [PE_CAUSE_CALLS] = "calls",
		[PE_CAUSE_WORK] = "work",       [PE_CAUSE_ADDED] = "added",
		[PE_CAUSE_REMOVED] = "removed", [PE_CAUSE_REPLACED] = "replaced",
		[PE_CAUSE_DATA] = "data",       [PE_CAUSE_MEMORY] = "memory",
		[PE_CAUSE_WAITING] = "waiting", [PE_CAUSE_UNKNOWN] = "unknown",
	};

	return names[kind];
}

/* --- Changes --- */

static enum level level_of(const struct attributing *on, uint32_t frame)
{
	const struct pe_changes *changes = on->opts->changes;
	enum pe_binary_change code = pe_changes_binary(changes, frame);

	if (on->delta->frames->at[frame].kind != PE_FRAME_METHOD)
		return UNTOUCHED;
	if (code != PE_BINARY_SAME && pe_changes_source_differs(changes, frame))
		return MODIFIED;
	if (code == PE_BINARY_RECOMPILED)
		return RECOMPILED;
	/* A modified method with equal machine code executes differently where an argument was compiled into a callee. */
	if (pe_changes_source(changes, frame) == PE_SOURCE_MODIFIED &&
	    pe_changes_executed(changes, frame) != PE_EXECUTED_SAME)
		return RECOMPILED;
	return UNTOUCHED;
}

static bool knows_changes(const struct pe_changes *changes)
{
	for (uint32_t f = 0; changes != NULL && f < changes->n; f++)
		if (changes->at[f].source != PE_SOURCE_UNKNOWN ||
		    changes->at[f].code != PE_BINARY_UNKNOWN)
			return true;
	return false;
}

/* Whether a method is known to be a function of its own on both sides. */
static bool is_function(const struct attributing *on, uint32_t frame)
{
	const struct pe_function_changes *functions = on->opts->functions;

	return functions != NULL && functions->by_frame[frame].is_function;
}

/* Whether a method's own code, and the code that was inlined into it, executes exactly as before. */
static bool executes_same(const struct attributing *on, uint32_t frame)
{
	const struct pe_function_changes *functions = on->opts->functions;

	return pe_changes_executed(on->opts->changes, frame) == PE_EXECUTED_SAME &&
	       (functions == NULL || functions->by_frame[frame].with_inlined == 0);
}

static void find_modified(struct attributing *on)
{
	const struct pe_delta *delta = on->delta;
	pe_auto_free bool *seen = pe_realloc(NULL, delta->frames->n + 1, sizeof(*seen));

	memset(seen, 0, delta->frames->n);
	for (uint32_t i = 0; i < delta->n; i++) {
		const uint32_t frame = delta->nodes[i].frame;

		if (!seen[frame] && level_of(on, frame) == MODIFIED)
			pe_vec_push(&on->modified, frame);
		seen[frame] = true;
	}
	for (uint32_t f = 0; f < delta->frames->n; f++)
		if (!seen[f] && level_of(on, f) == MODIFIED && !is_function(on, f))
			pe_vec_push(&on->hidden, f);
}

/* Whether the reason of a recompiled method, "inlined NAME changed", names a method. NAME may lack outer scopes. */
static bool names_inlined(const char *reason, const char *name)
{
	static const char before[] = "inlined ", after[] = " changed";
	size_t n, length = strlen(name);

	if (reason == NULL || strncmp(reason, before, sizeof(before) - 1) != 0)
		return false;
	reason += sizeof(before) - 1;
	n = strlen(reason);
	if (n < sizeof(after) || strcmp(reason + n - (sizeof(after) - 1), after) != 0)
		return false;
	n -= sizeof(after) - 1;
	return n <= length && strncmp(name + length - n, reason, n) == 0 &&
	       (n == length || name[length - n - 1] == ':');
}

static void find_inlined_by(struct attributing *on)
{
	const struct pe_frame *frames = on->delta->frames->at;

	for (uint32_t f = 0; f < on->delta->frames->n; f++) {
		const char *reason = pe_changes_at(on->opts->changes, f).reason;

		on->inlined_by[f] = PE_FRAME_NONE;
		if (reason == NULL || level_of(on, f) != RECOMPILED)
			continue;
		for (size_t i = 0; i < on->hidden.n + on->modified.n; i++) {
			const uint32_t by = i < on->hidden.n ? on->hidden.data[i]
							     : on->modified.data[i - on->hidden.n];

			if (names_inlined(reason, frames[by].name))
				on->inlined_by[f] = by;
		}
	}
}

/* Find each node's nearest changed callers, and its modified callees that are no functions of their own. */
static void find_above(struct attributing *on)
{
	const struct pe_delta_node *nodes = on->delta->nodes;

	for (uint32_t i = 0; i < on->delta->n; i++) {
		const uint32_t parent = nodes[i].parent;
		enum level level;
		uint32_t by;

		on->at[i].above = on->at[i].above_weakly = on->at[i].inlined = PE_CCT_NONE;
		if (parent == PE_CCT_NONE)
			continue;
		level = level_of(on, nodes[parent].frame);
		by = on->inlined_by[nodes[parent].frame];
		on->at[i].above = level == MODIFIED ? parent : on->at[parent].above;
		on->at[i].above_weakly =
			level == RECOMPILED && !executes_same(on, nodes[parent].frame)
				? parent
				: on->at[parent].above_weakly;
		if (level != MODIFIED && on->at[parent].inlined == PE_CCT_NONE &&
		    level_of(on, nodes[i].frame) == MODIFIED &&
		    (by != PE_FRAME_NONE ? by == nodes[i].frame : !is_function(on, nodes[i].frame)))
			on->at[parent].inlined = i;
	}
}

/* The changed caller of a node. A caller that only one side calls is skipped for the changed one above that added or dropped it. */
static uint32_t changed_caller(const struct attributing *on, uint32_t node)
{
	uint32_t found = on->at[node].above;

	while (found != PE_CCT_NONE && on->at[found].above != PE_CCT_NONE &&
	       pe_delta_state(on->delta, found) != PE_DELTA_BOTH)
		found = on->at[found].above;
	return found != PE_CCT_NONE ? on->delta->nodes[found].frame : PE_FRAME_NONE;
}

/* --- Calls --- */

static double ratio_of(struct pe_delta_values values)
{
	return values.old_value > 0 ? (double)values.new_value / (double)values.old_value : NAN;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= PE_SAME_PER_CALL * fmax(fabs(a), fabs(b));
}

static struct pe_delta_values calls_of(const struct attributing *on, uint32_t node)
{
	return pe_delta_values(on->delta, node, PE_DELTA_CALLS);
}

static bool calls_differ(const struct attributing *on, uint32_t node)
{
	struct pe_delta_values calls = calls_of(on, node);

	return calls.known && calls.old_value != calls.new_value;
}

/* Whether the own cost of a node changed in proportion to its calls. */
static bool costs_the_same(const struct attributing *on, uint32_t node)
{
	struct pe_delta_values calls = calls_of(on, node);
	struct pe_delta_values counts = pe_delta_values(on->delta, node, PE_DELTA_INSTRUCTIONS);
	struct pe_delta_values ns = pe_delta_values(on->delta, node, PE_DELTA_SELF_NS);
	double expected;

	if (!calls.known || calls.old_value == 0)
		return false;
	if (on->opts->cost == PE_COST_CALLS)
		return true;
	if (counts.known && counts.old_value > 0)
		return is_near(ratio_of(calls), ratio_of(counts));
	if (on->opts->cost == PE_COST_ALLOCATIONS || on->opts->cost == PE_COST_BYTES) {
		struct pe_delta_values own = pe_delta_values(
			on->delta, node,
			on->opts->cost == PE_COST_BYTES ? PE_DELTA_BYTES : PE_DELTA_ALLOCATIONS);

		return own.old_value == 0 ? own.new_value == 0
					  : is_near(ratio_of(calls), ratio_of(own));
	}
	if (!ns.known)
		return false;
	expected = (double)ns.old_value * ratio_of(calls) - (double)ns.old_value;
	return fabs(on->evidence.amount[node] - expected) <=
	       fmax(2 * sqrt(on->evidence.variance[node]), PE_SAME_PER_CALL * (double)ns.old_value);
}

/*
 * Find the call that leads to a node, within its bundle. For a node of one side, it is the highest ancestor that this side
 * alone has; for a node whose calls grew by the same factor as its caller's, it is the caller's entry; else the node itself.
 */
static uint32_t find_entry(const struct attributing *on, uint32_t node)
{
	const struct pe_delta *delta = on->delta;
	const uint32_t parent = delta->nodes[node].parent;
	enum pe_delta_state state = pe_delta_state(delta, node);

	if (parent == PE_CCT_NONE || on->at[parent].bundle != on->at[node].bundle ||
	    delta->nodes[parent].frame == on->bundles.data[on->at[node].bundle].cause.frame)
		return node;
	if (state != PE_DELTA_BOTH)
		return pe_delta_state(delta, parent) == state ? on->at[parent].entry : node;
	if (calls_differ(on, node) && calls_differ(on, parent) &&
	    is_near(ratio_of(calls_of(on, node)), ratio_of(calls_of(on, parent))))
		return on->at[parent].entry;
	return node;
}

/* --- Assignment --- */

static struct owner by_change(uint32_t frame)
{
	return (struct owner){BY_CHANGE, frame, false};
}

/* The owner of a node where changes are unknown. */
static struct owner owner_blindly(const struct attributing *on, uint32_t node)
{
	const struct pe_delta *delta = on->delta;
	const struct pe_delta_node *nodes = delta->nodes;
	uint32_t at = nodes[node].parent;

	if (pe_delta_state(delta, node) != PE_DELTA_BOTH) {
		while (at != PE_CCT_NONE && pe_delta_state(delta, at) != PE_DELTA_BOTH)
			at = nodes[at].parent;
	} else if (!calls_differ(on, node) || !costs_the_same(on, node)) {
		return by_change(nodes[node].frame);
	} else {
		while (at != PE_CCT_NONE &&
		       is_near(ratio_of(calls_of(on, at)), ratio_of(calls_of(on, node))))
			at = nodes[at].parent;
	}
	if (at == PE_CCT_NONE || delta->frames->at[nodes[at].frame].kind != PE_FRAME_METHOD)
		return by_change(nodes[node].frame);
	return by_change(nodes[at].frame);
}

/* The owner of a recompiled method: the modified one inlined into it; where the reason is unknown, a single one seen nowhere. */
static struct owner owner_of_recompiled(const struct attributing *on, uint32_t frame)
{
	if (on->inlined_by[frame] != PE_FRAME_NONE)
		return by_change(on->inlined_by[frame]);
	if (on->hidden.n == 1 && pe_changes_at(on->opts->changes, frame).reason == NULL)
		return (struct owner){BY_CHANGE, on->hidden.data[0], true};
	return by_change(frame);
}

/* The owner by a caller whose machine code alone changed: the modified method that was inlined into it, else the caller. */
static struct owner owner_weakly(const struct attributing *on, uint32_t caller)
{
	const uint32_t inlined = on->at[caller].inlined;

	if (inlined != PE_CCT_NONE)
		return by_change(on->delta->nodes[inlined].frame);
	return owner_of_recompiled(on, on->delta->nodes[caller].frame);
}

static struct owner owner_by_data(const struct attributing *on, uint32_t frame)
{
	if (on->modified.n + on->hidden.n == 0)
		return (struct owner){BY_NOTHING, frame, false};
	if (on->modified.n == 1)
		return (struct owner){BY_CHANGE, on->modified.data[0], true};
	if (on->modified.n == 0 && on->hidden.n == 1)
		return (struct owner){BY_CHANGE, on->hidden.data[0], true};
	return (struct owner){BY_DATA, PE_FRAME_NONE, true};
}

/*
 * Whether a caller whose machine code alone changed decides by data how often a method is called. Its source is the same, and
 * it was recompiled for an inlined method or a header. The data may be a result of another modified method: where a header is
 * the reason, of the only one.
 */
static bool decides_by_data(const struct attributing *on, uint32_t node)
{
	const uint32_t caller = on->delta->nodes[on->at[node].above_weakly].frame;
	const char *reason = on->opts->changes->at[caller].reason;
	const bool header =
		reason != NULL && strncmp(reason, "header", 6) == 0 && strchr(reason, ';') == NULL;

	if (!calls_differ(on, node))
		return false;
	return header ? on->modified.n == 1
		      : on->inlined_by[caller] != PE_FRAME_NONE && on->modified.n > 1 &&
				pe_delta_state(on->delta, node) == PE_DELTA_BOTH;
}

/*
 * Whether a method whose machine code alone changed branches by data: it is called as often, and calls another method more or
 * less often by data. Its own instructions differ with its branches.
 */
static bool branches_by_data(const struct attributing *on, uint32_t node)
{
	const struct pe_delta_node *nodes = on->delta->nodes;

	for (uint32_t c = node + 1; !calls_differ(on, node) && c < nodes[node].end;
	     c = nodes[c].end)
		if (on->at[c].above_weakly == node && decides_by_data(on, c))
			return true;
	return false;
}

static struct owner owner_of_one_side(const struct attributing *on, uint32_t node)
{
	const uint32_t frame = on->delta->nodes[node].frame;
	const uint32_t caller = changed_caller(on, node);

	if (caller != PE_FRAME_NONE)
		return by_change(caller);
	if (level_of(on, frame) != UNTOUCHED)
		return by_change(frame);
	/* A method that is a function of its own was not inlined. */
	if (on->at[node].above_weakly != PE_CCT_NONE &&
	    !(is_function(on, frame) && decides_by_data(on, node)))
		return owner_weakly(on, on->at[node].above_weakly);
	return owner_by_data(on, frame);
}

/* Whether a caller's source was modified. With equal machine code, an argument was compiled into the callee. */
static bool is_modified(const struct attributing *on, uint32_t caller)
{
	return caller != PE_CCT_NONE &&
	       pe_changes_source(on->opts->changes, on->delta->nodes[caller].frame) ==
		       PE_SOURCE_MODIFIED;
}

/*
 * The owner of a wait without a changed method above it: a modified method by way of data, such as a longer queue or an
 * uneven share of the work. A wait directly below a program has no owner.
 */
static struct owner owner_of_wait(const struct attributing *on, uint32_t node)
{
	const uint32_t frame = on->delta->nodes[node].frame, parent = on->delta->nodes[node].parent;
	const struct owner by_data = owner_by_data(on, frame);

	if (!on->changes_unknown && by_data.reason != BY_NOTHING && parent != PE_CCT_NONE &&
	    on->delta->frames->at[on->delta->nodes[parent].frame].kind == PE_FRAME_METHOD)
		return by_data;
	return (struct owner){BY_WAITING, frame, false};
}

static struct owner owner_of(const struct attributing *on, uint32_t node)
{
	const uint32_t frame = on->delta->nodes[node].frame;
	const uint32_t caller = changed_caller(on, node);
	const enum level level = level_of(on, frame);
	const enum pe_executed_change executed = pe_changes_executed(on->opts->changes, frame);
	const enum pe_frame_kind kind = on->delta->frames->at[frame].kind;

	if (kind == PE_FRAME_WAITING && caller == PE_FRAME_NONE)
		return owner_of_wait(on, node);
	if (on->changes_unknown)
		return owner_blindly(on, node);
	if (pe_delta_state(on->delta, node) != PE_DELTA_BOTH)
		return owner_of_one_side(on, node);
	if (level == MODIFIED) {
		bool handed = caller != PE_FRAME_NONE && caller != frame &&
			      calls_differ(on, node) && costs_the_same(on, node);

		return by_change(handed ? caller : frame);
	}
	if (executed == PE_EXECUTED_SAME && pe_evidence_same_counts(on->delta, node) &&
	    on->opts->cost == PE_COST_TIME && kind == PE_FRAME_METHOD)
		return (struct owner){BY_MEMORY, frame, false};
	if (on->at[node].inlined != PE_CCT_NONE && executed != PE_EXECUTED_SAME)
		return by_change(on->delta->nodes[on->at[node].inlined].frame);
	if (caller != PE_FRAME_NONE)
		return by_change(caller);
	if (level == RECOMPILED && is_modified(on, on->delta->nodes[node].parent))
		return by_change(on->delta->nodes[on->delta->nodes[node].parent].frame);
	if (level == RECOMPILED)
		return branches_by_data(on, node) ? owner_by_data(on, frame)
						  : owner_of_recompiled(on, frame);
	/* Different work of a method whose sources were not compared. */
	if (pe_changes_source(on->opts->changes, frame) == PE_SOURCE_UNKNOWN &&
	    kind == PE_FRAME_METHOD && on->modified.n == 0 &&
	    (executed == PE_EXECUTED_MORE || executed == PE_EXECUTED_FEWER) &&
	    pe_evidence_same_counts(on->delta, node))
		return (struct owner){BY_CHANGE, frame, true};
	if (on->at[node].above_weakly == PE_CCT_NONE || decides_by_data(on, node))
		return owner_by_data(on, frame);
	return owner_weakly(on, on->at[node].above_weakly);
}

/*
 * Concentrate differences below changed callers: an unchanged method does different work where a changed caller makes it. The
 * difference of its exact counts moves from contexts without a change to those below a changed method, in proportion to cost.
 */
static void concentrate(struct attributing *on)
{
	const struct pe_delta *delta = on->delta;
	pe_auto_arena work = PE_ARENA_INIT;
	struct {
		double amount, variance, weight;
	} *methods = pe_arena_alloc(&work, delta->frames->n, sizeof(*methods)), *method;
	double *cost = pe_arena_new(&work, double, delta->n);
	bool *gives = pe_arena_new(&work, bool, delta->n);
	const enum pe_delta_metric metric =
		on->opts->cost == PE_COST_TIME ? PE_DELTA_SELF_NS : PE_DELTA_INSTRUCTIONS;

	if (on->changes_unknown ||
	    (on->opts->cost != PE_COST_TIME && on->opts->cost != PE_COST_INSTRUCTIONS))
		return;
	for (uint32_t i = 0; i < delta->n; i++) {
		const uint32_t frame = delta->nodes[i].frame;
		struct pe_delta_values values = pe_delta_values(delta, i, metric);
		enum pe_executed_change executed = pe_changes_executed(on->opts->changes, frame);

		if (level_of(on, frame) != UNTOUCHED ||
		    (executed != PE_EXECUTED_MORE && executed != PE_EXECUTED_FEWER))
			continue;
		/* A caller whose machine code alone changed is no proof. */
		gives[i] = (on->at[i].owner.reason != BY_CHANGE || on->at[i].owner.probably ||
			    (on->at[i].above == PE_CCT_NONE && on->at[i].inlined == PE_CCT_NONE)) &&
			   pe_evidence_same_counts(delta, i);
		cost[i] = 1 + (double)values.old_value + (double)values.new_value;
		method = &methods[frame];
		if (gives[i]) {
			method->amount += on->evidence.amount[i];
			method->variance += on->evidence.variance[i];
		} else {
			method->weight += cost[i];
		}
	}
	for (uint32_t i = 0; i < delta->n; i++) {
		method = &methods[delta->nodes[i].frame];
		if (method->weight <= 0 || cost[i] <= 0)
			continue;
		if (gives[i]) {
			on->at[i].owner = (struct owner){BY_NOTHING, delta->nodes[i].frame, false};
			on->evidence.amount[i] = on->evidence.variance[i] = 0;
		} else {
			on->evidence.amount[i] += method->amount * cost[i] / method->weight;
			on->evidence.variance[i] += method->variance * cost[i] / method->weight;
		}
	}
}

/*
 * Where changes are unknown, set aside the contexts within noise of a method that surely differs in another one. A method may
 * differ in some contexts alone, as with a changed argument, and the noise of the others would hide it.
 */
static void part_contexts(struct attributing *on)
{
	const struct pe_delta *delta = on->delta;
	pe_auto_free bool *apart = pe_realloc(NULL, delta->frames->n + 1, sizeof(*apart));

	memset(apart, 0, delta->frames->n);
	for (uint32_t i = 0; i < delta->n; i++)
		if (square(on->evidence.amount[i]) >
		    square(PE_SURE_OF_CONTEXT) * on->evidence.variance[i])
			apart[delta->nodes[i].frame] = true;
	for (uint32_t i = 0; i < delta->n; i++)
		if (apart[delta->nodes[i].frame] &&
		    on->at[i].owner.frame == delta->nodes[i].frame &&
		    square(on->evidence.amount[i]) <
			    square(PE_SURE_OF_CHANGED) * on->evidence.variance[i])
			on->at[i].owner.reason = BY_NOTHING;
}

/* --- Bundles --- */

static uint32_t find_bundle(struct attributing *on, struct owner owner)
{
	bool is_new;
	uint32_t *found = pe_map_put(&on->of_owner, owner.reason, owner.frame,
				     (uint32_t)on->bundles.n, &is_new);
	struct bundle bundle = {.reason = owner.reason};

	if (!is_new)
		return *found;
	bundle.cause.frame = owner.frame;
	bundle.cause.node = PE_CCT_NONE;
	bundle.cause.change = pe_changes_at(on->opts->changes, owner.frame);
	pe_vec_push(&on->bundles, bundle);
	return (uint32_t)on->bundles.n - 1;
}

static struct part *find_part(struct attributing *on, uint32_t bundle, uint32_t frame)
{
	bool is_new;
	uint32_t *found = pe_map_put(&on->of_part, bundle, frame, (uint32_t)on->parts.n, &is_new);
	struct part part = {.is = {.frame = frame, .other = PE_FRAME_NONE, .node = PE_CCT_NONE},
			    .bundle = bundle};

	if (!is_new)
		return &on->parts.data[*found];
	pe_vec_push(&on->parts, part);
	return &on->parts.data[on->parts.n - 1];
}

static void add_values(uint64_t to[2], struct pe_delta_values values)
{
	if (!values.known)
		return;
	to[0] += values.old_value;
	to[1] += values.new_value;
}

static void add_node(struct attributing *on, uint32_t i)
{
	const struct pe_delta *delta = on->delta;
	const uint32_t entry = on->at[i].entry;
	const struct pe_delta_values ns = pe_delta_values(delta, i, PE_DELTA_SELF_NS);
	const bool waits = delta->frames->at[delta->nodes[i].frame].kind == PE_FRAME_WAITING;
	const double amount = on->evidence.amount[i];
	const double size = fmax((double)ns.old_value, (double)ns.new_value);
	struct part *part;

	/* Without a difference, data is no candidate for a cause. */
	if (amount == 0 && on->at[i].owner.probably)
		return;
	part = find_part(on, on->at[i].bundle, delta->nodes[entry].frame);
	on->at[i].part = 1 + (uint32_t)(part - on->parts.data);
	part->of.amount += amount;
	part->of.variance += on->evidence.variance[i];
	part->of.uncertain += on->at[i].owner.probably ? amount : 0;
	part->of.size += size;
	part->of.waited += waits ? amount : 0;
	part->of.computed += waits ? 0 : size;
	part->of.contexts += amount != 0;
	part->nodes[0] += delta->nodes[i].old_node != PE_CCT_NONE;
	part->nodes[1] += delta->nodes[i].new_node != PE_CCT_NONE;
	part->is.contexts += entry == i;
	if (entry == i)
		add_values(part->is.calls, calls_of(on, i));
	add_values(part->is.instructions, pe_delta_values(delta, i, PE_DELTA_INSTRUCTIONS));
	add_values(part->is.allocations, pe_delta_values(delta, i, PE_DELTA_ALLOCATIONS));
	part->is.own_ns[0] += (double)ns.old_value;
	part->is.own_ns[1] += (double)ns.new_value;
	if (part->is.node == PE_CCT_NONE || fabs(amount) > part->greatest) {
		part->is.node = entry;
		part->greatest = fabs(amount);
	}
}

static struct part *add_outside(struct attributing *on, struct owner owner, uint32_t frame,
				double amount)
{
	struct part *part = find_part(on, find_bundle(on, owner), frame);

	part->of.amount += amount;
	part->of.uncertain += owner.probably ? amount : 0;
	return part;
}

/* Add functions outside the trees: each is its own cause if it changed; else the cause is by way of data. */
static void add_functions(struct attributing *on, double outside)
{
	const struct pe_function_changes *functions = on->opts->functions;

	/* With charges these are at their callers, and the rest is what two tools count differently. */
	if (functions->charged)
		return;
	for (size_t i = 0; i < functions->n; i++) {
		const struct pe_function_change *one = &functions->at[i];
		struct part *part;

		if (one->frame == PE_FRAME_NONE || on->in_tree[one->frame])
			continue;
		part = add_outside(on,
				   level_of(on, one->frame) != UNTOUCHED
					   ? by_change(one->frame)
					   : owner_by_data(on, one->frame),
				   one->frame, (double)one->amount);
		part->is.instructions[0] += one->old_most;
		part->is.instructions[1] += one->old_most + (uint64_t)one->amount;
		outside -= (double)one->amount;
	}
	if (outside != 0 && !on->changes_unknown)
		add_outside(on, owner_by_data(on, PE_FRAME_NONE), PE_FRAME_NONE, outside);
}

/* Whether runs of one build differ as much at a node. For time, a proven change takes precedence. */
static bool is_own_doing(const struct attributing *on, uint32_t node)
{
	const struct owner *owner = &on->at[node].owner;

	return on->evidence.varies[node] &&
	       (on->opts->cost != PE_COST_TIME || owner->reason != BY_CHANGE || owner->probably);
}

static void collect(struct attributing *on)
{
	const struct pe_delta *delta = on->delta;

	find_modified(on);
	find_inlined_by(on);
	find_above(on);
	on->changes_unknown = on->out->changes_unknown = !knows_changes(on->opts->changes);
	for (uint32_t i = 0; i < delta->n; i++)
		on->at[i].owner = owner_of(on, i);
	concentrate(on);
	if (on->changes_unknown)
		part_contexts(on);
	for (uint32_t i = 0; i < delta->n; i++)
		on->at[i].bundle = find_bundle(on, on->at[i].owner);
	for (uint32_t i = 0; i < delta->n; i++) {
		on->at[i].entry = find_entry(on, i);
		on->in_tree[delta->nodes[i].frame] = true;
		if (!is_own_doing(on, i))
			add_node(on, i);
	}
}

static void add_sums(struct sums *to, const struct sums *by)
{
	to->amount += by->amount;
	to->variance += by->variance;
	to->uncertain += by->uncertain;
	to->size += by->size;
	to->waited += by->waited;
	to->computed += by->computed;
	to->contexts += by->contexts;
}

/* Sum the bundles over their parts, and link these. */
static void sum_bundles(struct attributing *on)
{
	for (size_t b = 0; b < on->bundles.n; b++) {
		on->bundles.data[b].of = (struct sums){0};
		on->bundles.data[b].first_part = 0;
	}
	for (uint32_t p = 0; p < on->parts.n; p++) {
		struct part *part = &on->parts.data[p];
		struct bundle *bundle = &on->bundles.data[part->bundle];

		add_sums(&bundle->of, &part->of);
		part->next = bundle->first_part;
		bundle->first_part = p + 1;
	}
}

/*
 * Of the changed methods that data may come from, the bundle of the one with nearly all of their proven difference;
 * PE_FRAME_NONE: none has.
 */
static uint32_t find_likely(const struct attributing *on)
{
	double sum = 0, most = 0;
	uint32_t found = PE_FRAME_NONE;

	for (size_t i = 0; i < on->bundles.n; i++) {
		const struct bundle *bundle = &on->bundles.data[i];
		const double size = fabs(bundle->of.amount - bundle->of.uncertain);

		if (bundle->reason != BY_CHANGE || level_of(on, bundle->cause.frame) != MODIFIED)
			continue;
		sum += size;
		if (size <= most)
			continue;
		most = size;
		found = (uint32_t)i;
	}
	return most > PE_LIKELY * sum ? found : PE_FRAME_NONE;
}

static void join_data(struct attributing *on)
{
	const uint32_t *data = pe_map_find(&on->of_owner, BY_DATA, PE_FRAME_NONE);
	const uint32_t likely = data != NULL ? find_likely(on) : PE_FRAME_NONE;

	for (uint32_t p = 0; likely != PE_FRAME_NONE && p < on->parts.n; p++) {
		struct part *part = &on->parts.data[p];

		if (part->bundle != *data)
			continue;
		part->bundle = likely;
		part->of.uncertain = part->of.amount;
	}
}

/*
 * Join moved calls: where one changed method no longer calls a method and another now does, the smaller part joins the larger
 * one, so that one move is not two causes.
 */
static void join_moved(struct attributing *on)
{
	for (uint32_t a = 0; a < on->parts.n; a++) {
		struct part *from = &on->parts.data[a];

		for (uint32_t b = 0; b < on->parts.n && from->nodes[1] == 0; b++) {
			struct part *to = &on->parts.data[b];
			bool stays = fabs(from->of.amount) > fabs(to->of.amount);
			struct part *moved = stays ? to : from, *kept = stays ? from : to;

			if (to->nodes[0] != 0 || to->nodes[1] == 0 || to->bundle == from->bundle ||
			    to->is.frame != from->is.frame || from->nodes[0] == 0)
				continue;
			add_sums(&kept->of, &moved->of);
			for (int side = 0; side < 2; side++) {
				kept->is.calls[side] += moved->is.calls[side];
				kept->is.instructions[side] += moved->is.instructions[side];
				kept->is.allocations[side] += moved->is.allocations[side];
				kept->is.own_ns[side] += moved->is.own_ns[side];
				kept->nodes[side] += moved->nodes[side];
			}
			/* The nodes of the moved part follow it. */
			*moved = (struct part){.is = {.frame = PE_FRAME_NONE,
						      .other = PE_FRAME_NONE,
						      .node = PE_CCT_NONE},
					       .bundle = kept->bundle};
			break;
		}
	}
}

/* --- Causes --- */

static enum pe_cause_kind kind_of(const struct bundle *bundle, const struct part *part)
{
	const uint64_t *calls = part->is.calls;

	if (part->is.frame == bundle->cause.frame)
		return PE_CAUSE_ITSELF;
	if (part->nodes[0] == 0 && part->nodes[1] > 0)
		return PE_CAUSE_ADDED;
	if (part->nodes[1] == 0 && part->nodes[0] > 0)
		return PE_CAUSE_REMOVED;
	return calls[0] != calls[1] ? PE_CAUSE_CALLS : PE_CAUSE_WORK;
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(((const struct pe_cause_part *)a)->amount);
	double y = fabs(((const struct pe_cause_part *)b)->amount);

	return x != y ? (x < y ? 1 : -1) : 0;
}

/*
 * Join a removed and an added callee of the causing method as one replacement. Where only one of them
 * has counted calls, they stay apart: samples alone may show another way of unwinding stacks.
 */
static uint32_t join_replaced(struct pe_cause_part *parts, uint32_t n)
{
	uint32_t removed = n, added = n;

	for (uint32_t i = n; i-- > 0;) {
		if (parts[i].kind == PE_CAUSE_REMOVED && parts[i].contexts != 0)
			removed = i;
		if (parts[i].kind == PE_CAUSE_ADDED && parts[i].contexts != 0)
			added = i;
	}
	if (removed == n || added == n || parts[removed].amount * parts[added].amount > 0 ||
	    (parts[removed].calls[0] > 0) != (parts[added].calls[1] > 0))
		return n;
	parts[added].kind = PE_CAUSE_REPLACED;
	parts[added].other = parts[removed].frame;
	parts[added].amount += parts[removed].amount;
	parts[added].calls[0] = parts[removed].calls[0];
	parts[added].instructions[0] += parts[removed].instructions[0];
	parts[added].allocations[0] += parts[removed].allocations[0];
	parts[added].own_ns[0] += parts[removed].own_ns[0];
	parts[removed] = parts[--n];
	return n;
}

static const char *program_of(const struct attributing *on, const struct pe_cause_part *part)
{
	return part->frame != PE_FRAME_NONE ? pe_frame_program(&on->delta->frames->at[part->frame])
					    : NULL;
}

/* Add the waits for a child program, and the shell between, to the child's part. */
static uint32_t join_children(const struct attributing *on, struct pe_cause_part *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *program = program_of(on, &parts[i]);

		if (program == NULL || parts[i].calls[0] + parts[i].calls[1] == 0)
			continue;
		for (uint32_t j = n; j-- > 0;) {
			const char *other = program_of(on, &parts[j]);
			const bool shell = parts[j].calls[0] + parts[j].calls[1] == 0;

			if (j == i || other == NULL || !shell ||
			    (strcmp(other, program) != 0 &&
			     on->delta->frames->at[parts[j].frame].kind != PE_FRAME_PROCESS))
				continue;
			parts[i].amount += parts[j].amount;
			parts[i].own_ns[0] += parts[j].own_ns[0];
			parts[i].own_ns[1] += parts[j].own_ns[1];
			parts[j] = parts[--n];
			if (i == n)
				i = j;
		}
	}
	return n;
}

/* Whether a part differs beyond noise. Noise in an unchanged method's time is no evidence of a cause. */
static bool is_sure_part(const struct part *part)
{
	return square(part->is.amount) > square(PE_SURE_OF_CHANGED) * part->of.variance;
}

/* The charge of a method, which tells its own instructions from those of callees in no profile; NULL: it has none. */
static const struct pe_charge *find_charge(const struct attributing *on,
					   const struct pe_cause_part *part)
{
	const enum pe_cost cost = on->opts->cost;

	if (part->kind != PE_CAUSE_ITSELF || part->frame == PE_FRAME_NONE ||
	    on->opts->functions == NULL || (cost != PE_COST_TIME && cost != PE_COST_INSTRUCTIONS))
		return NULL;
	return on->opts->functions->by_frame[part->frame].charge;
}

/* Fill in the parts of a cause: the largest one in its direction, and then the largest. */
static void fill_parts(struct attributing *on, struct bundle *bundle)
{
	struct pe_cause *cause = &bundle->cause;
	PE_VEC(struct pe_cause_part) parts = {NULL, 0, 0};
	const struct part *unsure = NULL; /* the largest in the cause's direction */
	struct pe_cause_part first;
	double total = 0;
	uint32_t n, at_first = 0;

	for (uint32_t at = bundle->first_part; at != 0; at = on->parts.data[at - 1].next) {
		struct part *part = &on->parts.data[at - 1];
		const bool along = part->of.amount * bundle->of.amount > 0;

		part->is.kind = kind_of(bundle, part);
		part->is.charge = find_charge(on, &part->is);
		part->is.amount = part->of.amount;
		cause->instructions +=
			(int64_t)(part->is.instructions[1] - part->is.instructions[0]);
		if (part->is.amount == 0)
			continue;
		if (is_sure_part(part) || (along && part->is.frame == cause->frame)) {
			pe_vec_push(&parts, part->is);
			continue;
		}
		total += fabs(part->is.amount);
		if (along && (unsure == NULL || fabs(part->is.amount) > fabs(unsure->is.amount)))
			unsure = part;
	}
	n = join_children(on, parts.data, (uint32_t)parts.n);
	pe_sort(parts.data, n, by_size);
	n = join_replaced(parts.data, n);
	pe_sort(parts.data, n, by_size);
	for (uint32_t i = 0; i < n; i++)
		total += fabs(parts.data[i].amount);
	while (at_first < n && parts.data[at_first].amount * bundle->of.amount <= 0)
		at_first++;
	if (at_first == n && unsure != NULL) {
		parts.n = n++;
		pe_vec_push(&parts, unsure->is);
	}
	if (at_first < n) {
		first = parts.data[at_first];
		memmove(parts.data + 1, parts.data, at_first * sizeof(first));
		parts.data[0] = first;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (i < PE_CAUSE_PARTS && (i == 0 || fabs(parts.data[i].amount) >= 0.05 * total))
			cause->parts[cause->n_parts++] = parts.data[i];
		else
			cause->more_parts++;
	}
	pe_vec_release(&parts);
}

static void finish_bundle(struct attributing *on, struct bundle *bundle)
{
	static const enum pe_cause_kind kinds[] = {
		[BY_CHANGE] = PE_CAUSE_ITSELF,   [BY_DATA] = PE_CAUSE_DATA,
		[BY_MEMORY] = PE_CAUSE_MEMORY,   [BY_WAITING] = PE_CAUSE_WAITING,
		[BY_NOTHING] = PE_CAUSE_UNKNOWN,
	};
	struct pe_cause *cause = &bundle->cause;

	fill_parts(on, bundle);
	cause->amount = llround(bundle->of.amount);
	cause->contexts = bundle->of.contexts;
	cause->counted = (double)cause->instructions * bundle->of.amount > 0;
	cause->probably =
		fabs(bundle->of.uncertain) > fabs(bundle->of.amount - bundle->of.uncertain);
	if (bundle->of.variance > 0)
		cause->noise = sqrt(bundle->of.variance +
				    square(bundle->of.size * on->delta->new_runs->scale_error));
	cause->node = cause->n_parts > 0 ? cause->parts[0].node : PE_CCT_NONE;
	cause->kind = bundle->reason != BY_CHANGE ? kinds[bundle->reason]
		      : cause->probably && pe_changes_source(on->opts->changes, cause->frame) !=
						   PE_SOURCE_UNKNOWN
			      ? PE_CAUSE_DATA
		      : cause->n_parts > 0 ? cause->parts[0].kind
					   : PE_CAUSE_ITSELF;
	if (bundle->reason == BY_DATA)
		for (uint32_t i = 0; i < on->modified.n; i++) {
			if (i < PE_CAUSE_CANDIDATES)
				cause->candidates[i] = on->modified.data[i];
			cause->n_candidates++;
		}
}

/* --- Choice of causes --- */

/* Whether the largest part of a bundle is a change of call counts in the bundle's direction, beyond variation between runs. */
static bool is_called(const struct attributing *on, const struct bundle *bundle)
{
	const struct pe_cause_part *most = &bundle->cause.parts[0];

	return bundle->cause.n_parts > 0 && most->node != PE_CCT_NONE &&
	       most->calls[0] != most->calls[1] &&
	       (most->calls[1] > most->calls[0]) == (bundle->of.amount > 0) &&
	       !pe_evidence_same_counts(on->delta, most->node);
}

/* Whether most of a bundle is waiting time, which placement in memory does not lengthen. */
static bool is_waited(const struct bundle *bundle)
{
	return bundle->reason == BY_CHANGE && fabs(bundle->of.waited) > fabs(bundle->of.amount) / 2;
}

/* The number of standard errors that a bundle has to exceed. */
static double threshold_of(const struct attributing *on, const struct bundle *bundle)
{
	if (bundle->cause.counted)
		return PE_SURE_OF_COUNTED;
	if (is_called(on, bundle))
		return PE_SURE_OF_CHANGED;
	if (bundle->reason == BY_CHANGE && (!bundle->cause.probably || on->changes_unknown))
		return PE_SURE_OF_CHANGED;
	if (is_waited(bundle))
		return PE_SURE_OF_CHANGED;
	return PE_SURE_OF_UNCHANGED;
}

static bool is_sure(const struct attributing *on, const struct bundle *bundle)
{
	const double threshold = threshold_of(on, bundle);
	double variance = square(bundle->cause.noise);

	if (bundle->of.variance <= 0)
		return true;
	/* Waits are measured, so the common error of all times is that of the runs, at 95 %. */
	if (is_waited(bundle))
		return square(bundle->of.amount) > square(threshold) * bundle->of.variance &&
		       fabs(bundle->of.amount) > PE_SURE_INTERVAL * bundle->of.size *
							 on->delta->new_runs->scale_error;
	if (threshold >= PE_SURE_OF_UNCHANGED)
		variance += square(PE_STEADY_ERROR * bundle->of.computed);
	return square(bundle->of.amount) > square(threshold) * variance;
}

/* Count an undecided bundle that may reach the threshold, and find how many times as many samples would decide it. */
static void find_open(struct attributing *on, const struct bundle *bundle)
{
	struct pe_attribution *out = on->out;
	const double least = (double)out->least,
		     threshold = threshold_of(on, bundle) + PE_SURE_POWER;
	double wanted =
		square(least / threshold) - (square(bundle->cause.noise) - bundle->of.variance);

	if (bundle->reason != BY_CHANGE ||
	    fabs(bundle->of.amount) + PE_SURE_INTERVAL * bundle->cause.noise < least)
		return;
	out->open++;
	if (wanted > 0)
		out->times = fmax(out->times, bundle->of.variance / wanted);
}

struct ranked {
	struct bundle *bundle;
	const struct pe_frame *who; /* NULL: unknown */
};

static int by_amount(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	double size_x = fabs(x->bundle->of.amount), size_y = fabs(y->bundle->of.amount);
	int order =
		size_x != size_y ? (size_x < size_y ? 1 : -1) : (x->who == NULL) - (y->who == NULL);

	if (order != 0 || x->who == y->who)
		return order;
	order = strcmp(x->who->name, y->who->name);
	if (order == 0)
		order = strcmp(x->who->component, y->who->component);
	return order != 0 ? order : strcmp(x->who->signature, y->who->signature);
}

static double least_amount(const struct attributing *on)
{
	double share = on->opts->min_share;

	if (share <= 0)
		share = on->opts->cost == PE_COST_TIME ? PE_LEAST_OF_TIME : 0;
	return fmax(share * (double)on->out->old_whole,
		    PE_LEAST_OF_DIFFERENCE * fabs((double)on->out->whole));
}

/*
 * Find the share of each cause. Undecided bundles may be noise and cancel nothing: where they reduce the whole, shares are of
 * the decided sum.
 */
static void find_shares(struct pe_attribution *out, double decided)
{
	const double whole = (double)out->whole;
	const double of = decided * whole > 0 && fabs(decided) > fabs(whole) ? decided : whole;

	for (uint32_t c = 0; c < out->n; c++)
		out->causes[c].share = of != 0 ? (double)out->causes[c].amount / of : NAN;
}

static void choose(struct attributing *on, struct pe_arena *arena)
{
	struct pe_attribution *out = on->out;
	const uint32_t top = on->opts->top > 0 ? on->opts->top : MOST_TOP;
	const double least = least_amount(on);
	double decided = 0;
	pe_auto_free struct ranked *ranked = pe_realloc(NULL, on->bundles.n + 1, sizeof(*ranked));

	for (size_t i = 0; i < on->bundles.n; i++) {
		const uint32_t who = on->bundles.data[i].cause.frame;

		finish_bundle(on, &on->bundles.data[i]);
		ranked[i] =
			(struct ranked){&on->bundles.data[i],
					who != PE_FRAME_NONE ? &on->delta->frames->at[who] : NULL};
	}
	pe_sort(ranked, on->bundles.n, by_amount);
	out->causes = pe_arena_new(arena, struct pe_cause, top);
	out->rest = out->whole;
	out->least = llround(least);
	out->times = 1;
	for (size_t i = 0; i < on->bundles.n; i++) {
		struct bundle *bundle = ranked[i].bundle;

		if (llround(bundle->of.amount) == 0)
			continue;
		if (!is_sure(on, bundle)) {
			out->within_noise++;
			find_open(on, bundle);
			continue;
		}
		decided += (double)bundle->cause.amount;
		if (fabs(bundle->of.amount) < least) {
			out->small++;
		} else if (out->n == top) {
			out->more++;
		} else {
			out->causes[out->n++] = bundle->cause;
			out->rest -= bundle->cause.amount;
			bundle->cause_number = out->n;
		}
	}
	find_shares(out, decided);
	for (uint32_t i = 0; i < on->delta->n; i++)
		if (on->evidence.amount[i] != 0 && on->at[i].part != 0)
			out->cause_of[i] =
				on->bundles.data[on->parts.data[on->at[i].part - 1].bundle]
					.cause_number;
}

/* --- The whole --- */

static void find_whole(struct attributing *on)
{
	const struct pe_delta *delta = on->delta;
	const struct pe_runs *olds = delta->old_runs, *news = delta->new_runs;
	struct pe_attribution *out = on->out;
	struct pe_delta_values whole = {0};
	double variance = 0;

	if (out->cost == PE_COST_INSTRUCTIONS) {
		whole.old_value = olds->whole_instructions;
		whole.new_value = news->whole_instructions;
	} else if (out->cost == PE_COST_CALLS) {
		for (uint32_t i = 0; i < delta->n; i++) {
			struct pe_delta_values calls = calls_of(on, i);

			whole.old_value += calls.old_value;
			whole.new_value += calls.new_value;
		}
	} else {
		whole = pe_delta_values(delta, 0, pe_cost_total(out->cost));
	}
	out->old_whole = whole.old_value;
	out->new_whole = whole.new_value;
	out->whole = pe_delta_difference(whole);
	for (uint32_t i = 0; i < delta->n; i++)
		variance += on->evidence.variance[i];
	if (out->cost == PE_COST_TIME)
		out->noise = sqrt(variance + square((double)out->new_whole * news->scale_error));
	if (on->opts->functions != NULL)
		out->instructions = on->opts->functions->amount;
}

static bool is_known(const struct pe_delta *delta, const struct pe_attribution_opts *opts)
{
	if (opts->cost == PE_COST_CALLS)
		return pe_delta_column(delta->old_runs, PE_DELTA_CALLS) != NULL &&
		       pe_delta_column(delta->new_runs, PE_DELTA_CALLS) != NULL;
	if (opts->cost == PE_COST_INSTRUCTIONS && opts->functions == NULL)
		return false;
	return pe_delta_knows(delta, opts->cost);
}

bool pe_attribution_make(struct pe_attribution *out, const struct pe_delta *delta,
			 const struct pe_attribution_opts *opts, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct attributing on = {.delta = delta, .opts = opts, .out = out};
	double placed = 0;

	*out = (struct pe_attribution){.cost = opts->cost, .event = pe_delta_event(delta)};
	if (!is_known(delta, opts))
		return false;
	out->cause_of = pe_arena_new(arena, uint32_t, delta->n);
	on.at = pe_arena_new(&work, struct place, delta->n);
	on.in_tree = pe_arena_new(&work, bool, delta->frames->n);
	on.inlined_by = pe_arena_new(&work, uint32_t, delta->frames->n);
	pe_evidence_find(&on.evidence, delta, opts, &work);
	find_whole(&on);
	collect(&on);
	for (uint32_t i = 0; i < delta->n; i++)
		placed += on.evidence.amount[i];
	if (out->cost == PE_COST_INSTRUCTIONS)
		add_functions(&on, (double)out->whole - placed);
	sum_bundles(&on);
	join_data(&on);
	join_moved(&on);
	sum_bundles(&on);
	choose(&on, arena);
	pe_vec_release(&on.modified);
	pe_vec_release(&on.hidden);
	pe_vec_release(&on.bundles);
	pe_vec_release(&on.parts);
	pe_map_release(&on.of_owner);
	pe_map_release(&on.of_part);
	return true;
}
