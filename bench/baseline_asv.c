#include "bench/baselines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The problem, and all costs of its pieces: the sum of weighted deviations from the weighted median. */
struct fit {
	const double *value;
	double *weight;
	size_t n;
	double *cost, *middle; /* of the piece first..last at [first * n + last] */
	/* the best solution so far */
	size_t *best, n_best;
	double best_score;
	/* room for another */
	size_t *start, *from;
	double *total;
};

/* Weighted median of sorted values, the mean of two where the weight falls into halves. */
static double weighted_median(const double *value, const double *weight, size_t n)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		all += weight[i];
	for (size_t i = 0; i < n; i++) {
		sum += weight[i];
		if (sum > all / 2 * (1 + 1e-12))
			return value[i];
		if (sum >= all / 2 * (1 - 1e-12) && i + 1 < n)
			return (value[i] + value[i + 1]) / 2;
	}
	return value[n - 1];
}

static void find_costs(struct fit *fit)
{
	double *value = pe_realloc(NULL, 2 * fit->n, sizeof(*value)), *weight = value + fit->n;

	for (size_t first = 0; first < fit->n; first++) {
		for (size_t last = first; last < fit->n; last++) {
			size_t n = last - first, at = n;
			double middle, cost = 0;

			while (at > 0 && value[at - 1] > fit->value[last])
				at--;
			memmove(value + at + 1, value + at, (n - at) * sizeof(*value));
			memmove(weight + at + 1, weight + at, (n - at) * sizeof(*weight));
			value[at] = fit->value[last];
			weight[at] = fit->weight[last];
			middle = weighted_median(value, weight, n + 1);
			for (size_t i = 0; i <= n; i++)
				cost += weight[i] * fabs(value[i] - middle);
			fit->middle[first * fit->n + last] = middle;
			fit->cost[first * fit->n + last] = cost;
		}
	}
	free(value);
}

/* The best pieces for a penalty; how many, their beginnings in fit->start. */
static size_t solve(struct fit *fit, double gamma)
{
	size_t pieces = 0;

	fit->total[0] = -gamma;
	for (size_t end = 1; end <= fit->n; end++) {
		fit->total[end] = INFINITY;
		for (size_t first = 0; first < end; first++) {
			double total =
				fit->total[first] + gamma + fit->cost[first * fit->n + end - 1];

			if (total <= fit->total[end]) {
				fit->total[end] = total;
				fit->from[end] = first;
			}
		}
	}
	for (size_t end = fit->n; end > 0; end = fit->from[end])
		fit->start[pieces++] = fit->from[end];
	for (size_t i = 0; i < pieces / 2; i++) {
		size_t other = fit->start[pieces - 1 - i];

		fit->start[pieces - 1 - i] = fit->start[i];
		fit->start[i] = other;
	}
	return pieces;
}

static double level_of(const struct fit *fit, size_t pieces, size_t piece)
{
	size_t end = piece + 1 < pieces ? fit->start[piece + 1] : fit->n;

	return fit->middle[fit->start[piece] * fit->n + end - 1];
}

/* What a solution leaves over if noise remembers its last value by rho. */
static double left_over(const struct fit *fit, size_t pieces, double rho)
{
	double sum = 0, was = 0;

	for (size_t p = 0; p < pieces; p++) {
		size_t end = p + 1 < pieces ? fit->start[p + 1] : fit->n;
		double level = level_of(fit, pieces, p);

		for (size_t i = fit->start[p]; i < end; i++) {
			double now = fit->value[i] - level;

			sum += fit->weight[i] * fabs(now - rho * was);
			was = now;
		}
	}
	return sum;
}

struct search {
	struct fit *fit;
	double scale; /* of gamma */
	size_t pieces;
};

/* Golden section search of a minimum whose bounds are tried first. */
static double golden(double (*cost)(struct search *, double), struct search *search, double low,
		     double high, double tolerance)
{
	const double ratio = 2 / (1 + sqrt(5));
	double a = (ratio * low - (1 - ratio) * high) / (2 * ratio - 1);
	double b = (ratio * high - (1 - ratio) * low) / (2 * ratio - 1);
	double left = ratio * a + (1 - ratio) * b, right = (1 - ratio) * a + ratio * b;
	double at_left = cost(search, left), at_right = cost(search, right);

	while (b - a >= tolerance) {
		if (at_right < at_left) {
			a = left;
			left = right;
			at_left = at_right;
			right = (1 - ratio) * a + ratio * b;
			at_right = cost(search, right);
		} else {
			b = right;
			right = left;
			at_right = at_left;
			left = ratio * a + (1 - ratio) * b;
			at_left = cost(search, left);
		}
	}
	return at_right < at_left ? right : left;
}

static double cost_of_rho(struct search *search, double rho)
{
	return left_over(search->fit, search->pieces, rho);
}

/* A tenth of the smallest step, or a thousandth of the only level: no fit is exact. */
static double noise_floor(const struct fit *fit, size_t pieces)
{
	double least = INFINITY;

	if (pieces <= 2) {
		for (size_t p = 0; p < pieces; p++)
			least = fmin(least, 0.001 * fabs(level_of(fit, pieces, p)));
		return fmax(1e-300, least);
	}
	for (size_t p = 0; p + 1 < pieces; p++)
		least = fmin(least,
			     0.1 * fabs(level_of(fit, pieces, p + 1) - level_of(fit, pieces, p)));
	return fmax(1e-300, least);
}

static double cost_of_gamma(struct search *search, double logarithm)
{
	struct fit *fit = search->fit;
	double n = (double)fit->n, score;

	search->pieces = solve(fit, search->scale * exp(logarithm));
	score = 4 * log(n) / n * (double)search->pieces +
		log(noise_floor(fit, search->pieces) +
		    left_over(fit, search->pieces, golden(cost_of_rho, search, -1, 1, 0.05)));
	if (score < fit->best_score) {
		fit->best_score = score;
		fit->n_best = search->pieces;
		memcpy(fit->best, fit->start, search->pieces * sizeof(*fit->best));
	}
	return score;
}

static int ascending(const void *left, const void *right)
{
	const double *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

size_t baseline_asv(size_t *out, const double *value, const double *weight, size_t n)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct fit fit = {.value = value,
			  .weight = pe_arena_new(&arena, double, n),
			  .n = n,
			  .cost = pe_arena_new(&arena, double, n *n),
			  .middle = pe_arena_new(&arena, double, n *n),
			  .best = pe_arena_new(&arena, size_t, n),
			  .best_score = INFINITY,
			  .start = pe_arena_new(&arena, size_t, n + 1),
			  .from = pe_arena_new(&arena, size_t, n + 1),
			  .total = pe_arena_new(&arena, double, n + 1)};
	struct search search = {.fit = &fit};
	double typical = 1;

	if (weight != NULL && n > 0) {
		memcpy(fit.weight, weight, n * sizeof(*weight));
		qsort(fit.weight, n, sizeof(*fit.weight), ascending);
		typical = fit.weight[n / 2];
	}
	for (size_t i = 0; i < n; i++)
		fit.weight[i] = weight != NULL && typical > 0 ? weight[i] / typical : 1;
	if (n > 1) {
		double least = log(0.1 / (double)n);

		find_costs(&fit);
		search.scale = fit.cost[n - 1] > 0 ? fit.cost[n - 1] : 1;
		golden(cost_of_gamma, &search, least, 0, 0.1 * fabs(least));
	}
	for (size_t p = 1; p < fit.n_best; p++)
		out[p - 1] = fit.best[p];
	n = fit.n_best > 0 ? fit.n_best - 1 : 0;
	pe_arena_release(&arena);
	return n;
}
