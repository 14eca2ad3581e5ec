#include "core/stats/compare.h"

#include "core/base/arena.h"
#include "core/stats/order.h"
#include "core/stats/signed_rank.h"

#include <math.h>

static const struct pe_comparison none = {NAN, NAN, NAN, NAN, NAN, PE_UNDECIDED, 0};

static bool any_not_positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(values[i] > 0))
			return true;
	return false;
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

/* Few pairs have no interval of this level by ranks. From four on it is Student's, about the same estimate. */
static void widen_few(struct pe_signed_rank_interval *shown, const double *difference, size_t n,
		      double level)
{
	double mean = 0, squares = 0, half;

	if (isfinite(shown->low) || n < 4)
		return;
	for (size_t i = 0; i < n; i++)
		mean += difference[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (difference[i] - mean) * (difference[i] - mean);
	half = pe_student_quantile(pe_normal_quantile(level / 2), (double)(n - 1)) *
	       sqrt(squares / (double)(n * (n - 1)));
	shown->low = shown->estimate - half;
	shown->high = shown->estimate + half;
}

struct pe_comparison pe_compare_paired(const double *base, const double *head, size_t n,
				       const struct pe_compare_opts *opts)
{
	struct pe_comparison out = none;
	pe_auto_free double *difference = NULL, *middle = NULL;
	struct pe_signed_rank_interval shown, decided;
	double level, from;
	bool linear;

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
	widen_few(&shown, difference, n, level);
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
	const struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(base[i]) || !isfinite(head[i]))
			continue;
		finite_base[kept] = base[i];
		finite_head[kept++] = head[i];
	}
	if (kept < PE_COMPARE_LEAST_PAIRS)
		return 0;
	return pe_compare_paired(finite_base, finite_head, kept, &opts).way;
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
