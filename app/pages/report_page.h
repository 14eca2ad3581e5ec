/* Report: a page of an evolution, its commit graph and the comparisons behind its jumps. */
#pragma once

#include "app/app.h"
#include "report/evolution.h"

/** Default number of explained jumps: readers need no more, and each takes time to measure. */
enum { PE_REPORT_JUMPS = 5 };

struct pe_reporting_opts {
	/** Most places of jumps with a comparison: regressions before improvements, the largest first. */
	size_t jumps;
	size_t newest; /**< only places among so many newest commits have one; 0: among all */
	/** Measure and profile what the store lacks for comparisons; else places without profiles are left out. */
	bool measure;
	bool all;         /**< also commits of other branches and tags than HEAD */
	const char *file; /**< the path to write to; NULL: report.html in perfevo's own folder */
	const char *
		branch; /**< the graph begins at this revision and does not mark HEAD; NULL: at HEAD */
};

/**
 * Make the report.
 *
 * With opts->measure, it must not be called while a session is open. A comparison that fails is a note.
 *
 * @param app  with repo and store; without a config there are no comparisons
 * @return     PE_ESTOPPED after Ctrl-C: measured results are kept, and no page was made
 */
int pe_report_html(struct pe_text *out, struct pe_app *app, const struct pe_evolution *evolution,
		   const struct pe_reporting_opts *opts);

/** Make the report and write it. @param path  receives its path */
int pe_report_write(const char **path, struct pe_app *app, const struct pe_evolution *evolution,
		    const struct pe_reporting_opts *opts);
