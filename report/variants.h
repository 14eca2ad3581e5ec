/* Variants: the other ways to match a pair, for a page on which the reader changes the rule. */
#ifndef PE_REPORT_VARIANTS_H
#define PE_REPORT_VARIANTS_H

#include "report/page.h"

/** Where the larger tree has more nodes than this, only what was asked for is drawn. */
#define PE_VARIANTS_NODES 20000

struct pe_variants_opts {
	/** as the pair was matched: its rule and call sites come first, the rest holds for all */
	const struct pe_match_opts *match;
	/** The repetitions of old and new that the pair's runs are made of, with call sites. */
	const struct pe_cct *const *at[2];
	uint32_t n[2];
};

/**
 * Match a pair in every other way: four rules, with and without call sites where a tree knows any. Variants of
 * the pair's own call sites share its trees.
 *
 * @param pair   with trees
 * @param arena  owns what is made
 */
void pe_variants_make(struct pe_page_variants *out, const struct pe_compare_pair *pair,
		      const struct pe_variants_opts *opts, struct pe_arena *arena);

#endif
