/*
 * Times without what runs of one revision differ in by themselves, which is no cause of a difference between two
 * revisions. Private to the room.
 */
#ifndef PE_COMPARE_ZAM_STEADY_H
#define PE_COMPARE_ZAM_STEADY_H

#include "analysis/compare/changes.h"
#include "analysis/compare/match.h"

/**
 * Replace the trees of a match by copies whose times lack it, where any counting runs differ; nodes keep their numbers.
 *
 * @param changes  below a method that changed, times stay as they are; NULL: unknown
 */
void pe_zam_steady_match(struct pe_match *match, const struct pe_changes *changes,
			 struct pe_arena *arena);

#endif
