/* ZAM: which leaves of a critical graph stay: those that noise does not explain, and that are no crumbs. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/side.h"
#include "core/base/arena.h"

#include <math.h>

/* Of what a method gained in all: its own part counts then. */
static const double MOST = 0.5;
/* Standard errors that are asked of a gain. */
static const double ASKED = 3;
/*
 * Standard deviations, as shares of time, of how far the same code may run faster or slower: each method by where it lies
 * in memory; and all of them alike, in the build that is sampled beside the one that is timed, and on a busy machine. Of
 * these a build needs a method that was modified: where none is a cause, all that did not change may have moved by less.
 */
static const double LAYOUT = 0.05, COMMON = 0.07, COMMON_ALONE = 0.02;

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

/* What some leaves gained, how unsure that is by their samples, of what, and what of that did not change. */
struct gain {
	double ns, variance, old_ns;
	struct zam_same_times same;
};

/* With all that is below, and without. */
struct gains {
	struct gain all, own;
};

/* Leaves of one method whose work is handed on by one method. */
struct family {
	uint32_t blamed; /* frame */
	struct gains gains;
	struct family *next; /* of the same method */
};

struct weighing {
	const struct pe_zam_graph *graph;
	const struct zam_profiles *profiles;
	const struct pe_changes *changes;
	const struct pe_decisions *decisions; /* NULL: none were made */
	const uint32_t *key;                  /* by frame */
	struct family **families;             /* by key */
	struct family **family; /* by node; NULL: it was no leaf of the graph that came */
	double factor;          /* on variances, with the square of what is asked of a gain */
	double common;          /* COMMON, or COMMON_ALONE */
	double scale_error;
};

static struct gain gain_between(const struct weighing *weighing, double old_ns, double new_ns,
				double old_wait, double new_wait, struct zam_same_times same)
{
	const struct zam_profiles *profiles = weighing->profiles;

	return (struct gain){
		new_ns - old_ns,
		sampling_variance(profiles->olds, profiles->n, fmax(0, old_ns - old_wait)) +
			sampling_variance(profiles->news, profiles->n, fmax(0, new_ns - new_wait)),
		old_ns,
		same,
	};
}

static struct gains gains_of(const struct weighing *weighing, uint32_t node)
{
	const struct graph_times *times = &weighing->graph->times[node];

	return (struct gains){
		gain_between(weighing, times->old_ns, times->new_ns, times->old_wait,
			     times->new_wait, times->same),
		gain_between(weighing, times->old_own, times->new_own, 0, 0, times->same_own),
	};
}

static void add(struct gain *sum, const struct gain *gain)
{
	sum->ns += gain->ns;
	sum->variance += gain->variance;
	sum->old_ns += gain->old_ns;
	sum->same.old_ns += gain->same.old_ns;
	sum->same.new_ns += gain->same.new_ns;
}

/*
 * Contexts that gained a little each are one cause, where it is one that stands behind them: a leaf speaks for all of
 * its method that the same method hands on more work to.
 */
static void join_family(struct weighing *weighing, uint32_t leaf, struct pe_arena *arena)
{
	const struct pe_cct_node *nodes = weighing->graph->cct->nodes;
	uint32_t blamed =
		nodes[pe_zam_graph_blamed(weighing->graph, weighing->changes, leaf)].frame;
	struct family **at = &weighing->families[weighing->key[nodes[leaf].frame]];
	struct gains gains = gains_of(weighing, leaf);

	while (*at != NULL && weighing->key[(*at)->blamed] != weighing->key[blamed])
		at = &(*at)->next;
	if (*at == NULL) {
		*at = pe_arena_new(arena, struct family, 1);
		(*at)->blamed = blamed;
	}
	add(&(*at)->gains.all, &gains.all);
	add(&(*at)->gains.own, &gains.own);
	weighing->family[leaf] = *at;
}

static struct gains gains_of_leaf(const struct weighing *weighing, uint32_t node)
{
	return weighing->family[node] != NULL ? weighing->family[node]->gains
					      : gains_of(weighing, node);
}

/* --- What moved what did not change --- */

/* By how much times became longer that nothing changed, as a factor, and how sure that is. */
struct shift {
	double factor, error;
};

/*
 * What is called as often, and is what it was, says in all other places what did not change these: the machine, and where
 * things lie in memory. Samples are of a build that keeps its frames, and stand for times of one that need not: what of a
 * jump only one of the two builds has is shared out among all that took samples. Few samples say little, and before
 * any, times are known by this.
 */
static struct shift shift_around(const struct weighing *weighing, const struct gain *gain)
{
	const struct zam_profiles *profiles = weighing->profiles;
	const struct zam_same_times *all = &weighing->graph->times[0].same;
	double before = all->old_ns - gain->same.old_ns, after = all->new_ns - gain->same.new_ns;
	double prior = 1 / (weighing->common * weighing->common +
			    weighing->scale_error * weighing->scale_error);
	double ratio, variance;

	if (before <= 0)
		return (struct shift){1, hypot(LAYOUT, 1 / sqrt(prior))};
	ratio = after / before;
	variance = sampling_variance(profiles->news, profiles->n, after) +
		   ratio * ratio * sampling_variance(profiles->olds, profiles->n, before);
	variance *= weighing->factor / (ASKED * ASKED) / (before * before);
	if (variance <= 0)
		return (struct shift){1, hypot(LAYOUT, 1 / sqrt(prior))};
	return (struct shift){
		(prior + ratio / variance) / (prior + 1 / variance),
		hypot(LAYOUT, 1 / sqrt(prior + 1 / variance)),
	};
}

/* What a gain is beyond what came to all that did not change; no more than it is. */
static double beyond(const struct gain *gain, const struct shift *shift)
{
	return gain->ns - fmax(0, (shift->factor - 1) * gain->same.old_ns);
}

static bool is_noise(const struct gain *gain, const struct weighing *weighing)
{
	double sampling = sqrt(weighing->factor * gain->variance);
	struct shift shift;

	if (gain->ns < hypot(sampling, ASKED * weighing->scale_error * gain->old_ns))
		return true;
	if (gain->same.old_ns <= 0)
		return false;
	shift = shift_around(weighing, gain);
	return beyond(gain, &shift) < hypot(sampling, ASKED * shift.error * gain->same.old_ns);
}

/* --- Leaves --- */

/*
 * What a leaf counts for, beside the others: 0 where noise explains it. What its own time says does not drown in what it
 * calls: a modified method's where it is no crumb of that, another's where it is most of it.
 */
static double weight_of(const struct gains *gains, const struct weighing *weighing, uint32_t frame)
{
	const struct pe_decision *decision = pe_decisions_of(weighing->decisions, frame);
	bool decided = decision != NULL && decision->what != PE_DECIDED_NOT;
	bool own_shows = decided ? pe_decision_shows(decision, 1) && gains->own.ns > 0
				 : !is_noise(&gains->own, weighing);
	struct shift shift = shift_around(weighing, &gains->all);
	struct gain callees = gains->all;
	double all = beyond(&gains->all, &shift);
	double least = pe_changes_touched(weighing->changes, frame) ? ZAM_CRUMB : MOST;

	/* What it gained itself does not count then, be it in contexts of its own below. */
	if (decided)
		callees.ns -= fmax(gains->own.ns, decision->beyond_ns);
	if (decided && !own_shows && is_noise(&callees, weighing))
		return 0;
	if (!is_noise(&gains->all, weighing))
		return all;
	return own_shows && gains->own.ns >= least * all ? gains->own.ns : 0;
}

/* Mark leaves that noise explains or that count for less than this; returns the most that any of the others does. */
static double mark_weak(uint8_t *weak, const struct weighing *weighing, double least,
			struct pe_arena *arena)
{
	const struct pe_cct *cct = weighing->graph->cct;
	uint8_t *inner = pe_arena_new(arena, uint8_t, cct->n);
	double most = 0;

	for (uint32_t i = cct->n; i-- > 1;) {
		struct gains gains = gains_of_leaf(weighing, i);
		double weight =
			inner[i] == 0 ? weight_of(&gains, weighing, cct->nodes[i].frame) : 0;

		weak[i] = inner[i] == 0 && (weight <= 0 || weight < least);
		if (weak[i] != 0)
			continue;
		most = fmax(most, weight);
		inner[cct->nodes[i].parent] = 1;
	}
	return most;
}

static void weigh(uint8_t *weak, const struct pe_zam_graph *graph,
		  const struct zam_profiles *profiles, const struct pe_zam_opts *opts,
		  struct pe_arena *arena)
{
	const struct pe_frames *frames = graph->cct->frames;
	struct weighing weighing = {
		.graph = graph,
		.profiles = profiles,
		.changes = opts->changes,
		.decisions = opts->decisions,
		.key = pe_side_keys(frames, NULL, true, arena),
		.families = pe_arena_new(arena, struct family *, frames->n),
		.family = pe_arena_new(arena, struct family *, graph->cct->n),
		/* Three standard errors, or two of those that the spread makes of them. */
		.factor = fmax(ASKED * ASKED, 4 * opts->spread),
		.scale_error = opts->scale_error,
		.common = COMMON,
	};
	double most;

	for (uint32_t i = 1; i < graph->cct->n; i++)
		if (graph->cct->nodes[i].end == i + 1)
			join_family(&weighing, i, arena);
	most = mark_weak(weak, &weighing, 0, arena);
	if (most <= 0) {
		weighing.common = COMMON_ALONE;
		most = mark_weak(weak, &weighing, 0, arena);
	}
	mark_weak(weak, &weighing, ZAM_CRUMB * most, arena);
}

struct pe_zam_graph pe_zam_without_weak(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles,
					const struct pe_zam_opts *opts, struct pe_arena *arena)
{
	uint32_t n = graph->cct->n, kept = 0, *at = pe_arena_new(arena, uint32_t, n);
	uint8_t *weak = pe_arena_new(arena, uint8_t, n);
	struct pe_zam_graph out;

	weigh(weak, graph, profiles, opts, arena);
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
