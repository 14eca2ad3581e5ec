#include "bench/baselines.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 50, HALF = WINDOW / 2 };
#define WEAK   0.01
#define STRONG 0.001

/* Lentz's continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m < 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double was;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		f *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		was = f;
		f *= c * d;
		if (fabs(f - was) < 1e-14 * fabs(f))
			break;
	}
	return f;
}

static double beta_part(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

struct side {
	double n, mean, square; /* square: sum of squared deviations over n, as the tool has it */
};

static struct side side_of(const double *value, size_t from, size_t to)
{
	struct side side = {(double)(to - from), 0, 0};

	for (size_t i = from; i < to; i++)
		side.mean += value[i] / side.n;
	for (size_t i = from; i < to; i++)
		side.square += pow(value[i] - side.mean, 2) / side.n;
	return side;
}

/* Two-sided p of Student's test with pooled variance between from..at and at..to. */
static double student_p(const double *value, size_t from, size_t at, size_t to)
{
	struct side left = side_of(value, from, at), right = side_of(value, at, to);
	double freedom = left.n + right.n - 2, pooled, t2;

	if (freedom <= 0)
		return 1;
	pooled = ((left.n - 1) * left.square + (right.n - 1) * right.square) / freedom;
	t2 = pow(right.mean - left.mean, 2) / (pooled * (1 / left.n + 1 / right.n));
	if (isnan(t2))
		return 1;
	return isinf(t2) ? 0 : beta_part(freedom / 2, 0.5, freedom / (freedom + t2));
}

struct points {
	size_t at[2 * WINDOW];
	size_t n;
};

/*
 * The split of from..to that divides best: over all ends of its right part, the largest energy distance between
 * both parts, each pair of values within a part counted by that part's number of pairs.
 */
static double best_split(const double *value, size_t from, size_t to, size_t *split)
{
	double best = -INFINITY, left_pairs = 0;

	for (size_t at = from + 1; at < to; at++) {
		double n = (double)(at - from), across = 0, right_pairs = 0;

		for (size_t i = from; i + 1 < at; i++)
			left_pairs += fabs(value[at - 1] - value[i]);
		for (size_t end = at; end < to; end++) {
			double m = (double)(end + 1 - at), q;

			for (size_t i = from; i < at; i++)
				across += fabs(value[end] - value[i]);
			for (size_t i = at; i < end; i++)
				right_pairs += fabs(value[end] - value[i]);
			q = 2 / (n + m) * across -
			    (n > 1 ? 2 * m / ((n + m) * (n - 1)) * left_pairs : 0) -
			    (m > 1 ? 2 * n / ((n + m) * (m - 1)) * right_pairs : 0);
			if (q > best) {
				best = q;
				*split = at;
			}
		}
	}
	return best;
}

/* E-divisive in one window: the best split of any part, as long as it is significant. */
static void divide(struct points *found, const double *value, size_t from, size_t to)
{
	found->n = 0;
	for (;;) {
		double best = -INFINITY;
		size_t at = 0, left = from, right = to, place = 0;

		for (size_t part = 0; part <= found->n; part++) {
			size_t a = part > 0 ? found->at[part - 1] : from, split = 0;
			size_t b = part < found->n ? found->at[part] : to;
			double q = b - a >= 2 ? best_split(value, a, b, &split) : -INFINITY;

			if (q > best) {
				best = q;
				at = split;
				left = a;
				right = b;
				place = part;
			}
		}
		if (isinf(best) || !(student_p(value, left, at, right) <= WEAK))
			return;
		memmove(found->at + place + 1, found->at + place,
			(found->n - place) * sizeof(*found->at));
		found->at[place] = at;
		found->n++;
	}
}

static int ascending(const void *left, const void *right)
{
	const size_t *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

/* Windows that overlap by half, the next one beginning at the last point found where that is later. */
static size_t find_weak(size_t *out, const double *value, size_t n)
{
	size_t count = 0, distinct = 0;
	struct points found;

	for (size_t start = 0; start < n;) {
		size_t end = start + WINDOW < n ? start + WINDOW : n, last;

		divide(&found, value, start, end);
		last = found.n > 0 ? found.at[found.n - 1] : 0;
		for (size_t i = 0; i < found.n; i++) {
			bool known = false;

			for (size_t k = 0; k < count; k++)
				known |= out[k] == found.at[i];
			if (!known)
				out[count++] = found.at[i];
		}
		start = last > start + HALF ? last : start + HALF;
	}
	qsort(out, count, sizeof(*out), ascending);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || out[i] != out[distinct - 1])
			out[distinct++] = out[i];
	return distinct;
}

size_t baseline_otava(size_t *out, const double *value, const double *weight, size_t n)
{
	size_t count = n > 0 ? find_weak(out, value, n) : 0;

	(void)weight;
	while (count > 0) {
		double worst = -1;
		size_t weakest = 0;

		for (size_t i = 0; i < count; i++) {
			double p = student_p(value, i > 0 ? out[i - 1] : 0, out[i],
					     i + 1 < count ? out[i + 1] : n);

			if (p > worst) {
				worst = p;
				weakest = i;
			}
		}
		if (worst < STRONG)
			break;
		count--;
		memmove(out + weakest, out + weakest + 1, (count - weakest) * sizeof(*out));
	}
	return count;
}

const struct baseline baselines[N_BASELINES] = {
	{"asv", baseline_asv},
	{"otava", baseline_otava},
};
