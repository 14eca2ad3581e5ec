#include "core/stats/deterministic.h"

#include "core/stats/order.h"
#include "core/stats/rounds.h"

#include <math.h>

struct range {
	size_t n; /* values; 0: not measured */
	double lo, hi;
};

static double width(const struct range *range)
{
	return range->hi - range->lo;
}

static double middle(const struct range *range)
{
	return range->lo + width(range) / 2;
}

static struct range *find_ranges(const struct pe_readings *readings, struct pe_arena *work)
{
	struct range *ranges = pe_arena_new(work, struct range, readings->n_commits);

	for (size_t i = 0; i < readings->n; i++) {
		struct range *range = &ranges[readings->at[i].commit];
		double value = readings->at[i].value;

		if (!isfinite(value))
			continue;
		if (range->n++ == 0)
			range->lo = range->hi = value;
		range->lo = fmin(range->lo, value);
		range->hi = fmax(range->hi, value);
	}
	return ranges;
}

/* What two runs of one build differ by, in most commits. Single runs show nothing of it. */
static double typical_width(const struct range *ranges, size_t n_commits, struct pe_arena *work)
{
	double *widths = pe_arena_new(work, double, n_commits);
	size_t n = 0;

	for (size_t i = 0; i < n_commits; i++)
		if (ranges[i].n > 1)
			widths[n++] = width(&ranges[i]);
	pe_order_sort(widths, n);
	return n > 0 ? pe_order_quantile(widths, n, 0.9) : 0;
}

static double relative(double from, double to)
{
	return fabs(from) > 0 ? (to - from) / fabs(from) : NAN;
}

static bool changed(const struct range *old, const struct range *new, double noise,
		    const struct pe_deterministic_opts *opts)
{
	double gap = fmax(new->lo - old->hi, old->lo - new->hi);

	return gap > 0 && gap > fmax(noise, fmax(width(old), width(new))) &&
	       gap >= opts->min_absolute && gap >= opts->min_relative * fabs(middle(old));
}

/* What a commit that did not change would have had to change by: any more than this. */
static double least_change(const struct range *old, const struct range *new, double noise,
			   const struct pe_deterministic_opts *opts)
{
	double gap = fmax(fmax(noise, opts->min_absolute), fmax(width(old), width(new)));

	return fmax(opts->min_relative,
		    fabs(middle(old)) > 0 ? gap / fabs(middle(old)) : (gap > 0 ? INFINITY : 0));
}

static struct pe_changepoint describe(const struct range *ranges, size_t before, size_t index)
{
	const struct range *old = &ranges[before], *new = &ranges[index];
	/* Towards the old level's far end and away from it; signs differ where values may be negative. */
	double ends[] = {relative(old->lo, new->lo), relative(old->lo, new->hi),
			 relative(old->hi, new->lo), relative(old->hi, new->hi)};
	struct pe_changepoint out = {.index = index,
				     .before = before,
				     .level_before = middle(old),
				     .level_after = middle(new),
				     .relative = relative(middle(old), middle(new)),
				     .sure = 1,
				     .first = index,
				     .last = index,
				     .low = ends[0],
				     .high = ends[0]};

	for (size_t i = 1; i < 4; i++) {
		out.low = fmin(out.low, ends[i]);
		out.high = fmax(out.high, ends[i]);
	}
	if (isnan(out.relative))
		out.low = out.high = NAN;
	return out;
}

struct pe_changepoints pe_deterministic_find(const struct pe_readings *readings,
					     const struct pe_deterministic_opts *opts,
					     struct pe_arena *arena)
{
	static const struct pe_deterministic_opts defaults = PE_DETERMINISTIC_DEFAULTS;
	struct pe_arena work = PE_ARENA_INIT;
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, readings->n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, readings->n_commits),
		.n_commits = readings->n_commits,
		.linear = true,
		.jitter = NAN,
	};
	struct range *ranges = find_ranges(readings, &work);
	double noise = typical_width(ranges, readings->n_commits, &work);
	size_t before = SIZE_MAX;

	if (opts == NULL)
		opts = &defaults;
	for (size_t i = 0; i < readings->n_commits; i++) {
		const struct range *range = &ranges[i];

		out.commits[i] = (struct pe_commit_level){0, NAN, NAN, NAN, PE_NO_COMPONENT, NAN};
		if (range->n == 0)
			continue;
		out.commits[i] = (struct pe_commit_level){
			range->n, middle(range), width(range) / 2, middle(range), 0, NAN};
		out.n_components = 1;
		if (before != SIZE_MAX && changed(&ranges[before], range, noise, opts))
			out.at[out.n++] = describe(ranges, before, i);
		else if (before != SIZE_MAX)
			out.commits[i].least = least_change(&ranges[before], range, noise, opts);
		before = i;
	}
	pe_arena_release(&work);
	return out;
}
