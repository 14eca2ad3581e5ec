/* What is read once more before an answer is given. */
#include "core/stats/bisect_inner.h"

/* Readings between the first and the last of a build. */
static size_t span_of(const struct pe_bisect *b, size_t build)
{
	size_t first = SIZE_MAX, last = 0;

	for (size_t i = 0; i < b->readings.n; i++) {
		if (b->build[b->readings.data[i].revision] != build)
			continue;
		first = first == SIZE_MAX ? i : first;
		last = i;
	}
	return first == SIZE_MAX ? 0 : last - first;
}

static bool has_gross(const struct pe_bisect *b)
{
	for (size_t i = 0; i < b->gross.n; i++)
		if (b->gross.data[i])
			return true;
	return false;
}

/* Readings of builds that had been read before: so well is the shape of noise known. */
static size_t repeats(const struct pe_bisect *b)
{
	size_t n = b->readings.n;

	for (size_t i = 0; i < b->n; i++)
		n -= b->times[i] > 0;
	return n;
}

/*
 * Outliers come in bursts of load, and one burst may have decided about a build: the builds on either side of the answer
 * have to be read at separate times. Returns the one that was not; SIZE_MAX: none.
 */
static size_t beyond_bursts(const struct pe_bisect *b, const size_t sides[2])
{
	const size_t burst = 6;

	for (size_t k = 0; has_gross(b) && k < 2; k++) {
		if (pe_bisect_member(b, sides[k]) == SIZE_MAX || span_of(b, sides[k]) >= burst)
			continue;
		return sides[k] != b->last ? pe_bisect_member(b, sides[k])
					   : pe_bisect_choose_end(b);
	}
	return SIZE_MAX;
}

/*
 * Builds read once each agree with any step between two modes of the noise: each is taken for the side that its mode
 * suggests. So while the noise is hardly known, one neighbour of the answer has to be read twice; and where two modes are
 * as likely as one, both neighbours. SIZE_MAX: none.
 */
static size_t beyond_modes(const struct pe_bisect *b, const size_t sides[2])
{
	const size_t known = 40;
	const bool two = b->modes > 0.5;
	const size_t times = two ? 2 : 1;
	size_t chosen = SIZE_MAX, open = 0;

	if (!two && (b->modes < 0.1 || repeats(b) >= known))
		return SIZE_MAX;
	for (size_t k = 2; k-- > 0;) {
		if (b->times[sides[k]] > times || pe_bisect_member(b, sides[k]) == SIZE_MAX)
			continue;
		open++;
		if (sides[k] != b->last)
			chosen = pe_bisect_member(b, sides[k]);
	}
	if (two && open > 0)
		return chosen != SIZE_MAX ? chosen : pe_bisect_choose_end(b);
	return open == 2 ? chosen : SIZE_MAX;
}

size_t pe_bisect_unchecked(const struct pe_bisect *b, const struct pe_bisect_group *group)
{
	const size_t sides[] = {b->build[group->first - 1], b->build[group->last]};
	size_t revision = beyond_bursts(b, sides);

	return revision != SIZE_MAX ? revision : beyond_modes(b, sides);
}
