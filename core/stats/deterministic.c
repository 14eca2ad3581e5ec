#include "core/stats/deterministic.h"

#include <math.h>

/* The readings of one commit. */
struct values {
	size_t n; /* 0: not measured */
	double first, lo, hi;
};

static struct values *gather(const struct pe_readings *readings, struct pe_arena *arena)
{
	struct values *all = pe_arena_new(arena, struct values, readings->n_commits);

	for (size_t i = 0; i < readings->n; i++) {
		struct values *one = &all[readings->at[i].commit];
		double value = readings->at[i].value;

		if (!isfinite(value))
			continue;
		if (one->n++ == 0)
			one->first = one->lo = one->hi = value;
		one->lo = fmin(one->lo, value);
		one->hi = fmax(one->hi, value);
	}
	return all;
}

struct pe_exactness pe_deterministic_check(const struct pe_readings *readings, double tolerance,
					   struct pe_arena *arena)
{
	const struct values *all = gather(readings, arena);
	struct pe_exactness kept = {0, 0, 0};

	for (size_t i = 0; i < readings->n_commits; i++) {
		double most = fmax(fabs(all[i].hi), fabs(all[i].lo));

		kept.builds += all[i].n > 1;
		if (all[i].n < 2 || !(all[i].hi - all[i].lo > tolerance * most))
			continue;
		kept.broken++;
		kept.most = fmax(kept.most, (all[i].hi - all[i].lo) / most);
	}
	return kept;
}

static bool changed(double old, double new, const struct pe_deterministic_opts *opts)
{
	double step = fabs(new - old);

	return step > 0 && step >= opts->min_absolute && step >= opts->min_relative * fabs(old);
}

/* What a commit that did not change would have had to change by: any more than this. */
static double least_change(double old, const struct pe_deterministic_opts *opts)
{
	double gap = opts->min_absolute;

	return fmax(opts->min_relative, fabs(old) > 0 ? gap / fabs(old) : (gap > 0 ? INFINITY : 0));
}

static struct pe_changepoint describe(const struct values *all, size_t before, size_t index)
{
	double old = all[before].first, new = all[index].first;
	double relative = fabs(old) > 0 ? (new - old) / fabs(old) : NAN;

	return (struct pe_changepoint){.index = index,
				       .before = before,
				       .level_before = old,
				       .level_after = new,
				       .relative = relative,
				       .sure = 1,
				       .first = index,
				       .last = index,
				       .low = relative,
				       .high = relative};
}

struct pe_changepoints pe_deterministic_find(const struct pe_readings *readings,
					     const struct pe_deterministic_opts *opts,
					     struct pe_arena *arena)
{
	static const struct pe_deterministic_opts defaults = PE_DETERMINISTIC_DEFAULTS;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, readings->n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, readings->n_commits),
		.n_commits = readings->n_commits,
		.linear = true,
		.jitter = NAN,
	};
	const struct values *all = gather(readings, &work);
	size_t before = SIZE_MAX;

	if (opts == NULL)
		opts = &defaults;
	for (size_t i = 0; i < readings->n_commits; i++) {
		const struct values *one = &all[i];

		out.commits[i] = (struct pe_commit_level){0, NAN, NAN, NAN, PE_NO_COMPONENT, NAN};
		if (one->n == 0)
			continue;
		out.commits[i] =
			(struct pe_commit_level){one->n, one->first, 0, one->first, 0, NAN};
		out.n_components = 1;
		if (before != SIZE_MAX && changed(all[before].first, one->first, opts))
			out.at[out.n++] = describe(all, before, i);
		else if (before != SIZE_MAX)
			out.commits[i].least = least_change(all[before].first, opts);
		before = i;
	}
	return out;
}
