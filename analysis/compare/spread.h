/*
 * Spread: how much more times moved between two executions than their repetitions tell. Machines do that: a neighbour
 * that fills the cache, or code that lies elsewhere, makes some methods dearer and others cheaper. Repetitions
 * within one profile share that moment and cannot tell; methods that nobody touched can.
 */
#ifndef PE_COMPARE_SPREAD_H
#define PE_COMPARE_SPREAD_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"

/**
 * By what factor the variance of a difference in own time is larger than the variance that is known of both sides:
 * from the methods that are the same in source and machine code and were called as often. Their squared
 * differences, each divided by its variance, would be chi-squared with one degree of freedom; the factor is their
 * median by that distribution's, so a few methods that did become slower do not matter.
 *
 * @param changes  may be NULL
 * @return         at least 1; 1 where times or changes are not known, or of less than four such methods
 */
double pe_spread_find(const struct pe_delta *delta, const struct pe_changes *changes);

/**
 * By what a variance is multiplied for it: a spread from few methods is not sure itself, so two thirds of z such standard
 * errors do.
 *
 * @param spread  0: unknown
 * @return        at least 1
 */
double pe_spread_factor(double spread);

#endif
