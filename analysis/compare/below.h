/*
 * Below: finds partners for the children that have none, at any depth below the other side's left-over children. The nodes
 * between were added or removed (Blueprint section V). Private to the room.
 */
#ifndef PE_COMPARE_BELOW_H
#define PE_COMPARE_BELOW_H

#include "analysis/compare/level.h"

/** By left node with a partner: which of both paths from the root has additional nodes. */
enum below_state {
	BELOW_EQUAL,
	BELOW_LEFT_LONGER, /**< the left path has inner nodes that the right one lacks */
	BELOW_RIGHT_LONGER,
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

/** A node, and the left-over child above it. */
struct below_at {
	uint32_t node, top;
};

struct below_front {
	struct below_at *data;
	size_t n, capacity;
};

/** The state of all searches; zero-initialise. `level` and `state` belong to the match. */
struct below {
	struct level *level;
	uint8_t *state;                    /**< by left node */
	uint8_t *holds_left, *holds_right; /**< by node: a node below got a partner here */
	uint32_t *
		wanted; /**< by key: 1 + index of its first entry in `wants`; valid where stamp is serial */
	uint32_t *stamp; /**< by key */
	uint32_t *
		candidates; /**< by key: 1 + index in `found` at this depth; valid where candidates_stamp is serial */
	uint32_t *candidates_stamp;
	uint32_t serial;
	PE_VEC(struct below_want) wants;
	PE_VEC(struct below_found) found;
	struct below_front now,
		next;          /**< nodes at the depth that the search has reached, and below */
	PE_VEC(uint32_t) keys; /**< keys with candidates at this depth */
	PE_VEC(struct child) a, b;
	PE_VEC(uint32_t) paired; /**< left nodes that got partners in the last search */
	/* Of one search: the nodes that seek partners on one side, and the other side, where it looks. */
	const struct side *seekers, *hay;
	bool hay_left;
	uint32_t open;             /**< seekers without a partner */
	uint32_t depth;            /**< 0: the left-over children themselves */
	enum below_state searched; /**< of the pair below which it searches */
};

/**
 * Search partners for the left-over children of a pair, in the directions that its state allows. below->paired gets the left
 * nodes of new pairs, below->state their states.
 */
void pe_below_search(struct below *below, uint32_t l, uint32_t r);

/** Free its lists, below->paired among them; a zero-initialised one is allowed. The level and the states are borrowed. */
void pe_below_release(struct below *below);

#endif
