/*
 * Counted causes: methods that execute more or fewer instructions for sure, by as much as matters. Verdict and critical graph
 * take theirs from here. Private to the room.
 *
 * A method whose source was modified stands for what it is charged with. One whose source is what it was does other work than
 * before because it is handed it, by a modified method above (analysis/compare/handed.h), or by none: with data that another one
 * left, or compiled otherwise. Of the latter, what is little beside the greatest is chance of the compiler's. One that is called
 * more or less often stands for all that a modified method has called so, if it is the greatest of these: one for more, one for less.
 */
#ifndef PE_COMPARE_COUNTED_CAUSES_H
#define PE_COMPARE_COUNTED_CAUSES_H

#include "analysis/compare/decide.h"

struct counted_cause {
	const struct pe_decision *decision;
	uint32_t
		by; /**< frame: the modified method that hands on the work; PE_FRAME_NONE: it is its own doing, or nobody's */
	bool called; /**< by having it called more or less often */
	double worth_ns;
};

struct counted_causes {
	struct counted_cause *at; /**< in the order of the decisions */
	uint32_t n;
};

/** Frame of the method whose doing it is. */
uint32_t pe_counted_cause_doer(const struct counted_cause *cause);

/**
 * Find them.
 *
 * @param decisions  NULL: none are found
 * @param least_ns   causes whose instructions take less are none
 * @param arena      owns them
 */
struct counted_causes pe_counted_causes_find(const struct pe_decisions *decisions,
					     const struct pe_changes *changes, double least_ns,
					     struct pe_arena *arena);

#endif
