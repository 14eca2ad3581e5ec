/*
 * Weight: the one column of a tree that a view ranks its nodes by, or that a format with room for one value
 * carries.
 */
#ifndef PE_PROFILE_WEIGHT_H
#define PE_PROFILE_WEIGHT_H

#include "analysis/profile/cct.h"

#include <stdint.h>

enum pe_weight {
	PE_WEIGHT_AUTO, /**< the first of the following that the tree knows */
	PE_WEIGHT_TIME,
	PE_WEIGHT_SAMPLES,
	PE_WEIGHT_CALLS,
	PE_WEIGHT_ALLOCATIONS,
	PE_WEIGHT_BYTES, /**< allocated */
	PE_N_WEIGHTS,
};

/** What there is to say of a weight. */
struct pe_weight_kind {
	const char *name;  /**< what --weight says: "time" */
	const char *label; /**< in a table's head: "allocated bytes" */
	const char *unit;  /**< as pe_format_value() takes it: "ns", "bytes", "1" */
};

/** By enum pe_weight; the row of PE_WEIGHT_AUTO has the name "auto". */
extern const struct pe_weight_kind pe_weights[PE_N_WEIGHTS];

/** The weight of a name; PE_EINVALID with the names that there are. */
int pe_weight_find(enum pe_weight *out, const char *name, struct pe_err *err);

/**
 * The weight that is meant: AUTO becomes the first one known.
 *
 * @return  PE_ENOTFOUND when the tree does not know it, with those that it knows
 */
int pe_weight_settle(enum pe_weight *weight, const struct pe_cct *cct, struct pe_err *err);

/** What each node itself weighs, borrowed from the tree; NULL: unknown. Not for AUTO. */
const uint64_t *pe_weight_self(const struct pe_cct *cct, enum pe_weight weight);

/**
 * With everything below, from the tree where it has the column, else summed into the arena; NULL: unknown.
 * Sums that pass 2^64 stay at 2^64 - 1.
 */
const uint64_t *pe_weight_total(const struct pe_cct *cct, enum pe_weight weight,
				struct pe_arena *arena);

#endif
