#include "core/stats/twolevel.h"

#include <math.h>
#include <string.h>

enum { OLD, NEW, MACHINE, FIRST_BUILD };

/* Nothing is known of a level but that it is within some powers of e of a reading. */
static const double vague = 3;

/* Size of outliers and leaps, in deviations of ordinary noise. */
static const double wild = 8;

/* What a reading may be, and how often: ordinary, an outlier, the first after a leap of the machine. */
static const struct behaviour {
	double outlier_chance, leap_chance;
	double walk; /* deviation of the machine's walk from one run to the next, in those of noise */
} behaviours[] = {
	[PE_TWOLEVEL_CALM] = {0.003, 0.0001, 0.002},
	[PE_TWOLEVEL_MOVING] = {0.06, 0.004, 0.03},
	[PE_TWOLEVEL_RESTLESS] = {0.1, 0.01, 0.1},
};

void pe_twolevel_begin(struct pe_twolevel *out, enum pe_twolevel_machine machine, double noise,
		       double builds, double about)
{
	*out = (struct pe_twolevel){.noise = noise,
				    .builds = builds,
				    .machine = machine,
				    .n = FIRST_BUILD,
				    .mean = {about, about, 0}};
	out->cov[OLD][OLD] = out->cov[NEW][NEW] = vague * vague;
}

/* A window begins: forget where the machine stands, and begin to count from there. */
static void forget_machine(struct pe_twolevel *levels)
{
	for (size_t i = 0; i < levels->n; i++)
		levels->cov[MACHINE][i] = levels->cov[i][MACHINE] = 0;
	levels->mean[MACHINE] = 0;
	levels->cov[MACHINE][MACHINE] = vague * vague;
}

static bool seated(const struct pe_twolevel *levels, size_t slot)
{
	return slot != PE_TWOLEVEL_NO_SLOT && FIRST_BUILD + slot < levels->n;
}

static void seat(struct pe_twolevel *levels, size_t slot)
{
	if (slot == PE_TWOLEVEL_NO_SLOT || seated(levels, slot))
		return;
	levels->cov[levels->n][levels->n] = levels->builds * levels->builds;
	levels->n++;
}

/* Of a reading in ordinary noise, about what the states say. */
static double own_variance(const struct pe_twolevel *levels, size_t slot)
{
	double builds = seated(levels, slot) ? 0 : levels->builds * levels->builds;

	return levels->noise * levels->noise + builds;
}

/* cov * h, for h of ones at the side, the machine and the build; returns h' * cov * h. */
static double project(double *out, const struct pe_twolevel *levels, int side, size_t slot)
{
	bool build = seated(levels, slot);

	for (size_t i = 0; i < levels->n; i++)
		out[i] = levels->cov[side][i] + levels->cov[MACHINE][i] +
			 (build ? levels->cov[FIRST_BUILD + slot][i] : 0);
	return out[side] + out[MACHINE] + (build ? out[FIRST_BUILD + slot] : 0);
}

double pe_twolevel_expected(const struct pe_twolevel *levels, int side, size_t slot)
{
	return levels->mean[side] + levels->mean[MACHINE] +
	       (seated(levels, slot) ? levels->mean[FIRST_BUILD + slot] : 0);
}

/* The ways to see a reading: ordinary, an outlier, the first after a leap. */
enum { ORDINARY, OUTLIER, LEAP, WAYS };

/* Probabilities of the ways, given the deviation; returns the logarithm of its density. */
static double weigh(double share[WAYS], const struct behaviour *b, const double total[WAYS],
		    double deviation)
{
	static const double half_log_two_pi = 0.91893853320467274;
	const double chance[WAYS] = {1 - b->outlier_chance - b->leap_chance, b->outlier_chance,
				     b->leap_chance};
	double most = -INFINITY, sum = 0;

	for (int w = 0; w < WAYS; w++) {
		share[w] =
			log(chance[w]) - 0.5 * (log(total[w]) + deviation * deviation / total[w]);
		most = fmax(most, share[w]);
	}
	for (int w = 0; w < WAYS; w++)
		sum += share[w] = exp(share[w] - most);
	for (int w = 0; w < WAYS; w++)
		share[w] /= sum;
	return most + log(sum) - half_log_two_pi;
}

/*
 * The ways, each with its Kalman update, joined into one normal distribution of the same mean and covariance.
 * All of them start from the same covariance and differ by multiples of two vectors: the projection, and that
 * of the leap, which has `much` more at the machine.
 */
static void join(struct pe_twolevel *levels, const double *ph, const double share[WAYS],
		 const double total[WAYS], double deviation, double much)
{
	double shift[PE_TWOLEVEL_STATES], leap[PE_TWOLEVEL_STATES], factor[WAYS];

	for (int w = 0; w < WAYS; w++)
		factor[w] = share[w] * (deviation * deviation / total[w] - 1) / total[w];
	for (size_t i = 0; i < levels->n; i++) {
		leap[i] = ph[i] + (i == MACHINE ? much : 0);
		shift[i] = deviation * (ph[i] * (share[ORDINARY] / total[ORDINARY] +
						 share[OUTLIER] / total[OUTLIER]) +
					leap[i] * share[LEAP] / total[LEAP]);
		levels->mean[i] += shift[i];
	}
	for (size_t i = 0; i < levels->n; i++)
		for (size_t j = 0; j < levels->n; j++)
			levels->cov[i][j] += (factor[ORDINARY] + factor[OUTLIER]) * ph[i] * ph[j] +
					     factor[LEAP] * leap[i] * leap[j] - shift[i] * shift[j];
	levels->cov[MACHINE][MACHINE] += share[LEAP] * much;
}

void pe_twolevel_take(struct pe_twolevel *levels, bool fresh, int side, size_t slot, double value)
{
	const struct behaviour *behaviour = &behaviours[levels->machine];
	double much = wild * levels->noise * wild * levels->noise, deviation, ordinary;
	double walk = behaviour->walk * levels->noise;
	double ph[PE_TWOLEVEL_STATES], total[WAYS], share[WAYS];

	if (fresh)
		forget_machine(levels);
	seat(levels, slot);
	levels->cov[MACHINE][MACHINE] += walk * walk;
	deviation = value - pe_twolevel_expected(levels, side, slot);
	ordinary = project(ph, levels, side, slot) + own_variance(levels, slot);
	total[ORDINARY] = ordinary;
	total[OUTLIER] = total[LEAP] = ordinary + much;
	levels->log_likelihood += weigh(share, behaviour, total, deviation);
	join(levels, ph, share, total, deviation, much);
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
	const size_t n = seated(levels, slot) ? 4 : 3;
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
