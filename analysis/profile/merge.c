/* Common steps of the merges: sums of values, and times that sum exactly. */
#include "analysis/profile/merge.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

void pe_merge_apportion(uint64_t *out, const uint64_t *weights, size_t n, uint64_t total)
{
	uint64_t sum = 0, weight = 0, given = 0;

	for (size_t i = 0; i < n; i++)
		sum += weights[i];
	for (size_t i = 0; i < n; i++) {
		uint64_t until = total;

		weight += weights[i];
		if (sum != 0)
			until = (uint64_t)((wide)weight * total / sum);
		out[i] = until - given;
		given = until;
	}
}

static void add_waiting(struct pe_cct_builder *builder, struct pe_frames *frames, uint64_t ns)
{
	const struct pe_frame waiting = {.name = "(waiting)", .kind = PE_FRAME_WAITING};
	uint32_t node = pe_cct_builder_child(builder, 0, pe_frames_add(frames, &waiting), 0);

	pe_cct_builder_at(builder, node)->self_ns = ns;
	pe_cct_builder_flag(builder, node, PE_CCT_UNCOUNTED);
}

/* The waiting time beyond the samples' own waits; 0 if it is less than a twentieth of the total, which is start-up. */
static uint64_t unplaced(const struct pe_cct *samples, uint64_t total_ns, uint64_t waiting_ns)
{
	double placed;

	if (waiting_ns > total_ns)
		waiting_ns = total_ns;
	if (samples->self_ns == NULL || samples->total_ns[0] == 0)
		return waiting_ns;
	placed = (double)samples->waiting_ns / (double)samples->total_ns[0] * (double)total_ns;
	if ((double)waiting_ns - placed < (double)total_ns / 20)
		return 0;
	return waiting_ns - (uint64_t)placed;
}

void pe_merge_spread_time(struct pe_cct_builder *builder, const struct pe_cct *samples,
			  uint64_t total_ns, const struct pe_merge_opts *opts)
{
	uint32_t n = pe_cct_builder_count(builder);
	const uint64_t waiting_ns = unplaced(samples, total_ns, opts->waiting_ns);
	const bool timed = samples->self_ns != NULL && samples->total_ns[0] > 0;
	pe_auto_free uint64_t *weights = pe_realloc(NULL, n, sizeof(*weights));
	pe_auto_free uint64_t *times = pe_realloc(NULL, n, sizeof(*times));

	for (uint32_t i = 0; i < n; i++) {
		const struct pe_cct_values *values = pe_cct_builder_at(builder, i);

		weights[i] = timed ? values->self_ns : values->samples;
	}
	pe_merge_apportion(times, weights, n, total_ns - waiting_ns);
	for (uint32_t i = 0; i < n; i++)
		pe_cct_builder_at(builder, i)->self_ns = times[i];
	if (waiting_ns > 0)
		add_waiting(builder, samples->frames, waiting_ns);
}

uint64_t pe_merge_duration(const struct pe_cct *samples, const struct pe_merge_opts *opts,
			   uint64_t n_samples)
{
	uint64_t duration = opts->duration_ns;

	if (duration == 0 &&
	    __builtin_mul_overflow(n_samples, samples->facts.interval_ns, &duration))
		duration = UINT64_MAX;
	return duration;
}

struct pe_cct *pe_merge_samples_alone(const struct pe_cct *samples,
				      const struct pe_merge_opts *opts, struct pe_arena *arena)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(
		samples->frames, (samples->known & PE_CCT_SITES) | PE_CCT_SAMPLES | PE_CCT_TIME);
	struct pe_cct_facts facts = samples->facts;
	pe_auto_free uint32_t *became = pe_realloc(NULL, samples->n, sizeof(*became));

	facts.source = opts->source != NULL ? opts->source : "samples";
	facts.samples = 0;
	for (uint32_t i = 0; i < samples->n; i++) {
		const struct pe_cct_node *node = &samples->nodes[i];

		became[i] = i == 0 ? 0
				   : pe_cct_builder_fold(builder, became[node->parent], node->frame,
							 node->site);
		pe_cct_builder_flag(builder, became[i], samples->flags[i]);
		pe_cct_builder_at(builder, became[i])->samples += samples->samples[i];
		if (samples->self_ns != NULL)
			pe_cct_builder_at(builder, became[i])->self_ns += samples->self_ns[i];
		facts.samples += samples->samples[i];
	}
	facts.duration_ns = pe_merge_duration(samples, opts, facts.samples);
	if (facts.samples != 0)
		pe_merge_spread_time(builder, samples, facts.duration_ns, opts);
	return pe_cct_builder_finish(builder, &facts, arena);
}
