/*
 * Events: which jumps have one cause. A commit that slows a function down moves every benchmark that executes it, in
 * time, cycles and perhaps allocations: one cause, up to hundreds of jumps, each placed with an error of its own.
 *
 * The model. Some commits are causes; each jump comes from one of them, and its place is read with the error that the
 * search states for it: `sure` on its commits (squared odds, since the search understates them), 95 % within first..last,
 * the rest outside, half as likely with every further commit. The number of causes, and of benchmarks that each moves, is
 * not known beforehand: jumps are assigned to causes by a Chinese restaurant process (Aldous, "Exchangeability and
 * related topics", 1985), under which a cause with n jumps draws the next one n / concentration times as strongly as a
 * new one would; but beyond eight jumps no more strongly, so that it is a product partition (Barry and Hartigan, Annals
 * of Statistics 20 (1992)) whose large causes do not absorb a single jump that is surely at the neighbouring commit. A
 * cause is likelier at a commit that changed methods (prior.h), a jump likelier from one that changed what its benchmark
 * executes.
 *
 * The answer is the likeliest assignment that can be reached by moving one jump, splitting off the jumps of one commit and
 * joining two causes. Every jump of an event agrees with the *commit* of the event, not just with another
 * jump: intervals that overlap in a row do not chain two causes into one. Jumps up and down are treated alike: one
 * change may speed up one benchmark and slow down another.
 *
 * Error rates, on simulated suites of 300 benchmarks with five causes: docs/judging.md (bench/simulate_events.c).
 */
#pragma once

#include "core/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/**
 * A place on one first-parent line: of a cause, or of a jump, which is evidence of one. Commits are positions on the line; of
 * an evolution (core/model/evolution.h) its revisions.
 */
struct pe_event {
	/** of a jump: where it is; of a cause: the likeliest of those that its jumps are likeliest at */
	size_t commit;
	size_t first,
		last; /**< the fewest neighbouring commits that hold 95 %, `commit` among them */
	/**
	 * Probability of `commit`; NaN: unknown. Of a cause it and the interval are from the product of the jumps' own
	 * probabilities. They were measured in the same rounds, on the same machine: n of them count as n / (1 + 0.1 (n - 1))
	 * (Kish, Survey Sampling (1965), section 5.4: the design effect).
	 */
	double sure;
	/** of a jump: the first commit that it names, before `commit` where those between were not measured */
	size_t from;
	bool exact; /**< of a jump of a metric that does not vary: it is at from..commit and nowhere else */
};

struct pe_events_opts {
	/** By commit, above 0: how likely it is a cause, before anything was measured. NULL: all alike. */
	const double *prior;
	size_t n_commits; /**< of the line */
	/** How much likelier (>1) or less likely a jump of the benchmark comes from that commit. NULL: not known. */
	double (*bears)(size_t benchmark, size_t commit, void *payload);
	void *payload;
};

struct pe_events {
	struct pe_event *at; /**< ascending by commit */
	size_t n;
	size_t *event_of; /**< one a jump */
};

/**
 * Share jumps out among causes.
 *
 * Takes about as long as jumps times commits that their intervals span.
 *
 * @param jumps       of commits below opts->n_commits
 * @param benchmarks  one a jump: its number
 * @param arena       owns the arrays
 * @return            the same whatever the order of the jumps, but for the order of equals
 */
struct pe_events pe_events_find(const struct pe_event *jumps, const size_t *benchmarks, size_t n,
				const struct pe_events_opts *opts, struct pe_arena *arena);

/** Functions of one benchmark that a commit changed and that it executes: numbers, ascending. */
struct pe_event_functions {
	const size_t *at;
	size_t n;
	bool known; /**< false: its executed functions, or the changed ones, are unknown */
};

/**
 * Divide the benchmarks of one event by the functions that may have moved them: two that share one are in one part,
 * directly or through others. Benchmarks with unknown functions, or that execute none of the changed ones, are put into
 * the part with the most benchmarks; so are all where no function is known.
 *
 * @param part  n numbers, from 0 in the order in which parts first appear
 * @return      how many parts there are
 */
size_t pe_events_part(size_t *part, const struct pe_event_functions *benchmarks, size_t n);
