/*
 * Carry: revisions that need not be built. Where a revision differs from one that was built in no file that its build
 * reads, in no name that it looks for in vain or lists, building it makes the same; and where its benchmarks read
 * nothing that differs either, their results are the same. So the revision takes over these results, unbuilt.
 *
 * Always two trees are compared, that of the revision and that of a build that was made: nothing follows from a chain.
 * What a build reads outside of its tree (compilers, headers of the system) belongs to the machine and the recipe, as it
 * does for builds that are kept. One revision in twenty, chosen by its id, is built all the same; where its build turns out
 * to differ, all results that were taken over are forgotten, and every revision is built from then on.
 */
#ifndef PE_APP_MEASURE_CARRY_H
#define PE_APP_MEASURE_CARRY_H

#include "app/measure/plan.h"
#include "app/measure/reuse.h"

struct pe_carry;

/**
 * What is known of earlier builds. With --all every revision is built, and compared with what would have been carried.
 * NULL with --again, and where carrying was found to be wrong. Lives in the session's arena.
 */
int pe_carry_new(struct pe_carry **out, struct pe_session *session);

/** Let go of what is not in the arena. Welcomes NULL. */
void pe_carry_free(struct pe_carry *carry);

/**
 * Take over the results of a built revision for all cells of another that want runs, or for none.
 *
 * @param carried  true: the store has the sources now, and the revision is not to be built
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
int pe_carry_foresee(enum pe_foreseen *out, struct pe_reuse *reuse, size_t before, size_t revision);

/** Nothing is known yet of what this recipe's builds read: the first one will tell which others are needed. */
bool pe_carry_is_blind(const struct pe_reuse *reuse);

/** pe_carry_try() for every wanted revision; known is loaded again where any was carried. */
int pe_carry_all(struct pe_reuse *reuse, struct pe_known *known);

/**
 * What a cell of a built revision would have had unbuilt.
 *
 * @param from  source (0: none) and skipped
 */
int pe_carry_expected(struct pe_reused *from, struct pe_reuse *reuse, const struct pe_known *known,
		      size_t revision, size_t benchmark);

/** Whether that was found to be wrong in this session: what was carried in it is to be measured. */
bool pe_carry_is_over(const struct pe_reuse *reuse);

/** It executes something else: say so, forget what was carried, and carry nothing any more. */
int pe_carry_distrust(struct pe_carry *carry, size_t revision, int64_t source);

#endif
