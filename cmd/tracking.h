/* Tracking: shared by the files of cmd_track() alone. */
#pragma once

#include "cmd/ui/cmd.h"
#include "app/cluster/farm.h"
#include "app/search/track.h"
#include "report/interim.h"

/* Formats of the result. */
enum { PE_TRACKING_TERM, PE_TRACKING_JSON, PE_TRACKING_CSV, PE_TRACKING_MD };

/** What the user asked for. */
struct pe_tracking_opts {
	size_t last, steps;
	const char *range; /**< NULL: none was named */
	const char *since, *until, *bench, *html;
	bool tags, all_parents, from_stdin, dry_run, again, quick, fail, no_open, no_confirm,
		profile;
	size_t max_runs;
	bool adaptive, all;
	int farm; /**< 0: here; 1: on Slurm's machines */
	const char *budget;
	double budget_s; /**< 0: none */
	struct pe_strings metrics;
	int format;
};

/* --- cmd/track_plan.c --- */

/**
 * What the options ask of the application; borrows the range and the options.
 *
 * @param counts_only  nothing is timed
 */
struct pe_track_request pe_tracking_request(const struct pe_revisions *revisions,
					    const struct pe_tracking_opts *options,
					    bool counts_only);

/** Print what would be done; measures nothing. */
int pe_tracking_dry_run(struct pe_cmd_ctx *ctx, struct pe_session *session,
			const struct pe_revisions *revisions,
			const struct pe_tracking_opts *options);

/* --- cmd/track_interim.c --- */

/** Who looks on while a track is at work. All is borrowed. */
struct pe_tracking_watch {
	struct pe_cmd_ctx *ctx;
	struct pe_session *session;
	const struct pe_revisions *revisions;
	int64_t since_s;
	uint64_t due_ns, pause_ns;
	bool shown;
	struct pe_interim last; /**< the last printed one */
};

/**
 * From now on print interim results, and keep the progress in the store. The first ones after a minute.
 *
 * @return  as the store
 */
int pe_tracking_watch(struct pe_tracking_watch *watch, struct pe_cmd_ctx *ctx,
		      struct pe_session *session, const struct pe_revisions *revisions);

/** It is over, however it ended. @return  rc; where that is PE_OK, as the store */
int pe_tracking_unwatch(int rc, struct pe_tracking_watch *watch);

/* --- cmd/track_show.c --- */

/**
 * Print and write the results of the range, and open the page. Closes the session before the page is written:
 * comparisons have sessions of their own.
 *
 * @return        as a command
 */
int pe_tracking_show(struct pe_cmd_ctx *ctx, struct pe_session *session,
		     const struct pe_revisions *revisions, const struct pe_tracking_opts *options);
