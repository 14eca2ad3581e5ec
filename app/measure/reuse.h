/*
 * Reuse: cells that need no run. The first run of a benchmark is traced (app/measure/trace.h); where the trace holds at
 * another revision, both have the same results. A build is compared twice: by the whole programs, and by the functions of
 * them that the benchmark enters. Cells skipped by the latter, or without a build (app/measure/carry.h), are audited: one
 * in twenty is measured nevertheless.
 *
 * Traces are observed, not guessed: the benchmark is run once under the counting library, which lists the files it
 * touched (a *probe*). Where the list may be incomplete, nothing is reused.
 *
 * A suite is probed whole, once a revision, for all of its members: they share its program, and the trace cannot separate
 * one member's code and files from another's.
 */
#pragma once

#include "app/measure/plan.h"
#include "app/measure/session.h"
#include "app/measure/trace.h"

struct pe_reuse;
struct pe_traced_run;

/**
 * Read the traces of earlier sessions. NULL when nothing can be reused in this session (no counting library, or --again).
 * In the session's arena.
 */
int pe_reuse_new(struct pe_reuse **out, struct pe_session *session);

/** Release what the arena does not own. The session must still be open; NULL is allowed. */
void pe_reuse_free(struct pe_reuse *reuse);

/** A pointer whose traces are released where its block is left. */
#define pe_auto_reuse __attribute__((cleanup(pe_reuse_free_pointed))) struct pe_reuse

/** What pe_auto_reuse calls, with the address of the pointer. */
static inline void pe_reuse_free_pointed(struct pe_reuse **reuse)
{
	pe_reuse_free(*reuse);
}

/**
 * Reuse results for a cell, or probe it so that later ones can be reused from it.
 *
 * @param reused    true: the next pe_reuse_keep() stores the cell's source, and the cell is not to be run
 * @param known     coverage: sources must have results, or be planned in the batch at hand
 * @param revision, benchmark  indices into the session
 * @param tree      of the revision's build
 */
int pe_reuse_try(bool *reused, struct pe_reuse *reuse, const struct pe_known *known,
		 size_t revision, size_t benchmark, const char *tree);

/** Store the results of pe_reuse_try(), in one transaction: a suite may have hundreds of members. NULL is allowed. */
int pe_reuse_keep(struct pe_reuse *reuse);

/**
 * Have the next pe_reuse_keep() store the source of a cell's results, and for a suite copy the list of its benchmarks.
 *
 * @param from  source, unbuilt and skipped; the rest is filled in
 */
int pe_reuse_put(struct pe_reuse *reuse, size_t revision, size_t benchmark,
		 const struct pe_coverage *from);

/**
 * Audit: compare cells that were run although they could have been skipped, as far as they are measured. Call it after
 * each batch.
 *
 * @param forgot  set to whether cells that this session took over are to be measured after all
 */
int pe_reuse_settle(bool *forgot, struct pe_reuse *reuse);

/**
 * The traced run that provides a revision's results of a benchmark: its own if it was run. NULL: there is none, or it
 * cannot be compared with a build.
 *
 * @param revision  key
 * @param skipped   the two builds are not the same
 */
const struct pe_traced_run *pe_reuse_source_of(bool *skipped, const struct pe_reuse *reuse,
					       const struct pe_known *known, int64_t revision,
					       size_t benchmark);

/**
 * Trace benchmarks in a tree, to find other revisions that do the same. Suites are not traced here, but when they are
 * measured.
 *
 * @param revision  index into the session
 * @param tree      of its build
 * @param until_ns  of pe_clock_ns(): no benchmark begins after it
 */
int pe_reuse_look(struct pe_session *session, size_t revision, const char *tree, uint64_t until_ns);

/**
 * Load the trace of a benchmark's run at either of two revisions, which do the same or are to be compared.
 *
 * @param known      false: there is a trace of neither
 * @param benchmark  key
 * @param revisions  keys
 */
int pe_trace_load(struct pe_trace *out, bool *known, struct pe_session *session, int64_t benchmark,
		  const int64_t revisions[2], struct pe_arena *arena);
