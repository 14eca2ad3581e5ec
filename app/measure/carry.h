/*
 * Carry: revisions that need no build. If a revision differs from one that was built in no item of the build's trace,
 * building it gives the same result; if it differs in no item of its benchmarks' traces either, their results are the
 * same. So the revision takes over these results, unbuilt. git computes the differences.
 *
 * Two trees are always compared directly, that of the revision and that of a build that was made: nothing follows from a
 * chain. Files that a build reads outside of its tree (compilers, headers of the system) count as part of the machine and
 * the recipe, as they do for kept builds. One revision in twenty is built nevertheless (reuse_audit.c); if its build
 * turns out to differ, all results that were taken over are forgotten, and every revision is built from then on.
 */
#pragma once

#include "app/measure/plan.h"
#include "app/measure/reuse.h"

/**
 * Take over the results of a built revision for all cells of another that want runs, or for none. With --all, none is.
 *
 * @param carried   true: the store has the sources now, and the revision is not to be built
 * @param reuse     NULL: nothing is taken over
 * @param known     coverage: sources must have results, or be planned in the batch at hand
 * @param revision  index into the session
 */
int pe_carry_try(bool *carried, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision);

/** The work that a revision will most likely need. */
enum pe_foreseen {
	PE_FORESEEN_BUILD,
	PE_FORESEEN_UNKNOWN, /**< its build is that of another, but the reads of its benchmarks were never seen */
	PE_FORESEEN_NOTHING, /**< neither a build nor runs */
};

/**
 * Predict the work that a revision will need once another is built, by the reads of the nearest build and by those of the
 * benchmarks' latest runs.
 *
 * @param before, revision  indices into the session
 */
int pe_carry_predict(enum pe_foreseen *out, struct pe_reuse *reuse, size_t before, size_t revision);

/** Whether the reads of this recipe's builds are still unknown: the first build will show which others are needed. */
bool pe_carry_is_unknown(const struct pe_reuse *reuse);

/** pe_carry_try() for every wanted revision; known is loaded again if any was carried. */
int pe_carry_all(struct pe_reuse *reuse, struct pe_known *known);
