/* Inner structs: sides (both samples, sorted, on the scale of the comparison), rank_test (its outcome). */
#include "core/stats/compare.h"

#include "core/base/arena.h"
#include "core/stats/order.h"
#include "core/stats/signed_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Above this many values a side the exact distribution takes too long: n^4 steps. */
#define EXACT_LIMIT 50

struct sides {
	double *base, *head;
	size_t nb, nh;
};

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

/* Sum over groups of equal values of t^3 - t, in the two sorted samples taken together. */
static double tie_sum(const struct sides *s)
{
	double sum = 0;
	size_t i = 0, j = 0;

	while (i < s->nb || j < s->nh) {
		double value = j >= s->nh || (i < s->nb && s->base[i] <= s->head[j]) ? s->base[i]
										     : s->head[j];
		double t = 0;

		for (; i < s->nb && s->base[i] <= value; i++)
			t++;
		for (; j < s->nh && s->head[j] <= value; j++)
			t++;
		sum += t * t * t - t;
	}
	return sum;
}

/* Pairs with head above base, and equal pairs. */
static void count_pairs(const struct sides *s, double *above, double *equal)
{
	size_t under = 0, upto = 0;

	*above = *equal = 0;
	for (size_t j = 0; j < s->nh; j++) {
		while (under < s->nb && s->base[under] < s->head[j])
			under++;
		while (upto < s->nb && s->base[upto] <= s->head[j])
			upto++;
		*above += (double)under;
		*equal += (double)(upto - under);
	}
}

struct rank_test {
	double p, delta;
	size_t cut; /* the interval leaves out this many of the ordered differences at either end */
	double confidence; /* of that interval; 0: even all differences do not reach the required one */
};

/* How much the interval may leave out at either end, by the cumulative distribution. */
static void cut_exactly(struct rank_test *t, const double *below, double level)
{
	if (2 * below[0] > level)
		return;
	while (2 * below[t->cut + 1] <= level)
		t->cut++;
	t->confidence = 1 - 2 * below[t->cut];
}

/* By the normal distribution, as if nothing were equal: never too narrow. */
static void cut_normally(struct rank_test *t, double nb, double nh, double level)
{
	double sd = sqrt(nb * nh / 12 * (nb + nh + 1));
	double cut = floor(nb * nh / 2 - 0.5 - pe_normal_quantile(level / 2) * sd);

	if (cut < 0)
		return;
	t->cut = (size_t)cut;
	t->confidence = 1 - 2 * pe_normal_tail((nb * nh / 2 - cut - 0.5) / sd);
}

static void test_exactly(struct rank_test *t, const struct sides *s, double u, double level)
{
	size_t pairs = s->nb * s->nh, rank = (size_t)fmin(u, (double)pairs - u);
	pe_auto_free double *below = exact_distribution(s->nb, s->nh);

	t->p = fmin(1, 2 * below[rank]);
	cut_exactly(t, below, level);
}

static void test_normally(struct rank_test *t, const struct sides *s, double u, double level)
{
	double nb = (double)s->nb, nh = (double)s->nh, n = nb + nh, z;
	double sd = sqrt(nb * nh / 12 * (n + 1 - tie_sum(s) / (n * (n - 1))));

	z = fmax(0, fabs(u - nb * nh / 2) - 0.5) / sd;
	t->p = sd > 0 ? fmin(1, 2 * pe_normal_tail(z)) : 1;
	cut_normally(t, nb, nh, level);
}

static struct rank_test test_ranks(const struct sides *s, double confidence)
{
	struct rank_test t = {1, 0, 0, 0};
	double above, equal, pairs = (double)s->nb * (double)s->nh;
	double level = 1 - confidence;

	count_pairs(s, &above, &equal);
	t.delta = (2 * above + equal - pairs) / pairs;
	if (tie_sum(s) <= 0 && s->nb <= EXACT_LIMIT && s->nh <= EXACT_LIMIT)
		test_exactly(&t, s, above, level);
	else
		test_normally(&t, s, above + equal / 2, level);
	return t;
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
	struct pe_comparison out = {NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, PE_UNDECIDED, 0, false};
	double middle, shift, low = -INFINITY, high = INFINITY;
	struct rank_test test;
	struct sides s;

	if (opts == NULL)
		opts = &defaults;
	if (nb == 0 || nh == 0)
		return out;
	out.linear = any_not_positive(base, nb) || any_not_positive(head, nh);
	s = (struct sides){sorted_copy(base, nb, out.linear), sorted_copy(head, nh, out.linear), nb,
			   nh};
	middle = pe_order_quantile(s.base, nb, 0.5);
	shift = pe_order_shift(s.base, nb, s.head, nh);
	test = test_ranks(&s, opts->confidence);
	if (test.confidence > 0) {
		low = pe_order_difference(s.base, nb, s.head, nh, test.cut);
		high = pe_order_difference(s.base, nb, s.head, nh, nb * nh - 1 - test.cut);
	}
	out.p = test.p;
	out.delta = test.delta;
	out.base = out.linear ? middle : exp(middle);
	out.confidence = test.confidence;
	out.relative = as_relative(shift, middle, out.linear);
	out.low = as_relative(low, middle, out.linear);
	out.high = as_relative(high, middle, out.linear);
	out.shift = out.linear ? shift : exp(middle) * expm1(shift);
	out.way = (low > 0) - (high < 0);
	out.verdict = judge(&out, low, high, opts);
	free(s.base);
	free(s.head);
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
	struct pe_comparison out = {NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN, PE_UNDECIDED, 0, false};
	pe_auto_free double *difference = NULL, *middle = NULL;
	struct pe_signed_rank_interval shown, decided;
	double level, from;

	if (opts == NULL)
		opts = &defaults;
	if (n == 0)
		return out;
	level = 1 - opts->confidence;
	out.linear = any_not_positive(base, n) || any_not_positive(head, n);
	difference = pe_realloc(NULL, n, sizeof(*difference));
	for (size_t i = 0; i < n; i++)
		difference[i] = out.linear ? head[i] - base[i] : log(head[i] / base[i]);
	shown = pe_signed_rank_interval(difference, n, level);
	decided = shown;
	if (!are_separate(base, head, n, level * PE_COMPARE_DECIDED_PART))
		decided = pe_signed_rank_interval(difference, n, level * PE_COMPARE_DECIDED_PART);
	middle = middles_of(base, head, n, out.linear);
	from = pe_order_median(middle, n) - shown.estimate / 2;
	out.confidence = shown.level < 1 ? 1 - shown.level : 0;
	out.relative = as_relative(shown.estimate, from, out.linear);
	out.low = as_relative(shown.low, from, out.linear);
	out.high = as_relative(shown.high, from, out.linear);
	out.shift = out.linear ? shown.estimate : exp(from) * expm1(shown.estimate);
	out.base = out.linear ? from : exp(from);
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
