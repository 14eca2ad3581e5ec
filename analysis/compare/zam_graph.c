#include "analysis/compare/zam_steps.h"

struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena)
{
	struct pe_zam_graph graph = {pe_cct_new(frames, n, 0, arena),
				     pe_arena_new(arena, struct zam_place, n)};

	graph.cct->n = 0;
	return graph;
}

uint32_t pe_zam_graph_add(struct pe_zam_graph *graph, uint32_t parent, uint32_t frame,
			  const struct zam_place *place)
{
	const uint32_t at = graph->cct->n++;

	graph->cct->nodes[at] =
		(struct pe_cct_node){.parent = parent, .end = at + 1, .frame = frame};
	graph->at[at] = *place;
	return at;
}

void pe_zam_graph_close(struct pe_zam_graph *graph)
{
	struct pe_cct_node *nodes = graph->cct->nodes;

	for (uint32_t i = graph->cct->n; i-- > 1;)
		if (nodes[nodes[i].parent].end < nodes[i].end)
			nodes[nodes[i].parent].end = nodes[i].end;
}

struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					bool filter, struct pe_arena *arena)
{
	static const struct pe_match_opts any_order = {
		.rule = PE_MATCH_HYBRID, .no_call_sites = true, .cells = 1};
	uint32_t *at = pe_arena_new(arena, uint32_t, a->cct->n);
	struct pe_match match;
	struct pe_zam_graph graph;

	pe_match_make(&match, a->cct, b->cct, &any_order, arena);
	graph = pe_zam_graph_new(a->cct->frames, match.pairs, arena);
	for (uint32_t i = 0; i < a->cct->n; i++) {
		const struct pe_cct_node *node = &a->cct->nodes[i];
		const uint32_t j = match.to_new[i];
		struct zam_place place = a->at[i];

		if (j == PE_CCT_NONE)
			continue;
		for (int side = 0; side < 2 && !filter; side++) {
			place.ns[side] += b->at[j].ns[side];
			place.own[side] += b->at[j].own[side];
			place.wait[side] += b->at[j].wait[side];
		}
		place.seen = place.seen || b->at[j].seen;
		if (b->at[j].places < place.places)
			place.places = b->at[j].places;
		at[i] = pe_zam_graph_add(&graph, i == 0 ? PE_CCT_NONE : at[node->parent],
					 node->frame, &place);
	}
	pe_zam_graph_close(&graph);
	return graph;
}
