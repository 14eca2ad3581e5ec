/* History fixture: a commit graph over the evolutions of fixture.h. */
#ifndef PE_TESTS_REPORT_HISTORY_FIXTURE_H
#define PE_TESTS_REPORT_HISTORY_FIXTURE_H

#include "fixture.h"
#include "report/history.h"

/**
 * The evolution's revisions as a first-parent line; every sixth merges a branch of two commits that nothing is
 * known of. Names stand on the newest commit and a few others.
 */
void history_fixture(struct pe_history *out, const struct pe_evolution *evolution,
		     struct pe_arena *arena);

#endif
