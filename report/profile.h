/*
 * Profile: a calling context tree as text: `perfevo profile`. Values in, text out. Unknown values are left
 * out of tables and of JSON (which lists the known ones), never zero.
 */
#pragma once

#include "core/base/text.h"
#include "analysis/profile/cct.h"
#include "analysis/profile/weight.h"
#include "report/evolution.h"

/** What to show of which tree. Strings are borrowed. */
struct pe_profile {
	const struct pe_cct *cct;
	const char *benchmark; /**< may be NULL, as may the next two */
	const char *revision;  /**< short id */
	const char *subject;   /**< of the commit */
	/** by frame: instructions that methods execute themselves, by exact counts, 0 where unknown; NULL: not counted */
	const uint64_t *instructions;
	/** ranks nodes and is what shares are of; settled by pe_weight_settle(), not AUTO */
	enum pe_weight weight;
	double threshold; /**< share of the whole, in [0, 1], below which nodes are summed in one row */
	unsigned depth; /**< levels below the root that are shown; 0: all */
	size_t most;    /**< rows of the hot and method lists; 0: all */
};

#define PE_PROFILE_DEFAULTS                                                                        \
	{                                                                                          \
		.threshold = 0.005, .most = 40                                                     \
	}

/** The tree from the root down, heaviest children first. */
void pe_profile_tree(struct pe_text *out, const struct pe_profile *profile,
		     const struct pe_term *term);

/**
 * Methods in all their contexts together.
 *
 * @param hot  by what they themselves weigh; else by their inclusive weight, where recursion counts once
 */
void pe_profile_list(struct pe_text *out, const struct pe_profile *profile, bool hot,
		     const struct pe_term *term);

/** The whole tree as one JSON document (report/schema/profile.schema.json); threshold and depth cut it too. */
void pe_profile_json(struct pe_text *out, const struct pe_profile *profile);

/** What a method weighs in all its contexts together. */
struct pe_profile_method {
	uint32_t frame;
	uint32_t contexts;    /**< nodes */
	uint64_t self, total; /**< of the weight; a recursive call counts once in total */
	uint64_t calls, allocations, allocated_bytes, samples; /**< its own; 0 where unknown */
	uint64_t total_samples; /**< with everything below, a recursive call once */
	uint32_t differs;       /**< counting runs in which the node differs that does most often */
	unsigned flags;         /**< of any of its nodes: enum pe_cct_flag */
};

/** All methods of a tree, by number of frame. Linear in the nodes; no recursion. */
struct pe_profile_method *pe_profile_by_method(size_t *n, const struct pe_cct *cct,
					       enum pe_weight weight, struct pe_arena *arena);
