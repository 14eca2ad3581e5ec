/* ZAM: which leaves of a critical graph stay: those that noise does not explain, and that are no crumbs. */
#include "compare/zam_steps.h"

#include "compare/side.h"
#include "core/base/arena.h"

#include <math.h>

/* A cause is a crumb when it is less than this beside the greatest one. */
static const double CRUMB = 0.2;

/* Variance of the sum of a node's inclusive times, ns squared, of a time that was estimated from samples. */
static double sampling_variance(const struct pe_cct *const *at, uint32_t n, double sum_ns)
{
	double whole = 0, samples = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (at[i]->facts.samples == 0)
			return 0;
		whole += (double)(at[i]->total_ns[0] - pe_cct_waiting_ns(at[i]));
		samples += (double)at[i]->facts.samples;
	}
	/* One more sample, so that a call that no sample found is not sure to take no time. */
	sum_ns = fmin(sum_ns + whole / samples, whole);
	return sum_ns * (1 - sum_ns / (whole + 1)) * whole / samples;
}

/* What the leaves of one method gained, how unsure that is by their samples, and of what. */
struct gain {
	double ns, variance, old_ns;
};

/* With all that is below, and without. */
struct gains {
	struct gain all, own;
};

struct weighing {
	const struct graph *graph;
	const struct zam_profiles *profiles;
	const uint32_t *key; /* by frame */
	struct gains *gains; /* by key, of the leaves that the graph came with */
	double factor;       /* on variances, with the square of what is asked of a gain */
	double scale;        /* on old times, likewise */
};

static struct gain gain_between(const struct weighing *weighing, double old_ns, double new_ns,
				double old_wait, double new_wait)
{
	const struct zam_profiles *profiles = weighing->profiles;

	return (struct gain){
		new_ns - old_ns,
		sampling_variance(profiles->olds, profiles->n, fmax(0, old_ns - old_wait)) +
			sampling_variance(profiles->news, profiles->n, fmax(0, new_ns - new_wait)),
		old_ns};
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
	sum->old_ns += gain->old_ns;
}

/* A leaf speaks for all of its method: many places that gained a little each are one cause. */
static struct gains gains_of_leaf(const struct weighing *weighing, uint32_t node)
{
	const struct pe_cct *cct = weighing->graph->cct;

	return cct->nodes[node].end == node + 1
		       ? weighing->gains[weighing->key[cct->nodes[node].frame]]
		       : gains_of(weighing, node);
}

static bool is_noise(const struct gain *gain, const struct weighing *weighing)
{
	return gain->ns <
	       hypot(sqrt(weighing->factor * gain->variance), weighing->scale * gain->old_ns);
}

/* What its own time says does not drown in what it calls. */
static bool is_weak(const struct gains *gains, const struct weighing *weighing, double least)
{
	return gains->all.ns < least ||
	       (is_noise(&gains->all, weighing) &&
		(is_noise(&gains->own, weighing) || gains->own.ns < gains->all.ns / 2));
}

/* Mark leaves that noise explains or whose gain is less than this; returns the greatest gain of the others. */
static double mark_weak(uint8_t *weak, const struct weighing *weighing, double least,
			struct pe_arena *arena)
{
	const struct pe_cct *cct = weighing->graph->cct;
	uint8_t *inner = pe_arena_new(arena, uint8_t, cct->n);
	double most = 0;

	for (uint32_t i = cct->n; i-- > 1;) {
		struct gains gains = gains_of_leaf(weighing, i);

		weak[i] = inner[i] == 0 && is_weak(&gains, weighing, least);
		if (weak[i] != 0)
			continue;
		most = inner[i] == 0 ? fmax(most, gains.all.ns) : most;
		inner[cct->nodes[i].parent] = 1;
	}
	return most;
}

static void weigh(uint8_t *weak, const struct graph *graph, const struct zam_profiles *profiles,
		  const struct pe_zam_opts *opts, struct pe_arena *arena)
{
	const struct pe_frames *frames = graph->cct->frames;
	struct weighing weighing = {
		.graph = graph,
		.profiles = profiles,
		.key = pe_side_keys(frames, NULL, true, arena),
		.gains = pe_arena_new(arena, struct gains, frames->n),
		/* Three standard errors, or two of those that the spread makes of them. */
		.factor = fmax(9, 4 * opts->spread),
		.scale = 3 * opts->scale_error,
	};
	double most;

	for (uint32_t i = 1; i < graph->cct->n; i++) {
		struct gains gains = gains_of(&weighing, i);
		struct gains *sum = &weighing.gains[weighing.key[graph->cct->nodes[i].frame]];

		if (graph->cct->nodes[i].end > i + 1)
			continue;
		add(&sum->all, &gains.all);
		add(&sum->own, &gains.own);
	}
	most = mark_weak(weak, &weighing, 0, arena);
	mark_weak(weak, &weighing, CRUMB * most, arena);
}

struct graph zam_without_weak(const struct graph *graph, const struct zam_profiles *profiles,
			      const struct pe_zam_opts *opts, struct pe_arena *arena)
{
	uint32_t n = graph->cct->n, kept = 0, *at = pe_arena_new(arena, uint32_t, n);
	uint8_t *weak = pe_arena_new(arena, uint8_t, n);
	struct graph out;

	weigh(weak, graph, profiles, opts, arena);
	for (uint32_t i = 0; i < n; i++)
		kept += weak[i] == 0;
	out = graph_new(graph->cct->frames, kept, arena);
	kept = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct pe_cct_node *node = &graph->cct->nodes[i];

		if (weak[i] != 0)
			continue;
		graph_copy(&out, kept, graph, i, i == 0 ? PE_CCT_NONE : at[node->parent]);
		at[i] = kept++;
	}
	graph_close(out.cct);
	return out;
}
