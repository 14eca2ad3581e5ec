/*
 * Inner structs: scale (how values are transformed and back), gathered (the corrected readings of
 * all commits), line (the commits that are judged together, oldest first, and what is found out
 * about them).
 */
#include "core/stats/changepoint.h"

#include "core/stats/location.h"
#include "core/stats/order.h"
#include "core/stats/rounds.h"
#include "core/stats/segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Logarithms, or values divided by a typical size, so that thresholds mean the same on both. */
struct scale {
	bool linear;
	double unit;
};

static double scale_in(const struct scale *scale, double value)
{
	return scale->linear ? value / scale->unit : log(value);
}

static double scale_out(const struct scale *scale, double value)
{
	return scale->linear ? value * scale->unit : exp(value);
}

/* A difference on the scale as a change relative to the level where it begins. */
static double scale_relative(const struct scale *scale, double from, double difference)
{
	if (!scale->linear)
		return expm1(difference);
	return fabs(from) > 0 ? difference / fabs(from) : NAN;
}

struct line {
	size_t n;                  /* measured commits */
	const size_t *commit;      /* their indices, ascending */
	const size_t *start;       /* n + 1: of each commit's values */
	struct pe_samples samples; /* round-corrected readings */
	bool *linked;
	size_t *component;
	double *block_variance;
	struct pe_located located;
	double *variance; /* of each location as a witness of its level: error and jitter */
	double *limit;    /* see find_limits() */
	struct pe_segment_value *seen;
	struct pe_segments segments; /* start is shortened when small changes are dropped */
	double *level;               /* one a segment */
	double *level_variance;
	double freedom; /* degrees of freedom that the variances rest on in the end */
	double jitter;
};

static struct scale choose_scale(const struct pe_readings *readings, struct pe_arena *work)
{
	struct scale scale = {false, 1};
	double *size = pe_arena_new(work, double, readings->n);
	size_t n = 0;

	for (size_t i = 0; i < readings->n; i++) {
		double value = readings->at[i].value;

		if (!isfinite(value))
			continue;
		scale.linear |= value <= 0;
		if (fabs(value) > 0)
			size[n++] = fabs(value);
	}
	if (scale.linear && n > 0)
		scale.unit = pe_order_median(size, n);
	return scale;
}

static struct pe_readings transform(const struct pe_readings *readings, const struct scale *scale,
				    struct pe_arena *work)
{
	struct pe_reading *at = pe_arena_new(work, struct pe_reading, readings->n);

	for (size_t i = 0; i < readings->n; i++) {
		at[i] = readings->at[i];
		at[i].value = isfinite(at[i].value) ? scale_in(scale, at[i].value) : NAN;
	}
	return (struct pe_readings){at, readings->n, readings->n_commits};
}

/* All measured commits, those that are judged together side by side and oldest first. */
struct gathered {
	size_t n;
	size_t *commit, *key; /* key: the line that a commit belongs to */
	size_t *start;        /* n + 1 */
	double *value;        /* each commit's sorted */
};

struct member {
	size_t key, commit;
};

static int by_key(const void *left, const void *right)
{
	const struct member *l = left, *r = right;

	if (l->key != r->key)
		return l->key < r->key ? -1 : 1;
	return (l->commit > r->commit) - (l->commit < r->commit);
}

static struct gathered gather(const struct pe_readings *readings, const struct pe_rounds *rounds,
			      bool along, struct pe_arena *work)
{
	size_t n_commits = readings->n_commits, *place = pe_arena_new(work, size_t, n_commits);
	struct member *members = pe_arena_new(work, struct member, n_commits);
	struct gathered all = {
		0, pe_arena_new(work, size_t, n_commits), pe_arena_new(work, size_t, n_commits),
		pe_arena_new(work, size_t, n_commits + 1), pe_arena_new(work, double, readings->n)};

	for (size_t i = 0; i < n_commits; i++)
		if (rounds->component[i] != PE_NO_COMPONENT)
			members[all.n++] = (struct member){along ? 0 : rounds->component[i], i};
	qsort(members, all.n, sizeof(*members), by_key);
	for (size_t i = 0; i < readings->n; i++)
		place[readings->at[i].commit] += rounds->used[i];
	for (size_t i = 0; i < all.n; i++) {
		size_t commit = members[i].commit, count = place[commit];

		all.commit[i] = commit;
		all.key[i] = members[i].key;
		place[commit] = all.start[i];
		all.start[i + 1] = all.start[i] + count;
	}
	for (size_t i = 0; i < readings->n; i++)
		if (rounds->used[i])
			all.value[place[readings->at[i].commit]++] = rounds->value[i];
	for (size_t i = 0; i < all.n; i++)
		pe_order_sort(all.value + all.start[i], all.start[i + 1] - all.start[i]);
	return all;
}

/* The line that begins at `from`. */
static struct line take_line(const struct gathered *all, size_t from,
			     const struct pe_rounds *rounds, struct pe_arena *work)
{
	struct line line = {.commit = all->commit + from, .start = all->start + from};

	while (from + line.n < all->n && all->key[from + line.n] == all->key[from])
		line.n++;
	line.samples = (struct pe_samples){all->value, line.start, line.n};
	line.linked = pe_arena_new(work, bool, line.n);
	line.component = pe_arena_new(work, size_t, line.n);
	line.block_variance = pe_arena_new(work, double, line.n);
	for (size_t i = 0; i < line.n; i++) {
		line.linked[i] = rounds->linked[line.commit[i]];
		line.component[i] = rounds->component[line.commit[i]];
		line.block_variance[i] = rounds->block_variance[line.commit[i]];
	}
	return line;
}

/*
 * Deviation of one location as successive differences show it: steps between levels are few and
 * leave the median alone. The lower of two medians: with two differences one may be a step.
 */
static double difference_scale(const double *at, size_t n, double *scratch)
{
	double median;

	if (n < 2)
		return 0;
	for (size_t i = 0; i + 1 < n; i++)
		scratch[i] = fabs(at[i + 1] - at[i]);
	median = pe_order_select(scratch, n - 1, (n - 2) / 2);
	if (median > 0)
		return PE_MAD_TO_SD * median / sqrt(2);
	return pe_order_scale(scratch, n - 1) / sqrt(2);
}

/* The location under which successive commits differ least; the quartile where too few can tell. */
static void locate(struct line *line, struct pe_arena *work)
{
	const size_t enough = 20;
	double *scratch = pe_arena_new(work, double, line->n);
	double least;

	line->located = pe_locate_all(&line->samples, PE_LOCATION_QUARTILE, work);
	if (line->n < enough)
		return;
	least = difference_scale(line->located.at, line->n, scratch);
	for (int how = PE_LOCATION_QUARTILE + 1; how < PE_N_LOCATIONS; how++) {
		struct pe_located other = pe_locate_all(&line->samples, how, work);
		double scale = difference_scale(other.at, line->n, scratch);

		if (scale < least) {
			least = scale;
			line->located = other;
		}
	}
}

/*
 * Variance of each location about its level: its own error and the jitter between commits. The
 * series' jitter is worth about 0.37 degrees of freedom a difference (the efficiency of a median
 * deviation), the assumed one `prior`; the geometric mean weighs them, because a step among few
 * differences makes the series' figure many times too large. Under five commits the assumption
 * stands alone.
 */
static void estimate_variance(struct line *line, const struct pe_changepoint_opts *opts,
			      struct pe_arena *work)
{
	const double prior = 2;
	double *scratch = pe_arena_new(work, double, line->n);
	double own = line->n > 4 ? 0.37 * (double)(line->n - 4) : 0;
	double apart = difference_scale(line->located.at, line->n, scratch);
	double floor = opts->min_effect * opts->min_effect / 400;
	double seen, assumed = opts->prior_jitter * opts->prior_jitter;
	bool alone = line->located.freedom <
		     1; /* single runs: jitter has to stand for their noise too */
	double jitter;

	line->variance = pe_arena_new(work, double, line->n);
	for (size_t i = 0; i < line->n; i++) {
		line->variance[i] = line->located.variance[i] + line->block_variance[i];
		scratch[i] = line->variance[i];
		if (alone || !line->linked[i])
			assumed = opts->prior_drift * opts->prior_drift;
	}
	seen = fmax(apart * apart - pe_order_median(scratch, line->n), 0.05 * apart * apart);
	/* Levels closer than a twentieth of the smallest effect of interest are not told apart. */
	seen = fmax(seen, floor);
	jitter = exp((own * log(seen) + prior * log(fmax(assumed, floor))) / (own + prior));
	for (size_t i = 0; i < line->n; i++)
		line->variance[i] += jitter;
	line->jitter = sqrt(jitter);
}

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

/*
 * Do a commit's readings lie apart from those of the five commits on either side? By the rank sum
 * (Mann and Whitney 1947), which no outlier and no second mode can fool as they can a location of
 * five values; 3.3 standard errors, or as far apart as so few readings can be.
 */
static bool stands_off(const struct line *line, size_t commit)
{
	size_t from = commit > 5 ? commit - 5 : 0, to = commit + 6 < line->n ? commit + 6 : line->n;
	const double *own = line->samples.value + line->start[commit];
	double m = (double)(line->start[commit + 1] - line->start[commit]), n = 0, above = 0, z;

	for (size_t i = from; i < to; i++) {
		size_t count = line->start[i + 1] - line->start[i];

		if (i == commit)
			continue;
		above += pairs_above(line->samples.value + line->start[i], count, own, (size_t)m);
		n += (double)count;
	}
	z = fabs(above - n * m / 2) / sqrt(n * m * (n + m + 1) / 12);
	return z >= fmin(pe_normal_quantile(0.003 / (double)line->n),
			 0.93 * sqrt(3 * n * m / (n + m + 1)));
}

/*
 * The most that a commit can say for a change: as much as it likes when it met others in rounds and
 * its readings bear it out; otherwise no more than an outlier, so that it takes several to make a
 * level. The machine can be the cause where there was no company, but a newest commit must be heard
 * all the same.
 */
static void find_limits(struct line *line, double k, double penalty, struct pe_arena *work)
{
	line->limit = pe_arena_new(work, double, line->n);
	for (size_t i = 0; i < line->n; i++) {
		bool end = i == 0 || i + 1 == line->n;

		line->limit[i] = k * k;
		if (line->n > 1 && (line->linked[i] || end) && stands_off(line, i))
			line->limit[i] = line->linked[i] ? INFINITY : fmax(k * k, 1.5 * penalty);
	}
}

/* What each commit says to the search. */
static void weigh(struct line *line, double inflation)
{
	for (size_t i = 0; i < line->n; i++) {
		struct pe_segment_value *seen = &line->seen[i];

		seen->value = line->located.at[i];
		seen->sd = sqrt(line->variance[i] * inflation);
		seen->limit = line->limit[i];
	}
}

static size_t segment_end(const struct line *line, size_t segment)
{
	return segment + 1 < line->segments.n ? line->segments.start[segment + 1] : line->n;
}

/* Level of each segment and its variance (that of a weighted mean, or more where many are clipped).
 */
static void find_levels(struct line *line, double k)
{
	for (size_t s = 0; s < line->segments.n; s++) {
		size_t from = line->segments.start[s], to = segment_end(line, s);
		double weights = 0, level;

		level = pe_segment_level(line->seen + from, to - from, k);
		for (size_t i = from; i < to; i++) {
			double u = fabs(line->seen[i].value - level) / line->seen[i].sd;
			double w = u <= k ? 1 : k / u;

			weights += w / (line->seen[i].sd * line->seen[i].sd);
		}
		line->level[s] = level;
		line->level_variance[s] = 1 / weights;
	}
}

/*
 * How much larger the variance is than was thought, from what the levels leave over, clipped: its spread,
 * which a series' worth of squares tells better than the median of differences did (what was thought counts
 * as four of them), and its lag-one autocorrelation r, as (1 + r) / (1 - r), where enough commits show it.
 */
static double excess_variance(const struct line *line, double k)
{
	const double prior = 4;
	double products = 0, squares = 0, was = 0, r = 0, spread;

	for (size_t s = 0; s < line->segments.n; s++) {
		for (size_t i = line->segments.start[s]; i < segment_end(line, s); i++) {
			double u = (line->located.at[i] - line->level[s]) / sqrt(line->variance[i]);

			u = fmax(-k, fmin(k, u));
			squares += u * u;
			products += i > 0 ? u * was : 0;
			was = u;
		}
	}
	if (line->n >= 10 && squares > 0)
		r = fmin(0.9, fmax(0, products / squares));
	spread = (squares + prior) / ((double)(line->n - line->segments.n) + prior);
	return fmax(1, spread) * (1 + r) / (1 - r);
}

static bool same_segments(const struct pe_segments *a, const struct pe_segments *b)
{
	return a->n == b->n &&
	       (a->n == 0 || memcmp(a->start, b->start, a->n * sizeof(*a->start)) == 0);
}

/* Search, see how the rest hangs together, and search again until the answer stays. */
static void search(struct line *line, const struct pe_changepoint_opts *opts, struct pe_arena *work)
{
	enum { PASSES = 8 };
	double penalty = opts->alpha * log(fmax(100, (double)line->n));
	double inflation = 1;

	line->seen = pe_arena_new(work, struct pe_segment_value, line->n);
	line->level = pe_arena_new(work, double, line->n);
	line->level_variance = pe_arena_new(work, double, line->n);
	find_limits(line, opts->huber_k, penalty, work);
	for (int pass = 0; pass < PASSES; pass++) {
		struct pe_segments was = line->segments;

		weigh(line, inflation);
		line->segments = pe_segment(line->seen, line->n, penalty, opts->huber_k, work);
		find_levels(line, opts->huber_k);
		if (same_segments(&was, &line->segments))
			break;
		inflation = excess_variance(line, opts->huber_k);
	}
}

/*
 * Variance of the change into a segment. Where windows meet, the error of their offsets is common to all
 * commits of a window, and no number of them averages it away: it is counted once more at the seam.
 */
static double change_variance(const struct line *line, size_t segment)
{
	size_t first = line->segments.start[segment];

	return line->level_variance[segment - 1] + line->level_variance[segment] +
	       line->block_variance[first - 1] + line->block_variance[first];
}

static double strength(const struct line *line, size_t segment)
{
	return (line->level[segment] - line->level[segment - 1]) /
	       sqrt(change_variance(line, segment));
}

/* Make one level of a segment and the one before it. */
static void drop(struct line *line, size_t segment, double k)
{
	line->segments.n--;
	memmove(line->segments.start + segment, line->segments.start + segment + 1,
		(line->segments.n - segment) * sizeof(*line->segments.start));
	find_levels(line, k);
}

/*
 * The search took the variance for known. It rests on the deviations of readings within commits and of
 * commits about their levels: drop the weakest change until all are as unlikely by Student's distribution
 * as the penalty asks by the normal one. In long series this drops nothing.
 */
static void drop_doubtful(struct line *line, const struct pe_changepoint_opts *opts)
{
	double z = sqrt(opts->alpha * log(fmax(100, (double)line->n)));

	for (;;) {
		size_t least = 1;

		weigh(line, excess_variance(line, opts->huber_k));
		find_levels(line, opts->huber_k);
		line->freedom = line->located.freedom + (double)(line->n - line->segments.n);
		for (size_t s = 2; s < line->segments.n; s++)
			if (fabs(strength(line, s)) < fabs(strength(line, least)))
				least = s;
		if (line->segments.n < 2 ||
		    (line->freedom >= 1 &&
		     fabs(strength(line, least)) >= 0.98 * pe_student_quantile(z, line->freedom)))
			return;
		drop(line, least, opts->huber_k);
	}
}

/* Size of the change into a segment, in the terms of min_effect. */
static double effect(const struct line *line, const struct scale *scale, size_t segment)
{
	double from = line->level[segment - 1], to = line->level[segment];

	if (!scale->linear)
		return fabs(expm1(to - from));
	return fabs(to - from) / fmax(fabs(from), fabs(to));
}

/* Drop the smallest change below the minimum, and look again: two small ones may be one that is
 * not. */
static void drop_small(struct line *line, const struct scale *scale,
		       const struct pe_changepoint_opts *opts)
{
	for (;;) {
		size_t least = 0;

		for (size_t s = 1; s < line->segments.n; s++) {
			double size = effect(line, scale, s);

			if (size < opts->min_effect &&
			    (least == 0 || size < effect(line, scale, least)))
				least = s;
		}
		if (least == 0)
			return;
		drop(line, least, opts->huber_k);
	}
}

static struct pe_changepoint describe(const struct line *line, const struct scale *scale,
				      size_t segment)
{
	size_t first = line->segments.start[segment];
	double from = line->level[segment - 1], to = line->level[segment];
	double error = sqrt(change_variance(line, segment));
	double reach = pe_student_quantile(pe_normal_quantile(0.025), line->freedom) * error;

	return (struct pe_changepoint){
		.index = line->commit[first],
		.before = line->commit[first - 1],
		.level_before = scale_out(scale, from),
		.level_after = scale_out(scale, to),
		.relative = scale_relative(scale, from, to - from),
		.low = scale_relative(scale, from, to - from - reach),
		.high = scale_relative(scale, from, to - from + reach),
		.strength = strength(line, segment),
		.unlinked = line->component[first] != line->component[first - 1],
	};
}

/* Append what a line showed to the result. */
static void report(struct pe_changepoints *out, const struct line *line, const struct scale *scale)
{
	for (size_t s = 0; s < line->segments.n; s++) {
		if (s > 0)
			out->at[out->n++] = describe(line, scale, s);
		for (size_t i = line->segments.start[s]; i < segment_end(line, s); i++) {
			struct pe_commit_level *commit = &out->commits[line->commit[i]];
			double error = sqrt(line->located.variance[i]);

			commit->n = line->start[i + 1] - line->start[i];
			commit->location = scale_out(scale, line->located.at[i]);
			commit->error = error * (scale->linear ? scale->unit : commit->location);
			commit->level = scale_out(scale, line->level[s]);
			commit->component = line->component[i];
		}
	}
}

static int by_index(const void *left, const void *right)
{
	const struct pe_changepoint *l = left, *r = right;

	return (l->index > r->index) - (l->index < r->index);
}

static struct pe_changepoints empty(size_t n_commits, struct pe_arena *arena)
{
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, n_commits),
		.jitter = NAN};

	for (size_t i = 0; i < n_commits; i++)
		out.commits[i] = (struct pe_commit_level){0, NAN, NAN, NAN, PE_NO_COMPONENT};
	return out;
}

struct pe_changepoints pe_changepoints_find(const struct pe_readings *readings,
					    const struct pe_changepoint_opts *opts,
					    struct pe_arena *arena)
{
	static const struct pe_changepoint_opts defaults = PE_CHANGEPOINT_DEFAULTS;
	struct pe_changepoints out = empty(readings->n_commits, arena);
	struct pe_arena work = PE_ARENA_INIT;
	struct scale scale = choose_scale(readings, &work);
	struct pe_readings scaled = transform(readings, &scale, &work);
	struct pe_rounds rounds = pe_rounds_remove(&scaled, &work);
	struct gathered all;

	if (opts == NULL)
		opts = &defaults;
	all = gather(&scaled, &rounds, opts->unlinked == PE_UNLINKED_ALONG, &work);
	out.linear = scale.linear;
	out.n_components = rounds.n_components;
	for (size_t from = 0; from < all.n;) {
		struct line line = take_line(&all, from, &rounds, &work);

		from += line.n;
		locate(&line, &work);
		estimate_variance(&line, opts, &work);
		search(&line, opts, &work);
		drop_doubtful(&line, opts);
		drop_small(&line, &scale, opts);
		report(&out, &line, &scale);
		out.jitter = fmax(line.jitter, out.jitter);
	}
	if (out.n > 1)
		qsort(out.at, out.n, sizeof(*out.at), by_index);
	pe_arena_release(&work);
	return out;
}
