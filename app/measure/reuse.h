/*
 * Reuse: cells that need not be run. When all that a benchmark executes at one revision (its programs with the
 * libraries of the tree, normalised; the files it reads; the folders it lists) is the same at another that was
 * measured, the results are reused.
 *
 * What a benchmark executes is seen, not guessed: the first revision of each kind is run once under the counting
 * library, which lists what it touched (a *probe*). A revision in which all of that is the same does the same.
 * Where the list may be incomplete, nothing is reused.
 *
 * A build that is another one, but in nothing that the benchmark executes, has the results, too: reuse_skip.c.
 *
 * A suite is probed whole, once a revision, for all of its members: they share its program, and what one of them executes
 * and reads is not told apart from what another does.
 */
#ifndef PE_APP_MEASURE_REUSE_H
#define PE_APP_MEASURE_REUSE_H

#include "app/measure/plan.h"
#include "app/measure/session.h"

struct pe_reuse;
struct pe_carry;

/**
 * Read what is known of earlier executions. NULL when nothing can be reused in this session (no counting
 * library, or --again). Lives in the session's arena.
 */
int pe_reuse_new(struct pe_reuse **out, struct pe_session *session);

/** Let go of what is not in the arena, while the session is still open. Welcomes NULL. */
void pe_reuse_free(struct pe_reuse *reuse);

/**
 * Reuse results for a cell, or probe it so that later ones can be reused from it.
 *
 * @param reused   true: the store has the cell's source with the next pe_reuse_keep(), and it is not to be run
 * @param known     what is measured: sources must be, or be planned in the batch at hand
 * @param revision, benchmark  indices into the session
 * @param slot      that holds the revision's build
 * @param build     how it was built: an incremental build that left an old program is a note
 */
int pe_reuse_try(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision, size_t benchmark, const struct pe_slot *slot,
		 const struct pe_build *build);

/** Store what pe_reuse_try() found out, in one transaction: members of a suite are hundreds. Welcomes NULL. */
int pe_reuse_keep(struct pe_reuse *reuse);

/**
 * With the next pe_reuse_keep(): where a cell takes its results from, and for a suite what its program has.
 *
 * @param from  source, unbuilt and skipped; the rest is filled in
 */
int pe_reuse_put(struct pe_reuse *reuse, size_t revision, size_t benchmark,
		 const struct pe_reused *from);

/** The share of the cells so far that was skipped, of all whose builds are not identical; 0: too few are known. */
double pe_reuse_skipped_share(const struct pe_reuse *reuse, const struct pe_known *known);

/**
 * Compare what was run although it could have been skipped, as far as it is measured. To be called after each batch.
 *
 * @param forgot  something that was skipped in this session is to be run after all
 */
int pe_reuse_settle(bool *forgot, struct pe_reuse *reuse);

/**
 * The revision that a revision has its results of a benchmark from, itself if it was run.
 *
 * @param revision  key
 * @param touched   what was executed and read there
 * @param skipped   the two builds are not the same
 * @return          key; 0: it has none, or it is not known what was read
 */
int64_t pe_reuse_source_of(const struct pe_dependencies **touched, bool *skipped,
			   const struct pe_reuse *reuse, const struct pe_known *known,
			   int64_t revision, size_t benchmark);

/** What a benchmark was last seen to execute and read, at whatever revision; NULL: it was not seen. Borrowed. */
const struct pe_dependencies *pe_reuse_last_seen(const struct pe_reuse *reuse, size_t benchmark);

/**
 * See what benchmarks execute and read in a tree, so that it is known which other revisions do the same. Of suites nothing
 * is seen: they are looked at when they are measured.
 *
 * @param revision  index into the session
 * @param tree      of its build
 * @param until_ns  of pe_clock_ns(): no benchmark has its turn after it
 */
int pe_reuse_look(struct pe_session *session, size_t revision, const char *tree, uint64_t until_ns);

/** Which revisions need not be built (app/measure/carry.h). */
struct pe_carry *pe_reuse_carry(const struct pe_reuse *reuse);

/**
 * A revision at which a suite's program executed what it would in this tree, as its members in the session were seen to.
 *
 * @param source  its key; 0: none is known
 */
int pe_reuse_suite_source(int64_t *source, struct pe_session *session, const struct pe_suite *suite,
			  const char *tree);

#endif
