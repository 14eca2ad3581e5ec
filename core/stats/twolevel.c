#include "core/stats/twolevel.h"

#include <assert.h>
#include <math.h>

enum { OLD, NEW, MACHINE, GAP, FIRST_BUILD };

/* A level is only known to be within this many powers of e of a reading. */
static const double vague = 3;

/* Size of outliers and leaps, in deviations of ordinary noise. */
static const double wild = 8;

/* How far from what is expected of it the gap between two modes may be, as a part of it. */
static const double gap_spread = 1 / 3.;

/* What a reading may be, and how often: ordinary, of the upper mode, an outlier, the first after a leap. */
static const struct behaviour {
	double outlier_chance, leap_chance;
	double walk; /* deviation of the machine's walk from one run to the next, in those of noise */
	double mode_chance, gap; /* of the upper mode; between modes, in deviations of noise */
} behaviours[] = {
	[PE_TWOLEVEL_CALM] = {0.003, 0.0001, 0.002, 0, 0},
	[PE_TWOLEVEL_MOVING] = {0.06, 0.004, 0.03, 0, 0},
	[PE_TWOLEVEL_RESTLESS] = {0.1, 0.01, 0.1, 0, 0},
	[PE_TWOLEVEL_MODES] = {0.03, 0.003, 0.03, 0.3, 3},
	[PE_TWOLEVEL_MODES + 1] = {0.03, 0.003, 0.03, 0.3, 6},
	[PE_TWOLEVEL_MODES + 2] = {0.03, 0.003, 0.03, 0.3, 11},
	[PE_TWOLEVEL_MODES + 3] = {0.03, 0.003, 0.03, 0.7, 3},
	[PE_TWOLEVEL_MODES + 4] = {0.03, 0.003, 0.03, 0.7, 6},
	[PE_TWOLEVEL_MODES + 5] = {0.03, 0.003, 0.03, 0.7, 11},
};

double pe_twolevel_deviation(enum pe_twolevel_machine machine, double noise)
{
	const struct behaviour *b = &behaviours[machine];

	return noise * sqrt(1 + b->mode_chance * (1 - b->mode_chance) * b->gap * b->gap);
}

void pe_twolevel_begin(struct pe_twolevel *out, enum pe_twolevel_machine machine, double noise,
		       double builds, double about)
{
	*out = (struct pe_twolevel){.noise = noise,
				    .builds = builds,
				    .machine = machine,
				    .n = FIRST_BUILD,
				    .mean = {about, about, 0, behaviours[machine].gap * noise}};
	out->cov[OLD][OLD] = out->cov[NEW][NEW] = vague * vague;
	out->cov[GAP][GAP] = pow(gap_spread * out->mean[GAP], 2);
}

/* A batch begins: forget where the machine stands, and begin to count from there. */
static void forget_machine(struct pe_twolevel *levels)
{
	for (size_t i = 0; i < levels->n; i++)
		levels->cov[MACHINE][i] = levels->cov[i][MACHINE] = 0;
	levels->mean[MACHINE] = 0;
	levels->cov[MACHINE][MACHINE] = vague * vague;
}

static bool has_slot(const struct pe_twolevel *levels, size_t slot)
{
	return slot != PE_TWOLEVEL_NO_SLOT && FIRST_BUILD + slot < levels->n;
}

static void add_slot(struct pe_twolevel *levels, size_t slot)
{
	if (slot == PE_TWOLEVEL_NO_SLOT || has_slot(levels, slot))
		return;
	levels->cov[levels->n][levels->n] = levels->builds * levels->builds;
	levels->n++;
}

/* Variance of a reading in ordinary noise about the states' prediction. */
static double own_variance(const struct pe_twolevel *levels, size_t slot)
{
	double builds = has_slot(levels, slot) ? 0 : levels->builds * levels->builds;

	return levels->noise * levels->noise + builds;
}

/* cov * h, for h of ones at the side, the machine and the build; returns h' * cov * h. */
static double project(double *out, const struct pe_twolevel *levels, int side, size_t slot)
{
	bool build = has_slot(levels, slot);

	assert(levels->n >= FIRST_BUILD);
	for (size_t i = 0; i < levels->n; i++)
		out[i] = levels->cov[side][i] + levels->cov[MACHINE][i] +
			 (build ? levels->cov[FIRST_BUILD + slot][i] : 0);
	return out[side] + out[MACHINE] + (build ? out[FIRST_BUILD + slot] : 0);
}

/* What a reading would be in the lower mode, if there are two. */
static double base(const struct pe_twolevel *levels, int side, size_t slot)
{
	return levels->mean[side] + levels->mean[MACHINE] +
	       (has_slot(levels, slot) ? levels->mean[FIRST_BUILD + slot] : 0);
}

double pe_twolevel_expected(const struct pe_twolevel *levels, int side, size_t slot)
{
	return base(levels, side, slot) +
	       behaviours[levels->machine].mode_chance * levels->mean[GAP];
}

/* The ways to see a reading: ordinary, of the upper mode, an outlier, the first after a leap. */
enum { ORDINARY, UPPER, OUTLIER, LEAP, WAYS };

struct way {
	double share;            /* its probability, given the reading */
	double deviation, total; /* of the reading from what this way expects, and its variance */
	double with[PE_TWOLEVEL_STATES]; /* covariance of the states with such a reading */
};

/* Probabilities of the ways; returns the logarithm of the reading's density. */
static double weigh(struct way ways[WAYS], const struct behaviour *b)
{
	static const double half_log_two_pi = 0.91893853320467274;
	const double wild_ones = b->outlier_chance + b->leap_chance;
	const double chance[WAYS] = {(1 - wild_ones) * (1 - b->mode_chance),
				     (1 - wild_ones) * b->mode_chance, b->outlier_chance,
				     b->leap_chance};
	double most = -INFINITY, sum = 0;

	for (int w = 0; w < WAYS; w++) {
		const struct way *way = &ways[w];

		ways[w].share =
			log(chance[w]) -
			0.5 * (log(way->total) + way->deviation * way->deviation / way->total);
		most = fmax(most, way->share);
	}
	for (int w = 0; w < WAYS; w++)
		sum += ways[w].share = exp(ways[w].share - most);
	for (int w = 0; w < WAYS; w++)
		ways[w].share /= sum;
	return most + log(sum) - half_log_two_pi;
}

/*
 * The ways, each with its Kalman update, joined into one normal distribution of the same mean and covariance. The
 * states vary with an outlier as they do with an ordinary reading.
 */
static void join(struct pe_twolevel *levels, const struct way ways[WAYS], double much)
{
	const double *ordinary = ways[ORDINARY].with, *upper = ways[UPPER].with,
		     *leap = ways[LEAP].with;
	double shift[PE_TWOLEVEL_STATES], gain[WAYS], factor[WAYS];

	for (int w = 0; w < WAYS; w++) {
		const struct way *way = &ways[w];

		gain[w] = way->share * way->deviation / way->total;
		factor[w] = way->share * (way->deviation * way->deviation / way->total - 1) /
			    way->total;
	}
	gain[ORDINARY] += gain[OUTLIER];
	factor[ORDINARY] += factor[OUTLIER];
	for (size_t i = 0; i < levels->n; i++) {
		shift[i] = gain[ORDINARY] * ordinary[i] + gain[UPPER] * upper[i] +
			   gain[LEAP] * leap[i];
		levels->mean[i] += shift[i];
	}
	for (size_t i = 0; i < levels->n; i++)
		for (size_t j = 0; j <= i; j++)
			levels->cov[j][i] = levels->cov[i][j] +=
				factor[ORDINARY] * ordinary[i] * ordinary[j] +
				factor[UPPER] * upper[i] * upper[j] +
				factor[LEAP] * leap[i] * leap[j] - shift[i] * shift[j];
	levels->cov[MACHINE][MACHINE] += ways[LEAP].share * much;
}

void pe_twolevel_take(struct pe_twolevel *levels, bool fresh, int side, size_t slot, double value)
{
	const struct behaviour *behaviour = &behaviours[levels->machine];
	double much = wild * levels->noise * wild * levels->noise;
	double walk = behaviour->walk * levels->noise;
	struct way ways[WAYS];

	if (fresh)
		forget_machine(levels);
	add_slot(levels, slot);
	levels->cov[MACHINE][MACHINE] += walk * walk;
	ways[ORDINARY].deviation = value - base(levels, side, slot);
	ways[ORDINARY].total =
		project(ways[ORDINARY].with, levels, side, slot) + own_variance(levels, slot);
	ways[UPPER] = ways[OUTLIER] = ways[LEAP] = ways[ORDINARY];
	ways[UPPER].deviation -= levels->mean[GAP];
	ways[UPPER].total += 2 * ways[ORDINARY].with[GAP] + levels->cov[GAP][GAP];
	for (size_t i = 0; i < levels->n; i++)
		ways[UPPER].with[i] += levels->cov[i][GAP];
	ways[OUTLIER].total += much;
	ways[LEAP].total += much;
	ways[LEAP].with[MACHINE] += much;
	levels->log_likelihood += weigh(ways, behaviour);
	join(levels, ways, much);
}

double pe_twolevel_step(const struct pe_twolevel *levels, double *variance)
{
	*variance = levels->cov[OLD][OLD] + levels->cov[NEW][NEW] - 2 * levels->cov[OLD][NEW];
	return levels->mean[NEW] - levels->mean[OLD];
}

double pe_twolevel_spread(const struct pe_twolevel *levels, size_t slot)
{
	const double about[] = {0.5, 0.5, 1, 1};
	const size_t at[] = {OLD, NEW, MACHINE, FIRST_BUILD + slot};
	const size_t n = has_slot(levels, slot) ? 4 : 3;
	double sum = own_variance(levels, slot);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			sum += about[i] * about[j] * levels->cov[at[i]][at[j]];
	return sum;
}

void pe_twolevel_imagine(struct pe_twolevel *levels, int side, size_t slot)
{
	double ph[PE_TWOLEVEL_STATES];
	double total = project(ph, levels, side, slot) + own_variance(levels, slot);

	for (size_t i = 0; i < levels->n; i++)
		for (size_t j = 0; j < levels->n; j++)
			levels->cov[i][j] -= ph[i] * ph[j] / total;
}
