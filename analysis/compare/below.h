/*
 * Below: children without a partner look for themselves among what the other side has left over, at any
 * depth: inner nodes that came or went stand between (Blueprint section V). Private to the room.
 */
#ifndef PE_COMPARE_BELOW_H
#define PE_COMPARE_BELOW_H

#include "analysis/compare/level.h"

/** By left node that has a partner: how the paths of both from the root compare. */
enum below_state {
	BELOW_EQUAL,
	BELOW_LEFT_LONGER, /**< the left path has inner nodes that the right one lacks */
	BELOW_RIGHT_LONGER,
};

/** Zero-initialise; `level` and `state` are the match's own. */
struct below {
	struct level *level;
	uint8_t *state;                    /**< by left node */
	uint8_t *holds_left, *holds_right; /**< by node: something below it has a partner since */
	uint32_t *
		wanted; /**< by key: 1 + index of the first in `wants`, valid where stamp is serial */
	uint32_t *stamp; /**< by key */
	uint32_t *
		candidates; /**< by key: 1 + index of the first in `found` at this depth, likewise */
	uint32_t *candidates_stamp;
	uint32_t serial;
	PE_VEC(struct below_want) wants;
	PE_VEC(struct below_found) found;
	PE_VEC(struct below_at) now, next;
	PE_VEC(uint32_t) keys; /**< those with candidates at this depth */
	PE_VEC(struct child) a, b;
	PE_VEC(uint32_t) paired; /**< left nodes that the last search gave partners */
};

struct below_want {
	uint32_t node;
	uint32_t next; /**< 1 + index of the next one of this key */
	bool done;
};

struct below_found {
	uint32_t node, top;
	uint32_t next;
};

/** A node of the front of a search, and the left-over child that it stands below. */
struct below_at {
	uint32_t node, top;
};

/**
 * Search for the left-over children of a pair, in both directions as far as its state allows. New pairs
 * stand in below->paired, with their state.
 */
void pe_below_search(struct below *below, uint32_t l, uint32_t r);

void pe_below_release(struct below *below);

#endif
