#include "bench/baselines.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 12, MOST = 24, AHEAD = 12 };
#define THRESHOLD    7
#define LEAST_CHANGE 0.02

/* Mean with weights that fall off linearly, and the variance about it; nearest value first, by `step`. */
struct window {
	double n, mean, variance;
};

static struct window window_of(const double *nearest, size_t n, int step)
{
	struct window window = {(double)n, 0, 0};
	double weights = 0;

	for (size_t i = 0; i < n; i++) {
		double weight = (double)(n - i) / (double)n;

		window.mean += weight * nearest[step * (int)i];
		weights += weight;
	}
	window.mean /= weights;
	for (size_t i = 0; i < n; i++)
		window.variance += pow(nearest[step * (int)i] - window.mean, 2);
	window.variance = n > 1 ? window.variance / (double)(n - 1) : 0;
	return window;
}

static double t_of(const struct window *back, const struct window *fore)
{
	double difference = fabs(fore->mean - back->mean);

	if (!(difference > 0))
		return 0;
	return difference / sqrt(back->variance / back->n + fore->variance / fore->n);
}

size_t baseline_treeherder(size_t *out, const double *value, const double *weight, size_t n)
{
	double *t = pe_realloc(NULL, n + 1, sizeof(*t)),
	       *change = pe_realloc(NULL, n + 1, sizeof(*t));
	size_t count = 0, quiet = 0;

	(void)weight;
	t[0] = t[n] = 0;
	for (size_t i = 1; i < n; i++) {
		/* The longer nothing happened, the further back it looks. */
		size_t reach = quiet < LEAST ? LEAST : quiet < MOST ? quiet : MOST;
		size_t behind = i < reach ? i : reach, ahead = n - i < AHEAD ? n - i : AHEAD;
		struct window back = window_of(value + i - 1, behind, -1);
		struct window fore = window_of(value + i, ahead, 1);

		t[i] = t_of(&back, &fore);
		change[i] = fabs(fore.mean - back.mean) / fabs(back.mean);
		quiet = t[i] > THRESHOLD ? 0 : quiet + 1;
		if (behind < LEAST || ahead < AHEAD)
			change[i] = -1; /* too few to say */
	}
	for (size_t i = 1; i < n; i++)
		if (t[i] > THRESHOLD && change[i] >= LEAST_CHANGE && t[i] >= t[i - 1] &&
		    t[i] >= t[i + 1])
			out[count++] = i;
	free(t);
	free(change);
	return count;
}

const struct baseline baselines[N_BASELINES] = {
	{"asv", baseline_asv},
	{"otava", baseline_otava},
	{"treeherder", baseline_treeherder},
};
