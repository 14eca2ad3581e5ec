/* Reporting: an evolution, its commit graph and the comparisons behind its jumps as one page. */
#ifndef PE_APP_EXPLAIN_REPORT_PAGE_H
#define PE_APP_EXPLAIN_REPORT_PAGE_H

#include "app/app.h"
#include "report/evolution.h"

/** How many jumps are explained unless it is said: nobody reads more, and each takes its measuring. */
enum { PE_REPORT_JUMPS = 5 };

struct pe_reporting_opts {
	/** Most places of jumps that get a comparison: regressions before improvements, the largest first. */
	size_t jumps;
	size_t newest; /**< only those of so many newest commits get one; 0: of all */
	/** Measure and profile what the store lacks of these; else those are left out that lack profiles. */
	bool measure;
	bool all;         /**< commits of every branch and tag too, not those of HEAD alone */
	const char *file; /**< where it is written; NULL: report.html in perfevo's own folder */
};

/**
 * Write the report.
 *
 * Must not be called while a session is open, if it is to measure. A comparison that cannot be made is a note.
 *
 * @param app   with repo and store; without a config there are no comparisons
 * @param path  receives where it is
 * @return      PE_ESTOPPED after Ctrl-C: what was measured is kept, and no page was written
 */
int pe_report_write(const char **path, struct pe_app *app, const struct pe_evolution *evolution,
		    const struct pe_reporting_opts *opts);

#endif
