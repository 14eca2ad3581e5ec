/* Shared by steps.c (the search) and steps_result.c (its result). */
#ifndef PE_CORE_STATS_STEPS_INNER_H
#define PE_CORE_STATS_STEPS_INNER_H

#include "core/base/vec.h"
#include "core/stats/steps.h"

/** A search for one step, and which readings of the line it was fed. */
struct pe_steps_feed {
	struct pe_bisect *bisect;
	size_t gap; /**< readings of others between two of a revision after which a batch begins */
	size_t n;   /**< readings of the line up to the last one that was fed */
	int64_t batch;
};

/** A part of the line, and the search for the step in it. */
struct pe_steps_range {
	size_t first, last;
	struct pe_steps_feed search;
	double confidence;
	double least; /**< smaller steps are not looked for, as pe_steps_least() has it */
	/** readings of the line when the revisions beside its place were last looked at, or its answer was given */
	size_t looked;
	double near; /**< probability that these are nearer to the levels of its ends than to each other's */
	double alone; /**< probability that they are at those levels, but for what does not matter */
	/** PE_BISECT_GO_ON: open; PE_BISECT_SMALL: its step is less than matters */
	enum pe_bisect_answer answer;
};

struct pe_steps {
	struct pe_steps_opts opts;
	size_t n;
	struct pe_arena *arena;
	const double *weights; /**< NULL: all alike */
	size_t *build;         /**< by revision: the first one that executes the same */
	bool *same, *skipped;
	double *run_cost, *build_cost;
	PE_VEC(struct pe_bisect_reading) readings;
	PE_VEC(struct pe_steps_range) ranges; /**< from the old end on; they cover the line */
	size_t runs;
	size_t at; /**< the range that the search is in; SIZE_MAX: none */
	enum pe_bisect_answer answer;
};

/** Where a range's step most probably is, in revisions of the line; first is 0 where it is unknown. */
struct pe_bisect_group pe_steps_place(const struct pe_steps_range *range);

/**
 * The difference of two revisions, from the readings of both.
 *
 * @param apart  also from readings far apart in time: the machine's drift between them may be part of it
 */
struct pe_bisect_result pe_steps_between(const struct pe_steps *steps, size_t older, size_t newer,
					 bool apart);

/** Smaller steps are not looked for: a value of an exact metric, else relative. */
double pe_steps_least(const struct pe_steps *steps);

/** A relative change (0.05: +5 %) on the scale on which changes add up; of an exact metric the value itself. */
double pe_steps_scaled(const struct pe_steps *steps, double relative);
/** The relative change of which pe_steps_scaled() is `scaled`. */
double pe_steps_relative(const struct pe_steps *steps, double scaled);

#endif
