#include "analysis/profile/tree.h"

#include "core/base/hash_index.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Copy a tree, with one child for all children of one method whose site is dropped. @param drops  by node; NULL: all are */
static struct pe_cct *drop_sites(const struct pe_cct *cct, const bool *drops,
				 struct pe_arena *arena)
{
	const unsigned lost = drops == NULL ? PE_CCT_SITES : 0;
	struct pe_cct_builder *builder = pe_cct_builder_new(cct->frames, cct->known & ~lost);
	pe_auto_free uint32_t *at = pe_realloc(NULL, cct->n, sizeof(*at));
	struct pe_cct *merged;

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const uint32_t site = drops == NULL || drops[i] ? 0 : node->site;

		at[i] = i == 0 ? 0
			       : pe_cct_builder_child(builder, at[node->parent], node->frame, site);
		pe_cct_builder_add(builder, at[i], cct, i);
		pe_cct_builder_flag(builder, at[i], cct->flags[i]);
	}
	pe_cct_builder_vary_all(builder, cct, at);
	merged = pe_cct_builder_finish(builder, &cct->facts, arena);
	merged->nodes[0].frame = cct->nodes[0].frame;
	return merged;
}

struct pe_cct *pe_tree_without_sites(const struct pe_cct *cct, struct pe_arena *arena)
{
	return drop_sites(cct, NULL, arena);
}

/* The sites of calls on two sides, while they are aligned. Methods and lines are those of new. */
struct aligning {
	const struct pe_sites *by;
	struct pe_map known[2];     /* by call and line: the side has such a site */
	struct pe_map moved[2];     /* by call: number of lines where the other side has no site */
	struct pe_map sites, calls; /* by call: their number in old less that in new, modulo 2^32 */
};

/* A call by its two methods. */
static uint64_t call_of(const struct aligning *on, const struct pe_cct *cct, uint32_t node,
			int side)
{
	const uint32_t *renamed = side == 0 ? on->by->renamed : NULL;
	uint32_t callee = cct->nodes[node].frame;
	uint32_t caller = cct->nodes[cct->nodes[node].parent].frame;

	if (renamed != NULL && renamed[callee] != PE_FRAME_NONE)
		callee = renamed[callee];
	if (renamed != NULL && renamed[caller] != PE_FRAME_NONE)
		caller = renamed[caller];
	return (uint64_t)caller << 32 | callee;
}

/* The line of a node's call; 0: unknown, or new does not have it. */
static uint32_t line_of(const struct aligning *on, const struct pe_cct *cct, uint32_t node,
			int side)
{
	const struct pe_cct_node *at = &cct->nodes[node];

	if (side == 1 || on->by->map_site == NULL)
		return at->site;
	return on->by->map_site(cct->nodes[at->parent].frame, at->site, on->by->payload);
}

/* Whether the other side has no site on the line of a node's call. */
static bool is_moved(const struct aligning *on, const struct pe_cct *cct, uint32_t node, int side)
{
	const uint32_t line = line_of(on, cct, node, side);

	return line == 0 ||
	       pe_map_find(&on->known[1 - side], call_of(on, cct, node, side), line) == NULL;
}

static void count_sites(struct aligning *on, const struct pe_cct *cct, int side)
{
	struct pe_map seen = {0};

	for (uint32_t i = 1; i < cct->n; i++) {
		const uint64_t call = call_of(on, cct, i, side);
		const uint32_t calls = (uint32_t)cct->calls[i];
		bool is_new;

		if (!pe_cct_is_counted(cct, i))
			continue;
		*pe_map_put(&on->calls, call, 0, 0, NULL) += side == 0 ? calls : -calls;
		pe_map_put(&seen, call, cct->nodes[i].site, 0, &is_new);
		if (!is_new)
			continue;
		*pe_map_put(&on->sites, call, 0, 0, NULL) += side == 0 ? 1 : UINT32_MAX;
		if (is_moved(on, cct, i, side))
			++*pe_map_put(&on->moved[side], call, 0, 0, NULL);
	}
	pe_map_release(&seen);
}

/* Whether a node's call moved between sites. */
static bool moved_between(const struct aligning *on, const struct pe_cct *cct, uint32_t node,
			  int side)
{
	const uint64_t call = call_of(on, cct, node, side);
	const uint32_t olds = pe_map_get(&on->moved[0], call, 0, 0);
	const uint32_t news = pe_map_get(&on->moved[1], call, 0, 0);

	if (pe_map_get(&on->sites, call, 0, 0) != 0 && pe_map_get(&on->calls, call, 0, 0) == 0)
		return true;
	return olds != news && olds > 0 && news > 0 && is_moved(on, cct, node, side);
}

/* Make one child of the sites between which calls moved. */
static const struct pe_cct *join_moved(const struct aligning *on, const struct pe_cct *cct,
				       int side, struct pe_arena *arena)
{
	pe_auto_free bool *drops = pe_realloc(NULL, cct->n, sizeof(*drops));
	bool any = drops[0] = false;

	for (uint32_t i = 1; i < cct->n; i++) {
		drops[i] = moved_between(on, cct, i, side);
		any = any || drops[i];
	}
	return any ? drop_sites(cct, drops, arena) : cct;
}

void pe_tree_align_sites(const struct pe_cct **at[2], const uint32_t n[2],
			 const struct pe_sites *by, struct pe_arena *arena)
{
	const unsigned needed = PE_CCT_CALLS | PE_CCT_SITES;
	struct aligning on = {.by = by};

	if ((at[0][0]->known & at[1][0]->known & needed) != needed)
		return;
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 1; i < at[side][0]->n; i++)
			if (pe_cct_is_counted(at[side][0], i))
				pe_map_set(&on.known[side], call_of(&on, at[side][0], i, side),
					   line_of(&on, at[side][0], i, side), 0);
	for (int side = 0; side < 2; side++)
		count_sites(&on, at[side][0], side);
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < n[side]; i++)
			at[side][i] = join_moved(&on, at[side][i], side, arena);
	for (int side = 0; side < 2; side++) {
		pe_map_release(&on.known[side]);
		pe_map_release(&on.moved[side]);
	}
	pe_map_release(&on.sites);
	pe_map_release(&on.calls);
}

/* Add a node of one of two trees: time and samples, and counts where it is the first with any. */
static void pool_node(struct pe_cct_values *to, const struct pe_cct *cct, uint32_t i, double part,
		      bool counts)
{
	for (int c = counts ? 0 : PE_CCT_COLUMN_TIME; c < PE_CCT_N_COLUMNS; c++)
		if (c == PE_CCT_COLUMN_TIME && cct->self_ns != NULL)
			to->self_ns += (uint64_t)(part * (double)cct->self_ns[i]);
		else if (cct->columns[c] != NULL)
			to->of[c] += cct->columns[c][i];
}

/* Add one of two trees. @param part  its share of the samples of both */
static void pool(struct pe_cct_builder *builder, const struct pe_cct *cct, double part)
{
	pe_auto_free uint32_t *at = pe_realloc(NULL, cct->n, sizeof(*at));
	bool first = pe_cct_builder_count(builder) == 1;

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		uint32_t before = pe_cct_builder_count(builder);
		bool counts;

		at[i] = i == 0 ? 0
			       : pe_cct_builder_child(builder, at[node->parent], node->frame,
						      node->site);
		counts = first || at[i] >= before;
		pool_node(pe_cct_builder_at(builder, at[i]), cct, i, part, counts);
		if (counts)
			pe_cct_builder_flag(builder, at[i], cct->flags[i]);
	}
	if (first)
		pe_cct_builder_vary_all(builder, cct, at);
}

struct pe_cct *pe_tree_pooled(const struct pe_cct *first, const struct pe_cct *second,
			      struct pe_arena *arena)
{
	const unsigned known = first->known & second->known;
	struct pe_cct_builder *builder = pe_cct_builder_new(first->frames, known);
	struct pe_cct_facts facts = first->facts;
	struct pe_cct *pooled;
	double part;

	facts.samples += second->facts.samples;
	facts.samples_lost += second->facts.samples_lost;
	part = facts.samples > 0 ? (double)first->facts.samples / (double)facts.samples : 0.5;
	facts.duration_ns = (uint64_t)(part * (double)first->facts.duration_ns +
				       (1 - part) * (double)second->facts.duration_ns);
	pool(builder, first, part);
	pool(builder, second, 1 - part);
	pooled = pe_cct_builder_finish(builder, &facts, arena);
	pooled->nodes[0].frame = first->nodes[0].frame;
	return pooled;
}

/* Whether a name is one character, possibly of several bytes. */
static bool one_character(const char *name)
{
	size_t n = 0;

	for (; *name != '\0'; name++)
		n += ((unsigned char)*name & 0xc0) != 0x80;
	return n == 1;
}

/* Whether a frame is of Node's event loop, or a function by which JavaScript schedules: callbacks have their own frames. */
static bool is_event_loop(const struct pe_frame *frame)
{
	static const char *const components[] = {"node:timers", "node:internal/timers",
						 "node:internal/process/task_queues",
						 "node:internal/async_hooks"};
	static const char *const names[] = {
		"setTimeout",          "setInterval",           "setImmediate", "queueMicrotask",
		"requestIdleCallback", "requestAnimationFrame", "runMicrotasks"};

	for (size_t i = 0; i < sizeof(components) / sizeof(*components); i++)
		if (strcmp(frame->component, components[i]) == 0)
			return true;
	for (size_t i = 0; frame->component[0] == '\0' && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(frame->name, names[i]) == 0)
			return true;
	return false;
}

static bool is_nameless(const struct pe_frame *frame)
{
	const char *name = frame->name;

	if (frame->kind != PE_FRAME_METHOD)
		return false;
	if (is_event_loop(frame))
		return true;
	if (one_character(name) || strcmp(name, "(anonymous)") == 0)
		return true;
	while (isspace((unsigned char)*name))
		name++;
	return *name == '\0';
}

static void add_to(struct pe_cct *to, uint32_t at, const struct pe_cct *from, uint32_t i,
		   bool calls)
{
	for (int c = calls ? PE_CCT_COUNT_CALLS : PE_CCT_COUNT_ALLOCATIONS; c < PE_CCT_N_COLUMNS;
	     c++)
		if (from->columns[c] != NULL)
			to->columns[c][at] += from->columns[c][i];
}

/* Copy the ranges of nodes that stay. */
static void keep_ranges(struct pe_cct *to, const struct pe_cct *from, const uint32_t *at,
			struct pe_arena *arena)
{
	to->ranges = pe_arena_new(arena, struct pe_cct_range, from->n_ranges);
	for (uint32_t i = 0; i < from->n_ranges; i++) {
		struct pe_cct_range range = from->ranges[i];

		if (range.node > 0 && is_nameless(pe_cct_frame(from, range.node)))
			continue;
		range.node = at[range.node];
		to->ranges[to->n_ranges++] = range;
	}
}

struct pe_cct *pe_tree_pruned(const struct pe_cct *cct, struct pe_arena *arena)
{
	uint32_t *at =
		pe_realloc(NULL, cct->n, sizeof(*at)); /* itself, or the replacing ancestor */
	uint32_t n = 0;
	struct pe_cct *pruned;

	for (uint32_t i = 0; i < cct->n; i++)
		at[i] = i > 0 && is_nameless(pe_cct_frame(cct, i)) ? at[cct->nodes[i].parent] : n++;
	pruned = pe_cct_new(cct->frames, n, cct->known, arena);
	pruned->facts = cct->facts;
	for (uint32_t i = 0, last = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		bool kept = i == 0 || at[i] == last;
		uint32_t parent = i == 0 ? PE_CCT_NONE : at[node->parent];

		add_to(pruned, at[i], cct, i, kept);
		pruned->flags[at[i]] |= cct->flags[i];
		if (!kept)
			continue;
		last++;
		pruned->nodes[at[i]] = (struct pe_cct_node){
			.parent = parent,
			.end = at[i] + 1,
			.frame = node->frame,
			/* The line is in the source of the removed caller. */
			.site = i > 0 && node->parent > 0 &&
						is_nameless(pe_cct_frame(cct, node->parent))
					? 0
					: node->site,
		};
	}
	keep_ranges(pruned, cct, at, arena);
	free(at);
	for (uint32_t i = n; i-- > 1;) {
		struct pe_cct_node *parent = &pruned->nodes[pruned->nodes[i].parent];

		if (pruned->nodes[i].end > parent->end)
			parent->end = pruned->nodes[i].end;
	}
	pe_cct_sum(pruned);
	return pruned;
}

static bool is_excluded(const struct pe_cct *cct, uint32_t node, const bool *excluded, uint32_t n)
{
	const uint32_t frame = cct->nodes[node].frame;

	return node > 0 && frame < n && excluded[frame];
}

const struct pe_cct *pe_tree_without_methods(const struct pe_cct *cct, const bool *excluded,
					     uint32_t n, struct pe_arena *arena)
{
	struct pe_cct_builder *builder;
	/* By node: its node in the result; the call site of its children if it is left out, else its own. */
	pe_auto_free uint32_t *place = pe_realloc(NULL, cct->n, sizeof(*place));
	pe_auto_free uint32_t *site = pe_realloc(NULL, cct->n, sizeof(*site));
	struct pe_cct uncalled = *cct; /* the calls of an excluded node are those of nobody */
	bool any = false;

	for (uint32_t i = 0; i < cct->n && !any; i++)
		any = is_excluded(cct, i, excluded, n);
	if (!any)
		return cct;
	builder = pe_cct_builder_new(cct->frames, cct->known);
	uncalled.calls = NULL;
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const bool out = is_excluded(cct, i, excluded, n);

		place[i] = site[i] = 0;
		if (i > 0) {
			site[i] = is_excluded(cct, node->parent, excluded, n) ? site[node->parent]
									      : node->site;
			place[i] = out ? place[node->parent]
				       : pe_cct_builder_child(builder, place[node->parent],
							      node->frame, site[i]);
		}
		if (!out)
			pe_cct_builder_flag(builder, place[i], cct->flags[i]);
		pe_cct_builder_add(builder, place[i], out ? &uncalled : cct, i);
	}
	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		struct pe_cct_range range = cct->ranges[i];

		if (is_excluded(cct, range.node, excluded, n))
			range.less[PE_CCT_COUNT_CALLS] = range.more[PE_CCT_COUNT_CALLS] = 0;
		pe_cct_builder_vary(builder, place[range.node], &range);
	}
	return pe_cct_builder_finish(builder, &cct->facts, arena);
}
