/*
 * Commit class: whether a commit made the program slower or faster, by all of its jumps. Every output, exit status and
 * message takes its class from here.
 *
 * Time outweighs memory, and memory outweighs counts: a commit whose times moved is slower, faster or mixed by these alone.
 * Jumps that fresh runs have not confirmed decide nothing where others are confirmed, nor do accepted ones, nor those of
 * placement in memory.
 */
#pragma once

#include "core/base/text.h"
#include "core/model/metric.h"

enum pe_class {
	PE_CLASS_SLOWER, /**< in the order in which people read about them */
	PE_CLASS_MIXED,  /**< some benchmarks slower, others faster */
	PE_CLASS_FASTER,
	PE_CLASS_COUNTS, /**< no time moved: memory, instructions, allocations */
	PE_CLASS_LAYOUT, /**< nothing but placement in memory */
	PE_N_CLASSES
};

/** "slower", "mixed", "faster", "counts", "layout". */
const char *pe_class_name(enum pe_class class);

/** How much stands behind a class. */
enum pe_standing {
	PE_STANDING_CONFIRMED, /**< a jump is confirmed */
	PE_STANDING_SUSPECTED, /**< none is */
	PE_STANDING_ACCEPTED,  /**< all of them are accepted */
	PE_N_STANDINGS
};

/** "confirmed", "suspected", "accepted". */
const char *pe_standing_name(enum pe_standing standing);

/** A jump as far as the class depends on it. */
struct pe_class_jump {
	const char *benchmark;
	const struct pe_metric *metric;
	double relative; /**< 0.05 is +5 %; NaN: undefined */
	bool worse;
	bool confirmed; /**< by fresh runs, or of a metric that does not vary */
	bool accepted;
	bool layout; /**< only placement in memory differs */
};

/** Which way metrics moved: some of these bits. */
enum { PE_MOVED_WORSE = 1, PE_MOVED_BETTER = 2 };

struct pe_commit_class {
	enum pe_class class;
	enum pe_standing standing;
	/** directions of the jumps that decide */
	unsigned time, memory, instructions, allocations, others;
	/** A benchmark executes fewer instructions and takes longer: PE_MOVED_WORSE; more, and is faster: PE_MOVED_BETTER. */
	unsigned against_counts;
};

/** Classify a commit. @param n  one jump at least */
struct pe_commit_class pe_commit_class_of(const struct pe_class_jump *jumps, size_t n);

/** Append "slower, less memory", "faster, suspected", "executes more", "layout alone". */
void pe_commit_class_add(struct pe_text *out, const struct pe_commit_class *class);

/** Which way the metrics moved that the class rests on: PE_MOVED_WORSE, PE_MOVED_BETTER, both, or 0 for layout alone. */
unsigned pe_commit_class_direction(const struct pe_commit_class *class);

/** "executes fewer instructions, and takes longer", or the reverse; NULL: instructions and times agree. */
const char *pe_commit_class_contradiction(const struct pe_commit_class *class);

/* --- Counting commits --- */

struct pe_class_counts {
	size_t n[PE_N_STANDINGS][PE_N_CLASSES];
	size_t memory; /**< confirmed ones of PE_CLASS_COUNTS that change memory */
	bool untimed;  /**< nothing was timed: counts alone can change */
};

/** Count a commit. */
void pe_class_counts_take(struct pe_class_counts *counts, const struct pe_commit_class *class);

/**
 * Append "2 slower, 3 faster in 25 commits; 1 more changes memory; 4 more change counts alone; suspected: 1 slower".
 *
 * @param where  "in 25 commits"
 */
void pe_class_counts_add(struct pe_text *out, const struct pe_class_counts *counts,
			 const char *where);

/* --- Gates --- */

/** The smallest confirmed change for the worse that fails a gate, by what a metric measures; 0.03 is 3 %. */
struct pe_gate_limits {
	double wall;         /**< times, and metrics of the config's own */
	double instructions; /**< and system calls, sizes and other counts */
	double allocations;
	double peak;       /**< memory */
	bool layout_fails; /**< placement in memory counts as any other change */
};

#define PE_GATE_LIMITS_DEFAULT ((struct pe_gate_limits){0.03, 0.01, 0.01, 0.05, false})

/** The limit of a metric: the smallest relative change that fails. */
double pe_gate_limit(const struct pe_gate_limits *limits, const struct pe_metric *metric);

/** Append "wall 3 %, instructions 1 %, allocations 1 %, peak 5 %". */
void pe_gate_limits_add(struct pe_text *out, const struct pe_gate_limits *limits);

enum pe_gate_rule {
	PE_GATE_FAILS,
	PE_GATE_BELOW,      /**< a change for the worse that is below its limit */
	PE_GATE_OUTWEIGHED, /**< a count for the worse, of a benchmark that is faster */
	PE_GATE_IGNORES,    /**< it is better, not confirmed, accepted or layout */
};

/**
 * Whether a jump fails a gate.
 *
 * @param all  jumps of the same commit, or between the same two revisions; it is among them
 */
enum pe_gate_rule pe_gate_rule_of(const struct pe_class_jump *jump, const struct pe_class_jump *all,
				  size_t n, const struct pe_gate_limits *limits);
