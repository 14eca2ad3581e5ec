/* Exploring: shared by the files of pe_explore_measure() alone. */
#pragma once

#include "app/measure/costs.h"
#include "app/measure/reuse.h"
#include "app/search/explore.h"
#include "app/search/track.h"
#include "app/measure/plan.h"
#include "app/measure/engine.h"
#include "core/base/vec.h"
#include "core/stats/explore.h"

enum {
	PE_EXPLORING_SLOTS =
		16, /**< revisions side by side, as simulated (bench/simulate_explore.c) */
	PE_EXPLORING_REPEATS = 3,  /**< runs of a revision in a batch */
	PE_EXPLORING_ROUNDS = 512, /**< of one batch: plenty for a session */
};

/** One judged series: a benchmark and a metric. */
struct pe_explore_line {
	size_t benchmark; /**< index into the session's */
	const struct pe_metric *metric;
	PE_VEC(struct pe_reading) readings;
	struct pe_changepoints found;
};

struct pe_exploring {
	struct pe_session *session;
	const struct pe_track_request *request;
	struct pe_explore_outcome *outcome;
	size_t first; /**< wanted revision, by its index in the session: all from there on are wanted */
	size_t n;     /**< wanted revisions */
	struct pe_explore_revision *at;
	bool *lacks;   /**< by wanted revision and benchmark: its program has no such benchmark */
	size_t width;  /**< benchmarks that `lacks` is for */
	double *prior; /**< by wanted revision: what it weighs, whatever was counted */
	bool *settled; /**< by wanted revision: all of its results are there, from several others */
	bool *asked;   /**< by wanted revision: counted alone in this session, or tried to be */
	bool supposes; /**< places at which counts moved weigh more */
	bool *explored; /**< by wanted revision: chosen before, by this or an earlier session */
	struct pe_known known;
	struct pe_session_costs costs;
	PE_VEC(struct pe_explore_line) lines;
	struct pe_reuse *reuse;
	struct pe_engine *engine;
	struct pe_arena scratch; /**< of the batch at hand */
	unsigned round;          /**< next of the batch */
	size_t slots, repeats;
	size_t plain_runs; /**< timed runs that measuring all of it would take, when it began */
	uint64_t began_ns, deadline_ns; /**< the latter 0: none */
};

/** Update the state of each wanted revision from the store. */
int pe_exploring_look(struct pe_exploring *all);

/** What is stored of a wanted revision and a benchmark; NULL: nothing. */
const struct pe_coverage *pe_exploring_cell(const struct pe_exploring *all, size_t i, size_t w);

/** Timed runs that measuring each revision of the range would still take. */
size_t pe_exploring_runs_wanted(const struct pe_exploring *all);

/** Timed runs that are left: of what the user gave, of all that the range would take, or of a share of that. */
size_t pe_exploring_runs_left(const struct pe_exploring *all);

/** Read the judged series anew. */
int pe_exploring_load_lines(struct pe_exploring *all);

/** Weigh the places at which a count moved, together, as much as all others together. */
void pe_exploring_suppose(struct pe_exploring *all);

/**
 * Find where counts moved that differ between counted revisions, by counting alone, in the open batch. For the series that
 * were loaded last; they are loaded anew.
 *
 * @param counted  whether anything was: what is to be timed next is then to be chosen anew
 */
int pe_exploring_follow(bool *counted, struct pe_exploring *all);

/** Load and search the judged series, and choose the next batch; it is in `scratch`. */
int pe_exploring_next(struct pe_explore_batch *out, struct pe_exploring *all);

/** Release the series. */
void pe_exploring_drop_lines(struct pe_exploring *all);

/** When the time that the user gave is over, but for what confirming will take, by pe_clock_ns(); 0: never. */
uint64_t pe_exploring_ends_ns(const struct pe_exploring *all);

/** Whether it is. */
bool pe_exploring_is_out_of_time(const struct pe_exploring *all);

/** Measure a batch in the open batch. @param moved  whether there are new results */
int pe_exploring_measure(struct pe_exploring *all, const struct pe_explore_batch *picks,
			 bool *moved);
