/*
 * Carry: revisions that need not be built. Where nothing differs between a revision and one that was built that the trace
 * of the build names, building it makes the same; and where nothing differs that the traces of its benchmarks name either,
 * their results are the same. So the revision takes over these results, unbuilt. Git tells what differs.
 *
 * Always two trees are compared, that of the revision and that of a build that was made: nothing follows from a chain.
 * What a build reads outside of its tree (compilers, headers of the system) belongs to the machine and the recipe, as it
 * does for builds that are kept. One revision in twenty is built all the same (reuse_audit.c); where its build turns out
 * to differ, all results that were taken over are forgotten, and every revision is built from then on.
 */
#ifndef PE_APP_MEASURE_CARRY_H
#define PE_APP_MEASURE_CARRY_H

#include "app/measure/plan.h"
#include "app/measure/reuse.h"

/**
 * Take over the results of a built revision for all cells of another that want runs, or for none. With --all, none is.
 *
 * @param carried  true: the store has the sources now, and the revision is not to be built
 * @param reuse    NULL: nothing is taken over
 * @param known    what is measured: sources must be, or be planned in the batch at hand
 * @param revision index into the session
 */
int pe_carry_try(bool *carried, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision);

/** What a revision will most likely need. */
enum pe_foreseen {
	PE_FORESEEN_BUILD,
	PE_FORESEEN_UNKNOWN, /**< its build is that of another, but nobody saw what its benchmarks read */
	PE_FORESEEN_NOTHING, /**< neither a build nor runs */
};

/**
 * What a revision will most likely need once another is built: by what the build nearest to it reads, and by what the
 * benchmarks were last seen to read.
 *
 * @param before, revision  indices into the session
 */
int pe_carry_predict(enum pe_foreseen *out, struct pe_reuse *reuse, size_t before, size_t revision);

/** Nothing is known yet of what this recipe's builds read: the first one will tell which others are needed. */
bool pe_carry_is_unknown(const struct pe_reuse *reuse);

/** pe_carry_try() for every wanted revision; known is loaded again where any was carried. */
int pe_carry_all(struct pe_reuse *reuse, struct pe_known *known);

#endif
