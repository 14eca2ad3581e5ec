/*
 * Sampling periods: the times of samples are a stationary renewal process on the time in which a thread runs. Periods are
 * uniform between 7/8 and 9/8 of the interval; the first one is the residual life of a period at a random time
 * (D. R. Cox, Renewal Theory, 1962, chapter 5). So each instant of a run is as likely to be sampled as any other, also in a
 * run that is shorter than the interval: a sample stands for one interval, and the time left at the end needs no correction.
 * Varied periods do not fall into step with a loop.
 */
#pragma once

#include <stdint.h>

struct pe_sample_periods {
	uint64_t state; /**< of the random numbers: any value begins a sequence */
	uint64_t interval_ns;
};

/** SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static inline uint64_t pe_sample_periods_draw(struct pe_sample_periods *periods)
{
	uint64_t z = periods->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/** Nanoseconds from one sample to the next. */
static inline uint64_t pe_sample_periods_next(struct pe_sample_periods *periods)
{
	uint64_t least = periods->interval_ns - periods->interval_ns / 8;

	return least + pe_sample_periods_draw(periods) % (periods->interval_ns / 4 + 1);
}

/** Nanoseconds to the first sample. A period is come upon the more often the longer it is, and at any point of it. */
static inline uint64_t pe_sample_periods_first(struct pe_sample_periods *periods)
{
	uint64_t longest = periods->interval_ns + periods->interval_ns / 8, period;

	do
		period = pe_sample_periods_next(periods);
	while (pe_sample_periods_draw(periods) % longest >= period);
	return 1 + pe_sample_periods_draw(periods) % period;
}
