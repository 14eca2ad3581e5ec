#include "analysis/profile/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct pe_cct *pe_tree_without_sites(const struct pe_cct *cct, struct pe_arena *arena)
{
	unsigned known = cct->known & ~(unsigned)(PE_CCT_SITES | PE_CCT_DEVIATION);
	struct pe_cct_builder *builder = pe_cct_builder_new(cct->frames, known);
	pe_auto_free uint32_t *at = pe_realloc(NULL, cct->n, sizeof(*at));
	struct pe_cct *merged;

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		at[i] = i == 0 ? 0
			       : pe_cct_builder_child(builder, at[node->parent], node->frame, 0);
		pe_cct_builder_add(builder, at[i], cct, i);
		pe_cct_builder_flag(builder, at[i], cct->flags[i]);
	}
	pe_cct_builder_vary_all(builder, cct, at);
	merged = pe_cct_builder_finish(builder, &cct->facts, arena);
	merged->nodes[0].frame = cct->nodes[0].frame;
	return merged;
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
	const unsigned known = first->known & second->known & ~(unsigned)PE_CCT_DEVIATION;
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
	if (from->deviation_ns != NULL && calls)
		to->deviation_ns[at] = from->deviation_ns[i];
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
