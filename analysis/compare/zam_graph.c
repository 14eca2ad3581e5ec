#include "analysis/compare/zam_graph.h"

#include "analysis/compare/match.h"

#include <string.h>

struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena)
{
	return (struct pe_zam_graph){
		.cct = pe_cct_new(frames, n, 0, arena),
		.times = pe_arena_new(arena, struct graph_times, n),
		.seen = pe_arena_new(arena, uint8_t, n),
		.places = pe_arena_new(arena, uint32_t, n),
	};
}

void pe_zam_graph_copy(struct pe_zam_graph *to, uint32_t at, const struct pe_zam_graph *from,
		       uint32_t node, uint32_t parent)
{
	to->cct->nodes[at] = from->cct->nodes[node];
	to->cct->nodes[at].parent = parent;
	to->times[at] = from->times[node];
	to->seen[at] = from->seen[node];
	to->places[at] = from->places[node];
}

void pe_zam_graph_close(struct pe_cct *cct)
{
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].end = i + 1;
	for (uint32_t i = cct->n; i-- > 1;) {
		struct pe_cct_node *parent = &cct->nodes[cct->nodes[i].parent];

		if (cct->nodes[i].end > parent->end)
			parent->end = cct->nodes[i].end;
	}
}

void pe_zam_graph_forget_times(struct pe_zam_graph *graph)
{
	memset(graph->times, 0, graph->cct->n * sizeof(*graph->times));
}

static struct graph_times sum_of(const struct graph_times *a, const struct graph_times *b)
{
	return (struct graph_times){
		.old_ns = a->old_ns + b->old_ns,
		.new_ns = a->new_ns + b->new_ns,
		.old_own = a->old_own + b->old_own,
		.new_own = a->new_own + b->new_own,
		.old_wait = a->old_wait + b->old_wait,
		.new_wait = a->new_wait + b->new_wait,
	};
}

struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					struct pe_arena *arena)
{
	static const struct pe_match_opts any_order = {
		.rule = PE_MATCH_HYBRID, .no_call_sites = true, .cells = 1};
	uint32_t *at = pe_arena_new(arena, uint32_t, a->cct->n);
	struct pe_match match;
	struct pe_zam_graph graph;
	uint32_t n = 0;

	pe_match_make(&match, a->cct, b->cct, &any_order, arena);
	graph = pe_zam_graph_new(a->cct->frames, match.pairs, arena);
	for (uint32_t i = 0; i < a->cct->n; i++) {
		const struct pe_cct_node *node = &a->cct->nodes[i];
		uint32_t j = match.to_new[i];

		if (j == PE_CCT_NONE)
			continue;
		graph.cct->nodes[n] = (struct pe_cct_node){
			.parent = i == 0 ? PE_CCT_NONE : at[node->parent], .frame = node->frame};
		graph.times[n] = sum_of(&a->times[i], &b->times[j]);
		graph.seen[n] = a->seen[i] | b->seen[j];
		graph.places[n] = a->places[i] < b->places[j] ? a->places[i] : b->places[j];
		at[i] = n++;
	}
	pe_zam_graph_close(graph.cct);
	return graph;
}
