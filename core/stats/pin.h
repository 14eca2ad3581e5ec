/*
 * Pin: to which commit a change belongs, how sure that is, and what to measure again until it is.
 *
 * With the levels on both sides taken as known, the chance that the new one begins at a commit is in
 * proportion to exp(-0.75 cost / 2), the cost being what the search pays (segment.h) when all commits before it are
 * held to the old level and the others to the new one; every place between the neighbouring changes was as
 * likely before (Smith, "A Bayesian approach to inference about a change-point in a sequence of random
 * variables", Biometrika 62 (1975), section 3, with the robust loss in place of the normal one,
 * and three quarters of it believed: variances are estimates too). Where the law of a run is known (staircase.h), the
 * likelihood of each commit's runs is in the loss's place.
 */
#pragma once

#include "core/stats/changepoint.h"
#include "core/stats/segment.h"
#include "core/stats/run_likelihood.h"

#include <stdbool.h>

/** Positions in the array that was given. */
struct pe_pin {
	double sure; /**< probability of the place that was asked about */
	size_t first,
		last; /**< the fewest neighbouring places that hold 95 %, that one among them */
};

/**
 * How sure is a change?
 *
 * @param values         both levels' values, in order, as the search saw them
 * @param n              of both
 * @param change         the first of the new level, 0 < change < n
 * @param before, after  the levels
 * @param k              as the search had it
 */
struct pe_pin pe_pin_change(const struct pe_segment_value *values, size_t n, size_t change,
			    double before, double after, double k);

/** A change between two levels of a line. */
struct pe_pin_step {
	size_t from, change,
		to; /**< commits of the line: of the old level, the first of the new one, behind that */
	double size; /**< on the line's scale */
};

/**
 * The same by the runs of each commit: by their likelihood at either level, which are those that the runs next to the
 * change are likeliest at. Places further than fifty commits from it are not thought of.
 *
 * @param pin        positions in the line; of step->change
 * @param likeliest  where it rather is: between step->from and step->to
 * @return           false: the runs do not say that there is such a step, and it has to be placed by values
 */
bool pe_pin_runs(struct pe_pin *pin, size_t *likeliest, const struct pe_run_likelihood *likelihood,
		 const struct pe_pin_step *step);

/** Commits to measure again, in rounds, all in one new batch; ascending. */
struct pe_pin_commits {
	size_t *commit;
	size_t n; /**< 0: the change is sure enough, or nothing more can be learnt */
};

/**
 * What to measure to learn where a change begins: the commits whose level is not known, and next to them
 * three of each level that are, as far as there are any.
 *
 * @param found   what pe_changepoints_find() returned
 * @param change  index into found->at
 * @param sure    probability that is enough, 0.95 say
 * @param arena   owns the answer
 */
struct pe_pin_commits pe_pin_remeasure(const struct pe_changepoints *found, size_t change,
				       double sure, struct pe_arena *arena);

/** A change's place after its neighbourhood was measured again. Commits, not positions. */
struct pe_pin_refined {
	size_t index;  /**< the likeliest beginning of the new level */
	size_t before; /**< last measured commit before it */
	double sure;
	size_t first, last;
	struct pe_pin_commits again; /**< what to measure next, a part of what was; as above */
};

struct pe_pin_opts {
	int direction; /**< of the change: 1 up, -1 down */
	double jitter; /**< pe_changepoints.jitter of the whole history */
	double sure;   /**< probability that is enough */
};

/**
 * Where does a change begin, by all readings of the commits that were measured again?
 *
 * Only those commits take part, and all of them were in the same batches: so no offset between a batch and
 * another, which a search over the whole history has to estimate, can pass for a step at their edge. Levels
 * are not taken as known but weighed out.
 *
 * @param readings  of the history, the new ones among them; others than those of `commits` are ignored
 * @param commits   what was measured again: pe_pin_remeasure()'s answer, or the last pe_pin_refined.again
 * @param arena     owns again.commit
 * @return          index is PE_NO_COMPONENT when fewer than two of the commits can be compared
 */
struct pe_pin_refined pe_pin_refine(const struct pe_readings *readings,
				    const struct pe_pin_commits *commits,
				    const struct pe_pin_opts *opts, struct pe_arena *arena);
