/*
 * Run likelihood: the likelihood of a level from all runs of a commit, by the law of a run (staircase.h). One value a commit,
 * such as the lower quartile, drops information: for a program with two modes it may fall into the other mode by chance,
 * while two of its ten runs are where runs of the old level never are.
 */
#pragma once

#include "core/stats/staircase.h"

/** Runs of all commits of a line under one law; each commit's likelihood is computed on demand. */
struct pe_run_likelihood;

/**
 * @param model  borrowed, as all of it
 * @param stray  one a commit: deviation between commits of one level, beside the scatter of their runs, on the scale
 * @param arena  owns it, and what is worked out
 */
struct pe_run_likelihood *pe_run_likelihood_new(const struct pe_staircase_model *model,
						const double *stray, struct pe_arena *arena);

/**
 * Logarithm of the likelihood of a commit's runs at a level, against the level under which they are likeliest: 0 at most,
 * and -12.5 at least, the bound for a commit of outliers.
 */
double pe_run_likelihood_at(const struct pe_run_likelihood *likelihood, size_t commit,
			    double level);

/** The level under which the runs of commits `from` up to, not with, `to` are likeliest; from < to. */
double pe_run_likelihood_level(const struct pe_run_likelihood *likelihood, size_t from, size_t to);
