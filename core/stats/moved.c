#include "core/stats/moved.h"

#include "core/stats/location.h"
#include "core/stats/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A difference of logarithms, how sure it is, and what that rests on. */
struct witness {
	double at, variance, freedom;
};

/* What is known so far. The arena holds what one benchmark needs while it is looked at. */
struct finding {
	struct pe_moved *out;
	int64_t newest;
	bool *seen; /* by commit: it has a cell */
	struct pe_arena arena;
};

/* --- Cells --- */

static bool is_usable(const struct pe_reading *reading)
{
	return isfinite(reading->value) && reading->value > 0;
}

static int by_commit(const void *left, const void *right)
{
	const struct pe_reading *l = left, *r = right;

	if (l->commit != r->commit)
		return l->commit < r->commit ? -1 : 1;
	if (l->batch != r->batch)
		return l->batch < r->batch ? -1 : 1;
	return (l->value > r->value) - (l->value < r->value);
}

/* The usable readings by commit and batch, as logarithms. */
static struct pe_reading *sort_readings(size_t *n, const struct pe_readings *readings,
					struct pe_arena *arena)
{
	struct pe_reading *sorted = pe_arena_new(arena, struct pe_reading, readings->n);

	*n = 0;
	for (size_t i = 0; i < readings->n; i++) {
		if (!is_usable(&readings->at[i]))
			continue;
		sorted[*n] = readings->at[i];
		sorted[(*n)++].value = log(readings->at[i].value);
	}
	qsort(sorted, *n, sizeof(*sorted), by_commit);
	return sorted;
}

static void note_batch(struct pe_moved *out, int64_t batch)
{
	if (out->cells == 0 || batch < out->from)
		out->from = batch;
	if (out->cells == 0 || batch > out->since)
		out->since = batch;
}

/*
 * A benchmark's cells as pairs of owners of values, before and now: sorted[first] to sorted[last - 1] are a
 * commit's, at their end those of the newest batches, from `now` on, and before them the latest earlier one's.
 */
static size_t pair_up(double *value, size_t *start, struct finding *finding,
		      const struct pe_reading *sorted, size_t n)
{
	size_t pairs = 0, filled = 0;

	for (size_t first = 0, last; first < n; first = last) {
		size_t now, then;

		for (last = first + 1; last < n && sorted[last].commit == sorted[first].commit;)
			last++;
		for (now = last; now > first && sorted[now - 1].batch >= finding->newest;)
			now--;
		if (now == last || now == first)
			continue;
		for (then = now - 1;
		     then > first && sorted[then - 1].batch == sorted[now - 1].batch;)
			then--;
		start[2 * pairs] = filled;
		start[2 * pairs + 1] = filled + now - then;
		for (size_t i = then; i < last; i++)
			value[filled++] = sorted[i].value;
		start[2 * ++pairs] = filled;
		note_batch(finding->out, sorted[then].batch);
		finding->out->cells++;
		finding->out->commits += !finding->seen[sorted[first].commit];
		finding->seen[sorted[first].commit] = true;
	}
	return pairs;
}

static struct witness *find_cells(size_t *n, struct finding *finding,
				  const struct pe_readings *readings)
{
	struct pe_arena *arena = &finding->arena;
	size_t n_sorted;
	struct pe_reading *sorted = sort_readings(&n_sorted, readings, arena);
	double *value = pe_arena_new(arena, double, n_sorted);
	size_t *start = pe_arena_new(arena, size_t, n_sorted + 1);
	struct witness *cells;
	struct pe_located located;

	*n = pair_up(value, start, finding, sorted, n_sorted);
	if (*n == 0)
		return NULL;
	located = pe_locate_all(&(struct pe_samples){value, start, 2 * *n}, PE_LOCATION_MEDIAN,
				arena);
	cells = pe_arena_new(arena, struct witness, *n);
	for (size_t i = 0; i < *n; i++)
		cells[i] = (struct witness){located.at[2 * i + 1] - located.at[2 * i],
					    located.variance[2 * i] + located.variance[2 * i + 1],
					    located.freedom};
	return cells;
}

/* --- From cells to a benchmark, from benchmarks to the machine --- */

/*
 * The variance of one of a benchmark's cells: what their runs say counts as four cells (for less, where there
 * were few runs), what their scatter says for one less than there are; and not less than the runs say.
 */
static struct witness pool_cells(const struct witness *cells, size_t n, struct pe_arena *arena)
{
	const double prior = fmin(4, cells[0].freedom), own = (double)(n - 1);
	double factor = pe_location_factor(PE_LOCATION_HODGES_LEHMANN), runs = 0, scatter, variance;
	double *at = pe_arena_new(arena, double, n), *scratch = pe_arena_new(arena, double, n);
	struct witness out;

	for (size_t i = 0; i < n; i++) {
		at[i] = cells[i].at;
		runs += cells[i].variance / (double)n;
	}
	out.at = pe_locate(at, n, PE_LOCATION_HODGES_LEHMANN);
	scatter = PE_MAD_TO_SD * pe_order_mad(at, n, pe_order_quantile(at, n, 0.5), scratch) *
		  (double)n / ((double)n - 0.8);
	variance = prior + own > 0 ? (prior * runs + own * scatter * scatter) / (prior + own) : 0;
	out.variance = factor * factor * fmax(runs, variance) / (double)n;
	out.freedom = prior + own;
	return out;
}

static int by_place(const void *left, const void *right)
{
	const struct witness *l = left, *r = right;

	return l->at != r->at ? (l->at > r->at) - (l->at < r->at)
			      : (l->variance > r->variance) - (l->variance < r->variance);
}

/* Machines do not slow two benchmarks by the same share: none speaks for the others more surely than to half a
 * percent. */
static double weight_of(const struct witness *benchmark)
{
	const double least = 0.005 * 0.005;

	return 1 / fmax(benchmark->variance, least);
}

/* The weighted median of several benchmarks; of two, which cannot outvote each other, the weighted mean. */
static struct witness pool_benchmarks(struct witness *benchmarks, size_t n)
{
	double factor = n > 2 ? pe_location_factor(PE_LOCATION_MEDIAN) : 1;
	double total = 0, mean = 0, reached;
	struct witness out = {0, 0, 0};
	size_t i = 0;

	qsort(benchmarks, n, sizeof(*benchmarks), by_place);
	for (size_t k = 0; k < n; k++) {
		double weight = weight_of(&benchmarks[k]);

		total += weight;
		mean += weight * benchmarks[k].at;
		out.variance += weight * weight * benchmarks[k].variance;
		out.freedom += benchmarks[k].freedom;
	}
	out.variance *= factor * factor / (total * total);
	reached = weight_of(&benchmarks[0]);
	while (reached < total / 2 && i + 1 < n)
		reached += weight_of(&benchmarks[++i]);
	out.at = n > 2 ? benchmarks[i].at : mean / total;
	return out;
}

/* --- The answer --- */

/* Half the width of an interval. */
static double reach(const struct witness *of, double level)
{
	return sqrt(of->variance) * pe_student_quantile(pe_normal_quantile(level / 2), of->freedom);
}

static bool agrees(const struct witness *voters, size_t n, const struct witness *machine,
		   double level)
{
	size_t in_favour = 0, against = 0;

	assert(n == 0 || voters != NULL);
	for (size_t i = 0; i < n; i++) {
		if (voters[i].at * machine->at > 0 && fabs(voters[i].at) >= fabs(machine->at) / 2)
			in_favour++;
		else if (fabs(voters[i].at - machine->at) > reach(&voters[i], level))
			against++;
	}
	return in_favour >= 2 && in_favour >= 2 * against;
}

static void conclude(struct pe_moved *out, const struct witness *machine,
		     const struct witness *voters, size_t n_voters,
		     const struct pe_moved_opts *opts)
{
	enum { LEAST_FREEDOM = 4 };
	double half = reach(machine, opts->level);

	if (machine->freedom < LEAST_FREEDOM)
		return;
	out->relative = expm1(machine->at);
	out->low = expm1(machine->at - half);
	out->high = expm1(machine->at + half);
	out->moved = fabs(out->relative) >= opts->min_relative &&
		     fabs(machine->at) > reach(machine, opts->doubt) &&
		     agrees(voters, n_voters, machine, opts->level);
}

/* The cells of one benchmark, pooled into the next place of `pooled`, and themselves into *voters if it is the first. */
static void add_benchmark(struct witness *pooled, struct witness **voters, struct finding *finding,
			  const struct pe_readings *readings, struct pe_arena *arena)
{
	size_t n;
	const struct witness *cells = find_cells(&n, finding, readings);

	if (n > 0 && finding->out->benchmarks == 0) {
		*voters = pe_arena_new(arena, struct witness, n);
		memcpy(*voters, cells, n * sizeof(*cells));
	}
	if (n > 0)
		pooled[finding->out->benchmarks++] = pool_cells(cells, n, &finding->arena);
	pe_arena_release(&finding->arena);
}

struct pe_moved pe_moved_find(const struct pe_readings *benchmarks, size_t n, int64_t newest,
			      const struct pe_moved_opts *opts)
{
	static const struct pe_moved_opts defaults = PE_MOVED_DEFAULTS;
	struct pe_moved out = {.relative = NAN, .low = NAN, .high = NAN};
	struct finding finding = {.out = &out, .newest = newest, .arena = PE_ARENA_INIT};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct witness *pooled = pe_arena_new(&arena, struct witness, n), *voters = NULL, machine;
	size_t n_commits = 0;

	for (size_t b = 0; b < n; b++)
		n_commits =
			benchmarks[b].n_commits > n_commits ? benchmarks[b].n_commits : n_commits;
	finding.seen = pe_arena_new(&arena, bool, n_commits);
	for (size_t b = 0; b < n; b++)
		add_benchmark(pooled, &voters, &finding, &benchmarks[b], &arena);
	if (opts == NULL)
		opts = &defaults;
	if (out.benchmarks == 1) {
		conclude(&out, &pooled[0], voters, out.cells, opts);
	} else if (out.benchmarks > 1) {
		machine = pool_benchmarks(pooled, out.benchmarks);
		conclude(&out, &machine, pooled, out.benchmarks, opts);
	}
	return out;
}
