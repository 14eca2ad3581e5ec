/* Reading: one measured value in its place: which commit, and what it was measured together with. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/**
 * One value. Readings that share batch and round were taken close together in time, in a shuffled
 * order with the others of that round: what moved all of them was the machine. Commits measured one
 * after the other instead must be in batches of their own, or the rounds would be told to share
 * what they do not.
 */
struct pe_reading {
	size_t commit;  /**< position in the history, oldest first */
	int64_t batch;  /**< any number, the same for all that was measured in one set of rounds */
	unsigned round; /**< of its batch */
	double value;
};

/** All readings of one metric of one benchmark on one machine, in any order. Borrowed. */
struct pe_readings {
	const struct pe_reading *at;
	size_t n;
	/** length of the history; commits without a reading were not measurable */
	size_t n_commits;
};

/** Component of a commit without readings; components are the parts of a history that can be compared. */
#define PE_NO_COMPONENT SIZE_MAX
