#include "core/stats/changepoint.h"

#include "core/base/sort.h"
#include "core/stats/line.h"
#include "core/stats/order.h"
#include "core/stats/pin.h"
#include "core/stats/segment.h"

#include <math.h>
#include <string.h>

/* A line cut into levels. */
struct fit {
	const struct pe_commit_line *line;
	const struct pe_scale *scale;
	struct pe_segment_value *seen;
	struct pe_segments segments; /* start is shortened when changes are dropped */
	double *level;               /* one a segment */
	double *level_variance;
	double freedom; /* degrees of freedom that the variances rest on in the end */
	const struct pe_run_likelihood *likelihood; /* of its runs; NULL: there is no law of them */
};

/* Compute the value and weight of each commit for the search. */
static void weigh(struct fit *fit, double inflation)
{
	for (size_t i = 0; i < fit->line->n; i++) {
		struct pe_segment_value *seen = &fit->seen[i];

		seen->value = fit->line->located.at[i];
		seen->sd = sqrt(fit->line->variance[i] * inflation);
		seen->limit = fit->line->limit[i];
	}
}

static size_t segment_end(const struct fit *fit, size_t segment)
{
	return segment + 1 < fit->segments.n ? fit->segments.start[segment + 1] : fit->line->n;
}

/* Level of each segment and its variance (that of a weighted mean, or more where many are clipped). */
static void find_levels(struct fit *fit, double k)
{
	for (size_t s = 0; s < fit->segments.n; s++) {
		size_t from = fit->segments.start[s], to = segment_end(fit, s);
		double weights = 0, level;

		level = pe_segment_level(fit->seen + from, to - from, k);
		for (size_t i = from; i < to; i++) {
			double u = fabs(fit->seen[i].value - level) / fit->seen[i].sd;
			double w = u <= k ? 1 : k / u;

			weights += w / (fit->seen[i].sd * fit->seen[i].sd);
		}
		fit->level[s] = level;
		fit->level_variance[s] = 1 / weights;
	}
}

/*
 * How much larger the variance is than assumed, from the residuals of the levels, clipped: by their spread, which a
 * series' worth of squares estimates better than the median of differences did (the assumption counts as four of them),
 * and by their lag-one autocorrelation r, as (1 + r) / (1 - r), where there are enough commits.
 */
static double excess_variance(const struct fit *fit, double k)
{
	const double prior = 4;
	double products = 0, squares = 0, was = 0, r = 0, spread;

	for (size_t s = 0; s < fit->segments.n; s++) {
		for (size_t i = fit->segments.start[s]; i < segment_end(fit, s); i++) {
			double u = (fit->line->located.at[i] - fit->level[s]) /
				   sqrt(fit->line->variance[i]);

			u = fmax(-k, fmin(k, u));
			squares += u * u;
			products += i > 0 ? u * was : 0;
			was = u;
		}
	}
	if (fit->line->n >= 10 && squares > 0)
		r = fmin(0.9, fmax(0, products / squares));
	spread = (squares + prior) / ((double)(fit->line->n - fit->segments.n) + prior);
	return fmax(1, spread) * (1 + r) / (1 - r);
}

static bool same_segments(const struct pe_segments *a, const struct pe_segments *b)
{
	return a->n == b->n &&
	       (a->n == 0 || memcmp(a->start, b->start, a->n * sizeof(*a->start)) == 0);
}

/* Search, see how the rest hangs together, and search again until the answer stays. */
static void search(struct fit *fit, const struct pe_changepoint_opts *opts, struct pe_arena *work)
{
	enum { PASSES = 8 };
	double penalty = pe_line_penalty(fit->line, opts);
	double inflation = 1;

	fit->seen = pe_arena_new(work, struct pe_segment_value, fit->line->n);
	fit->level = pe_arena_new(work, double, fit->line->n);
	fit->level_variance = pe_arena_new(work, double, fit->line->n);
	for (int pass = 0; pass < PASSES; pass++) {
		struct pe_segments was = fit->segments;

		weigh(fit, inflation);
		fit->segments = pe_segment(fit->seen, fit->line->n, penalty, opts->huber_k, work);
		find_levels(fit, opts->huber_k);
		if (same_segments(&was, &fit->segments))
			break;
		inflation = excess_variance(fit, opts->huber_k);
	}
}

/*
 * Variance of the change into a segment. Where batches meet, the error of their offsets is common to all
 * commits of a batch, and no number of them averages it away: it is counted once more at the seam.
 */
static double change_variance(const struct fit *fit, size_t segment)
{
	size_t first = fit->segments.start[segment];

	return fit->level_variance[segment - 1] + fit->level_variance[segment] +
	       fit->line->block_variance[first - 1] + fit->line->block_variance[first];
}

static double strength(const struct fit *fit, size_t segment)
{
	return (fit->level[segment] - fit->level[segment - 1]) /
	       sqrt(change_variance(fit, segment));
}

/* Make one level of a segment and the one before it. */
static void drop(struct fit *fit, size_t segment, double k)
{
	fit->segments.n--;
	memmove(fit->segments.start + segment, fit->segments.start + segment + 1,
		(fit->segments.n - segment) * sizeof(*fit->segments.start));
	find_levels(fit, k);
}

/*
 * Degrees of freedom of the variances, to Satterthwaite's rule ("An approximate distribution of estimates of variance
 * components", Biometrics Bulletin 2 (1946)): the readings' scatter and the commits' about their levels are
 * estimates, the jitter is an assumption where few builds are all.
 */
static double freedom_of(const struct fit *fit)
{
	const struct pe_commit_line *line = fit->line;
	double own = line->located.freedom + (double)(line->n - fit->segments.n);
	double all = 0, estimated = 0;

	for (size_t i = 0; i < line->n; i++) {
		all += line->variance[i];
		estimated += line->variance[i] - line->jitter * line->jitter;
	}
	if (line->located.freedom < 1 || !(estimated > 0))
		return own;
	return own * (all / estimated) * (all / estimated);
}

/*
 * The search took the variance for known. It rests on the deviations of readings within commits and of
 * commits about their levels: drop the weakest change until all are as unlikely by Student's distribution
 * as the penalty asks by the normal one. In long series this drops nothing.
 */
static void drop_doubtful(struct fit *fit, const struct pe_changepoint_opts *opts)
{
	double z = sqrt(pe_line_penalty(fit->line, opts));

	for (;;) {
		size_t least = 1;

		weigh(fit, excess_variance(fit, opts->huber_k));
		find_levels(fit, opts->huber_k);
		fit->freedom = freedom_of(fit);
		for (size_t s = 2; s < fit->segments.n; s++)
			if (fabs(strength(fit, s)) < fabs(strength(fit, least)))
				least = s;
		if (fit->segments.n < 2 ||
		    (fit->freedom >= 1 &&
		     fabs(strength(fit, least)) >= 0.98 * pe_student_quantile(z, fit->freedom)))
			return;
		drop(fit, least, opts->huber_k);
	}
}

/* Where the readings of single commits show more levels than their locations do, those are the levels. */
static void adopt_steps(struct fit *fit, const struct pe_changepoint_opts *opts,
			struct pe_arena *work)
{
	/* This many commits show their jitter. */
	const size_t enough = 20;
	size_t *start = pe_arena_new(work, size_t, fit->line->n), n = 1;

	for (size_t i = 1; i < fit->line->n; i++)
		if (fit->line->step[i])
			start[n++] = i;
	if (n < fit->segments.n + (fit->line->n >= enough) || n < 2 || fit->line->n > PE_LINE_FEW)
		return;
	fit->segments = (struct pe_segments){start, n, NAN};
	find_levels(fit, opts->huber_k);
	weigh(fit, excess_variance(fit, opts->huber_k));
	find_levels(fit, opts->huber_k);
	fit->freedom = freedom_of(fit);
}

/* Size of the change into a segment, in the terms of min_effect. */
static double effect(const struct fit *fit, size_t segment)
{
	double from = fit->level[segment - 1], to = fit->level[segment];

	if (!fit->scale->linear)
		return fabs(expm1(to - from));
	return fabs(to - from) / fmax(fabs(from), fabs(to));
}

/* Drop the smallest change below the minimum, and look again: two small ones may be one that is
 * not. */
static void drop_small(struct fit *fit, const struct pe_changepoint_opts *opts)
{
	for (;;) {
		size_t least = 0;

		for (size_t s = 1; s < fit->segments.n; s++) {
			double size = effect(fit, s);

			if (size < opts->min_effect && (least == 0 || size < effect(fit, least)))
				least = s;
		}
		if (least == 0)
			return;
		drop(fit, least, opts->huber_k);
	}
}

/* Use the likelihood of single runs where commits of a level differ by more than their errors. */
static void use_likelihood(struct fit *fit, struct pe_arena *work)
{
	double *stray = pe_arena_new(work, double, fit->line->n);

	if (fit->line->model == NULL || fit->segments.n < 2)
		return;
	for (size_t i = 0; i < fit->line->n; i++)
		stray[i] = sqrt(fmax(0, fit->seen[i].sd * fit->seen[i].sd -
						fit->line->located.variance[i]));
	fit->likelihood = pe_run_likelihood_new(fit->line->model, stray, work);
}

/* @return  whether the runs place a change */
static bool pin_by_runs(struct pe_pin *pin, size_t *at, const struct fit *fit, size_t segment)
{
	const struct pe_pin_step step = {fit->segments.start[segment - 1],
					 fit->segments.start[segment], segment_end(fit, segment),
					 fit->level[segment] - fit->level[segment - 1]};

	return fit->likelihood != NULL && pe_pin_runs(pin, at, fit->likelihood, &step);
}

/* Changes begin where the runs have it. One after the other, so that none passes the next. */
static void place(struct fit *fit, const struct pe_changepoint_opts *opts)
{
	for (size_t s = 1; s < fit->segments.n; s++) {
		struct pe_pin pin;
		size_t at;

		if (pin_by_runs(&pin, &at, fit, s))
			fit->segments.start[s] = at;
	}
	find_levels(fit, opts->huber_k);
}

/* Place a change between the ones before and after it. */
static void pin(struct pe_changepoint *change, const struct fit *fit, size_t segment, double k)
{
	size_t from = fit->segments.start[segment - 1], at;
	struct pe_pin pin;

	if (!pin_by_runs(&pin, &at, fit, segment)) {
		pin = pe_pin_change(fit->seen + from, segment_end(fit, segment) - from,
				    fit->segments.start[segment] - from, fit->level[segment - 1],
				    fit->level[segment], k);
		pin.first += from;
		pin.last += from;
	}
	change->sure = pin.sure;
	change->first = fit->line->commit[pin.first];
	change->last = fit->line->commit[pin.last];
}

/* How strong a step has to be to be found, by the number of commits on its shorter side. */
static double strength_needed(const struct fit *fit, size_t fewest,
			      const struct pe_changepoint_opts *opts)
{
	/*
	 * The search clips each commit's influence, and has its variance from the same data: in simulations
	 * the variance was a tenth larger than computed, and a fifth with one or two commits only.
	 */
	double more = fewest > 2 ? 1.1 : 1.2;
	double penalty = pe_line_penalty(fit->line, opts), k = opts->huber_k;
	double z = fmax(sqrt(penalty), 0.98 * pe_student_quantile(sqrt(penalty), fit->freedom));

	if (fewest == 1) /* on Huber's line, not on his square */
		z = fmax(z, (penalty + k * k) / (2 * k));
	return more * (z + pe_normal_quantile(0.1));
}

/* The smallest step at each commit of a segment that the search would have found nine times in ten. */
static void find_least(const struct fit *fit, size_t segment, double *least, double lone,
		       const struct pe_changepoint_opts *opts)
{
	size_t from = fit->segments.start[segment], to = segment_end(fit, segment);
	double z[3], left = 0, right = 0, nine_in_ten = pe_normal_quantile(0.1);

	for (size_t i = 0; i < 3; i++)
		z[i] = strength_needed(fit, i + 1, opts);
	for (size_t i = from; i < to; i++)
		right += 1 / (fit->seen[i].sd * fit->seen[i].sd);
	least[from] = NAN;
	for (size_t i = from + 1; i < to; i++) {
		double weight = 1 / (fit->seen[i - 1].sd * fit->seen[i - 1].sd), error, step;
		size_t fewest = i - from < to - i ? i - from : to - i;

		left += weight;
		right -= weight;
		error = sqrt(1 / left + 1 / right);
		step = z[fewest < 3 ? fewest - 1 : 2] * error;
		if (fewest == 1)
			step = fmax(step, lone);
		step = fabs(pe_scale_relative(fit->scale, fit->level[segment], step));
		least[i] = fmax(opts->min_effect + nine_in_ten * error, step);
		/* A test that would miss a doubling is not reported. */
		if (fit->freedom < 1 || least[i] > 1)
			least[i] = INFINITY;
	}
}

static struct pe_changepoint describe(const struct fit *fit, size_t segment)
{
	size_t first = fit->segments.start[segment];
	double from = fit->level[segment - 1], to = fit->level[segment];
	double error = sqrt(change_variance(fit, segment));
	double reach = pe_student_quantile(pe_normal_quantile(0.025), fit->freedom) * error;

	return (struct pe_changepoint){
		.index = fit->line->commit[first],
		.before = fit->line->commit[first - 1],
		.level_before = pe_scale_out(fit->scale, from),
		.level_after = pe_scale_out(fit->scale, to),
		.relative = pe_scale_relative(fit->scale, from, to - from),
		.low = pe_scale_relative(fit->scale, from, to - from - reach),
		.high = pe_scale_relative(fit->scale, from, to - from + reach),
		.strength = strength(fit, segment),
	};
}

/* The spread of a commit's readings, ascending, in the displayed scale: corrected for machine and session, too. */
static struct pe_spread spread_of(const struct pe_scale *scale, const double *sorted, size_t n,
				  double location, double *room)
{
	double median;

	for (size_t i = 0; i < n; i++)
		room[i] = pe_scale_out(scale, sorted[i]);
	median = pe_order_quantile(room, n, 0.5);
	return (struct pe_spread){
		.median = (float)(median - location),
		.q25 = (float)(pe_order_quantile(room, n, 0.25) - location),
		.q75 = (float)(pe_order_quantile(room, n, 0.75) - location),
		.min = (float)(room[0] - location),
		.max = (float)(room[n - 1] - location),
		.mad = (float)pe_order_mad(room, n, median, room),
	};
}

/* Append what a line showed to the result. */
static void report(struct pe_changepoints *out, const struct fit *fit,
		   const struct pe_changepoint_opts *opts, struct pe_arena *work)
{
	double *least = pe_arena_new(work, double, fit->line->n);
	double *level = pe_arena_new(work, double, fit->line->n), lone;
	const size_t *start = fit->line->start;
	double *room = pe_arena_new(work, double, start[fit->line->n] - start[0]);

	for (size_t s = 0; s < fit->segments.n; s++)
		for (size_t i = fit->segments.start[s]; i < segment_end(fit, s); i++)
			level[i] = fit->level[s];
	lone = fit->line->model != NULL ? pe_staircase_least(fit->line->model, level) : INFINITY;
	for (size_t s = 0; s < fit->segments.n; s++) {
		find_least(fit, s, least, lone, opts);
		if (s > 0) {
			out->at[out->n] = describe(fit, s);
			pin(&out->at[out->n++], fit, s, opts->huber_k);
		}
		for (size_t i = fit->segments.start[s]; i < segment_end(fit, s); i++) {
			struct pe_commit_level *commit = &out->commits[fit->line->commit[i]];
			double error = sqrt(fit->line->located.variance[i]);

			commit->n = start[i + 1] - start[i];
			commit->location = pe_scale_out(fit->scale, fit->line->located.at[i]);
			commit->spread = spread_of(fit->scale, fit->line->samples.value + start[i],
						   commit->n, commit->location, room);
			commit->error =
				error * (fit->scale->linear ? fit->scale->unit : commit->location);
			commit->level = pe_scale_out(fit->scale, fit->level[s]);
			commit->component = fit->line->component;
			commit->least = least[i];
		}
	}
}

PE_SORT_BY(by_index, struct pe_changepoint, index);

static struct pe_changepoints empty(size_t n_commits, struct pe_arena *arena)
{
	struct pe_changepoints out = {
		.at = pe_arena_new(arena, struct pe_changepoint, n_commits),
		.commits = pe_arena_new(arena, struct pe_commit_level, n_commits),
		.n_commits = n_commits,
		.jitter = NAN};

	for (size_t i = 0; i < n_commits; i++)
		out.commits[i] = (struct pe_commit_level)PE_COMMIT_LEVEL_NONE;
	return out;
}

static bool has_several_batches(const struct pe_readings *readings)
{
	for (size_t i = 1; i < readings->n; i++)
		if (readings->at[i].batch != readings->at[0].batch)
			return true;
	return false;
}

struct pe_changepoints pe_changepoints_find(const struct pe_readings *readings,
					    const struct pe_changepoint_opts *opts,
					    struct pe_arena *arena)
{
	struct pe_changepoints out = empty(readings->n_commits, arena);
	pe_auto_arena work = PE_ARENA_INIT;
	const struct pe_lines lines = pe_lines_of(readings, opts, &work);

	out.linear = lines.scale.linear;
	out.n_components = lines.n_components;
	out.several_batches = has_several_batches(readings);
	for (size_t i = 0; i < lines.n; i++) {
		struct fit fit = {.line = &lines.at[i], .scale = &lines.scale};

		search(&fit, opts, &work);
		drop_doubtful(&fit, opts);
		adopt_steps(&fit, opts, &work);
		use_likelihood(&fit, &work);
		place(&fit, opts);
		drop_small(&fit, opts);
		report(&out, &fit, opts, &work);
		out.jitter = fmax(fit.line->jitter, out.jitter);
	}
	pe_sort(out.at, out.n, by_index);
	return out;
}

struct pe_changepoint_reach pe_changepoint_reach(const struct pe_changepoints *found, size_t change)
{
	const struct pe_changepoint *at = &found->at[change];
	struct pe_changepoint_reach reach = {0, found->n_commits};

	for (size_t i = 0; i < found->n; i++) {
		size_t other = found->at[i].index;

		if (other <= at->before && other > reach.from)
			reach.from = other;
		if (other > at->index && other < reach.to)
			reach.to = other;
	}
	return reach;
}

bool pe_changepoint_holds(const struct pe_changepoints *found, size_t change, size_t commit)
{
	const struct pe_changepoint *at = &found->at[change];

	return found->commits[commit].n > 0 &&
	       found->commits[commit].component == found->commits[at->index].component;
}
