/* ZAM: removes leaves of a critical graph that are within noise, or too small. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/pairing.h"
#include "core/base/arena.h"

#include <math.h>

/* Share of a method's whole gain from which its own gain counts alone. */
static const double MOST = 0.5;
/* Causes below this share of the largest one are removed. */
static const double MIN_SHARE = 0.2;
/* Standard errors required of a gain. */
static const double ASKED = 3;
/* Variance of the sum of a node's inclusive times, ns squared, of times estimated from samples. */
static double sampling_variance(const struct pe_cct *const *at, uint32_t n, double sum_ns)
{
	double whole = 0, samples = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (at[i]->facts.samples == 0)
			return 0;
		whole += (double)(at[i]->total_ns[0] - pe_cct_waiting_ns(at[i]));
		samples += (double)at[i]->facts.samples;
	}
	/* One more sample is assumed, because a call that no sample met may take time, too. */
	sum_ns = fmin(sum_ns + whole / samples, whole);
	return sum_ns * (1 - sum_ns / (whole + 1)) * whole / samples;
}

/* The gains of some leaves, and their variances by samples. */
struct gains {
	double ns, variance;         /* with callees */
	double own_ns, own_variance; /* without */
};

struct weighing {
	const struct pe_zam_graph *graph;
	const struct zam_profiles *profiles;
	const uint32_t *key;    /* by frame */
	struct gains *families; /* by key: gains of all leaves of a method */
	bool *leaf;             /* by node: it was a leaf of the given graph */
};

static double variance_of(const struct weighing *weighing, const double ns[2], const double wait[2])
{
	const struct zam_profiles *profiles = weighing->profiles;

	return sampling_variance(profiles->olds, profiles->n, fmax(0, ns[0] - wait[0])) +
	       sampling_variance(profiles->news, profiles->n, fmax(0, ns[1] - wait[1]));
}

static struct gains gains_of(const struct weighing *weighing, uint32_t node)
{
	static const double no_wait[2] = {0, 0};
	const struct zam_place *place = &weighing->graph->at[node];

	return (struct gains){
		place->ns[1] - place->ns[0],
		variance_of(weighing, place->ns, place->wait),
		place->own[1] - place->own[0],
		variance_of(weighing, place->own, no_wait),
	};
}

static struct gains *family_of(const struct weighing *weighing, uint32_t node)
{
	return &weighing->families[weighing->key[weighing->graph->cct->nodes[node].frame]];
}

/* Add a leaf's gains to those of its method: contexts that gained a little each are one cause. */
static void join_family(struct weighing *weighing, uint32_t leaf)
{
	struct gains *sum = family_of(weighing, leaf), gains = gains_of(weighing, leaf);

	sum->ns += gains.ns;
	sum->variance += gains.variance;
	sum->own_ns += gains.own_ns;
	sum->own_variance += gains.own_variance;
	weighing->leaf[leaf] = true;
}

static bool is_noise(double ns, double variance)
{
	return ns < ASKED * sqrt(variance);
}

/* --- Leaves --- */

/*
 * The weight of a leaf: 0 within noise. Where own time is most of its gain, that counts alone, so that noise of its
 * callees does not hide it.
 */
static double weight_of(const struct weighing *weighing, uint32_t node)
{
	const struct gains gains =
		weighing->leaf[node] ? *family_of(weighing, node) : gains_of(weighing, node);

	if (!is_noise(gains.ns, gains.variance))
		return gains.ns;
	return !is_noise(gains.own_ns, gains.own_variance) && gains.own_ns >= MOST * gains.ns
		       ? gains.own_ns
		       : 0;
}

/* Mark leaves within noise or below the least weight; return the greatest weight of the others. */
static double mark_weak(uint8_t *weak, const struct weighing *weighing, double least,
			struct pe_arena *arena)
{
	const struct pe_cct *cct = weighing->graph->cct;
	uint8_t *inner = pe_arena_new(arena, uint8_t, cct->n);
	double most = 0;

	for (uint32_t i = cct->n; i-- > 1;) {
		double weight = inner[i] == 0 ? weight_of(weighing, i) : 0;

		weak[i] = inner[i] == 0 && (weight <= 0 || weight < least);
		if (weak[i] != 0)
			continue;
		most = fmax(most, weight);
		inner[cct->nodes[i].parent] = 1;
	}
	return most;
}

static void weigh(uint8_t *weak, const struct pe_zam_graph *graph,
		  const struct zam_profiles *profiles, struct pe_arena *arena)
{
	const struct pe_frames *frames = graph->cct->frames;
	struct weighing weighing = {
		.graph = graph,
		.profiles = profiles,
		.key = pe_side_keys(frames, NULL, true, arena),
		.families = pe_arena_new(arena, struct gains, frames->n),
		.leaf = pe_arena_new(arena, bool, graph->cct->n),
	};
	double most;

	for (uint32_t i = 1; i < graph->cct->n; i++)
		if (graph->cct->nodes[i].end == i + 1)
			join_family(&weighing, i);
	most = mark_weak(weak, &weighing, 0, arena);
	mark_weak(weak, &weighing, MIN_SHARE * most, arena);
}

struct pe_zam_graph pe_zam_without_weak(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles, struct pe_arena *arena)
{
	const uint32_t n = graph->cct->n;
	uint32_t *at = pe_arena_new(arena, uint32_t, n);
	uint8_t *weak = pe_arena_new(arena, uint8_t, n);
	struct pe_zam_graph out = pe_zam_graph_new(graph->cct->frames, n, arena);

	weigh(weak, graph, profiles, arena);
	for (uint32_t i = 0; i < n; i++) {
		const struct pe_cct_node *node = &graph->cct->nodes[i];

		if (weak[i] == 0)
			at[i] = pe_zam_graph_add(&out, i == 0 ? PE_CCT_NONE : at[node->parent],
						 node->frame, &graph->at[i]);
	}
	pe_zam_graph_close(&out);
	return out;
}
