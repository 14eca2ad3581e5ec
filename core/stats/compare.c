#include "core/stats/compare.h"

#include "core/base/arena.h"
#include "core/stats/order.h"
#include "core/stats/signed_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above this many values a side the exact distribution takes too long: n^4 steps. */
#define EXACT_LIMIT 50

static const struct pe_comparison none = {NAN, NAN, NAN, NAN, NAN, PE_UNDECIDED, 0};

static double *sorted_copy(const double *values, size_t n, bool linear)
{
	double *copy = pe_realloc(NULL, n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = linear ? values[i] : log(values[i]);
	pe_order_sort(copy, n);
	return copy;
}

static bool any_not_positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(values[i] > 0))
			return true;
	return false;
}

/*
 * Cumulative null distribution of the number of pairs with head above base: below[u] = P(U <= u), for u
 * from 0 to nb * nh. By the recursion on the largest value of all: it is head's, and above all of base, or
 * base's, and above none: N(u; m, n) = N(u - m; m, n - 1) + N(u; m - 1, n).
 */
static double *exact_distribution(size_t nb, size_t nh)
{
	size_t size = nb * nh + 1;
	double *row = pe_realloc(NULL, (nb + 1) * size, sizeof(*row)); /* row m: P for m of base */
	double *below;

	memset(row, 0, (nb + 1) * size * sizeof(*row));
	for (size_t m = 0; m <= nb; m++)
		row[m * size] = 1; /* no head at all: U is 0 */
	for (size_t n = 1; n <= nh; n++) {
		for (size_t m = 1; m <= nb; m++) {
			double head = (double)n / (double)(m + n);
			double *to = row + m * size, *less = row + (m - 1) * size;

			/* In place, downwards: `to` still holds n - 1 below u, `less` holds n already. */
			for (size_t u = m * n + 1; u-- > 0;)
				to[u] = (u >= m ? head * to[u - m] : 0) + (1 - head) * less[u];
		}
	}
	below = pe_realloc(NULL, size, sizeof(*below));
	memcpy(below, row + nb * size, size * sizeof(*below));
	for (size_t u = 1; u < size; u++)
		below[u] += below[u - 1];
	free(row);
	return below;
}

/*
 * How many of the ordered differences the interval may leave out at either end, where it may miss `level`: exactly, or by the
 * normal distribution. Both as if nothing were equal, so that it is never too narrow. False: even all do not reach that far.
 */
static bool find_cut(size_t *cut, size_t nb, size_t nh, double level)
{
	const double pairs = (double)nb * (double)nh;
	pe_auto_free double *below = NULL;
	double most;

	*cut = 0;
	if (nb > EXACT_LIMIT || nh > EXACT_LIMIT) {
		most = floor(pairs / 2 - 0.5 -
			     pe_normal_quantile(level / 2) *
				     sqrt(pairs / 12 * (double)(nb + nh + 1)));
		*cut = most > 0 ? (size_t)most : 0;
		return most >= 0;
	}
	below = exact_distribution(nb, nh);
	while (2 * below[*cut + 1] <= level)
		++*cut;
	return 2 * below[0] <= level;
}

/* A difference on the scale of the comparison as a relative change. */
static double as_relative(double difference, double base, bool linear)
{
	if (!linear)
		return expm1(difference);
	return fabs(base) > 0 ? difference / fabs(base) : NAN;
}

static enum pe_verdict judge(const struct pe_comparison *c, double low, double high,
			     const struct pe_compare_opts *opts)
{
	double least = opts->min_relative;
	bool apart = low > 0 || high < 0;
	bool more = low > 0;

	if (low == 0 && high == 0)
		return PE_UNCHANGED;
	if (isnan(c->relative))
		return !apart                                          ? PE_UNDECIDED
		       : more == (opts->better == PE_HIGHER_IS_BETTER) ? PE_IMPROVED
								       : PE_REGRESSED;
	if (apart && fabs(c->relative) >= least)
		return more == (opts->better == PE_HIGHER_IS_BETTER) ? PE_IMPROVED : PE_REGRESSED;
	return c->low > -least && c->high < least ? PE_UNCHANGED : PE_UNDECIDED;
}

struct pe_comparison pe_compare_samples(const double *base, size_t nb, const double *head,
					size_t nh, const struct pe_compare_opts *opts)
{
	static const struct pe_compare_opts defaults = PE_COMPARE_DEFAULTS;
	struct pe_comparison out = none;
	double middle, shift, low = -INFINITY, high = INFINITY;
	pe_auto_free double *olds = NULL, *news = NULL;
	bool linear;
	size_t cut;

	if (opts == NULL)
		opts = &defaults;
	if (nb == 0 || nh == 0)
		return out;
	linear = any_not_positive(base, nb) || any_not_positive(head, nh);
	olds = sorted_copy(base, nb, linear);
	news = sorted_copy(head, nh, linear);
	middle = pe_order_quantile(olds, nb, 0.5);
	shift = pe_order_shift(olds, nb, news, nh);
	if (find_cut(&cut, nb, nh, 1 - opts->confidence)) {
		low = pe_order_difference(olds, nb, news, nh, cut);
		high = pe_order_difference(olds, nb, news, nh, nb * nh - 1 - cut);
	}
	out.base = linear ? middle : exp(middle);
	out.relative = as_relative(shift, middle, linear);
	out.low = as_relative(low, middle, linear);
	out.high = as_relative(high, middle, linear);
	out.shift = linear ? shift : exp(middle) * expm1(shift);
	out.way = (low > 0) - (high < 0);
	out.verdict = judge(&out, low, high, opts);
	return out;
}

/* Relative: fewer instructions more or less deny nothing. */
#define LEAST_EVIDENCE 0.005

/* The middle of a pair's two values, on the scale of the comparison. */
static double *middles_of(const double *base, const double *head, size_t n, bool linear)
{
	double *out = pe_realloc(NULL, n, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = linear ? (base[i] + head[i]) / 2 : (log(base[i]) + log(head[i])) / 2;
	return out;
}

/*
 * Whether the values of one side all lie beyond those of the other, which n of each do by chance in 2 of (2n over n) ways to
 * part them, and that is at most `level`.
 */
static bool are_separate(const double *base, const double *head, size_t n, double level)
{
	double least[2] = {base[0], head[0]}, most[2] = {base[0], head[0]}, chance = 2;

	for (size_t i = 0; i < n; i++) {
		chance *= (double)(i + 1) / (double)(n + i + 1);
		least[0] = fmin(least[0], base[i]);
		most[0] = fmax(most[0], base[i]);
		least[1] = fmin(least[1], head[i]);
		most[1] = fmax(most[1], head[i]);
	}
	return chance <= level && (most[0] < least[1] || most[1] < least[0]);
}

struct pe_comparison pe_compare_paired(const double *base, const double *head, size_t n,
				       const struct pe_compare_opts *opts)
{
	static const struct pe_compare_opts defaults = PE_COMPARE_DEFAULTS;
	struct pe_comparison out = none;
	pe_auto_free double *difference = NULL, *middle = NULL;
	struct pe_signed_rank_interval shown, decided;
	double level, from;
	bool linear;

	if (opts == NULL)
		opts = &defaults;
	if (n == 0)
		return out;
	level = 1 - opts->confidence;
	linear = any_not_positive(base, n) || any_not_positive(head, n);
	difference = pe_realloc(NULL, n, sizeof(*difference));
	for (size_t i = 0; i < n; i++)
		difference[i] = linear ? head[i] - base[i] : log(head[i] / base[i]);
	shown = pe_signed_rank_interval(difference, n, level);
	decided = shown;
	if (!are_separate(base, head, n, level * PE_COMPARE_DECIDED_PART))
		decided = pe_signed_rank_interval(difference, n, level * PE_COMPARE_DECIDED_PART);
	middle = middles_of(base, head, n, linear);
	from = pe_order_median(middle, n) - shown.estimate / 2;
	out.relative = as_relative(shown.estimate, from, linear);
	out.low = as_relative(shown.low, from, linear);
	out.high = as_relative(shown.high, from, linear);
	out.shift = linear ? shown.estimate : exp(from) * expm1(shown.estimate);
	out.base = linear ? from : exp(from);
	out.way = (shown.low > 0) - (shown.high < 0);
	out.verdict = judge(&out, decided.low, decided.high, opts);
	return out;
}

int pe_compare_way_of_pairs(const double *base, const double *head, size_t n)
{
	pe_auto_free double *finite_base = pe_realloc(NULL, n + 1, sizeof(*finite_base));
	pe_auto_free double *finite_head = pe_realloc(NULL, n + 1, sizeof(*finite_head));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(base[i]) || !isfinite(head[i]))
			continue;
		finite_base[kept] = base[i];
		finite_head[kept++] = head[i];
	}
	if (kept < PE_COMPARE_LEAST_PAIRS)
		return 0;
	return pe_compare_paired(finite_base, finite_head, kept, NULL).way;
}

bool pe_compare_is_denied(double relative, const struct pe_compare_evidence *evidence)
{
	const int way = (relative > 0) - (relative < 0);
	const double least = fmax(LEAST_EVIDENCE, fabs(relative) / 4);
	const int counts = (evidence->instructions >= least) - (evidence->instructions <= -least);
	const bool other_load = !evidence->counts_switches || evidence->switches == way;

	if (way == 0 || !other_load)
		return false;
	return evidence->cpu == -way || (counts == -way && evidence->cpu != way);
}
