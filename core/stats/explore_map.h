/*
 * Explore map: the known revisions of a line, and the probability of a change at each; the groundwork of
 * explore.h.
 */
#ifndef PE_CORE_STATS_EXPLORE_MAP_H
#define PE_CORE_STATS_EXPLORE_MAP_H

#include "core/base/arena.h"
#include "core/stats/explore.h"

#include <stdbool.h>

/** No revision. */
#define PE_EXPLORE_NONE SIZE_MAX

struct pe_explore_map {
	const struct pe_explore_revision *revisions;
	size_t n;
	size_t *class; /**< one a revision: the oldest that executes the same */
	size_t *known; /**< one a class: a measured revision of it, or none */
	/** one a revision: chance that a level begins here or before, up to a factor; none within a class */
	double *upto;
	size_t first, last; /**< the outermost revisions that can be measured */
	/** one a revision: the next measurable one at or after it, the last one at or before it; or none */
	size_t *next, *previous;
};

/** A stretch between two neighbouring known revisions; or of the whole line when nothing is known. */
struct pe_explore_gap {
	size_t left, right;
	double mass; /**< of the places in it */
};

/** Map a line, which it borrows; all else lives in the arena. */
struct pe_explore_map pe_explore_survey(const struct pe_explore_revision *revisions, size_t n,
					struct pe_arena *arena);

/** The measured revision that executes the same as a revision, or is it; or none. */
size_t pe_explore_known(const struct pe_explore_map *map, size_t revision);

/** Would measuring it tell anything? */
bool pe_explore_can_ask(const struct pe_explore_map *map, size_t revision);

/**
 * The one that halves the places between two revisions, as nearly as can be; or none. Where costs differ, the one that
 * tells most for its cost: one that is built already, though it be a little off the middle.
 */
size_t pe_explore_halve(const struct pe_explore_map *map, size_t left, size_t right);

/**
 * The measurable revision between two others at which `upto` is nearest to `target`; or none. `slack` more or less does not
 * matter: the cheapest of those within it, if there is one that costs less than half.
 */
size_t pe_explore_near(const struct pe_explore_map *map, size_t left, size_t right, double target,
		       double slack);

/** All gaps with something to ask in them, in order. */
size_t pe_explore_gaps(struct pe_explore_gap **out, const struct pe_explore_map *map,
		       struct pe_arena *arena);

/** Of how many classes a revision was measured. */
size_t pe_explore_count_known(const struct pe_explore_map *map);

/** Is there nothing left to ask? */
bool pe_explore_is_complete(const struct pe_explore_map *map);

#endif
