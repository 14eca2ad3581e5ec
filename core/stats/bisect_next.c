/* What to measure next, and when to stop. */
#include "core/base/random.h"
#include "core/stats/bisect_inner.h"
#include "core/stats/order.h"

#include <math.h>

/* Entropy of a chance, in bits. */
static double bits(double p)
{
	return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

/* How often the wrong one of two predictions is the nearer one, when they are `apart` deviations apart. */
static double wrong(double apart)
{
	const double wild = 0.03;

	return wild + (1 - 2 * wild) * pe_normal_tail(apart / 2);
}

/*
 * Bits that one reading tells, when its predictions are `apart` deviations from each other: those of a channel
 * that is wrong as often as the nearer one is the wrong one. Outliers make it wrong, too.
 */
static double information(double apart)
{
	return 1 - bits(wrong(apart));
}

/*
 * The same for a build of which it is not as likely as not that it is new, but of chance p; `apart` as if both
 * sides had equal chance.
 */
static double information_at(double p, double apart)
{
	double error;

	if (!(p > 0 && p < 1))
		return 0;
	error = wrong(apart / (2 * sqrt(p * (1 - p))));
	return fmax(0, bits(p * (1 - error) + (1 - p) * error) - bits(error));
}

/* The state of things in one: the levels as they are on average over all guesses of the likeliest model. */
static struct pe_twolevel on_average(const struct pe_bisect *b)
{
	struct pe_twolevel average = {0};
	double sum = 0;

	for (size_t g = 0; g < b->hypotheses.n; g++)
		if (!b->hypotheses.data[g].none)
			sum += b->hypotheses.data[g].weight[b->model];
	for (size_t g = 0; g < b->hypotheses.n; g++) {
		const struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];
		const struct pe_twolevel *at = hypothesis->at[b->model];
		double share = hypothesis->weight[b->model] / sum;

		if (hypothesis->none)
			continue;
		average.noise = at->noise;
		average.builds = at->builds;
		average.machine = at->machine;
		average.n = at->n;
		for (size_t i = 0; i < at->n; i++)
			for (size_t j = 0; j < at->n; j++)
				average.cov[i][j] += share * at->cov[i][j];
	}
	return average;
}

/* --- What a reading would tell --- */

/* Predictions of a reading's value: their shares, and sums of their means, their squares and variances. */
struct forecast {
	double share, mean, square, within;
};

static void predict(struct forecast *sum, const struct pe_twolevel *levels, int side, double share,
		    size_t slot)
{
	double mean = pe_twolevel_expected(levels, side, slot);

	sum->share += share;
	sum->mean += share * mean;
	sum->square += share * mean * mean;
	sum->within += share * pe_twolevel_spread(levels, slot);
}

static size_t slot_of(const struct pe_bisect *b, size_t build)
{
	return b->times[build] > 0 ? b->slot[build] : PE_TWOLEVEL_NO_SLOT;
}

/*
 * How far apart the guesses see the next reading of a build, in deviations of a reading, as if there were two
 * of equal chance. They differ by the side that the build is on; they may also differ in where the machine is,
 * and then an end tells which is right.
 */
static double apart(const struct pe_bisect *b, size_t build)
{
	size_t slot = slot_of(b, build);
	struct forecast sum = {0, 0, 0, 0};
	double between;

	for (size_t g = 0; g < b->hypotheses.n; g++) {
		const struct pe_bisect_hypothesis *hypothesis = &b->hypotheses.data[g];
		double share = hypothesis->weight[b->model], later = 0;

		if (hypothesis->none || !(share > 0))
			continue;
		if (build > hypothesis->before && build < hypothesis->after)
			later = 1 -
				pe_bisect_weight(b, hypothesis->before, build) /
					pe_bisect_weight(b, hypothesis->before, hypothesis->after);
		else if (build <= hypothesis->before)
			later = 1;
		predict(&sum, hypothesis->at[b->model], 0, share * later, slot);
		predict(&sum, hypothesis->at[b->model], 1, share * (1 - later), slot);
	}
	between = sum.square / sum.share - sum.mean * sum.mean / (sum.share * sum.share);
	return 2 * sqrt(fmax(0, between) * sum.share / sum.within);
}

/* --- Candidates --- */

struct choice {
	size_t revision; /**< SIZE_MAX: none */
	double gain, cost;
};

/* Cost of a reading, a missing build shared among as many readings as such a revision is likely to get. */
static double cost_of(const struct pe_bisect *b, size_t i, double gain, double p)
{
	double share = bits(p) > 0 ? fmin(1, gain / bits(p)) : 1;

	return b->run_cost[i] + b->build_cost[i] * share;
}

/* The revision that informs most by cost; not the one that was measured last. */
static struct choice most_informative(const struct pe_bisect *b, bool repeat)
{
	struct choice best = {SIZE_MAX, 0, 1};
	size_t build = SIZE_MAX;
	double p = 0, gain = 0;

	for (size_t i = 1; i < b->n; i++) {
		double cost;

		if (b->build[i] == 0 || b->build[i] == pe_bisect_new_end(b))
			continue;
		if (b->build[i] != build) {
			build = b->build[i];
			p = pe_bisect_is_new(b, build);
			gain = information_at(p, apart(b, build));
		}
		if (b->skipped[i] || (build == b->last) != repeat || !(gain > 0))
			continue;
		cost = cost_of(b, i, gain, p);
		/* Of equals, the first one: what is beyond rounding is to decide. */
		if (best.revision == SIZE_MAX || gain / cost > (1 + 1e-6) * best.gain / best.cost)
			best = (struct choice){i, gain, cost};
	}
	return best;
}

/* A revision whose side is certain, and which was read least often: it tells where a level is. */
static size_t certain(const struct pe_bisect *b, int side)
{
	const double doubt = 0.002;
	size_t best = SIZE_MAX, least = SIZE_MAX;

	for (size_t i = 0; i < b->n; i++) {
		size_t build = b->build[i];
		bool end = build == 0 || build == pe_bisect_new_end(b);
		double p = end ? build != 0 : pe_bisect_is_new(b, build);

		if (b->skipped[i] || build == b->last || (b->times[build] == 0 && !end) ||
		    (side == 0 ? p : 1 - p) > doubt || b->times[build] >= least)
			continue;
		least = b->times[build];
		best = i;
	}
	return best;
}

/* --- The ends --- */

/* The k-th run of the ends goes to which? Each pair in an order of its own. */
static size_t end_of_turn(const struct pe_bisect *b, size_t k)
{
	struct pe_random random;

	pe_random_seed(&random, b->opts.seed ^ (0x9e3779b97f4a7c15u * (k / 2 + 1)));
	return (pe_random_below(&random, 2) != 0) != (k % 2 != 0) ? pe_bisect_new_end(b) : 0;
}

/* Readings of a build in the latest batch: only those of one batch make pairs. */
static size_t times_lately(const struct pe_bisect *b, size_t build)
{
	size_t n = 0;

	for (size_t i = 0; i < b->readings.n; i++)
		n += b->build[b->readings.data[i].revision] == build &&
		     b->readings.data[i].batch == b->batch;
	return n;
}

/* The end whose turn it is; SIZE_MAX: it cannot be measured. */
static size_t choose_end(const struct pe_bisect *b)
{
	size_t old_times = times_lately(b, 0);
	size_t new_times = times_lately(b, pe_bisect_new_end(b));
	size_t build = old_times < new_times ? 0 : pe_bisect_new_end(b);

	if (old_times == new_times)
		build = end_of_turn(b, 2 * old_times);
	return pe_bisect_member(b, build);
}

/* Two readings of one end are much further apart than two of the other: one of them may be an outlier. */
static bool ends_disagree(const struct pe_bisect *b)
{
	const double much = 8;
	double first[2] = {NAN, NAN}, apart[2] = {0, 0};

	for (size_t i = 0; i < b->readings.n; i++) {
		size_t build = b->build[b->readings.data[i].revision];
		int side = build != 0;

		if (build != 0 && build != pe_bisect_new_end(b))
			continue;
		if (isnan(first[side]))
			first[side] = b->readings.data[i].value;
		apart[side] = fmax(apart[side], fabs(b->readings.data[i].value - first[side]));
	}
	return apart[0] > much * apart[1] || apart[1] > much * apart[0];
}

/* Whether it is still open if the ends differ at all. */
static bool ends_unknown(const struct pe_bisect *b, const struct pe_confirm *ends)
{
	const size_t least = ends_disagree(b) ? 3 : 2;
	const double doubt = 0.5;

	return b->times[0] < least || b->times[pe_bisect_new_end(b)] < least ||
	       (b->none > doubt && ends->answer != PE_CONFIRMED);
}

/* --- The choice --- */

/* Bits that are missing to the answer. */
static double missing(const struct pe_bisect *b)
{
	double sum = 0, last = 0;

	for (size_t k = 1; k < b->n; k++) {
		double now = pe_bisect_is_new(b, b->build[k]), p = now - last;

		if (p > 0)
			sum -= p * log2(p);
		last = now;
	}
	return fmax(sum - bits(b->opts.confidence), 0.3);
}

/* Bits that an end, or another revision whose side is certain, informs by where the machine is. */
static double gain_of(const struct pe_bisect *b, size_t i, double bits_left)
{
	return fmin(bits_left, information(apart(b, b->build[i])));
}

/*
 * A run of a certain revision makes all later ones tell more: it pays when it saves more than its cost of the runs to
 * come.
 */
static size_t better_level(const struct pe_bisect *b, const struct choice *best, double bits_left)
{
	struct pe_twolevel levels = on_average(b);
	size_t slot = slot_of(b, b->build[best->revision]), chosen = SIZE_MAX;
	double without = bits_left / best->gain * best->cost, most = 0;
	double now = fmax(0.01, apart(b, b->build[best->revision])),
	       spread = pe_twolevel_spread(&levels, slot);

	for (int side = 0; side < 2; side++) {
		struct pe_twolevel better = levels;
		size_t i = certain(b, side);
		double then, left, saved;

		if (i == SIZE_MAX)
			continue;
		pe_twolevel_imagine(&better, side, slot_of(b, b->build[i]));
		then = best->gain / information(now) *
		       information(now * sqrt(spread / pe_twolevel_spread(&better, slot)));
		left = bits_left - gain_of(b, i, bits_left);
		saved = without - b->run_cost[i] -
			left / fmax(best->gain, fmin(1, then)) * best->cost;
		if (saved > most) {
			most = saved;
			chosen = i;
		}
	}
	return chosen;
}

static size_t choose(struct pe_bisect *b)
{
	struct choice best = most_informative(b, false), again = most_informative(b, true);
	double bits_left = missing(b);
	size_t level;

	if (best.revision == SIZE_MAX || best.gain / best.cost < 0.3 * again.gain / again.cost) {
		/* Not twice in a row: something else goes between, and that may as well be of use. */
		level = certain(b, (int)(b->times[0] > b->times[pe_bisect_new_end(b)]));
		if (level == SIZE_MAX)
			return again.revision != SIZE_MAX ? again.revision : best.revision;
		return again.revision != SIZE_MAX || best.revision == SIZE_MAX ? level
									       : best.revision;
	}
	level = better_level(b, &best, bits_left);
	return level != SIZE_MAX ? level : best.revision;
}

/* --- What is read once more before an answer is given --- */

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
		return sides[k] != b->last ? pe_bisect_member(b, sides[k]) : choose_end(b);
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
		return chosen != SIZE_MAX ? chosen : choose_end(b);
	return open == 2 ? chosen : SIZE_MAX;
}

/* What is to be read before this answer is given; SIZE_MAX: nothing. */
static size_t unchecked(const struct pe_bisect *b, const struct pe_bisect_group *group)
{
	const size_t sides[] = {b->build[group->first - 1], b->build[group->last]};
	size_t revision = beyond_bursts(b, sides);

	return revision != SIZE_MAX ? revision : beyond_modes(b, sides);
}

/* --- Answers --- */

/* The most probable group, and how many there are. */
static struct pe_bisect_group best_group(const struct pe_bisect *b, size_t *n)
{
	pe_auto_free struct pe_bisect_group *groups = pe_realloc(NULL, b->n, sizeof(*groups));
	struct pe_bisect_group best = {0, 0, 0};

	*n = pe_bisect_groups(groups, b, 0);
	if (*n > 0)
		best = groups[0];
	return best;
}

static enum pe_bisect_answer noisy_next(struct pe_bisect *b, size_t *revision)
{
	struct pe_confirm ends = pe_bisect_ends(b);
	bool unknown = ends_unknown(b, &ends), alone;
	struct pe_bisect_group group;
	size_t n;

	group = best_group(b, &n);
	/* With one place alone only the ends count, without other runs as evidence: as strict as a confirmation. */
	alone = n < 2;
	if (!unknown && group.probability >= b->opts.confidence &&
	    (!alone || ends.answer == PE_CONFIRMED)) {
		*revision = b->runs < b->opts.max_runs ? unchecked(b, &group) : SIZE_MAX;
		return *revision == SIZE_MAX ? PE_BISECT_FOUND : PE_BISECT_GO_ON;
	}
	if (ends.answer == PE_REFUTED ||
	    (ends.answer == PE_CONFIRM_UNDECIDED && (unknown || alone)))
		return PE_BISECT_SAME;
	if (b->runs >= b->opts.max_runs)
		return PE_BISECT_SPENT;
	*revision = unknown || alone ? choose_end(b) : choose(b);
	return *revision != SIZE_MAX ? PE_BISECT_GO_ON : PE_BISECT_FOUND;
}

/* Both ends are read twice, in turn, unless they are exact for certain: such gives the same. SIZE_MAX: they are. */
static size_t unread_end(const struct pe_bisect *b)
{
	const size_t ends[] = {0, pe_bisect_new_end(b)};

	for (size_t times = 1; times <= (b->opts.once ? 1 : 2); times++)
		for (size_t e = 0; e < 2; e++)
			if (b->times[ends[e]] < times)
				return pe_bisect_member(b, ends[e]);
	return SIZE_MAX;
}

/* Half of the probability on either side, by cost. */
static enum pe_bisect_answer exact_next(struct pe_bisect *b, size_t *revision)
{
	const struct pe_bisect_exact exact = b->exact;
	double most = 0;

	*revision = unread_end(b);
	if (*revision != SIZE_MAX)
		return b->runs < b->opts.max_runs ? PE_BISECT_GO_ON : PE_BISECT_SPENT;
	if (!exact.differ)
		return PE_BISECT_SAME;
	for (size_t i = 1; i < b->n; i++) {
		double gain = bits(pe_bisect_is_new(b, b->build[i]));
		double rate = gain / (b->run_cost[i] + b->build_cost[i]);

		if (b->skipped[i] || b->times[b->build[i]] > 0 || !(gain > 0) || rate <= most)
			continue;
		most = rate;
		*revision = i;
	}
	if (*revision == SIZE_MAX)
		return PE_BISECT_FOUND;
	return b->runs < b->opts.max_runs ? PE_BISECT_GO_ON : PE_BISECT_SPENT;
}

enum pe_bisect_answer pe_bisect_next(struct pe_bisect *b, size_t *revision)
{
	pe_bisect_refresh(b);
	*revision = SIZE_MAX;
	if (pe_bisect_new_end(b) == 0)
		return b->answer = PE_BISECT_SAME;
	if (pe_bisect_member(b, 0) == SIZE_MAX ||
	    pe_bisect_member(b, pe_bisect_new_end(b)) == SIZE_MAX)
		return b->answer = PE_BISECT_STUCK;
	return b->answer = b->opts.exact ? exact_next(b, revision) : noisy_next(b, revision);
}
