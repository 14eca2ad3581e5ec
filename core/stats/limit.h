/*
 * Limit: the most that a single commit can say for a change. A location of five readings can be fooled by
 * outliers or a second mode, so a lone commit is heard only where its readings bear it out.
 */
#ifndef PE_CORE_STATS_LIMIT_H
#define PE_CORE_STATS_LIMIT_H

#include "core/stats/line.h"

/** Fill in line->limit, from all else that is known of the line. */
void pe_limits_find(struct pe_commit_line *line, const struct pe_changepoint_opts *opts,
		    struct pe_arena *arena);

/**
 * How far the readings of a lone commit have to move, on the scale, for the search to listen to it at all (its
 * limit being INFINITY): what nine in ten of the line's commits would need against the two before them.
 * INFINITY for a line of one.
 *
 * @param level  of each commit, by which they differ already
 */
double pe_limit_lone_shift(const struct pe_commit_line *line, const double *level);

#endif
