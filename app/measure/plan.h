/*
 * Plan: the cells of a session that still want runs (known.c), and the anchors in their batches (plan.c). It uses a session
 * and the store; it runs nothing.
 */
#pragma once

#include "app/measure/session.h"

/** Rows of the store, sorted for look-ups. In the session's arena. */
struct pe_known {
	struct pe_coverage *stored; /**< with runs or a source, by (benchmark, revision) */
	size_t n_stored;
	int64_t *unbuildable; /**< revisions, ascending */
	size_t n_unbuildable;
	bool counts_only; /**< the application's: a cell with counts is measured */
};

/** Read coverage, failed builds and reused cells of the session's machine, sorted for the look-ups below. As the store. */
int pe_known_load(struct pe_known *out, struct pe_session *session);

/** Coverage of a cell; NULL: no run. */
const struct pe_coverage *pe_known_cell(const struct pe_known *known, int64_t revision,
					int64_t benchmark);

/** The same of a cell of a session, by its indices. */
const struct pe_coverage *pe_known_at(const struct pe_known *known,
				      const struct pe_session *session, size_t revision,
				      size_t benchmark);

/** Whether a cell has results of its own: times, or counts with `counts_only`. NULL: no. */
bool pe_known_is_measured(const struct pe_known *known, const struct pe_coverage *cell);

/** A cell with its source by the store; a source of 0: it takes no results over. */
struct pe_coverage pe_known_reused(const struct pe_known *known, int64_t revision,
				   int64_t benchmark);

/** Whether a cell takes its results from another revision, which has results indeed. */
bool pe_known_is_reused(const struct pe_known *known, int64_t revision, int64_t benchmark);

/** Whether two revisions are compared that execute and read the same in a benchmark: its values have no part in the answer. */
bool pe_known_is_equal(const struct pe_known *known, const struct pe_session *session,
		       size_t benchmark);

/** Whether a revision's build failed before, for a reason that another try does not change. */
bool pe_known_unbuildable(const struct pe_known *known, int64_t revision);

/**
 * Compute what a cell's coverage still lacks: timed and counting runs.
 *
 * @return  failure: PE_MEASURED, or how it failed before, for which it wants no run; all else is 0
 */
struct pe_coverage pe_plan_wants(const struct pe_session *session, const struct pe_known *known,
				 size_t revision, size_t benchmark);

/** The number of runs that all cells of a revision still lack. */
size_t pe_plan_runs(const struct pe_session *session, const struct pe_known *known,
		    size_t revision);

/**
 * Choose the anchors of a batch whose new revisions begin at `first`: the two nearest measured ones before it (after it,
 * where there are too few), and the two that were measured first of all. Indices. None where two compared revisions are
 * measured again, which tie the batch to the earlier ones.
 *
 * @param out  at most four, ascending; revisions for which `taken` is true are left out
 */
size_t pe_plan_anchors(size_t out[4], const struct pe_session *session,
		       const struct pe_known *known, size_t first, const bool *taken);
