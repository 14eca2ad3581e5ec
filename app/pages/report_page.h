/* Reporting: an evolution, its commit graph and the comparisons behind its jumps as one page. */
#ifndef PE_APP_PAGES_REPORT_PAGE_H
#define PE_APP_PAGES_REPORT_PAGE_H

#include "app/app.h"
#include "core/base/hash.h"
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
	const char *
		branch; /**< the graph begins at this revision and does not mark HEAD; NULL: at HEAD */
};

/** What a page is made of, to tell whether it has to be made again. */
struct pe_report_digest {
	struct pe_hash hash; /**< begun by the caller with the evolution, in whichever form */
	const char *known;   /**< of the page that is there; NULL: none is */
};

/**
 * Make the report.
 *
 * Must not be called while a session is open, if it is to measure. A comparison that cannot be made is a note.
 *
 * @param out     empty where digest->known says that the page is there
 * @param digest  receives the commit graph and the profiles of what is compared; NULL: the page is made in any case
 * @param app     with repo and store; without a config there are no comparisons
 * @return        PE_ESTOPPED after Ctrl-C: what was measured is kept, and no page was made
 */
int pe_report_html(struct pe_text *out, struct pe_report_digest *digest, struct pe_app *app,
		   const struct pe_evolution *evolution, const struct pe_reporting_opts *opts);

/** Make the report and write it. @param path  receives where it is */
int pe_report_write(const char **path, struct pe_app *app, const struct pe_evolution *evolution,
		    const struct pe_reporting_opts *opts);

#endif
