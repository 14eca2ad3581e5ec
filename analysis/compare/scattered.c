/* Scattered: finds a slowdown of one method in many contexts, by its own times below a call. */
#include "analysis/compare/zam_steps.h"

#include <math.h>

/* Share of a method's gain above which it counts as the gain of one context. */
static const double MOST = 0.75;

/* A method by its key, and its own times over all contexts below a call. */
struct scattered {
	uint32_t key;
	double ns[2]; /* of old and new */
	double most;  /* the largest gain of one context */
	uint32_t
		places; /* contexts that gained; 1 or 0: not scattered, also where one has most of the gain */
};

/* Sums by method, reused from one call to the next. */
struct scatter {
	const struct pe_match *match;
	const uint32_t *key;   /* by frame */
	struct scattered *sum; /* by key; all 0 between calls */
	uint32_t *touched;
	uint32_t n_touched;
};

/* Add own times by key. A key may be listed twice while its sum is 0, which does no harm. */
static void add(struct scatter *scatter, int side, const struct pe_cct *cct, uint32_t from)
{
	for (uint32_t i = from; i < cct->nodes[from].end; i++) {
		uint32_t key = scatter->key[cct->nodes[i].frame];

		if (cct->self_ns[i] == 0 || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			continue;
		if (scatter->sum[key].ns[side] == 0)
			scatter->touched[scatter->n_touched++] = key;
		scatter->sum[key].ns[side] += (double)cct->self_ns[i];
	}
}

/* Add the gain of each context below a node of the new tree. */
static void add_gains(struct scatter *scatter, uint32_t from)
{
	const struct pe_cct *old_cct = scatter->match->old_cct, *cct = scatter->match->new_cct;

	for (uint32_t j = from; j < cct->nodes[from].end; j++) {
		struct scattered *sum = &scatter->sum[scatter->key[cct->nodes[j].frame]];
		const uint32_t i = scatter->match->to_old[j];
		const double gain = (double)cct->self_ns[j] -
				    (i != PE_CCT_NONE ? (double)old_cct->self_ns[i] : 0);

		if (gain <= 0)
			continue;
		sum->places++;
		sum->most = fmax(sum->most, gain);
	}
}

/* The method that became slower most below a node of the new tree and its partner. Linear in their subtrees. */
static struct scattered find(struct scatter *scatter, uint32_t new_node)
{
	uint32_t old_node = scatter->match->to_old[new_node];
	struct scattered best = {.key = PE_FRAME_NONE};

	scatter->n_touched = 0;
	add(scatter, 1, scatter->match->new_cct, new_node);
	if (old_node != PE_CCT_NONE)
		add(scatter, 0, scatter->match->old_cct, old_node);
	add_gains(scatter, new_node);
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		struct scattered one = scatter->sum[scatter->touched[i]];

		one.key = scatter->touched[i];
		if (best.key == PE_FRAME_NONE || one.ns[1] - one.ns[0] > best.ns[1] - best.ns[0])
			best = one;
	}
	for (uint32_t i = 0; i < scatter->n_touched; i++)
		scatter->sum[scatter->touched[i]] = (struct scattered){0};
	if (best.most > MOST * (best.ns[1] - best.ns[0]))
		best.places = 1;
	return best;
}

struct pe_zam_graph pe_zam_with_scattered(const struct pe_zam_graph *graph,
					  const uint32_t *new_node, const struct pe_match *match,
					  const uint32_t *key, double min_own_ns,
					  struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;
	uint32_t *at = pe_arena_new(arena, uint32_t, cct->n);
	struct pe_zam_graph out = pe_zam_graph_new(cct->frames, 2 * cct->n, arena);
	struct scatter scatter = {
		.match = match,
		.key = key,
		.sum = pe_arena_new(arena, struct scattered, cct->frames->n),
		/* Each key may be added for both trees. */
		.touched = pe_arena_new(arena, uint32_t, 2 * (size_t)cct->frames->n),
	};

	for (uint32_t g = 0; g < cct->n; g++) {
		const struct pe_cct_node *node = &cct->nodes[g];
		const double gain = graph->at[g].ns[1] - graph->at[g].ns[0];
		struct scattered found;

		at[g] = pe_zam_graph_add(&out, g > 0 ? at[node->parent] : PE_CCT_NONE, node->frame,
					 &graph->at[g]);
		if (node->end > g + 1 || (g > 0 && !graph->at[g].seen))
			continue;
		found = find(&scatter, new_node[g]);
		if (found.key == PE_FRAME_NONE || (g > 0 && found.places < 2) ||
		    found.key == key[node->frame] ||
		    found.ns[1] - found.ns[0] < fmax(min_own_ns, gain / 2))
			continue;
		pe_zam_graph_add(&out, at[g], found.key,
				 &(struct zam_place){.ns = {found.ns[0], found.ns[1]},
						     .own = {found.ns[0], found.ns[1]},
						     .seen = found.ns[0] > 0,
						     .places = found.places});
	}
	pe_zam_graph_close(&out);
	return out;
}
