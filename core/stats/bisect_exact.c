/* Bisecting a metric that does not vary: which level is nearer is certain after one reading. */
#include "core/stats/bisect_inner.h"

#include <math.h>

/* The median of a build's readings would be any of them; the first is as good. NaN: none. */
static double value_of(const struct pe_bisect *b, size_t build)
{
	for (size_t i = 0; i < b->readings.n; i++)
		if (b->build[b->readings.data[i].revision] == build)
			return b->readings.data[i].value;
	return NAN;
}

static bool matters(const struct pe_bisect *b, double old_value, double new_value)
{
	double step = fabs(new_value - old_value);

	return step > 0 && step >= b->opts.min_effect * fabs(old_value);
}

struct pe_bisect_exact pe_bisect_exact_find(const struct pe_bisect *b)
{
	struct pe_bisect_exact exact = {.before = 0, .after = pe_bisect_new_end(b)};

	exact.old_value = value_of(b, 0);
	exact.new_value = value_of(b, exact.after);
	exact.known = !isnan(exact.old_value) && !isnan(exact.new_value);
	exact.differ = exact.known && matters(b, exact.old_value, exact.new_value);
	if (!exact.differ)
		return exact;
	/* Up to the first build that is new: should there be more than one way to and fro, it is the first. */
	for (size_t i = 0; i < b->n; i++) {
		double value = b->build[i] == i && b->times[i] > 0 ? value_of(b, i) : NAN;

		if (isnan(value))
			continue;
		if (fabs(value - exact.new_value) < fabs(value - exact.old_value)) {
			exact.after = i;
			break;
		}
		exact.before = i;
	}
	return exact;
}
