/* Inner struct: rank_sum (one commit's readings among those of others). */
#include "core/stats/limit.h"

#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many pairs of two sorted sets have the second one's value above; ties count half. */
static double pairs_above(const double *left, size_t n, const double *right, size_t m)
{
	size_t under = 0, upto = 0;
	double count = 0;

	for (size_t j = 0; j < m; j++) {
		while (under < n && left[under] < right[j])
			under++;
		while (upto < n && left[upto] <= right[j])
			upto++;
		count += (double)(under + upto) / 2;
	}
	return count;
}

/* Rank sum of a commit's readings against those of the commits from..to (Mann and Whitney 1947). */
struct rank_sum {
	double above, n, m;
};

static struct rank_sum compare_ranks(const struct pe_line *line, size_t commit, size_t from,
				     size_t to)
{
	const double *own = line->samples.value + line->start[commit];
	size_t m = line->start[commit + 1] - line->start[commit];
	struct rank_sum sum = {0, 0, (double)m};

	for (size_t i = from; i < to; i++) {
		size_t count = line->start[i + 1] - line->start[i];

		if (i == commit)
			continue;
		sum.above += pairs_above(line->samples.value + line->start[i], count, own, m);
		sum.n += (double)count;
	}
	return sum;
}

/* By how many pairs a rank sum has to be off its mean: as the quantile asks, or as far as so few readings can. */
static double pairs_off(double n, double m, double quantile)
{
	double all = n + m + 1;

	return fmin(quantile, 0.93 * sqrt(3 * n * m / all)) * sqrt(n * m * all / 12);
}

/* Signed: 1 when the commit lies above the others, -1 below, 0 neither. */
static int side_of(const struct rank_sum *sum, double quantile)
{
	double off = sum->above - sum->n * sum->m / 2;

	if (fabs(off) < pairs_off(sum->n, sum->m, quantile))
		return 0;
	return off > 0 ? 1 : -1;
}

static double quantile_of(const struct pe_line *line)
{
	return pe_normal_quantile(0.003 / (double)line->n);
}

/* Side of a commit against its next neighbours on one side: the next two together, or the next one alone. */
static int side_of_next(const struct pe_line *line, size_t commit, bool right, double quantile)
{
	int side = 0;

	for (size_t reach = 2; reach > 0 && side == 0; reach--) {
		size_t from = right ? commit + 1 : commit > reach ? commit - reach : 0;
		size_t to = right ? commit + 1 + reach : commit;
		struct rank_sum sum =
			compare_ranks(line, commit, from, to < line->n ? to : line->n);

		side = side_of(&sum, quantile);
	}
	return side;
}

/* The shift of `moved` that puts k of the pairs in order: it above the others. */
static double shift_for(const double *others, size_t n, const double *moved, size_t m, double k)
{
	double last = (double)n * (double)m;

	return pe_order_difference(moved, m, others, n, (size_t)fmax(0, fmin(ceil(k), last) - 1));
}

double pe_limit_lone_shift(const struct pe_line *line)
{
	double *shift = pe_realloc(NULL, 2 * line->n, sizeof(*shift)), quantile = quantile_of(line);
	double *others = pe_realloc(NULL, line->start[line->n] - line->start[0], sizeof(*others));
	double answer;
	size_t count = 0;

	for (size_t i = 1; i < line->n; i++) {
		const double *own = line->samples.value + line->start[i];
		size_t from = i > 1 ? i - 2 : 0, m = line->start[i + 1] - line->start[i];
		size_t n = line->start[i] - line->start[from];
		double k = (double)(n * m) / 2 + pairs_off((double)n, (double)m, quantile);

		memcpy(others, line->samples.value + line->start[from], n * sizeof(*others));
		pe_order_sort(others, n);
		shift[count++] = shift_for(others, n, own, m, k);
		shift[count++] = shift_for(own, m, others, n, k);
	}
	pe_order_sort(shift, count);
	answer = count > 0 ? fmax(0, pe_order_quantile(shift, count, 0.9)) : INFINITY;
	free(others);
	free(shift);
	return answer;
}

/* Do all readings of one commit lie on one side of all of another's, and how far from the nearest? */
static double gap_between(const struct pe_line *line, size_t i, size_t j)
{
	const double *value = line->samples.value;
	double up = value[line->start[j]] - value[line->start[i + 1] - 1];
	double down = value[line->start[i]] - value[line->start[j + 1] - 1];

	return fmax(0, fmax(up, down));
}

/*
 * Do two commits lie so far apart that size alone tells, where their readings are too few for ranks? All of one
 * beyond all of the other, by so many deviations of a run that noise would have to disturb every run of one of
 * them as much: the fewer the runs, the likelier, and of a single run nothing can be said. The figures hold the
 * chance under 1 in 100 000 where one run in 12 is disturbed by 16 deviations in the mean.
 */
static bool far_apart(const struct pe_line *line, size_t i, size_t j)
{
	static const double least[] = {INFINITY, INFINITY, 50, 20, 6};
	size_t n = line->start[i + 1] - line->start[i], m = line->start[j + 1] - line->start[j];
	size_t fewer = n < m ? n : m;
	double run = sqrt(
		fmax((double)n * line->located.variance[i], (double)m * line->located.variance[j]));

	return gap_between(line, i, j) > least[fewer < 4 ? fewer : 4] * fmax(run, line->jitter);
}

/* Far from each neighbour it has, on whichever side: a step of a staircase is as good as a spike. */
static bool is_far_off(const struct pe_line *line, size_t commit)
{
	return (commit == 0 || far_apart(line, commit, commit - 1)) &&
	       (commit + 1 == line->n || far_apart(line, commit, commit + 1));
}

/*
 * Do a commit's readings lie apart from those of its neighbours? By ranks, which no outlier and no second mode
 * can fool as they can a location of five values. Either from the five commits on either side together, or
 * from the next ones on each side it has: five may span another change, and where only one commit lies between
 * two changes, so do two. An end of the series has one side to speak for it, and is held to two commits.
 */
static bool stands_off(const struct pe_line *line, size_t commit)
{
	double quantile = quantile_of(line);
	size_t from = commit > 5 ? commit - 5 : 0, to = commit + 6 < line->n ? commit + 6 : line->n;
	struct rank_sum around = compare_ranks(line, commit, from, to);
	struct rank_sum end;
	int left;

	if (side_of(&around, quantile) != 0)
		return true;
	if (commit > 0 && commit + 1 < line->n) {
		left = side_of_next(line, commit, false, quantile);
		return left != 0 && left == side_of_next(line, commit, true, quantile);
	}
	from = commit == 0 ? 1 : commit > 2 ? commit - 2 : 0;
	to = commit == 0 ? (line->n < 3 ? line->n : 3) : commit;
	end = compare_ranks(line, commit, from, to);
	return side_of(&end, quantile) != 0;
}

/*
 * The most that a commit can say for a change: as much as it likes when it met others in rounds and
 * its readings bear it out, by their ranks or by their distance; otherwise no more than an outlier, so
 * that it takes several to make a level. The machine can be the cause where there was no company, but a newest commit must be heard
 * all the same.
 */
void pe_limits_find(struct pe_line *line, const struct pe_changepoint_opts *opts,
		    struct pe_arena *arena)
{
	double k = opts->huber_k, penalty = pe_line_penalty(line, opts);

	line->limit = pe_arena_new(arena, double, line->n);
	for (size_t i = 0; i < line->n; i++) {
		bool end = i == 0 || i + 1 == line->n;

		line->limit[i] = k * k;
		if (line->n < 2 || !(line->linked[i] || end))
			continue;
		if (line->linked[i] && (stands_off(line, i) || is_far_off(line, i)))
			line->limit[i] = INFINITY;
		else if (stands_off(line, i))
			line->limit[i] = fmax(k * k, 1.5 * penalty);
	}
}
