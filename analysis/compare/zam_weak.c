/* ZAM: removes leaves of a critical graph that are within noise, or too small. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/side.h"
#include "core/base/arena.h"

#include <math.h>

/* Share of a method's whole gain from which its own gain counts alone. */
static const double MOST = 0.5;
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

/* The gain of some leaves, and its variance by their samples. */
struct gain {
	double ns, variance;
};

/* The gain with callees, and without. */
struct gains {
	struct gain all, own;
};

struct weighing {
	const struct pe_zam_graph *graph;
	const struct zam_profiles *profiles;
	const uint32_t *key;     /* by frame */
	struct gains **families; /* by key: gains of all leaves of a method */
	struct gains **family;   /* by node; NULL: it was no leaf of the given graph */
};

static struct gain gain_between(const struct weighing *weighing, double old_ns, double new_ns,
				double old_wait, double new_wait)
{
	const struct zam_profiles *profiles = weighing->profiles;

	return (struct gain){
		new_ns - old_ns,
		sampling_variance(profiles->olds, profiles->n, fmax(0, old_ns - old_wait)) +
			sampling_variance(profiles->news, profiles->n, fmax(0, new_ns - new_wait)),
	};
}

static struct gains gains_of(const struct weighing *weighing, uint32_t node)
{
	const struct graph_times *times = &weighing->graph->times[node];

	return (struct gains){
		gain_between(weighing, times->old_ns, times->new_ns, times->old_wait,
			     times->new_wait),
		gain_between(weighing, times->old_own, times->new_own, 0, 0),
	};
}

static void add(struct gain *sum, const struct gain *gain)
{
	sum->ns += gain->ns;
	sum->variance += gain->variance;
}

/* Add a leaf's gains to those of its method: contexts that gained a little each are one cause. */
static void join_family(struct weighing *weighing, uint32_t leaf, struct pe_arena *arena)
{
	const uint32_t frame = weighing->graph->cct->nodes[leaf].frame;
	struct gains **at = &weighing->families[weighing->key[frame]];
	struct gains gains = gains_of(weighing, leaf);

	if (*at == NULL)
		*at = pe_arena_new(arena, struct gains, 1);
	add(&(*at)->all, &gains.all);
	add(&(*at)->own, &gains.own);
	weighing->family[leaf] = *at;
}

static bool is_noise(const struct gain *gain)
{
	return gain->ns < ASKED * sqrt(gain->variance);
}

/* --- Leaves --- */

/*
 * The weight of a leaf: 0 within noise. Where own time is most of its gain, that counts alone, so that noise of its
 * callees does not hide it.
 */
static double weight_of(const struct weighing *weighing, uint32_t node)
{
	const struct gains gains =
		weighing->family[node] != NULL ? *weighing->family[node] : gains_of(weighing, node);

	if (!is_noise(&gains.all))
		return gains.all.ns;
	return !is_noise(&gains.own) && gains.own.ns >= MOST * gains.all.ns ? gains.own.ns : 0;
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
		.families = pe_arena_new(arena, struct gains *, frames->n),
		.family = pe_arena_new(arena, struct gains *, graph->cct->n),
	};
	double most;

	for (uint32_t i = 1; i < graph->cct->n; i++)
		if (graph->cct->nodes[i].end == i + 1)
			join_family(&weighing, i, arena);
	most = mark_weak(weak, &weighing, 0, arena);
	mark_weak(weak, &weighing, ZAM_MIN_SHARE * most, arena);
}

struct pe_zam_graph pe_zam_without_weak(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles, struct pe_arena *arena)
{
	uint32_t n = graph->cct->n, kept = 0, *at = pe_arena_new(arena, uint32_t, n);
	uint8_t *weak = pe_arena_new(arena, uint8_t, n);
	struct pe_zam_graph out;

	weigh(weak, graph, profiles, arena);
	for (uint32_t i = 0; i < n; i++)
		kept += weak[i] == 0;
	out = pe_zam_graph_new(graph->cct->frames, kept, arena);
	kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct pe_cct_node *node = &graph->cct->nodes[i];

		if (weak[i] != 0)
			continue;
		pe_zam_graph_copy(&out, kept, graph, i, i == 0 ? PE_CCT_NONE : at[node->parent]);
		at[i] = kept++;
	}
	pe_zam_graph_close(out.cct);
	return out;
}
