/* Whole reports with known content, for tests/report and the browser. */
#pragma once

#include "fixture.h"
#include "report/page.h"

enum { FIXTURE_COMPARISONS = 5 };

struct fixture_report {
	struct fixture fixture;
	struct pe_history history;
	struct pe_frames frames[FIXTURE_COMPARISONS];
	struct pe_compare compares[FIXTURE_COMPARISONS];
	struct pe_page_comparison comparisons[FIXTURE_COMPARISONS];
	struct pe_page page;
};

/**
 * Make a report; the same kind is the same bytes everywhere.
 *
 * "page-small"    the evolution "small", its commits with branches and merges, and three comparisons: a slower
 *                 revision with sources, a faster one with a benchmark that is the same and one without trees,
 *                 and the uncommitted tree, of which only times are known
 * "page-hostile"  the evolution "hostile", and one comparison with names, paths and texts like it
 * "page-large"    100 revisions, 10 benchmarks, five comparisons of 10,000 nodes
 * "page-history"  10,000 revisions and their side branches, without comparisons
 *
 * @return  false for a kind that does not exist
 */
bool fixture_report_make(struct fixture_report *out, const char *kind);

/** The commits of an evolution, with branches and merges beside its line; in the fixture's arena. */
void fixture_history(struct pe_history *out, struct fixture *fixture);

void fixture_report_release(struct fixture_report *report);
