/*
 * From a graph to a tree, in steps: calls by caller; circles (Tarjan, SIAM J. Comput. 1972, with an
 * explicit stack); the cost of each circle, of its own and as its callers report it; then instances, first in first
 * out: an instance is a function entered from one place with a share of its circle's whole cost.
 *
 * Shares are fractions, values are whole numbers: each value is distributed by the running sum of shares, so that
 * the parts add up to the value whatever the rounding on the way.
 */
#include "analysis/profile/callgraph.h"

#include "core/base/hash_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 20, SMALL = 10000 };

static const double ALL = 1 - 1e-9;

/* An amount that is distributed in shares. */
struct portions {
	double share; /* given so far */
	uint64_t given;
};

/* Functions that call each other in a circle; most have one member. */
struct circle {
	uint32_t first, n;   /* members */
	uint64_t whole;      /* cost of the members and everything below */
	uint64_t from_cost;  /* cost that callers outside report for it */
	uint64_t from_calls; /* calls from outside */
	uint32_t entry;      /* the member that is entered without a caller */
};

struct instance {
	uint32_t function, node;
	double share;
	bool is_exact; /* its own values are measured, not estimated */
};

struct unfolding {
	const struct pe_callgraph *graph;
	PE_VEC(struct pe_callgraph_call) merged; /* the graph's calls, with sites merged */
	enum pe_callgraph_cost cost;
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	struct pe_arena *arena;
	uint32_t n;
	bool *shares_frame;            /* its frame is that of another function, too */
	struct pe_callgraph_ends ends; /* by caller */
	uint32_t *circle_of;
	uint32_t *members;
	PE_VEC(struct circle) circles;
	struct portions *selves; /* by function */
	struct portions *calls;  /* by call */
	uint64_t total;
	PE_VEC(struct instance) queue;
	bool is_split;    /* some nodes are */
	uint32_t *placed; /* while a circle is laid out: a member's node, or PE_CCT_NONE */
};

/*
 * Merge the calls of one function from several places of another. The cost below each place is unknown, but the
 * cost of all together may be known. So they become one call with an unknown site, unless the callee calls nothing.
 */
static void merge_sites(struct unfolding *u)
{
	const struct pe_callgraph_call *calls = u->graph->calls.data;
	struct pe_map firsts = {0};
	bool *has_calls = pe_arena_new(u->arena, bool, u->n), is_new = true;

	for (size_t i = 0; i < u->graph->calls.n; i++)
		has_calls[calls[i].caller] = true;
	for (size_t i = 0; i < u->graph->calls.n; i++) {
		struct pe_callgraph_call *first;
		uint32_t at = 0;

		if (has_calls[calls[i].callee])
			at = *pe_map_put(&firsts, calls[i].caller, calls[i].callee,
					 (uint32_t)u->merged.n, &is_new);
		if (is_new || !has_calls[calls[i].callee]) {
			pe_vec_push(&u->merged, calls[i]);
			continue;
		}
		assert(at < u->merged.n && u->merged.data != NULL);
		first = &u->merged.data[at];
		first->site = 0;
		pe_cct_add(&first->calls, calls[i].calls);
		pe_cct_add(&first->cost, calls[i].cost);
	}
	pe_map_release(&firsts);
}

struct pe_callgraph_ends pe_callgraph_index(const struct pe_callgraph_call *calls, size_t n_calls,
					    size_t n_functions, bool by_caller,
					    struct pe_arena *arena)
{
	struct pe_callgraph_ends out = {.begins = pe_arena_new(arena, uint32_t, n_functions + 1),
					.order = pe_arena_new(arena, uint32_t, n_calls)};
	uint32_t *next = pe_arena_new(arena, uint32_t, n_functions);

	for (size_t i = 0; i < n_calls; i++)
		out.begins[(by_caller ? calls[i].caller : calls[i].callee) + 1]++;
	for (size_t f = 0; f < n_functions; f++)
		out.begins[f + 1] += out.begins[f];
	for (size_t i = 0; i < n_calls; i++) {
		const uint32_t function = by_caller ? calls[i].caller : calls[i].callee;

		out.order[out.begins[function] + next[function]++] = (uint32_t)i;
	}
	return out;
}

static const struct pe_callgraph_call *call_at(const struct unfolding *u, uint32_t place)
{
	return &u->merged.data[u->ends.order[place]];
}

/* The state of Tarjan's walk. */
struct tarjan {
	uint32_t *index, *low, *next; /* index and low from 1; 0: not visited */
	uint32_t *open;               /* functions whose circle is not complete */
	uint32_t *path;               /* from the start of the walk to its current function */
	uint32_t n_open, n_path, n_seen, n_members;
};

static void see(struct unfolding *u, struct tarjan *t, uint32_t function)
{
	t->index[function] = t->low[function] = ++t->n_seen;
	t->next[function] = u->ends.begins[function];
	t->open[t->n_open++] = function;
	t->path[t->n_path++] = function;
}

static void close_circle(struct unfolding *u, struct tarjan *t, uint32_t function)
{
	struct circle circle = {.first = t->n_members, .entry = function};
	uint32_t member;

	do {
		member = t->open[--t->n_open];
		u->circle_of[member] = (uint32_t)u->circles.n;
		u->members[t->n_members++] = member;
		circle.n++;
	} while (member != function);
	pe_vec_push(&u->circles, circle);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void walk_from(struct unfolding *u, struct tarjan *t, uint32_t start)
{
	see(u, t, start);
	while (t->n_path > 0) {
		uint32_t function = t->path[t->n_path - 1], callee;

		if (t->next[function] < u->ends.begins[function + 1]) {
			callee = call_at(u, t->next[function]++)->callee;
			if (t->index[callee] == 0)
				see(u, t, callee);
			else if (u->circle_of[callee] == UINT32_MAX)
				t->low[function] = least(t->low[function], t->index[callee]);
			continue;
		}
		if (t->low[function] == t->index[function])
			close_circle(u, t, function);
		if (--t->n_path > 0) {
			uint32_t above = t->path[t->n_path - 1];

			t->low[above] = least(t->low[above], t->low[function]);
		}
	}
}

static void find_circles(struct unfolding *u)
{
	struct tarjan t = {
		.index = pe_arena_new(u->arena, uint32_t, u->n),
		.low = pe_arena_new(u->arena, uint32_t, u->n),
		.next = pe_arena_new(u->arena, uint32_t, u->n),
		.open = pe_arena_new(u->arena, uint32_t, u->n),
		.path = pe_arena_new(u->arena, uint32_t, u->n),
	};

	u->circle_of = pe_arena_new(u->arena, uint32_t, u->n);
	u->members = pe_arena_new(u->arena, uint32_t, u->n);
	memset(u->circle_of, 0xff, u->n * sizeof(*u->circle_of));
	for (uint32_t f = 0; f < u->n; f++)
		if (t.index[f] == 0)
			walk_from(u, &t, f);
}

static struct circle *circle_of(const struct unfolding *u, uint32_t function)
{
	return &u->circles.data[u->circle_of[function]];
}

/* Compute the cost of each circle with all below; the cost that its callers report, if that is more. */
static void add_costs(struct unfolding *u)
{
	for (uint32_t f = 0; f < u->n; f++) {
		struct circle *circle = circle_of(u, f);
		uint64_t self = u->graph->functions.data[f].self;

		pe_cct_add(&circle->whole, self);
		pe_cct_add(&u->total, self);
	}
	for (size_t i = 0; i < u->merged.n; i++) {
		const struct pe_callgraph_call *call = &u->merged.data[i];
		struct circle *caller = circle_of(u, call->caller);
		struct circle *callee = circle_of(u, call->callee);

		if (caller == callee)
			continue;
		pe_cct_add(&caller->whole, call->cost);
		pe_cct_add(&callee->from_cost, call->cost);
		pe_cct_add(&callee->from_calls, call->calls);
	}
	for (size_t i = 0; i < u->circles.n; i++)
		if (u->circles.data[i].whole < u->circles.data[i].from_cost)
			u->circles.data[i].whole = u->circles.data[i].from_cost;
}

/* Take the part of an amount that a share gets, by the running sum. */
static uint64_t portion(struct portions *portions, uint64_t amount, double share)
{
	uint64_t target = amount, got;

	portions->share += share;
	if (portions->share < ALL && (double)amount * portions->share < (double)amount)
		target = (uint64_t)((double)amount * portions->share + 0.5);
	if (target > amount)
		target = amount;
	got = target > portions->given ? target - portions->given : 0;
	portions->given += got;
	return got;
}

static void add_cost(const struct unfolding *u, uint32_t node, uint64_t cost)
{
	struct pe_cct_values *values = pe_cct_builder_at(u->builder, node);
	uint64_t *column = u->cost == PE_CALLGRAPH_NS ? &values->self_ns : &values->samples;

	pe_cct_add(column, cost);
}

static void add_calls(const struct unfolding *u, uint32_t node, uint64_t calls)
{
	struct pe_cct_values *values = pe_cct_builder_at(u->builder, node);

	pe_cct_add(&values->calls, calls);
}

/* Add an instance's share of a function's own cost to a node. */
static void place_self(struct unfolding *u, uint32_t function, uint32_t node,
		       const struct instance *instance)
{
	uint64_t self = u->graph->functions.data[function].self;

	add_cost(u, node, portion(&u->selves[function], self, instance->share));
	if (!instance->is_exact) {
		pe_cct_builder_flag(u->builder, node, PE_CCT_SPLIT);
		u->is_split = true;
	}
}

/*
 * Make the node of a call. No function occurs twice on a path, but a frame may, where callgrind distinguished
 * functions by their callers or by depth. Only these are searched for on the way up, which costs the length of the path.
 */
static uint32_t make_node(struct unfolding *u, uint32_t parent, uint32_t function, uint32_t site)
{
	uint32_t frame = u->graph->functions.data[function].frame;

	return u->shares_frame[function] ? pe_cct_builder_fold(u->builder, parent, frame, site)
					 : pe_cct_builder_child(u->builder, parent, frame, site);
}

static void find_shared_frames(struct unfolding *u)
{
	struct pe_map firsts = {0};

	u->shares_frame = pe_arena_new(u->arena, bool, u->n);
	for (uint32_t f = 0; f < u->n; f++) {
		uint32_t first =
			*pe_map_put(&firsts, u->graph->functions.data[f].frame, 0, f, NULL);

		if (first != f)
			u->shares_frame[f] = u->shares_frame[first] = true;
	}
	pe_map_release(&firsts);
}

/* Whether a function calls nothing, not even itself. */
static bool is_leaf(const struct unfolding *u, uint32_t function)
{
	return u->ends.begins[function] == u->ends.begins[function + 1];
}

/* The share of a callee's circle that one call from outside it causes. */
static double share_of(const struct circle *callee, const struct pe_callgraph_call *call)
{
	if (callee->whole > 0)
		return (double)call->cost / (double)callee->whole;
	return callee->from_calls > 0 ? (double)call->calls / (double)callee->from_calls : 1;
}

/* Enter a member of a circle: its calls out of the circle become instances. */
static void enter_callees(struct unfolding *u, uint32_t function, uint32_t node,
			  const struct instance *from)
{
	for (uint32_t i = u->ends.begins[function]; i < u->ends.begins[function + 1]; i++) {
		const struct pe_callgraph_call *call = call_at(u, i);
		const struct circle *callee = circle_of(u, call->callee);
		double share = from->share * share_of(callee, call);
		uint32_t child;

		if (callee == circle_of(u, function))
			continue;
		child = make_node(u, node, call->callee, call->site);
		add_calls(u, child, portion(&u->calls[u->ends.order[i]], call->calls, from->share));
		/* The cost of a leaf for one caller is the leaf's own cost: nothing is estimated then. */
		pe_vec_push(&u->queue, (struct instance){.function = call->callee,
							 .node = child,
							 .share = share,
							 .is_exact = from->is_exact &&
								     (share >= ALL ||
								      is_leaf(u, call->callee))});
	}
}

/* Place the calls inside a circle: the first one that reaches a member places it, the others are counted there. */
static void place_members(struct unfolding *u, const struct instance *instance,
			  const struct circle *circle, uint32_t *reached)
{
	uint32_t n_reached = 0;

	for (uint32_t i = 0; i < circle->n; i++)
		u->placed[u->members[circle->first + i]] = PE_CCT_NONE;
	u->placed[instance->function] = instance->node;
	reached[n_reached++] = instance->function;
	for (uint32_t at = 0; at < n_reached; at++) {
		uint32_t f = reached[at];

		for (uint32_t i = u->ends.begins[f]; i < u->ends.begins[f + 1]; i++) {
			const struct pe_callgraph_call *call = call_at(u, i);
			uint32_t *place = &u->placed[call->callee];

			if (circle_of(u, call->callee) != circle)
				continue;
			if (*place == PE_CCT_NONE) {
				*place = make_node(u, u->placed[f], call->callee, call->site);
				reached[n_reached++] = call->callee;
			} else {
				pe_cct_builder_flag(u->builder, *place, PE_CCT_FOLDED);
			}
			add_calls(
				u, *place,
				portion(&u->calls[u->ends.order[i]], call->calls, instance->share));
		}
	}
}

static bool is_followed(const struct unfolding *u, const struct instance *instance)
{
	const struct circle *circle = circle_of(u, instance->function);

	if (instance->share >= ALL)
		return true;
	return instance->share * (double)circle->whole * SMALL >= (double)u->total &&
	       pe_cct_builder_count(u->builder) < MAX_NODES - circle->n;
}

static void unfold_instance(struct unfolding *u, struct instance instance, uint32_t *reached)
{
	const struct circle *circle = circle_of(u, instance.function);

	if (!is_followed(u, &instance)) {
		place_self(u, instance.function, instance.node, &instance);
		if (!is_leaf(u, instance.function))
			pe_cct_builder_flag(u->builder, instance.node, PE_CCT_CUT);
		return;
	}
	place_members(u, &instance, circle, reached);
	for (uint32_t i = 0; i < circle->n; i++) {
		uint32_t function = reached[i];

		place_self(u, function, u->placed[function], &instance);
		enter_callees(u, function, u->placed[function], &instance);
	}
}

/* Enter circles whose callers do not account for their whole cost: the first functions of the program and its threads. */
static void enter_from_nowhere(struct unfolding *u)
{
	for (size_t i = u->circles.n; i > 0; i--) {
		const struct circle *circle = &u->circles.data[i - 1];
		const struct pe_callgraph_function *function =
			&u->graph->functions.data[circle->entry];
		double share = 1;
		uint32_t node;

		if (circle->whole > 0)
			share = (double)(circle->whole - circle->from_cost) / (double)circle->whole;
		else if (circle->from_calls > 0)
			share = 0;
		if (circle->from_calls > 0 && share * (double)circle->whole < 0.5)
			continue;
		node = pe_cct_builder_child(u->builder, 0, function->frame, 0);
		/* The number of its calls is unknown. */
		pe_cct_builder_flag(u->builder, node, PE_CCT_UNCOUNTED);
		pe_vec_push(&u->queue, (struct instance){circle->entry, node, share, share >= ALL});
	}
}

/* Add the costs that were split too small to be followed, by function. */
static void place_rest(struct unfolding *u)
{
	struct pe_frame frame = {.name = "(other callers)", .kind = PE_FRAME_UNKNOWN};
	uint64_t *rest_calls = pe_arena_new(u->arena, uint64_t, u->n);
	uint32_t other = PE_CCT_NONE;

	for (size_t i = 0; i < u->merged.n; i++) {
		const struct pe_callgraph_call *call = &u->merged.data[i];

		pe_cct_add(&rest_calls[call->callee], call->calls - u->calls[i].given);
	}
	for (uint32_t f = 0; f < u->n; f++) {
		const struct pe_callgraph_function *function = &u->graph->functions.data[f];
		uint64_t rest = function->self - u->selves[f].given;
		uint32_t node;

		if (rest == 0 && rest_calls[f] == 0)
			continue;
		if (other == PE_CCT_NONE) {
			other = pe_cct_builder_child(u->builder, 0,
						     pe_frames_add(u->frames, &frame), 0);
			pe_cct_builder_flag(u->builder, other, PE_CCT_CUT);
		}
		node = pe_cct_builder_child(u->builder, other, function->frame, 0);
		pe_cct_builder_flag(u->builder, node, PE_CCT_SPLIT | PE_CCT_CUT);
		add_cost(u, node, rest);
		add_calls(u, node, rest_calls[f]);
	}
}

bool pe_callgraph_unfold(const struct pe_callgraph *graph, enum pe_callgraph_cost cost,
			 struct pe_cct_builder *builder, struct pe_frames *frames)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct unfolding u = {
		.graph = graph,
		.cost = cost,
		.builder = builder,
		.frames = frames,
		.arena = &arena,
		.n = (uint32_t)graph->functions.n,
	};
	uint32_t *reached = pe_arena_new(&arena, uint32_t, u.n);

	find_shared_frames(&u);
	merge_sites(&u);
	u.ends = pe_callgraph_index(u.merged.data, u.merged.n, u.n, true, &arena);
	find_circles(&u);
	add_costs(&u);
	u.selves = pe_arena_new(&arena, struct portions, u.n);
	u.calls = pe_arena_new(&arena, struct portions, u.merged.n);
	u.placed = pe_arena_new(&arena, uint32_t, u.n);
	enter_from_nowhere(&u);
	for (size_t i = 0; i < u.queue.n; i++)
		unfold_instance(&u, u.queue.data[i], reached);
	place_rest(&u);
	pe_vec_release(&u.merged);
	pe_vec_release(&u.circles);
	pe_vec_release(&u.queue);
	return u.is_split;
}

void pe_callgraph_release(struct pe_callgraph *graph)
{
	pe_vec_release(&graph->functions);
	pe_vec_release(&graph->calls);
}
