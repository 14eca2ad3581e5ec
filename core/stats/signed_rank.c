#include "core/stats/signed_rank.h"

#include "core/base/arena.h"
#include "core/base/sort.h"
#include "core/stats/order.h"

#include <math.h>

struct sized {
	double size;
	int sign;
};

PE_SORT_BY(by_size, struct sized, size);

/*
 * chance[s] = P(the doubled ranks that drew a positive sign sum to s), s from 0 to the sum of all. Ranks of 0
 * are skipped. To be freed.
 */
static double *sum_distribution(const size_t *doubled, size_t n, size_t total)
{
	double *chance = pe_realloc(NULL, total + 1, sizeof(*chance));
	size_t reach = 0;

	for (size_t s = 0; s <= total; s++)
		chance[s] = 0;
	chance[0] = 1;
	for (size_t i = 0; i < n; i++) {
		size_t rank = doubled[i];

		if (rank == 0)
			continue;
		reach += rank;
		for (size_t s = reach + 1; s-- > 0;)
			chance[s] = (chance[s] + (s >= rank ? chance[s - rank] : 0)) / 2;
	}
	return chance;
}

/* Doubled mid-ranks of sorted sizes into `doubled`, 0 for differences of 0; returns their sum. */
static size_t rank_doubled(size_t *doubled, const struct sized *sorted, size_t n)
{
	size_t total = 0;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && sorted[to].size <= sorted[from].size;)
			to++;
		for (size_t i = from; i < to; i++) {
			/* Ranks from + 1 to `to`: twice their mean. */
			doubled[i] = sorted[i].sign == 0 ? 0 : from + 1 + to;
			total += doubled[i];
		}
	}
	return total;
}

double pe_signed_rank_p(const double *difference, size_t n)
{
	pe_auto_free struct sized *sorted = pe_realloc(NULL, n + 1, sizeof(*sorted));
	pe_auto_free size_t *doubled = pe_realloc(NULL, n + 1, sizeof(*doubled));
	size_t total, positive = 0;
	pe_auto_free double *chance = NULL;
	double p = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct sized){fabs(difference[i]),
					   (difference[i] > 0) - (difference[i] < 0)};
	pe_sort(sorted, n, by_size);
	total = rank_doubled(doubled, sorted, n);
	for (size_t i = 0; i < n; i++)
		positive += sorted[i].sign > 0 ? doubled[i] : 0;
	chance = sum_distribution(doubled, n, total);
	for (size_t s = total + 1; s-- > positive;) /* the small ones first */
		p += chance[s];
	return fmin(1, p);
}

/* How many of the sorted means the interval leaves out at either end, and the level that this has. */
static size_t find_cut(size_t n, double level, double *reached)
{
	pe_auto_free size_t *rank = pe_realloc(NULL, n, sizeof(*rank));
	pe_auto_free double *chance = NULL;
	size_t total = n * (n + 1) / 2, cut = 0;
	double below;

	for (size_t i = 0; i < n; i++)
		rank[i] = i + 1;
	chance = sum_distribution(rank, n, total);
	*reached = 1;
	below = chance[0];
	/* The cut-th mean from the end is the bound when P(sum <= cut) is not yet too much. */
	while (2 * below <= level && cut < total / 2) {
		*reached = 2 * below;
		below += chance[++cut];
	}
	return cut;
}

struct pe_signed_rank_interval pe_signed_rank_interval(const double *difference, size_t n,
						       double level)
{
	struct pe_signed_rank_interval out = {NAN, -INFINITY, INFINITY, 1};
	size_t n_means = n * (n + 1) / 2, cut, k = 0;
	pe_auto_free double *mean = pe_realloc(NULL, n_means, sizeof(*mean));

	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			mean[k++] = difference[i] + (difference[j] - difference[i]) / 2;
	pe_order_sort(mean, n_means);
	out.estimate = pe_order_quantile(mean, n_means, 0.5);
	cut = find_cut(n, level, &out.level);
	if (cut > 0) {
		out.low = mean[cut - 1];
		out.high = mean[n_means - cut];
	}
	return out;
}
