/*
 * Oracle: how well a staircase can be told at all. It knows what no judge knows: the law of a run's noise with all its
 * parameters, how much builds differ, what the machine added to each single run, how large steps are, and how likely
 * one is at a gap. What it misses at a rate of false alarms, nobody finds in those readings at that rate.
 */
#ifndef PE_BENCH_ORACLE_H
#define PE_BENCH_ORACLE_H

#include "bench/campaign.h"
#include "core/stats/staircase.h"

/**
 * The builds that begin a level (core/stats/staircase.h).
 *
 * @param is_step  one a build
 */
void oracle_find(bool *is_step, const struct campaign *c, const struct noise_model *model,
		 const struct pe_staircase_steps *steps, struct pe_arena *arena);

#endif
