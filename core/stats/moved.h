/*
 * Moved: by how much the machine ran slower or faster than before, told by what was measured then and now on the
 * same commits. Their code is what it was: where all of them moved, it was the machine.
 *
 * A cell is a commit in a benchmark that has readings in the newest batches and in an earlier one; its difference
 * is that of the medians of logarithms, between the newest batches and the latest earlier one. A benchmark's
 * difference is Hodges and Lehmann's location of its cells', the machine's the weighted median of its benchmarks'.
 *
 * The error of a cell comes from its runs (location.h), so batches that moved while they were measured count for
 * less; that of a benchmark from its cells' errors, or from how they scatter where that is more: commits that
 * disagree are no witnesses.
 *
 * A code change cannot pass for the machine: a commit that is new has nothing to be compared with. One benchmark
 * cannot either, where others stayed: its data, or what it calls, is another. So benchmarks vote, or commits where
 * there is one benchmark only: *for* is who moved the same way by half the amount at least, *against* who did not
 * and whose runs would have shown it. At least two must be for it, and twice as many as are against.
 *
 * Simulated with ten runs a cell, 2 to 8 commits and 1 to 3 benchmarks, of a machine that stayed: told of in at most
 * 0.2 % of sessions in ordinary noise (1.6 %, one run in 25 an outlier), 0.4 % where three runs in ten are 8 % slower
 * than the others, 3 % where half of them are. Four commits of one benchmark show a move of 3 % in 97 % of sessions
 * in ordinary noise.
 */
#ifndef PE_CORE_STATS_MOVED_H
#define PE_CORE_STATS_MOVED_H

#include "core/base/arena.h"
#include "core/stats/reading.h"

#include <stdbool.h>

struct pe_moved_opts {
	double min_relative; /**< smallest move that is reported; 0.01 is 1 % */
	/** chance of the interval to miss, and of being told what is not there at all: the interval of `doubt`
	 * must exclude 0 */
	double level, doubt;
};

#define PE_MOVED_DEFAULTS                                                                          \
	{                                                                                          \
		0.01, 0.05, 0.01                                                                   \
	}

struct pe_moved {
	bool moved; /**< by more than chance and the smallest move, and by agreement */
	/** Now against before; 0.05: values are 5 % larger. With an interval; NaN: nothing to say. */
	double relative, low, high;
	size_t cells;      /**< (commit, benchmark), measured both times */
	size_t commits;    /**< distinct ones among them */
	size_t benchmarks; /**< with a cell */
	/** Numbers of the oldest and the latest of the earlier batches that were compared with; 0 without cells. */
	int64_t from, since;
};

/**
 * Compare the newest batches with the ones before.
 *
 * Readings that are not finite and positive are left out. The answer does not depend on the order of the readings
 * or of the benchmarks, nor on their units.
 *
 * @param benchmarks  n of them: readings of a time; commits have the same numbers in all
 * @param newest      batches of at least this number are the newest
 * @param opts        NULL: PE_MOVED_DEFAULTS
 */
struct pe_moved pe_moved_find(const struct pe_readings *benchmarks, size_t n, int64_t newest,
			      const struct pe_moved_opts *opts);

#endif
