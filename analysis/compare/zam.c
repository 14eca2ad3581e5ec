/*
 * ZAM: makes one critical graph for each pair of profiles, then the graph of their common nodes, by mu from the differences
 * between runs of one revision, and without leaves that are within noise, or too small.
 */
#include "analysis/compare/zam.h"

#include "analysis/compare/pairing.h"
#include "analysis/compare/zam_steps.h"
#include "analysis/profile/tree.h"
#include "core/stats/order.h"

#include <math.h>

/* --- Noise --- */

/* The greatest difference of any node's times, or waiting times, between two runs of one revision. */
static double most_apart(const struct pe_match *match, bool waiting, struct pe_arena *arena)
{
	const double *a = pe_zam_times(match->old_cct, waiting, arena).total;
	const double *b = pe_zam_times(match->new_cct, waiting, arena).total;
	double most = 0;

	for (uint32_t i = 0; i < match->old_cct->n; i++) {
		uint32_t j = match->to_new[i];

		most = fmax(most, fabs(a[i] - (j != PE_CCT_NONE ? b[j] : 0)));
	}
	for (uint32_t j = 0; j < match->new_cct->n; j++)
		if (match->to_old[j] == PE_CCT_NONE)
			most = fmax(most, b[j]);
	return most;
}

static double middle(double *values, uint32_t n)
{
	return n > 0 ? pe_order_select(values, n, n / 2) : 0;
}

/* Own time by key, over all contexts. */
static const double *own_sums(const struct pe_cct *cct, const uint32_t *key, struct pe_arena *arena)
{
	double *sums = pe_arena_new(arena, double, cct->frames->n);

	for (uint32_t i = 0; i < cct->n; i++)
		if (pe_cct_frame(cct, i)->kind != PE_FRAME_WAITING)
			sums[key[cct->nodes[i].frame]] += (double)cct->self_ns[i];
	return sums;
}

/* The greatest difference of any method's own time between two runs of one side: the median of all such pairs. */
static double own_noise(const struct zam_profiles *profiles, struct pe_arena *arena)
{
	const struct pe_frames *frames = profiles->olds[0]->frames;
	const uint32_t *key = pe_side_keys(frames, NULL, true, arena);
	uint32_t n = profiles->n, pairs = 0;
	double *most = pe_arena_new(arena, double, (size_t)n *n);
	const double **sums = pe_arena_new(arena, const double *, 2 * (size_t)n);

	for (uint32_t i = 0; i < n; i++) {
		sums[i] = own_sums(profiles->olds[i], key, arena);
		sums[n + i] = own_sums(profiles->news[i], key, arena);
	}
	for (uint32_t i = 0; i < 2 * n; i++)
		for (uint32_t j = i + 1; j < (i < n ? n : 2 * n); j++, pairs++)
			for (uint32_t k = 0; k < frames->n; k++)
				most[pairs] = fmax(most[pairs], fabs(sums[i][k] - sums[j][k]));
	return middle(most, pairs);
}

/* Find the greatest differences between neighbouring runs of one side, of time and of waiting: n - 1 of each. */
static void side_noise(double *times, double *waits, const struct pe_cct *const *runs, uint32_t n,
		       const struct pe_match_opts *opts)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_cct *a = runs[i - 1], *b = runs[i];
		pe_auto_arena work = PE_ARENA_INIT;
		struct pe_match match;

		pe_match_make(&match, a, b, opts, &work);
		times[i - 1] = most_apart(&match, false, &work);
		waits[i - 1] = most_apart(&match, true, &work);
	}
}

/*
 * Find the three mu of out: the median over both sides. It is not the maximum, because a sampler sometimes puts a long call
 * below another caller. It is not of one side alone, because with two pairs that is one value, which may be small by
 * chance. A cause also has to show in every pair.
 */
static void find_noise(struct pe_zam *out, const struct zam_profiles *profiles,
		       const struct pe_match_opts *opts)
{
	pe_auto_arena work = PE_ARENA_INIT;
	uint32_t n = profiles->n, gaps = n - 1;
	double *times = pe_arena_new(&work, double, 2 * (size_t)n);
	double *waits = pe_arena_new(&work, double, 2 * (size_t)n);
	double whole = 0, least;

	side_noise(times, waits, profiles->olds, n, opts);
	side_noise(times + gaps, waits + gaps, profiles->news, n, opts);
	for (uint32_t i = 0; i < n; i++)
		whole += (double)profiles->olds[i]->total_ns[0] / n;
	least = fmax(1, floor(whole / 100));
	out->min_ns = (uint64_t)fmax(least, middle(times, 2 * gaps));
	out->min_waiting_ns = (uint64_t)fmax(least, middle(waits, 2 * gaps));
	out->min_own_ns = (uint64_t)fmax(least, own_noise(profiles, &work));
}

/* --- Weak causes --- */

/* Share of a method's whole gain from which its own gain counts alone. */
static const double MOST_OF_GAIN = 0.5;
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
		whole += (double)(at[i]->total_ns[0] - at[i]->waiting_ns);
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
	return !is_noise(gains.own_ns, gains.own_variance) &&
			       gains.own_ns >= MOST_OF_GAIN * gains.ns
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

/*
 * Remove weak causes from a graph: those within noise, over all pairs and over all leaves of one method, and those small
 * compared with the largest one. The next lowest node above one becomes a cause, if it is not weak itself.
 */
static struct pe_zam_graph without_weak(const struct pe_zam_graph *graph,
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

/* --- The graph --- */

/* The graph of one old and one new profile. */
static struct pe_zam_graph graph_between(const struct pe_cct *old_cct, const struct pe_cct *new_cct,
					 const struct pe_match_opts *how, const struct pe_zam *mu,
					 struct pe_arena *arena)
{
	struct pe_match match;

	pe_match_make(&match, old_cct, new_cct, how, arena);
	return pe_zam_pair_graph(&match, mu, arena);
}

/* Whether a node is a cause: a leaf. With samples, processes and threads are none, because they only contain calls. */
static bool is_cause(const struct pe_zam_graph *graph, uint32_t node, bool sampled)
{
	const struct pe_cct *cct = graph->cct;
	enum pe_frame_kind kind = pe_cct_frame(cct, node)->kind;

	return node > 0 && cct->nodes[node].end == node + 1 &&
	       (!sampled || (kind != PE_FRAME_PROCESS && kind != PE_FRAME_THREAD));
}

static void hand_over(struct pe_zam *out, const struct pe_zam_graph *graph, bool sampled,
		      struct pe_arena *arena)
{
	const struct pe_cct *cct = graph->cct;

	out->n = cct->n;
	out->nodes = pe_arena_new(arena, struct pe_zam_node, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct zam_place *place = &graph->at[i];

		out->nodes[i] = (struct pe_zam_node){
			.parent = cct->nodes[i].parent,
			.end = cct->nodes[i].end,
			.frame = cct->nodes[i].frame,
			.added = !place->seen,
			.places = place->places,
			.cause = is_cause(graph, i, sampled),
			.blamed = PE_CCT_NONE,
			.old_ns = place->ns[0] / out->pairs,
			.new_ns = place->ns[1] / out->pairs,
			.old_waiting_ns = place->wait[0] / out->pairs,
			.new_waiting_ns = place->wait[1] / out->pairs,
		};
		if (out->nodes[i].cause)
			out->nodes[i].blamed = i;
		out->causes += out->nodes[i].cause;
	}
	out->nodes[0].old_ns += out->old_rest.waiting_ns + out->old_rest.engine_ns;
	out->nodes[0].new_ns += out->new_rest.waiting_ns + out->new_rest.engine_ns;
}

/* The calls of a profile; its time outside of calls is added to the means of its side. */
static const struct pe_cct *calls_of(const struct pe_cct *cct, const struct pe_zam_opts *opts,
				     uint32_t n, struct pe_zam_rest *mean, struct pe_arena *arena)
{
	struct pe_zam_rest rest;
	const struct pe_cct *calls = pe_timeline_calls(
		opts->keep_nameless ? cct : pe_tree_pruned(cct, arena), &rest, arena);

	mean->waiting_ns += rest.waiting_ns / n;
	mean->engine_ns += rest.engine_ns / n;
	return calls;
}

static int check(const struct pe_cct *const *olds, const struct pe_cct *const *news, uint32_t n,
		 struct pe_err *err)
{
	if (n == 0)
		return pe_fail(err, PE_EINVALID,
			       "a critical graph needs an old and a new profile at least");
	for (uint32_t i = 0; i < n; i++)
		if (olds[i]->total_ns == NULL || news[i]->total_ns == NULL)
			return pe_fail(err, PE_EINVALID,
				       "the %s profile of pair %u has no times, by which calls "
				       "that got slower could be told",
				       olds[i]->total_ns == NULL ? "old" : "new", i + 1);
	return PE_OK;
}

/* The order in which samples first met siblings is chance, so it must not decide (algorithm 3 has the rule for that). */
static struct pe_match_opts how_to_match(const struct pe_cct *const *olds,
					 const struct pe_cct *const *news, uint32_t n,
					 const struct pe_match_opts *opts)
{
	struct pe_match_opts how = *opts;

	for (uint32_t i = 0; i < n; i++)
		if (how.rule == PE_MATCH_HYBRID && olds[i]->calls == NULL && news[i]->calls == NULL)
			how.cells = 1;
	return how;
}

int pe_zam_make(struct pe_zam *out, const struct pe_cct *const *olds,
		const struct pe_cct *const *news, uint32_t n, const struct pe_zam_opts *opts,
		struct pe_arena *arena, struct pe_err *err)
{
	static const struct pe_zam_opts defaults = PE_ZAM_DEFAULTS;
	pe_auto_arena work = PE_ARENA_INIT;
	struct zam_profiles profiles = {.n = n};
	struct pe_zam_graph graph;
	struct pe_match_opts how;
	int rc = check(olds, news, n, err);

	if (rc < 0)
		return rc;
	opts = opts != NULL ? opts : &defaults;
	how = how_to_match(olds, news, n, &opts->match);
	*out = (struct pe_zam){.pairs = n,
			       .min_ns = opts->min_ns,
			       .min_waiting_ns = opts->min_ns,
			       .min_own_ns = opts->min_ns};
	profiles.olds = pe_arena_new(&work, const struct pe_cct *, n);
	profiles.news = pe_arena_new(&work, const struct pe_cct *, n);
	for (uint32_t i = 0; i < n; i++) {
		out->nodes_in += news[i]->n;
		profiles.olds[i] = calls_of(olds[i], opts, n, &out->old_rest, &work);
		profiles.news[i] = calls_of(news[i], opts, n, &out->new_rest, &work);
	}
	if (out->min_ns == 0) {
		find_noise(out, &profiles, &how);
		out->min_from_noise = true;
	}
	graph = graph_between(profiles.olds[0], profiles.news[0], &how, out, &work);
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_zam_graph pair =
			graph_between(profiles.olds[i], profiles.news[i], &how, out, &work);

		graph = pe_zam_graph_shared(&graph, &pair, false, &work);
	}
	/*
	 * Keep the nodes that are also in the graphs of other pairs of the same runs: with two pairs, of every old run and
	 * every new one. A graph from noise needs this, because two runs of one side may both be slow by chance.
	 */
	for (uint32_t i = 0; out->min_from_noise && n > 1 && i < n; i++) {
		const struct pe_zam_graph other = graph_between(
			profiles.olds[i], profiles.news[(i + 1) % n], &how, out, &work);

		graph = pe_zam_graph_shared(&graph, &other, true, &work);
	}
	if (out->min_from_noise)
		graph = without_weak(&graph, &profiles, &work);
	hand_over(out, &graph, profiles.news[0]->samples != NULL, arena);
	pe_zam_methods_sum(out, &profiles, arena);
	return PE_OK;
}
