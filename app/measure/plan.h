/*
 * Plan: which cells of a session still want runs, and the anchors that stand beside them in a batch. Works
 * on a session and what the store knows; runs nothing.
 */
#ifndef PE_APP_MEASURE_PLAN_H
#define PE_APP_MEASURE_PLAN_H

#include "app/measure/session.h"

/** What the store knows, arranged for look-ups. In the session's arena. */
struct pe_known {
	struct pe_coverage *coverage; /**< by (benchmark, revision) */
	size_t n_coverage;
	struct pe_stored_build *builds; /**< by revision */
	size_t n_builds;
	struct pe_reused *reused; /**< by (benchmark, revision) */
	size_t n_reused;
	/** Cells of open batches whose counts vary: a killed session left them with fewer counting runs than that takes. */
	struct pe_batch_cell *uncounted;
	size_t n_uncounted;
	const char *limits;    /**< the session's, see struct pe_builder */
	bool counts_only;      /**< the application's: what is counted is measured */
	int64_t builds_before; /**< the newest build when the session first looked */
};

/** Read coverage, builds and reused cells of the session's machine, sorted for the look-ups below. As the store. */
int pe_known_load(struct pe_known *out, struct pe_session *session);

/** Coverage of a cell; NULL: no run. */
const struct pe_coverage *pe_known_cell(const struct pe_known *known, int64_t revision,
					int64_t benchmark);

/** Whether a cell has results of its own, times unless counts are all that is asked for. NULL: no. */
bool pe_known_is_measured(const struct pe_known *known, const struct pe_coverage *cell);

/** Where a cell has its results from by what is stored; a source of 0: from nowhere else. */
struct pe_reused pe_known_reused(const struct pe_known *known, int64_t revision, int64_t benchmark);

/** Its source alone. */
int64_t pe_known_source(const struct pe_known *known, int64_t revision, int64_t benchmark);

/** Whether a cell has its results from another revision, which has them indeed. */
bool pe_known_is_reused(const struct pe_known *known, int64_t revision, int64_t benchmark);

/** Whether a revision's build failed before, for a reason that trying again will not mend. */
bool pe_known_unbuildable(const struct pe_known *known, int64_t revision);

/** What a cell still wants. */
struct pe_wants {
	unsigned timed, counted; /**< runs */
	bool failed_before;      /**< it wants nothing because it failed */
};

/** Runs that a cell still lacks, after those known. */
struct pe_wants pe_plan_wants(const struct pe_session *session, const struct pe_known *known,
			      size_t revision, size_t benchmark);

/** Runs that all cells of a revision still lack. */
size_t pe_plan_runs(const struct pe_session *session, const struct pe_known *known,
		    size_t revision);

/**
 * Indices of the revisions that anchor a batch whose new revisions begin at `first`: the two nearest
 * measured before it (after it, where there are too few), and the two that were measured first of all.
 *
 * @param out  at most four, ascending; revisions for which `taken` is true are left out
 */
size_t pe_plan_anchors(size_t out[4], const struct pe_session *session,
		       const struct pe_known *known, size_t first, const bool *taken);

#endif
