/*
 * Method: a named function, method or procedure of a source file, with what is needed to tell whether it
 * changed (PARCS §3.2, Spark Circle §IV).
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Tokens of a body, hashed and sorted, that are kept at most to compute similarity. */
enum { PE_SKETCH_MAX = 64 };

struct pe_method {
	const char *component; /**< path of its file, relative to the tree's root */
	/** qualified: "ns::Class::method", "(Type).Method", "outer.inner" */
	const char *name;
	const char *signature; /**< parameters' types where the language overloads; "" elsewhere */
	uint32_t first_line, last_line; /**< from 1 */
	/**
	 * Fingerprint of the body's and head's tokens without comments and white space, its own name masked (so
	 * that a renamed recursive function is the same).
	 */
	struct pe_hash body;
	uint32_t tokens; /**< of the body */
	uint32_t n_sketch;
	const uint32_t *sketch; /**< bottom-k sketch over hashed token shingles: for likeness */
	bool uncertain;         /**< it is within, or contains, a part that could not be parsed */
};

/** The methods of one file or of one tree. */
struct pe_methods {
	struct pe_method *at; /**< by component, then in the file's order */
	size_t n;
	size_t unread; /**< parts that could not be parsed */
	size_t files;  /**< files that were read */
	/** fingerprint of the tokens outside of methods, without comments and white space; of one file; 0: there are none */
	struct pe_hash rest;
	bool ran_out; /**< parsing was given up: a faster machine might have read it */
};

/** How two revisions' methods differ. */
enum pe_method_change_kind {
	PE_METHOD_ADDED,
	PE_METHOD_DELETED,
	PE_METHOD_MODIFIED,
	PE_METHOD_RENAMED, /**< same body and signature, another name; or nearly the same body */
	PE_METHOD_MOVED,   /**< same name and body, another component */
	PE_N_METHOD_CHANGES
};

/** "added", "deleted", ... */
const char *pe_method_change_name(enum pe_method_change_kind kind);

struct pe_method_change {
	enum pe_method_change_kind kind;
	const struct pe_method *before, *after; /**< NULL where there is none */
	double likeness;                        /**< of the bodies, 0 to 1; 1: equal fingerprints */
};

struct pe_method_changes {
	/** by component and line of the newer side (older, where deleted) */
	struct pe_method_change *at;
	size_t n;
	size_t count[PE_N_METHOD_CHANGES];
};

/** mc = ma + md + mm (Spark Circle §IV); renamed and moved methods do not count. */
size_t pe_method_changes_mc(const struct pe_method_changes *changes);

/**
 * Compare the methods of two revisions: identity is (component, name, signature); equal fingerprints find
 * renamed and moved ones first, then likeness above a threshold, one-to-one; methods that are near-copies of
 * each other are not confused (a pair must be each other's best, and clearly).
 *
 * Only files that differ need be given. n log n in the number of methods, and those that are on one side alone with all
 * of the other; where these are very many, with those of their file.
 *
 * @param out  points into before and after, which must outlive it; its array lives in the arena
 */
void pe_methods_diff(struct pe_method_changes *out, const struct pe_methods *before,
		     const struct pe_methods *after, struct pe_arena *arena);
