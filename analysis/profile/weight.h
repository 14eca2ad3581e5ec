/*
 * Weight: the one column of a tree by which a view ranks its nodes, or which a format with room for one value
 * holds.
 */
#pragma once

#include "analysis/profile/cct.h"

#include <stdint.h>

enum pe_weight {
	PE_WEIGHT_AUTO, /**< the first of the following that the tree has */
	PE_WEIGHT_TIME,
	PE_WEIGHT_SAMPLES,
	PE_WEIGHT_CALLS,
	PE_WEIGHT_ALLOCATIONS,
	PE_WEIGHT_BYTES, /**< allocated */
	PE_N_WEIGHTS,
};

/** Names of a weight. */
struct pe_weight_kind {
	const char *name;  /**< the value of --weight: "time" */
	const char *label; /**< in a table's head: "allocated bytes" */
	const char *unit;  /**< for pe_format_value(): "ns", "bytes", "1" */
	int column;        /**< of a tree; not of AUTO */
};

/** Weights by enum pe_weight; the row of PE_WEIGHT_AUTO has the name "auto". */
extern const struct pe_weight_kind pe_weights[PE_N_WEIGHTS];

/** Find a weight by its name; PE_EINVALID with the list of names. */
int pe_weight_find(enum pe_weight *out, const char *name, struct pe_err *err);

/**
 * Resolve AUTO to the first weight of the tree.
 *
 * @return  PE_ENOTFOUND when the tree does not have the weight, with the list of those that it has
 */
int pe_weight_settle(enum pe_weight *weight, const struct pe_cct *cct, struct pe_err *err);

/** The column of each node's own weight, borrowed from the tree; NULL: unknown. Not for AUTO. */
const uint64_t *pe_weight_self(const struct pe_cct *cct, enum pe_weight weight);

/**
 * The weight of each node with everything below, from the tree if it has the column, else summed into the arena; NULL:
 * unknown. Sums are at most 2^64 - 1.
 */
const uint64_t *pe_weight_total(const struct pe_cct *cct, enum pe_weight weight,
				struct pe_arena *arena);
