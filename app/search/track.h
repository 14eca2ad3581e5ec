/*
 * Track: measure what is left of a stretch of history, adaptively where that is what the range asks for, and confirm the
 * jumps that show.
 */
#pragma once

#include "app/history/detect.h"
#include "app/search/confirm.h"
#include "app/search/explore.h"

/** A request to a session in which the range is chosen. Its `again`, `whole` and `metrics` count, too. */
struct pe_track_request {
	const char *
		first; /**< id of the first revision of the range: changes before it are another's */
	const char *bench; /**< REGEX; NULL: all */
	size_t steps;      /**< at most this many revisions, evenly spread; 0: all */
	size_t max_runs; /**< timed runs, adaptively; 0: PE_EXPLORE_SHARE, runs of earlier sessions included */
	/** that it may take, adaptively; 0: not limited. Alone, in place of the share: no more runs than all would take */
	double budget_s;
	/** if all takes longer than this, explore within it; 0: however long it takes */
	double patience_s;
	bool adaptive, all, all_parents;
	bool no_confirm;
};

/** What is about to happen. */
struct pe_track_plan {
	struct pe_plan plan;
	bool adaptive;
	bool learns; /**< what is not known of costs would be found out before it is decided how much is measured */
	struct pe_explore_outcome explored; /**< valid if adaptive */
	struct pe_confirm_left left;
	double build_s, run_s; /**< NaN: not known */
	double seconds;        /**< in all, at most the budget; NaN: not known */
};

/** Fill in the work to do; measures nothing. */
int pe_track_plan(struct pe_track_plan *out, struct pe_session *session,
		  const struct pe_track_request *request);

/**
 * Measure, confirm, and find what each wanted commit changed.
 *
 * @return  PE_ESTOPPED after Ctrl-C: what was measured is stored, and the same call goes on; as pe_session_measure()
 */
int pe_track_measure(struct pe_session *session, const struct pe_track_request *request);

/** Find what each wanted commit of a session changed, and store it. */
int pe_track_find_changes(struct pe_session *session);

/**
 * How the history of a session is judged: its wanted revisions with their stored ancestors, for a longer series is
 * judged better than a short one. In the session's arena.
 */
struct pe_detect_opts pe_track_detect_opts(const struct pe_session *session);

/** `--quick`: a first look; the samples count all the same. */
void pe_track_make_quick(struct pe_app *app);
