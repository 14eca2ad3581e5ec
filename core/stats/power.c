/* Inner struct: noise (what values deviate by, to draw from). */
#include "core/stats/power.h"

#include "core/base/arena.h"
#include "core/base/random.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Sample sizes up to here are simulated; beyond, errors fall with the root of the number. */
#define SIMULATED 100

/* Deviations on the scale of the comparison: logarithms, or in terms of base's size. */
struct noise {
	double *at, smooth;
	size_t n;
};

static void add_deviations(struct noise *noise, const double *values, size_t n, double unit)
{
	double *mine = noise->at + noise->n, *scratch = pe_realloc(NULL, n, sizeof(*scratch));
	double middle, few = n > 1 ? sqrt((double)n / ((double)n - 1)) : 0;

	for (size_t i = 0; i < n; i++)
		scratch[i] = mine[i] = unit > 0 ? values[i] / unit : log(values[i]);
	middle = pe_order_median(scratch, n);
	for (size_t i = 0; i < n; i++)
		mine[i] = (mine[i] - middle) * few;
	noise->n += n;
	free(scratch);
}

static double draw(const struct noise *noise, struct pe_random *random)
{
	return noise->at[pe_random_below(random, noise->n)] +
	       noise->smooth * pe_random_normal(random);
}

static struct noise noise_of(const double *base, size_t nb, const double *head, size_t nh,
			     double unit)
{
	struct noise noise = {pe_realloc(NULL, nb + nh, sizeof(double)), 0, 0};
	pe_auto_free double *scratch = pe_realloc(NULL, nb + nh, sizeof(*scratch));

	add_deviations(&noise, base, nb, unit);
	add_deviations(&noise, head, nh, unit);
	for (size_t i = 0; i < noise.n; i++)
		scratch[i] = noise.at[i];
	noise.smooth = 0.25 * pe_order_scale(scratch, noise.n);
	return noise;
}

/* The shifts that nine draws in ten need: to be apart, and to be called a change as well. */
struct needed {
	double apart, called;
};

static struct needed shifts_needed(const struct noise *noise, size_t nb, size_t nh,
				   const struct pe_compare_opts *opts, double min_effect)
{
	enum { DRAWS = 400 };
	struct needed out = {INFINITY, INFINITY};
	double apart[DRAWS], called[DRAWS];
	double *base, *head;
	struct pe_random random;
	size_t cut;

	if (!pe_compare_cut(&cut, nb, nh, opts->confidence))
		return out;
	base = pe_realloc(NULL, nb, sizeof(*base));
	head = pe_realloc(NULL, nh, sizeof(*head));
	pe_random_seed(&random, 1);
	for (size_t d = 0; d < DRAWS; d++) {
		for (size_t i = 0; i < nb; i++)
			base[i] = draw(noise, &random);
		for (size_t i = 0; i < nh; i++)
			head[i] = draw(noise, &random);
		pe_order_sort(base, nb);
		pe_order_sort(head, nh);
		apart[d] = -pe_order_difference(base, nb, head, nh, cut);
		called[d] = fmax(apart[d], min_effect - pe_order_shift(base, nb, head, nh));
	}
	pe_order_sort(apart, DRAWS);
	pe_order_sort(called, DRAWS);
	out.apart = fmax(0, pe_order_quantile(apart, DRAWS, 0.9));
	out.called = fmax(min_effect, pe_order_quantile(called, DRAWS, 0.9));
	free(head);
	free(base);
	return out;
}

/* Values a side with which a shift of `want` is told from nothing. */
static double values_needed(const struct noise *noise, size_t from, double want,
			    const struct pe_compare_opts *opts)
{
	double n = fmax(4, (double)from), apart = INFINITY;

	for (;;) {
		size_t whole = (size_t)ceil(n);

		apart = shifts_needed(noise, whole, whole, opts, 0).apart;
		if (apart <= want || whole >= SIMULATED)
			break;
		n = fmin(fmax(n + 1, n * fmin(2, pow(apart / want, 2))), SIMULATED);
	}
	return apart <= want ? ceil(n) : n * pow(apart / want, 2);
}

static size_t more_needed(const struct noise *noise, size_t nb, size_t nh, double estimate,
			  const struct pe_compare_opts *opts, double min_effect)
{
	size_t fewer = nb < nh ? nb : nh;
	double want = fabs(estimate) >= min_effect
			      ? fabs(estimate)
			      : fmax(min_effect - fabs(estimate), min_effect / 4);
	double n;

	if (!(want > 0))
		return SIZE_MAX;
	n = values_needed(noise, fewer + 1, want, opts);
	return n < 1e9 ? (size_t)ceil(n) - fewer : SIZE_MAX;
}

struct pe_power pe_power_of(const double *base, size_t nb, const double *head, size_t nh,
			    const struct pe_compare_opts *opts)
{
	static const struct pe_compare_opts defaults = PE_COMPARE_DEFAULTS;
	struct pe_power out = {NAN, SIZE_MAX};
	struct pe_comparison compared;
	double unit = 0, min_effect, estimate;
	struct noise noise;

	if (opts == NULL)
		opts = &defaults;
	compared = pe_compare_samples(base, nb, head, nh, opts);
	if (isnan(compared.relative))
		return out;
	min_effect = opts->min_relative;
	estimate = compared.relative;
	if (compared.linear) {
		unit = fabs(compared.shift / compared.relative);
		if (!(unit > 0)) { /* no difference: the size of base itself */
			pe_auto_free double *copy = pe_realloc(NULL, nb, sizeof(*copy));

			for (size_t i = 0; i < nb; i++)
				copy[i] = base[i];
			unit = fabs(pe_order_median(copy, nb));
		}
	} else {
		min_effect = log1p(min_effect);
		estimate = log1p(estimate);
	}
	noise = noise_of(base, nb, head, nh, unit);
	out.least = shifts_needed(&noise, nb, nh, opts, min_effect).called;
	if (!compared.linear)
		out.least = expm1(out.least);
	out.more = compared.verdict == PE_UNDECIDED
			   ? more_needed(&noise, nb, nh, estimate, opts, min_effect)
			   : 0;
	free(noise.at);
	return out;
}

size_t pe_power_repeats(const struct pe_changepoints *found, size_t commit, double want)
{
	const struct pe_commit_level *level = &found->commits[commit];
	double run, builds, now, room;

	if (level->n == 0 || !isfinite(level->least) || !(want > 0))
		return 0;
	/* What is needed is in proportion to the deviation of a commit: that of its runs and that of builds. */
	run = level->error / fabs(level->level);
	run = run * run * (double)level->n;
	builds = isnan(found->jitter) ? 0 : found->jitter * found->jitter;
	now = run / (double)level->n + builds;
	room = now * pow(want / level->least, 2) - builds;
	if (run <= 0)
		return want >= level->least ? 1 : 0;
	return room > 0 ? (size_t)fmin(ceil(fmax(1, run / room)), 1e9) : 0;
}
