/*
 * Reuse: cells that need not be run. A run of a benchmark is traced (app/measure/trace.h) the first time that it is met;
 * where the trace holds at another revision, the results of the first are those of the other. A build is asked twice, once
 * by all of its programs and once by the functions that the benchmark enters of them. What was left out by the latter, and
 * what was left out without a build (app/measure/carry.h), is audited: one in twenty is measured all the same.
 *
 * What a benchmark executes is seen, not guessed: it is run once under the counting library, which lists what it touched
 * (a *probe*). Where the list may be incomplete, nothing is reused.
 *
 * A suite is probed whole, once a revision, for all of its members: they share its program, and what one of them executes
 * and reads is not told apart from what another does.
 */
#ifndef PE_APP_MEASURE_REUSE_H
#define PE_APP_MEASURE_REUSE_H

#include "app/measure/plan.h"
#include "app/measure/session.h"
#include "app/measure/trace.h"

struct pe_reuse;
struct pe_traced_run;

/**
 * Read the traces of earlier sessions. NULL when nothing can be reused in this session (no counting library, or
 * --again). Lives in the session's arena.
 */
int pe_reuse_new(struct pe_reuse **out, struct pe_session *session);

/** Release what the arena does not own. The session must still be open; NULL is allowed. */
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

/** Store what pe_reuse_try() found out, in one transaction: members of a suite are hundreds. NULL is allowed. */
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
 * Audit: compare what was run although it could have been skipped, as far as it is measured. To be called after each batch.
 *
 * @param forgot  something that was taken over in this session is to be measured after all
 */
int pe_reuse_settle(bool *forgot, struct pe_reuse *reuse);

/**
 * The traced run that a revision has its results of a benchmark from, its own if it was run. NULL: there is none, or it
 * cannot be compared with a build.
 *
 * @param revision  key
 * @param skipped   the two builds are not the same
 */
const struct pe_traced_run *pe_reuse_source_of(bool *skipped, const struct pe_reuse *reuse,
					       const struct pe_known *known, int64_t revision,
					       size_t benchmark);

/**
 * Trace benchmarks in a tree, so that it is known which other revisions do the same. Of suites nothing is seen: they are
 * looked at when they are measured.
 *
 * @param revision  index into the session
 * @param tree      of its build
 * @param until_ns  of pe_clock_ns(): no benchmark has its turn after it
 */
int pe_reuse_look(struct pe_session *session, size_t revision, const char *tree, uint64_t until_ns);

/**
 * A revision at which a suite's program executed what it would in this tree, as its members in the session were seen to.
 *
 * @param source  its key; 0: none is known
 */
int pe_reuse_suite_source(int64_t *source, struct pe_session *session, const struct pe_suite *suite,
			  const char *tree);

/**
 * The trace of a benchmark's run at either of two revisions, which are known to do the same or are to be compared.
 *
 * @param known      false: it was seen at neither
 * @param benchmark  key
 * @param revisions  keys
 */
int pe_trace_load(struct pe_trace *out, bool *known, struct pe_session *session, int64_t benchmark,
		  const int64_t revisions[2], struct pe_arena *arena);

#endif
