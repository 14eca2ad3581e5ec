/*
 * Handed: which modified method has another one execute more or fewer instructions whose source is what it was, or that is called
 * more or less often. Private to the room.
 */
#ifndef PE_COMPARE_HANDED_H
#define PE_COMPARE_HANDED_H

#include "analysis/compare/decide.h"

/**
 * Fill in `by` and `probably` of those that are decided by counts and charged with them: the nearest modified method above any of
 * their contexts, the first of equals (PARCS section 3.3). Of what is called more or less often, the contexts where it is are
 * looked at. Linear in the tree, times its depth at the contexts of these.
 *
 * @param n  of the decisions, which are in no order yet
 */
void pe_handed_find(struct pe_decisions *decisions, uint32_t n, const struct pe_delta *delta,
		    const struct pe_changes *changes);

#endif
