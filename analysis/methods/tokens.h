/*
 * Tokens: a method's body as a stream of hashed tokens, and what is kept of it: a fingerprint, equal for equal bodies, and
 * a sketch, by which similarity is computed. Inside this room alone.
 */
#pragma once

#include "analysis/methods/method.h"

/** Zero-initialised. */
struct pe_tokens {
	uint64_t high, low; /**< running fingerprint */
	uint64_t last[2];   /**< the tokens before, for shingles of three */
	uint32_t n;
	uint32_t n_sketch;
	uint32_t sketch[PE_SKETCH_MAX]; /**< ascending, each once */
};

/** Add a token. */
void pe_tokens_add(struct pe_tokens *tokens, uint64_t hash);

/** Add what is no token but shapes the body all the same: it does not count for likeness. */
void pe_tokens_add_shape(struct pe_tokens *tokens, uint64_t hash);

/** The fingerprint so far. */
struct pe_hash pe_tokens_fingerprint(const struct pe_tokens *tokens);

/**
 * Likeness of two bodies from their sketches: the share of shingles that both have among all (Jaccard), exact
 * while both have no more than PE_SKETCH_MAX of them, else estimated from the smallest hashes of the union
 * (bottom-k sketch: Broder, "On the resemblance and containment of documents", SEQUENCES 1997) with a standard
 * error of sqrt(J (1 - J) / PE_SKETCH_MAX). 0 where a body is shorter than one shingle.
 */
double pe_method_likeness(const struct pe_method *a, const struct pe_method *b);
