/* The result of a bisection, for display. */
#include "core/stats/bisect_inner.h"

#include "core/base/sort.h"

#include <math.h>

PE_SORT_DOWN_BY(compare_groups, struct pe_bisect_group, probability, first);

size_t pe_bisect_groups(struct pe_bisect_group *out, const struct pe_bisect *b, double least)
{
	struct pe_bisect_group group = {0, 0, 0};
	double last = 0;
	size_t n = 0;

	for (size_t k = 1; k < b->n; k++) {
		double now;

		if (pe_bisect_is_same(b, k))
			continue;
		now = pe_bisect_is_new(b, k);
		if (group.first == 0)
			group.first = k;
		group.last = k;
		if (pe_bisect_member(b, k) == SIZE_MAX)
			continue;
		group.probability = (1 - b->none) * fmax(0, now - last);
		if (group.probability > 0 && group.probability >= least)
			out[n++] = group;
		group = (struct pe_bisect_group){0, 0, 0};
		last = now;
	}
	pe_sort(out, n, compare_groups);
	return n;
}

/* Moments of the levels over all guesses and noises, but that there is no change. */
struct moments {
	double share, step, square, old_level, noise;
};

static struct moments gather(const struct pe_bisect *b)
{
	struct moments sum = {0, 0, 0, 0, 0};

	for (size_t g = 0; g < b->hypotheses.n; g++) {
		const struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];

		for (size_t j = 0; !hypothesis->none && j < PE_BISECT_MODELS; j++) {
			double share = hypothesis->weight[j], variance, step;

			if (hypothesis->at[j] == NULL || !(share > 0))
				continue;
			step = pe_twolevel_step(hypothesis->at[j], &variance);
			sum.share += share;
			sum.step += share * step;
			sum.square += share * (step * step + variance);
			sum.old_level +=
				share * (hypothesis->at[j]->mean[0] + hypothesis->at[j]->mean[2]);
			sum.noise += share * hypothesis->at[j]->noise;
		}
	}
	return sum;
}

/* The levels of the ends; none where one of them was never read. */
static void add_levels(struct pe_bisect_result *result, const struct pe_bisect *b)
{
	const bool read = b->times[0] > 0 && b->times[pe_bisect_new_end(b)] > 0;
	struct moments sum = gather(b);
	double step = sum.step / sum.share, old_level = sum.old_level / sum.share;
	double error = 1.96 * sqrt(fmax(0, sum.square / sum.share - step * step));
	double unit = b->opts.unit;

	if (!read || !(sum.share > 0) || error > 3)
		return;
	result->noise = sum.noise / sum.share;
	result->relative = unit > 0 ? step : expm1(step);
	result->low = unit > 0 ? step - error : expm1(step - error);
	result->high = unit > 0 ? step + error : expm1(step + error);
	result->old_level = unit > 0 ? unit * old_level : exp(old_level);
	result->new_level = unit > 0 ? unit * (old_level + step) : exp(old_level + step);
}

static void add_exact(struct pe_bisect_result *result, const struct pe_bisect *b)
{
	const struct pe_bisect_exact exact = b->exact;

	result->noise = 0;
	result->old_level = exact.old_value;
	result->new_level = exact.new_value;
	result->none = exact.known && !exact.differ;
	if (exact.known && exact.old_value != 0)
		result->relative = result->low = result->high =
			exact.new_value / exact.old_value - 1;
}

struct pe_bisect_result pe_bisect_result(const struct pe_bisect *b)
{
	struct pe_bisect_result result = {
		.answer = b->answer,
		.none = b->none,
		.relative = NAN,
		.low = NAN,
		.high = NAN,
		.old_level = NAN,
		.new_level = NAN,
		.noise = NAN,
		.runs = b->runs,
	};
	pe_auto_free struct pe_bisect_group *groups = pe_realloc(NULL, b->n, sizeof(*groups));

	if (pe_bisect_groups(groups, b, 0) > 0)
		result.group = groups[0];
	if (b->opts.exact) {
		add_exact(&result, b);
		return result;
	}
	result.ends = pe_bisect_ends(b);
	add_levels(&result, b);
	return result;
}
