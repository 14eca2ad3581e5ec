/*
 * Moved: by how much the machine ran slower or faster than before, told by what was measured then and now on the same
 * commits. Their code is what it was: where all of them moved, it was the machine.
 *
 * The k-th run of a commit before and its k-th run now are a pair; all pairs together are judged by the paired test
 * (compare.h), which gives the size, its interval and the decision. A code change cannot pass for the machine, for a
 * commit that is new has no pair. One benchmark cannot either, where others stayed: its data, or what it calls, is another.
 * So benchmarks vote by the median of their commits, or commits where there is one benchmark only: *for* is who moved the
 * same way by half the amount at least, *against* is who did not. At least two must be for it, and twice as many as are
 * against.
 */
#ifndef PE_CORE_STATS_MOVED_H
#define PE_CORE_STATS_MOVED_H

#include <stdbool.h>
#include <stddef.h>

/** A commit in a benchmark that was measured both times: its times, finite and positive, in the order of the runs. */
struct pe_moved_cell {
	size_t benchmark; /**< any number; the cells of a benchmark lie next to each other */
	const double *before, *now;
	size_t n_before, n_now; /**< each at least 1 */
};

struct pe_moved {
	bool moved; /**< by more than chance and one percent, and by agreement */
	/** Now against before; 0.05: values are 5 % larger. With a 95 % interval; NaN: nothing to say. */
	double relative, low, high;
};

/** Compare. */
struct pe_moved pe_moved_find(const struct pe_moved_cell *cells, size_t n);

#endif
