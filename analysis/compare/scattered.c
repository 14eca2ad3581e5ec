/* Scattered: own times below a call, by method. */
#include "analysis/compare/scattered.h"

#include "core/base/arena.h"

#include <math.h>

/* Share of a method's gain above which it counts as the gain of one context. */
static const double MOST = 0.75;

void pe_scatter_init(struct scatter *out, const struct pe_match *match, const uint32_t *key,
		     uint32_t n, struct pe_arena *arena)
{
	*out = (struct scatter){
		.match = match,
		.key = key,
		.old_ns = pe_arena_new(arena, double, n),
		.new_ns = pe_arena_new(arena, double, n),
		.most = pe_arena_new(arena, double, n),
		.places = pe_arena_new(arena, uint32_t, n),
		/* Each key may be added for both trees. */
		.touched = pe_arena_new(arena, uint32_t, 2 * (size_t)n),
	};
}

/* Add own times by key. A key may be listed twice while its sum is 0, which does no harm. */
static void add(struct scatter *scatter, double *sums, const struct pe_cct *cct, uint32_t from)
{
	for (uint32_t i = from; i < cct->nodes[from].end; i++) {
		uint32_t key = scatter->key[cct->nodes[i].frame];

		if (cct->self_ns[i] == 0 || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			continue;
		if (sums[key] == 0)
			scatter->touched[scatter->n_touched++] = key;
		sums[key] += (double)cct->self_ns[i];
	}
}

static double gain_of(const struct pe_match *match, uint32_t j)
{
	uint32_t i = match->to_old[j];

	return (double)match->new_cct->self_ns[j] -
	       (i != PE_CCT_NONE ? (double)match->old_cct->self_ns[i] : 0);
}

/* Add the gain of each context below a node of the new tree. */
static void add_gains(struct scatter *scatter, uint32_t from)
{
	const struct pe_cct *cct = scatter->match->new_cct;

	for (uint32_t j = from; j < cct->nodes[from].end; j++) {
		uint32_t key = scatter->key[cct->nodes[j].frame];
		double gain = gain_of(scatter->match, j);

		if (gain <= 0)
			continue;
		scatter->places[key]++;
		if (gain > scatter->most[key])
			scatter->most[key] = gain;
	}
}

static struct scattered found_of(const struct scatter *scatter, uint32_t key)
{
	struct scattered found = {key, scatter->old_ns[key], scatter->new_ns[key],
				  scatter->places[key]};

	if (scatter->most[key] > MOST * (found.new_ns - found.old_ns))
		found.places = 1;
	return found;
}

struct scattered pe_scatter_find(struct scatter *scatter, uint32_t new_node)
{
	uint32_t old_node = scatter->match->to_old[new_node];
	struct scattered best = {.key = PE_FRAME_NONE};

	scatter->n_touched = 0;
	add(scatter, scatter->new_ns, scatter->match->new_cct, new_node);
	if (old_node != PE_CCT_NONE)
		add(scatter, scatter->old_ns, scatter->match->old_cct, old_node);
	add_gains(scatter, new_node);
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		uint32_t key = scatter->touched[i];

		if (best.key == PE_FRAME_NONE ||
		    scatter->new_ns[key] - scatter->old_ns[key] > best.new_ns - best.old_ns)
			best = found_of(scatter, key);
	}
	for (uint32_t i = 0; i < scatter->n_touched; i++) {
		uint32_t key = scatter->touched[i];

		scatter->old_ns[key] = scatter->new_ns[key] = scatter->most[key] = 0;
		scatter->places[key] = 0;
	}
	return best;
}
