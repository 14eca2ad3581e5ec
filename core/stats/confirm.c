#include "core/stats/confirm.h"

#include "core/base/random.h"
#include "core/stats/order.h"
#include "core/stats/signed_rank.h"

#include <assert.h>
#include <math.h>

static const size_t look_at[PE_CONFIRM_LOOKS] = {8, 12, 18, 27, 40, 60, 90, PE_CONFIRM_PAIRS};

/* The first look that may refute: eight pairs are too few for that. */
#define FIRST_REFUSAL 1

/* Chance of missing that the interval of each look is allowed; all of them together 0.05. */
static double level_of_look(size_t look)
{
	const double first = 2. / 256; /* the range of eight differences */

	return look == 0 ? first : (0.05 - first) / (PE_CONFIRM_LOOKS - 1);
}

void pe_confirm_begin(struct pe_confirm *confirm, int direction, const struct pe_confirm_opts *opts)
{
	assert(direction != 0);
	*confirm = (struct pe_confirm){.opts = *opts, .direction = direction > 0 ? 1 : -1};
}

/* A relative change on the scale of the differences; -1 and below have no logarithm. */
static double to_scale(const struct pe_confirm *confirm, double relative)
{
	return confirm->opts.unit > 0 ? relative : log1p(relative);
}

static double from_scale(const struct pe_confirm *confirm, double difference)
{
	return confirm->opts.unit > 0 ? difference : expm1(difference);
}

/* The margin of the smallest effect, in the same scale. */
static double margin(const struct pe_confirm *confirm)
{
	return fabs(to_scale(confirm, confirm->direction * confirm->opts.margin));
}

/* The smallest effect as a step in the suspected direction, > 0. */
static double least_step(const struct pe_confirm *confirm)
{
	return fabs(to_scale(confirm, confirm->direction * confirm->opts.min_effect));
}

static struct pe_signed_rank_interval interval_at(const struct pe_confirm *confirm, size_t look)
{
	return pe_signed_rank_interval(confirm->difference, look_at[look], level_of_look(look));
}

/* Of a step beyond `bar` in the suspected direction (sign 1), or short of it (sign -1). */
static double p_at(const struct pe_confirm *confirm, size_t look, double bar, int sign)
{
	double towards[PE_CONFIRM_PAIRS];

	for (size_t i = 0; i < look_at[look]; i++)
		towards[i] = sign * (confirm->direction * confirm->difference[i] - bar);
	return pe_signed_rank_p(towards, look_at[look]);
}

/* Whether the pairs contradict the suspected size. */
static bool speaks_against(const struct pe_confirm *confirm, size_t look)
{
	const double part = 0.75, level = 0.02;
	double suspected = confirm->direction * fabs(confirm->opts.suspected);

	return !(fabs(suspected) > 0) ||
	       p_at(confirm, look, part * fabs(to_scale(confirm, suspected)), -1) <= level;
}

/*
 * Standard error of the estimate, from the width of the interval, which is computed anew at a level that even eight
 * differences have.
 */
static double error_at(const struct pe_confirm *confirm, size_t look)
{
	struct pe_signed_rank_interval wide =
		pe_signed_rank_interval(confirm->difference, look_at[look], 0.05);

	return (wide.high - wide.low) / (2 * pe_normal_quantile(wide.level / 2));
}

/* z such that estimates z errors above `bar` deviations clear it nine times in ten. */
static double power_z(double tail)
{
	return pe_normal_quantile(tail) + pe_normal_quantile(0.1);
}

/* The smallest change, in the suspected direction, that as many pairs confirm nine times in ten. */
static double least_at(const struct pe_confirm *confirm, size_t look)
{
	double step = margin(confirm) + power_z(confirm->opts.accept) * error_at(confirm, look);

	return fmax(fabs(from_scale(confirm, confirm->direction * step)), confirm->opts.min_effect);
}

/* The p of a change against the suspected direction from which on it is likely enough to go on. */
#define OTHER_WAY 0.05

/* The p of a change against the suspected direction; 1 where it is not asked for. */
static double other_p_at(const struct pe_confirm *confirm, size_t look)
{
	return confirm->opts.both_ways ? p_at(confirm, look, -margin(confirm), -1) : 1;
}

static bool is_precise(const struct pe_confirm *confirm, size_t look)
{
	return !(confirm->opts.precise > 0) || least_at(confirm, look) <= confirm->opts.precise;
}

static enum pe_confirm_answer look(struct pe_confirm *confirm)
{
	size_t now = confirm->looks++;
	struct pe_signed_rank_interval interval = interval_at(confirm, now);
	double step = confirm->direction * interval.estimate;
	double most = confirm->direction > 0 ? interval.high : -interval.low;
	double p = p_at(confirm, now, margin(confirm), 1), other = other_p_at(confirm, now);

	confirm->p[now] = fmin(p, other);
	if ((p <= confirm->opts.accept && step >= least_step(confirm)) ||
	    (other <= confirm->opts.accept && -step >= least_step(confirm)))
		return PE_CONFIRMED;
	if (now >= FIRST_REFUSAL && other > OTHER_WAY &&
	    (most < least_step(confirm) ||
	     (p > confirm->opts.give_up && speaks_against(confirm, now) &&
	      is_precise(confirm, now))))
		return PE_REFUTED;
	return confirm->looks < PE_CONFIRM_LOOKS ? PE_CONFIRM_GO_ON : PE_CONFIRM_UNDECIDED;
}

enum pe_confirm_answer pe_confirm_feed(struct pe_confirm *confirm, double left, double right)
{
	double unit = confirm->opts.unit;

	if (confirm->answer != PE_CONFIRM_GO_ON || !isfinite(left) || !isfinite(right) ||
	    (!(unit > 0) && !(left > 0 && right > 0)))
		return confirm->answer;
	confirm->difference[confirm->n++] =
		unit > 0 ? (right - left) / unit : log(right) - log(left);
	if (confirm->n == look_at[confirm->looks])
		confirm->answer = look(confirm);
	return confirm->answer;
}

size_t pe_confirm_needed(const struct pe_confirm *confirm)
{
	return confirm->answer == PE_CONFIRM_GO_ON ? look_at[confirm->looks] - confirm->n : 0;
}

/*
 * Total number of pairs that decide if the truth is the estimate: by a small enough p, or by an interval that ends below
 * the smallest effect. A truth close to that effect cannot be distinguished from it; within a quarter of it no more
 * precision is required.
 */
static double pairs_to_decide(const struct pe_confirm *confirm, double step, double error, double n)
{
	double least = least_step(confirm), z, apart;

	if (step >= least) {
		z = power_z(confirm->opts.accept);
		apart = fmax(step - margin(confirm), least / 4);
	} else {
		z = power_z(level_of_look(PE_CONFIRM_LOOKS - 1) / 2);
		apart = fmax(least - step, least / 4);
	}
	return apart > 0 ? n * pow(z * error / apart, 2) : INFINITY;
}

struct pe_confirm_result pe_confirm_result(const struct pe_confirm *confirm)
{
	struct pe_confirm_result result = {0, NAN, NAN, NAN, 0, NAN, NAN, 0};
	struct pe_signed_rank_interval interval;
	double error, pairs;
	size_t last;

	if (confirm->looks == 0)
		return result;
	last = confirm->looks - 1;
	interval = interval_at(confirm, last);
	result.pairs = look_at[last];
	result.relative = from_scale(confirm, interval.estimate);
	result.low = from_scale(confirm, interval.low);
	result.high = from_scale(confirm, interval.high);
	result.confidence = 0.95;
	result.p = 1;
	for (size_t i = 0; i <= last; i++)
		result.p = fmin(result.p, PE_CONFIRM_LOOKS * confirm->p[i]);
	error = error_at(confirm, last);
	result.least = least_at(confirm, last);
	if (confirm->answer == PE_CONFIRM_UNDECIDED) {
		pairs = pairs_to_decide(confirm, confirm->direction * interval.estimate, error,
					(double)result.pairs);
		/* At least a tenth: another handful of pairs seldom turns what 135 did not. */
		result.more = (size_t)ceil(
			fmin(fmax(pairs, 1.1 * (double)result.pairs) - (double)result.pairs, 1e9));
	}
	return result;
}

struct pe_confirm_sides pe_confirm_sides(const struct pe_changepoints *found, size_t change)
{
	const struct pe_changepoint *at = &found->at[change];
	struct pe_changepoint_reach reach = pe_changepoint_reach(found, change);
	struct pe_confirm_sides sides = {{0}, {0}, 0, 0};

	for (size_t i = at->first; i-- > reach.from && sides.n_left < 3;)
		if (pe_changepoint_holds(found, change, i))
			sides.left[sides.n_left++] = i;
	for (size_t i = at->last; i < reach.to && sides.n_right < 3; i++)
		if (pe_changepoint_holds(found, change, i))
			sides.right[sides.n_right++] = i;
	if (sides.n_left == 0)
		sides.left[sides.n_left++] = at->before;
	if (sides.n_right == 0)
		sides.right[sides.n_right++] = at->index;
	return sides;
}

struct pe_confirm_opts pe_confirm_opts_of(const struct pe_changepoints *found, size_t change,
					  const struct pe_confirm_sides *sides, double min_effect)
{
	const double layout = 0.003; /* an ordinary deviation between builds of equal code */
	struct pe_confirm_opts opts = PE_CONFIRM_DEFAULTS;
	const struct pe_changepoint *at = &found->at[change];
	double builds = sqrt(1 / (double)sides->n_left + 1 / (double)sides->n_right);

	opts.min_effect = min_effect;
	/*
	 * The search picks what differs most; asked night after night, it gets hold of builds that are two
	 * deviations off. Simulated, 1.1 false alarms in 1000 nights became 0.3 by this.
	 */
	if (found->several_batches)
		builds *= 2;
	opts.margin = fmax(layout, found->jitter) * builds;
	opts.suspected = isnan(at->relative) ? 0 : at->relative;
	if (found->linear)
		opts.unit = fmax(fabs(at->level_before), fabs(at->level_after));
	return opts;
}

struct pe_confirm_opts pe_confirm_gate_opts(size_t n_tests, double precise)
{
	struct pe_confirm_opts opts = PE_CONFIRM_DEFAULTS;

	opts.accept = 0.0001 / (double)n_tests;
	opts.precise = precise;
	opts.both_ways = true;
	return opts;
}

struct pe_confirm_pair pe_confirm_pair(const struct pe_confirm_sides *sides, size_t k,
				       uint64_t seed)
{
	size_t n = sides->n_left * sides->n_right, block = k / n, drawn[9];
	bool first[9];
	struct pe_random random;

	/* Two blocks share a draw of who goes first, so that the second can turn it round. */
	pe_random_seed(&random, seed ^ (0x9e3779b97f4a7c15u * (block / 2 + 1)));
	for (size_t i = 0; i < n; i++)
		first[i] = pe_random_below(&random, 2) != 0;
	for (size_t b = 0; b <= block % 2; b++) {
		for (size_t i = 0; i < n; i++)
			drawn[i] = i;
		pe_random_shuffle(&random, drawn, n);
	}
	k = drawn[k % n];
	return (struct pe_confirm_pair){sides->left[k / sides->n_right],
					sides->right[k % sides->n_right],
					first[k] != (block % 2 != 0)};
}
