/*
 * Minimum effect: the power of an answer. "No change" comes with the smallest change that would have been detected;
 * "undecided" with the number of runs that would decide; a refuted suspect with the fact that it was tested.
 */
#pragma once

#include "report/evolution.h"

/** Where times detect no change below this, exact counts are offered. */
#define PE_COARSE_TIMES 0.2

/**
 * The smallest relative change that would have been detected at nine in ten of a line's revisions, from `first` on,
 * except the oldest, which has none before it. NaN: unknown; infinity: none.
 */
double pe_line_least(const struct pe_line *line, size_t first);

/** " unchanged", or " without a visible change" where only changes above PE_COARSE_TIMES would have been detected. */
const char *pe_min_effect_word(double least);

/** "; a change of 2 % would have been detected in both", or "; a change below 30 % may go unseen": in `seen` of n. */
void pe_min_effect_add_bound(struct pe_text *out, double least, size_t seen, size_t n);

/**
 * The word of pe_min_effect_word(), and the bound of benchmarks that did not change; no bound where it is unknown.
 *
 * @param least  one a benchmark, n of them, as pe_line_least() gives them; sorted by this
 */
void pe_min_effect_add_unchanged(struct pe_text *word, struct pe_text *out, double *least,
				 size_t n);

/**
 * A line each, ended by a newline: jumps that could not be decided, then those that were refuted, then metrics that
 * are exact as a rule and not of this benchmark.
 */
void pe_min_effect_add_answers(struct pe_text *out, const struct pe_evolution *evolution);
