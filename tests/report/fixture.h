/* Fixture: evolutions with known jumps for the tests of the writers and for the pages of the browser tests. */
#pragma once

#include "core/base/arena.h"
#include "report/evolution.h"

struct fixture {
	struct pe_arena arena;
	struct pe_evolution evolution;
};

/**
 * Make an evolution; the same kind is the same bytes everywhere.
 *
 * "small"    30 revisions, 6 benchmarks by wall time, allocations and (one) throughput; regressions,
 *            improvements, a jump over unmeasured revisions, failures, a test left out, identical builds
 *            that differ between the benchmarks
 * "hostile"  names, subjects, authors, logs that would be markup, formulas or terminal codes
 * "quiet"    8 revisions, 2 benchmarks, nothing happened; two builds identical to a third
 * "many"     60 revisions, 120 benchmarks, one in ten with a jump
 * "events"   30 revisions, 6 benchmarks; a commit that moves three of them, one that moves a single one
 * "hundred"  100 revisions, 10 benchmarks, five with a jump
 * "long"     10,000 revisions, 4 benchmarks, every third build identical to the one before it
 * "huge"     10,000 revisions, 100 benchmarks, five with a jump
 * "empty"    nothing at all
 *
 * @return  false for a kind that does not exist
 */
bool fixture_make(struct fixture *out, const char *kind);

/** The fixture as a page. */
void fixture_page(struct pe_text *out, const struct fixture *fixture);

void fixture_release(struct fixture *fixture);
