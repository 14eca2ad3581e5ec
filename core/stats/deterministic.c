#include "core/stats/deterministic.h"

#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

/* The readings of one commit. */
struct values {
	size_t n; /* 0: not measured */
	double first, lo, hi;
};

static void add_value(struct values *one, double value)
{
	if (!isfinite(value))
		return;
	if (one->n++ == 0)
		one->first = one->lo = one->hi = value;
	one->lo = fmin(one->lo, value);
	one->hi = fmax(one->hi, value);
}

struct pe_exactness pe_deterministic_check(const struct pe_readings *readings, double tolerance,
					   struct pe_arena *arena)
{
	struct values *all = pe_arena_new(arena, struct values, readings->n_commits);
	struct pe_exactness kept = {0, 0, 0};

	for (size_t i = 0; i < readings->n; i++)
		add_value(&all[readings->at[i].commit], readings->at[i].value);
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

/* --- Batches: values of different ones are not compared --- */

struct entry {
	size_t commit;
	int64_t batch;
	size_t place; /* among all readings */
	double value;
};

PE_SORT_BY(by_commit, struct entry, commit, batch, place);

/* The finite readings, by commit and batch. */
static struct entry *sort_readings(size_t *n, const struct pe_readings *readings,
				   struct pe_arena *arena)
{
	struct entry *out = pe_arena_new(arena, struct entry, readings->n);

	*n = 0;
	for (size_t i = 0; i < readings->n; i++) {
		const struct pe_reading *one = &readings->at[i];

		if (isfinite(one->value))
			out[(*n)++] = (struct entry){one->commit, one->batch, i, one->value};
	}
	pe_sort(out, *n, by_commit);
	return out;
}

/* The latest entry of each batch, of the commits so far. */
struct latest {
	const struct entry **at;
	size_t n;
};

/* Put an entry in the place of the one of its batch, which is returned; NULL: it is the first of the batch. */
static const struct entry *replace(struct latest *latest, const struct entry *entry)
{
	const struct entry *before;
	size_t i = 0;

	while (i < latest->n && latest->at[i]->batch != entry->batch)
		i++;
	before = i < latest->n ? latest->at[i] : NULL;
	latest->n += before == NULL;
	latest->at[i] = entry;
	return before;
}

static struct pe_changepoint describe(double old, double new, size_t before, size_t index)
{
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
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, readings->n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, readings->n_commits),
		.n_commits = readings->n_commits,
		.linear = true,
		.jitter = NAN,
	};
	size_t n, end;
	const struct entry *all = sort_readings(&n, readings, &work);
	struct latest latest = {pe_arena_new(&work, const struct entry *, n), 0};

	for (size_t i = 0; i < readings->n_commits; i++)
		out.commits[i] = (struct pe_commit_level)PE_COMMIT_LEVEL_NONE;
	for (size_t i = 0; i < n; i = end) {
		struct pe_commit_level *level = &out.commits[all[i].commit];
		const struct entry *first = &all[i], *old = NULL, *new = NULL;

		for (end = i; end < n && all[end].commit == all[i].commit; end++) {
			const struct entry *before;

			if (end > i && all[end].batch == first->batch)
				continue;
			first = &all[end];
			before = replace(&latest, first);
			/* Of several with the same commit the latest batch. */
			if (before != NULL && (old == NULL || before->commit >= old->commit)) {
				old = before;
				new = first;
			}
		}
		out.n_components += old == NULL;
		*level = (struct pe_commit_level){.n = (size_t)(&all[end] - first),
						  .location = first->value,
						  .level = first->value,
						  .component = out.n_components - 1,
						  .least = NAN};
		if (old != NULL && changed(old->value, new->value, opts))
			out.at[out.n++] =
				describe(old->value, new->value, old->commit, all[i].commit);
		else if (old != NULL)
			level->least = least_change(old->value, opts);
	}
	return out;
}
