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

/* The values of all commits by batch, and what was last seen of each. */
struct table {
	struct values *at;
	int64_t *batches; /* ascending */
	size_t n_batches, n_commits;
	size_t *last; /* by batch: the last commit that was measured in it; SIZE_MAX: none */
};

static struct values *values_at(const struct table *table, size_t commit, size_t batch)
{
	return &table->at[commit * table->n_batches + batch];
}

PE_SORT_NUMBERS(compare_batches, int64_t);

static size_t place_of(const struct table *table, int64_t batch)
{
	const int64_t *found =
		bsearch(&batch, table->batches, table->n_batches, sizeof(batch), compare_batches);

	return (size_t)(found - table->batches);
}

static struct table gather(const struct pe_readings *readings, struct pe_arena *arena)
{
	struct table table = {.n_commits = readings->n_commits};
	size_t n = 0;

	table.batches = pe_arena_new(arena, int64_t, readings->n);
	for (size_t i = 0; i < readings->n; i++)
		table.batches[i] = readings->at[i].batch;
	pe_sort(table.batches, readings->n, compare_batches);
	for (size_t i = 0; i < readings->n; i++)
		if (n == 0 || table.batches[n - 1] != table.batches[i])
			table.batches[n++] = table.batches[i];
	table.n_batches = n;
	table.at = pe_arena_new(arena, struct values, n * readings->n_commits);
	table.last = pe_arena_new(arena, size_t, n);
	for (size_t b = 0; b < n; b++)
		table.last[b] = SIZE_MAX;
	for (size_t i = 0; i < readings->n; i++)
		add_value(values_at(&table, readings->at[i].commit,
				    place_of(&table, readings->at[i].batch)),
			  readings->at[i].value);
	return table;
}

/* A commit beside the nearest one before it that was measured in one of its batches. */
struct pairing {
	size_t n;      /* of its own readings in `newest`; 0: it was not measured */
	size_t newest; /* its latest batch */
	size_t before; /* SIZE_MAX: there is none to compare it with */
	size_t batch;  /* that both are compared in */
};

static struct pairing pair(struct table *table, size_t commit)
{
	struct pairing out = {.before = SIZE_MAX};

	for (size_t b = 0; b < table->n_batches; b++) {
		const size_t n = values_at(table, commit, b)->n;

		if (n == 0)
			continue;
		out.n = n;
		out.newest = b;
		/* Of several with the same commit the latest. */
		if (table->last[b] != SIZE_MAX &&
		    (out.before == SIZE_MAX || table->last[b] >= out.before)) {
			out.before = table->last[b];
			out.batch = b;
		}
		table->last[b] = commit;
	}
	return out;
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
	static const struct pe_deterministic_opts defaults = PE_DETERMINISTIC_DEFAULTS;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, readings->n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, readings->n_commits),
		.n_commits = readings->n_commits,
		.linear = true,
		.jitter = NAN,
	};
	struct table table = gather(readings, &work);

	if (opts == NULL)
		opts = &defaults;
	for (size_t i = 0; i < readings->n_commits; i++) {
		const struct pairing one = pair(&table, i);
		double old, new;

		out.commits[i] = (struct pe_commit_level)PE_COMMIT_LEVEL_NONE;
		if (one.n == 0)
			continue;
		new = values_at(&table, i, one.newest)->first;
		out.n_components += one.before == SIZE_MAX;
		out.commits[i] = (struct pe_commit_level){.n = one.n,
							  .location = new,
							  .level = new,
							  .component = out.n_components - 1,
							  .least = NAN};
		if (one.before == SIZE_MAX)
			continue;
		old = values_at(&table, one.before, one.batch)->first;
		new = values_at(&table, i, one.batch)->first;
		if (changed(old, new, opts))
			out.at[out.n++] = describe(old, new, one.before, i);
		else
			out.commits[i].least = least_change(old, opts);
	}
	return out;
}
