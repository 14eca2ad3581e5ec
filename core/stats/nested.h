/*
 * Nested: the best number of values a process. Values of one process share its layout in memory and the state of the
 * machine, so that each further one adds less. With variances b between processes and w within them, p
 * processes of n values have a mean of variance (b + w/n) / p and cost p (start + n value) seconds, and the fewest
 * seconds are spent at n = sqrt(start/value w/b) (Kalibera and Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013, section 6).
 *
 * A process of a suite serves many benchmarks with one n. Each is seen in units of its own noise within a process, and the
 * median over them is used: a few outliers decide nothing.
 */
#pragma once

#include <stddef.h>

/** Values of a benchmark in one process. */
struct pe_nested_process {
	const double *values;
	size_t n;
};

/** A benchmark: its processes, which have the same number of values. */
struct pe_nested {
	const struct pe_nested_process *processes;
	size_t n;
};

/** The best number of values a process, and its gain. */
struct pe_nested_choice {
	/** variance between processes over that within them, the median over benchmarks, at least its error; NAN: not known */
	double ratio;
	size_t n;    /**< benchmarks that it was seen of */
	double best; /**< the best number of values a process, 1 to 1000 */
	double gain; /**< factor by which the seconds for the same precision fall, 1 or more */
};

/**
 * Find the best number of values a process.
 *
 * @param now      values a process that were taken
 * @param start_s  seconds of a process without them
 * @param value_s  seconds of one value of each benchmark, together
 */
struct pe_nested_choice pe_nested_choose(const struct pe_nested *benchmarks, size_t n, double now,
					 double start_s, double value_s);
