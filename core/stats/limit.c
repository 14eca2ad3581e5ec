/* Inner structs: range (neighbouring commits), rank_sum (the readings of one range among those of another). */
#include "core/stats/limit.h"

#include "core/stats/order.h"
#include "core/stats/segment.h"

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

/* Commits from..to, `to` not among them. */
struct range {
	size_t from, to;
};

/* Rank sum of a range's readings against those of another (Mann and Whitney 1947). */
struct rank_sum {
	double above, n, m;
};

static size_t n_readings(const struct pe_commit_line *line, struct range range)
{
	return line->start[range.to] - line->start[range.from];
}

static const double *readings_of(const struct pe_commit_line *line, size_t commit)
{
	return line->samples.value + line->start[commit];
}

static struct rank_sum compare_ranks(const struct pe_commit_line *line, struct range own,
				     struct range others)
{
	struct rank_sum sum = {0, (double)n_readings(line, others), (double)n_readings(line, own)};

	for (size_t i = others.from; i < others.to; i++)
		for (size_t j = own.from; j < own.to; j++)
			sum.above += pairs_above(
				readings_of(line, i), n_readings(line, (struct range){i, i + 1}),
				readings_of(line, j), n_readings(line, (struct range){j, j + 1}));
	return sum;
}

/* How many deviations a rank sum can be off its mean, nearly: where one set is wholly above the other. */
static double clearest(double n, double m)
{
	return 0.93 * sqrt(3 * n * m / (n + m + 1));
}

/* By how many pairs a rank sum has to be off its mean: as the quantile asks, or as far as so few readings can. */
static double pairs_off(double n, double m, double quantile)
{
	double all = n + m + 1;

	return fmin(quantile, clearest(n, m)) * sqrt(n * m * all / 12);
}

static double quantile_of(const struct pe_commit_line *line)
{
	return pe_normal_quantile(0.003 / (double)line->n);
}

static bool differ_by_ranks(const struct pe_commit_line *line, struct range own,
			    struct range others)
{
	struct rank_sum sum = compare_ranks(line, own, others);

	return fabs(sum.above - sum.n * sum.m / 2) >= pairs_off(sum.n, sum.m, quantile_of(line));
}

/*
 * Deviation of a run that a second mode is part of: the 80 % quantile of the readings' distances from the median
 * of their commit, of which one in ten may be an outlier. Where most deviations are small and one reading in
 * three is from another mode, the median of the distances would not see that mode. 0 without any.
 */
static double run_spread(const struct pe_commit_line *line)
{
	const double normal_quantile = 1.2816;
	double *distance =
		pe_realloc(NULL, line->start[line->n] - line->start[0], sizeof(*distance));
	double spread = 0;
	size_t count = 0;

	for (size_t i = 0; i < line->n; i++) {
		size_t n = n_readings(line, (struct range){i, i + 1});
		const double *own = readings_of(line, i);
		double middle = pe_order_quantile(own, n, 0.5);

		for (size_t j = 0; n > 1 && j < n; j++)
			distance[count++] = fabs(own[j] - middle) * (double)n / ((double)n - 0.8);
	}
	pe_order_sort(distance, count);
	if (count > 0)
		spread = pe_order_quantile(distance, count, 0.8) / normal_quantile;
	free(distance);
	return spread;
}

static double *sorted_readings(const struct pe_commit_line *line, struct range range)
{
	size_t n = n_readings(line, range);
	double *all = pe_realloc(NULL, n, sizeof(*all));

	memcpy(all, readings_of(line, range.from), n * sizeof(*all));
	pe_order_sort(all, n);
	return all;
}

/* P(that many of n runs, or more, are outliers), each being one with a chance of its own. */
static double chance_of(size_t outliers, size_t n, double each)
{
	double sum = 0;

	for (size_t i = outliers; i <= n; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
			   lgamma((double)(n - i) + 1) + (double)i * log(each) +
			   (double)(n - i) * log1p(-each));
	return sum;
}

/* Fewer readings than this are no crowd of which one or two can be passed over. */
#define FEW 5

/*
 * Of how many of n readings at one end it need not be minded that they reach over to the other level: of so many that
 * all others are outliers on the same side in one line in a hundred at most, and `most` of them.
 */
static size_t spared(size_t n, size_t n_commits, double each, size_t most)
{
	size_t spare = 0;

	while (spare < most && chance_of(n - spare - 1, n, each) <= 0.01 / (double)n_commits)
		spare++;
	return spare;
}

/* How far the sorted readings of `upper` lie above those of `lower`, but for those that are spared. */
static double gap_above(const double *upper, size_t n, const double *lower, size_t m,
			size_t n_commits)
{
	/* One run in ten is slow by accident, and one in thirty fast. */
	const double slow = 0.1, fast = 0.03;

	if (n < FEW || m < FEW)
		return upper[0] - lower[m - 1];
	return upper[spared(n, n_commits, slow, n / 4)] -
	       lower[m - 1 - spared(m, n_commits, fast, (m - 1) / 2)];
}

/* How far one range's readings lie from the other's; 0 where they mingle. */
static double distance(const struct pe_commit_line *line, struct range own, struct range others)
{
	size_t n = n_readings(line, own), m = n_readings(line, others);
	double *a = sorted_readings(line, own), *b = sorted_readings(line, others);
	double above = gap_above(a, n, b, m, line->n), below = gap_above(b, m, a, n, line->n);

	free(b);
	free(a);
	return fmax(0, fmax(above, below));
}

/*
 * How many deviations of a run two levels have to lie apart to be told by size alone. Of few readings none is
 * spared, and noise would have to disturb every run of one level as much: the fewer, the likelier, and of a single
 * run nothing can be said. The figures hold the chance under 1 in 100 000 where one run in 12 is disturbed by 16
 * deviations in the mean.
 */
static double far_enough(size_t n, size_t m)
{
	static const double least[] = {INFINITY, INFINITY, 50, 20, 6, 2};
	size_t fewer = n < m ? n : m;

	return least[fewer < FEW ? fewer : FEW];
}

/*
 * Do two levels' readings lie apart, not only their locations? By ranks, which neither outliers nor a second mode
 * can fool, where the readings are enough to be as unlikely as the quantile asks; where even the clearest order of
 * them is not, a deviation of a run has to lie between them as well; or by size, whatever their order.
 */
static bool lies_apart(const struct pe_commit_line *line, struct range own, struct range others,
		       double spread)
{
	size_t n = n_readings(line, own), m = n_readings(line, others);
	double apart = distance(line, own, others);

	if (apart > far_enough(n, m) * spread)
		return true;
	return differ_by_ranks(line, own, others) &&
	       (apart >= spread || clearest((double)n, (double)m) >= quantile_of(line));
}

/* The shift of `moved` that puts k of the pairs in order: it above the others. */
static double shift_for(const double *others, size_t n, const double *moved, size_t m, double k)
{
	double last = (double)n * (double)m;

	return pe_order_difference(moved, m, others, n, (size_t)fmax(0, fmin(ceil(k), last) - 1));
}

/* The shift with which sorted readings lie apart from others, above them: lies_apart() solved for it. */
static double shift_apart(const struct pe_commit_line *line, const double *others, size_t n,
			  const double *own, size_t m, double spread)
{
	double quantile = quantile_of(line), gap = gap_above(own, m, others, n, line->n);
	double k = (double)(n * m) / 2 + pairs_off((double)n, (double)m, quantile);
	double by_ranks = shift_for(others, n, own, m, k);

	if (clearest((double)n, (double)m) < quantile)
		by_ranks = fmax(by_ranks, spread - gap);
	return fmin(by_ranks, far_enough(n, m) * spread - gap);
}

static double spread_of(const struct pe_commit_line *line)
{
	return fmax(run_spread(line), line->jitter);
}

double pe_limit_lone_shift(const struct pe_commit_line *line, const double *level)
{
	double *shift = pe_realloc(NULL, 2 * line->n, sizeof(*shift)), spread = spread_of(line);
	double *others = pe_realloc(NULL, line->start[line->n] - line->start[0], sizeof(*others));
	double answer;
	size_t count = 0;

	for (size_t i = 1; i < line->n; i++) {
		const double *own = readings_of(line, i);
		size_t from = i > 1 ? i - 2 : 0, m = line->start[i + 1] - line->start[i], n = 0;

		for (size_t j = from; j < i; j++)
			for (size_t r = line->start[j]; r < line->start[j + 1]; r++)
				others[n++] = line->samples.value[r] - level[j] + level[i];
		pe_order_sort(others, n);
		shift[count++] = shift_apart(line, others, n, own, m, spread);
		shift[count++] = shift_apart(line, own, m, others, n, spread);
	}
	pe_order_sort(shift, count);
	answer = count > 0 ? fmax(0, pe_order_quantile(shift, count, 0.9)) : INFINITY;
	free(others);
	free(shift);
	return answer;
}

/* Levels of more commits than this are found whatever the limits are. */
#define SHORT 3
/* Commits of the next level that a short one is held against. */
#define COMPANY 3

/* Is a level borne out by its readings, on each side it has for itself? */
static bool stands_off(const struct pe_commit_line *line, const struct pe_segments *cut,
		       size_t level, double spread)
{
	size_t end = level + 1 < cut->n ? cut->start[level + 1] : line->n;
	struct range own = {cut->start[level], end}, next;

	if (level > 0) {
		next = (struct range){cut->start[level - 1], own.from};
		if (own.from > COMPANY && next.from < own.from - COMPANY)
			next.from = own.from - COMPANY;
		if (!lies_apart(line, own, next, spread))
			return false;
	}
	if (end < line->n) {
		next = (struct range){end, level + 2 < cut->n ? cut->start[level + 2] : line->n};
		next.to = next.to < end + COMPANY ? next.to : end + COMPANY;
		if (!lies_apart(line, own, next, spread))
			return false;
	}
	return true;
}

/* The cut that is best when every commit may say all that line->limit has. */
static struct pe_segments cut_freely(const struct pe_commit_line *line,
				     const struct pe_changepoint_opts *opts, double penalty,
				     struct pe_arena *arena)
{
	struct pe_segment_value *seen = pe_arena_new(arena, struct pe_segment_value, line->n);

	for (size_t i = 0; i < line->n; i++)
		seen[i] = (struct pe_segment_value){line->located.at[i], sqrt(line->variance[i]),
						    line->limit[i]};
	return pe_segment(seen, line->n, penalty, opts->huber_k, arena);
}

/*
 * The most that a commit can say for a change: as much as it likes when it met others in rounds and
 * its readings bear it out; otherwise no more than an outlier, so that it takes several to make a level. The
 * machine can be the cause where there was no company, but a newest commit must be heard all the same.
 *
 * What is borne out is a level of few commits in the cut that all of them would make freely, by ranks or by size,
 * and against each of its neighbours for itself, whichever way: a step of a staircase is as good as a spike.
 */
void pe_limits_find(struct pe_commit_line *line, const struct pe_changepoint_opts *opts,
		    struct pe_arena *arena)
{
	double k = opts->huber_k, penalty = pe_line_penalty(line, opts), spread = spread_of(line);
	struct pe_segments cut;

	line->limit = pe_arena_new(arena, double, line->n);
	for (size_t i = 0; i < line->n; i++) {
		bool end = i == 0 || i + 1 == line->n;

		line->limit[i] = line->linked[i] ? INFINITY
				 : end           ? fmax(k * k, 1.5 * penalty)
						 : k * k;
	}
	cut = cut_freely(line, opts, penalty, arena);
	for (size_t s = 0; s < cut.n; s++) {
		size_t end = s + 1 < cut.n ? cut.start[s + 1] : line->n;

		if (cut.n > 1 && end - cut.start[s] <= SHORT && stands_off(line, &cut, s, spread))
			continue;
		for (size_t i = cut.start[s]; i < end; i++)
			line->limit[i] = k * k;
	}
}
