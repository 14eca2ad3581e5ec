#include "analysis/compare/runs.h"

#include "analysis/compare/match.h"
#include "analysis/profile/cct.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node's own runs weigh n - 1; the prior from all nodes has this weight. */
enum { PRIOR_WEIGHT = 2 };

/* Turn sums into means; samples stay sums, so that their share keeps its meaning. */
static void take_means(struct pe_cct_builder *builder, uint32_t n)
{
	for (uint32_t i = 0; i < pe_cct_builder_count(builder); i++) {
		struct pe_cct_values *at = pe_cct_builder_at(builder, i);

		for (int c = 0; c < PE_CCT_COLUMN_SAMPLES; c++)
			at->of[c] /= n;
	}
}

static struct pe_cct_facts joint_facts(const struct pe_cct *const *at, uint32_t n)
{
	struct pe_cct_facts facts = at[0]->facts;
	bool outside = false; /* time that is in no context */
	uint64_t sum = 0;

	facts.samples = facts.samples_lost = facts.peak_bytes = 0;
	for (uint32_t r = 0; r < n; r++) {
		const struct pe_cct *cct = at[r];

		outside = outside || cct->total_ns == NULL ||
			  cct->facts.duration_ns > cct->total_ns[0];
		sum += cct->facts.duration_ns / n;
		facts.samples += cct->facts.samples;
		facts.samples_lost += cct->facts.samples_lost;
		if (cct->facts.peak_bytes > facts.peak_bytes)
			facts.peak_bytes = cct->facts.peak_bytes;
	}
	facts.duration_ns = outside ? sum : 0;
	return facts;
}

/* Standard deviations of own times over the runs, each shrunk towards a prior from all nodes, because runs are few. */
static float *deviations(const struct pe_runs *runs, struct pe_arena *arena)
{
	uint32_t m = runs->cct->n;
	float *deviation = pe_arena_new(arena, float, m);
	pe_auto_arena work = PE_ARENA_INIT;
	double *value = pe_arena_new(&work, double, 3 * (size_t)m);
	double *mean = value + m, *square = mean + m;
	double sum = 0, squares = 0;

	for (uint32_t r = 0; r < runs->n; r++)
		for (uint32_t i = 0; i < runs->at[r]->n; i++)
			mean[runs->node_of[r][i]] += (double)runs->at[r]->self_ns[i] / runs->n;
	for (uint32_t r = 0; r < runs->n; r++) {
		memset(value, 0, m * sizeof(*value));
		for (uint32_t i = 0; i < runs->at[r]->n; i++)
			value[runs->node_of[r][i]] += (double)runs->at[r]->self_ns[i];
		for (uint32_t i = 0; i < m; i++)
			square[i] += (value[i] - mean[i]) * (value[i] - mean[i]);
	}
	for (uint32_t i = 0; i < m; i++) {
		sum += mean[i];
		squares += square[i] / (runs->n - 1);
	}
	for (uint32_t i = 0; i < m; i++) {
		double prior = sum > 0 ? squares / sum * mean[i] : 0;

		deviation[i] = (float)sqrt((square[i] + PRIOR_WEIGHT * prior) /
					   (runs->n - 1 + PRIOR_WEIGHT));
	}
	return deviation;
}

/* Mark nodes that not every run has in the same order. */
static void find_unsteady(struct pe_runs *runs, struct pe_arena *arena)
{
	static const struct pe_match_opts relaxed = {.rule = PE_MATCH_RELAXED};
	const struct pe_cct *first = runs->at[0];

	runs->unsteady = pe_arena_new(arena, bool, runs->cct->n);
	memset(runs->unsteady, true, runs->cct->n); /* nodes that the first run lacks */
	for (uint32_t i = 0; i < first->n; i++)
		runs->unsteady[runs->node_of[0][i]] = false;
	for (uint32_t r = 1; r < runs->n; r++) {
		pe_auto_arena work = PE_ARENA_INIT;
		struct pe_match match;

		pe_match_make(&match, first, runs->at[r], &relaxed, &work);
		for (uint32_t i = 0; i < first->n; i++)
			if (match.to_new[i] == PE_CCT_NONE)
				runs->unsteady[runs->node_of[0][i]] = true;
		for (uint32_t j = 0; j < runs->at[r]->n; j++)
			if (match.to_old[j] == PE_CCT_NONE)
				runs->unsteady[runs->node_of[r][j]] = true;
	}
}

void pe_runs_make(struct pe_runs *out, const struct pe_cct *const *at, uint32_t n,
		  struct pe_arena *arena)
{
	unsigned known = ~0u;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_cct_builder *builder;
	struct pe_cct_facts facts;
	uint32_t **node_of, *place;
	struct pe_cct *mean;

	assert(n > 0);
	*out = (struct pe_runs){.cct = at[0], .n = n, .at = at};
	if (n == 1)
		return;
	for (uint32_t r = 0; r < n; r++)
		known &= at[r]->known;
	builder = pe_cct_builder_new(at[0]->frames, known);
	node_of = pe_arena_new(arena, uint32_t *, n);
	for (uint32_t r = 0; r < n; r++)
		node_of[r] = pe_cct_builder_copy(builder, at[r], arena);
	/* The runs are repetitions of times, and share their counts. */
	pe_cct_builder_vary_all(builder, at[0], node_of[0]);
	take_means(builder, n);
	place = pe_arena_new(&work, uint32_t, pe_cct_builder_count(builder));
	facts = joint_facts(at, n);
	mean = pe_cct_builder_finish_placed(place, builder, &facts, arena);
	mean->nodes[0].frame = at[0]->nodes[0].frame;
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t i = 0; i < at[r]->n; i++)
			node_of[r][i] = place[node_of[r][i]];
	out->cct = mean;
	out->node_of = node_of;
	if (mean->self_ns != NULL)
		out->self_deviation_ns = deviations(out, arena);
	find_unsteady(out, arena);
}

double pe_runs_variance(const struct pe_runs *runs, uint32_t node)
{
	const struct pe_cct *cct = runs->cct;
	double whole = (double)cct->facts.duration_ns, n = (double)cct->facts.samples;
	double share;

	if (!pe_runs_varies(runs))
		return 0;
	if (runs->self_deviation_ns != NULL)
		return (double)runs->self_deviation_ns[node] * runs->self_deviation_ns[node];
	if (whole <= 0)
		return 0;
	share = (fmin(1, (double)cct->self_ns[node] / whole) * n + 1) / (n + 2);
	return whole * whole * share * (1 - share) / n;
}

double pe_runs_sampling_variance(const struct pe_runs *runs, double time_ns)
{
	const struct pe_cct *cct = runs->cct;
	double each;

	if (cct->facts.samples == 0 || cct->total_ns == NULL)
		return 0;
	each = (double)(cct->total_ns[0] - cct->waiting_ns) / (double)cct->facts.samples;
	return (time_ns + each) * each;
}
