/* Interim: the results of a history while it is being measured, in a sentence for the waiting user. */
#pragma once

#include "core/base/text.h"
#include "report/evolution.h"

/** The results so far of the requested revisions. */
struct pe_interim {
	size_t known;   /**< revisions with a value */
	size_t n;       /**< commits with jumps that are not accepted */
	size_t commit;  /**< the leading one: index of the revision; 0: there is none */
	size_t commits; /**< any of so many may have its leading jump; 0: there is none */
};

/**
 * Append how many revisions have results, and the leading commit in the words of the end.
 *
 * @param asked  number of requested revisions; the evolution need not have all
 */
struct pe_interim pe_interim_add(struct pe_text *out, const struct pe_evolution *evolution,
				 size_t asked);

/** Whether the second has another leading commit, another range of it, or another number of commits. */
bool pe_interim_differs(const struct pe_interim *old, const struct pe_interim *now);
