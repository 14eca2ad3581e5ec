/* The steps of a line, for display. */
#include "core/stats/steps_inner.h"

#include <math.h>

struct pe_bisect_result pe_steps_now(const struct pe_steps *s)
{
	const struct pe_steps_range *range = &s->ranges.data[s->at == SIZE_MAX ? 0 : s->at];
	struct pe_bisect_result result = pe_bisect_result(range->search.bisect);

	result.group = pe_steps_place(range);
	result.group.probability *= range->near;
	result.runs = s->runs;
	return result;
}

/* Half of the interval of a change. */
static double error_of(const struct pe_steps *s, const struct pe_bisect_result *result)
{
	return (pe_steps_scaled(s, result->high) - pe_steps_scaled(s, result->low)) / 2;
}

/* --- What no step explains --- */

/* Differences below this share of the whole difference are not reported. */
static const double min_share = 1e-3;

static bool is_rest(const struct pe_steps *s, const struct pe_bisect_result *result, double whole,
		    double errors)
{
	if (s->opts.bisect.exact)
		return fabs(result->new_level - result->old_level) > min_share * whole;
	/* Many are tested: each has to be surer than one in twenty. */
	return result->none < 0.05 &&
	       fabs(pe_steps_scaled(s, result->relative)) >= errors * error_of(s, result);
}

static void add_rest(struct pe_steps_result *out, const struct pe_steps *s, size_t first,
		     size_t last)
{
	const double whole = fabs(out->range.new_level - out->range.old_level);
	struct pe_steps_rest rest = {.first = first, .last = last, .searched = true};

	if (s->build[first] == s->build[last])
		return;
	for (size_t r = 0; r < s->ranges.n; r++)
		if (s->ranges.data[r].answer == PE_BISECT_GO_ON && s->ranges.data[r].first < last &&
		    first < s->ranges.data[r].last)
			rest.searched = false;
	rest.result = pe_steps_between(s, first, last, false);
	if (is_rest(s, &rest.result, whole, 1.5)) {
		out->rests[out->n_rests++] = rest;
		return;
	}
	/* Those two may never have been read together. */
	rest.result = pe_steps_between(s, first, last, true);
	if (is_rest(s, &rest.result, whole, 3))
		out->rests[out->n_rests++] = rest;
}

static void add_rests(struct pe_steps_result *out, const struct pe_steps *s, struct pe_arena *arena)
{
	size_t first = 0;

	out->rests = pe_arena_new(arena, struct pe_steps_rest, out->n + 1);
	for (size_t k = 0; k < out->n; k++) {
		add_rest(out, s, first, out->steps[k].result.group.first - 1);
		first = out->steps[k].result.group.last;
	}
	add_rest(out, s, first, s->n - 1);
}

/* --- Steps --- */

/* The ends of a range differ by its step, and by the differences next to it. */
static void leave_out(struct pe_bisect_result *step, const struct pe_steps *s, size_t first,
		      size_t last, bool before)
{
	struct pe_bisect_result rest;
	double by;

	if (s->build[first] == s->build[last])
		return;
	rest = pe_steps_between(s, first, last, false);
	if (!is_rest(s, &rest, 0, 1.5))
		return;
	by = pe_steps_scaled(s, rest.relative);
	step->relative = pe_steps_relative(s, pe_steps_scaled(s, step->relative) - by);
	step->low = pe_steps_relative(s, pe_steps_scaled(s, step->low) - by);
	step->high = pe_steps_relative(s, pe_steps_scaled(s, step->high) - by);
	if (before)
		step->old_level *= 1 + rest.relative;
	else
		step->new_level /= 1 + rest.relative;
}

static struct pe_step step_of(const struct pe_steps *s, const struct pe_steps_range *range,
			      double least, struct pe_arena *arena)
{
	const struct pe_bisect_group place = pe_steps_place(range);
	struct pe_step step = {.result = pe_bisect_result(range->search.bisect)};

	if (s->opts.bisect.exact && range->answer == PE_BISECT_FOUND)
		step.result = pe_steps_between(s, place.first - 1, place.last, false);
	else if (range->answer == PE_BISECT_FOUND) {
		leave_out(&step.result, s, range->first, place.first - 1, true);
		leave_out(&step.result, s, place.last, range->last, false);
	}
	step.others = 1 - range->alone;
	step.groups = pe_arena_new(arena, struct pe_bisect_group, range->last - range->first + 1);
	step.n_groups = pe_bisect_groups(step.groups, range->search.bisect, least);
	for (size_t g = 0; g < step.n_groups; g++) {
		step.groups[g].first += range->first;
		step.groups[g].last += range->first;
	}
	step.result.group = place;
	step.result.group.probability *= range->near;
	if (step.n_groups > 0)
		step.groups[0].probability *= range->near;
	return step;
}

struct pe_steps_result pe_steps_result(const struct pe_steps *s, double least,
				       struct pe_arena *arena)
{
	struct pe_steps_result out = {.answer = s->answer};

	out.steps = pe_arena_new(arena, struct pe_step, s->ranges.n);
	for (size_t r = 0; r < s->ranges.n; r++) {
		const struct pe_steps_range *range = &s->ranges.data[r];

		if (range->answer == PE_BISECT_FOUND)
			out.steps[out.n++] = step_of(s, range, least, arena);
		else if (r == s->at || s->ranges.n == 1)
			out.at = step_of(s, range, least, arena);
		out.partial = out.partial || range->answer == PE_BISECT_GO_ON;
	}
	if (s->ranges.n > 1 || s->opts.bisect.exact)
		out.range = pe_steps_between(s, 0, s->n - 1, false);
	else
		out.range = pe_bisect_result(s->ranges.data[0].search.bisect);
	out.range.answer = s->answer;
	out.range.runs = s->runs;
	out.range.group = out.n > 0 ? out.steps[0].result.group : out.at.result.group;
	out.least = pe_steps_least(s);
	if (s->opts.bisect.exact)
		out.least /= fabs(out.range.old_level);
	if (out.n > 0 || out.answer == PE_BISECT_SMALL)
		add_rests(&out, s, arena);
	return out;
}
