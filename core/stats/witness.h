/*
 * Witness: what the runs of each commit say of a level, by the law of a run (staircase.h). A commit's one value, its
 * lower quartile say, leaves out where the other runs lie: of a program with two modes it is that of the other mode
 * where chance has it, while two runs of the ten lie where no run of the old level ever does.
 */
#ifndef PE_CORE_STATS_WITNESS_H
#define PE_CORE_STATS_WITNESS_H

#include "core/stats/staircase.h"

/** Runs of all commits of a line under one law; what each says is worked out when it is asked. */
struct pe_witness;

/**
 * @param model  borrowed, as all of it
 * @param stray  one a commit: deviation between commits of one level, beside the scatter of their runs, on the scale
 * @param arena  owns it, and what is worked out
 */
struct pe_witness *pe_witness_of(const struct pe_staircase_model *model, const double *stray,
				 struct pe_arena *arena);

/**
 * Logarithm of the likelihood of a commit's runs at a level, against the level under which they are likeliest: 0 at most,
 * and -12.5 at least, which is what a commit of outliers says.
 */
double pe_witness_says(const struct pe_witness *witness, size_t commit, double level);

/** The level under which the runs of commits `from` up to, not with, `to` are likeliest; from < to. */
double pe_witness_level(const struct pe_witness *witness, size_t from, size_t to);

#endif
