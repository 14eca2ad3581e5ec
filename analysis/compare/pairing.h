/* Pairing: the steps of a match, each in a file of its own. Private to the room. */
#pragma once

#include "analysis/compare/match.h"
#include "core/base/hash_index.h"

/*
 * --- side.c: one of the two trees of a match, with the data that pairing needs. Content alone decides which tree is left and
 * which is right, so that a match and its mirror image are equal. ---
 */

/** splitmix64's finaliser: every bit of the result depends on every bit of the argument. */
static inline uint64_t pe_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/** The compared data of a node: half a cache line, because children are spread over the tree. */
struct side_node {
	uint32_t key;  /**< method, with the same number on both sides */
	uint32_t site; /**< call site, mapped to the new revision */
	/** Hash of the subtree's methods, whatever the order of siblings of one method. */
	uint64_t shape;
	uint64_t content; /**< hash of the subtree's methods, sites and values, in the same way */
	double weight;    /**< share of time; of calls where times are unknown */
};

struct side {
	const struct pe_cct *cct;
	const uint8_t *cut; /**< or NULL */
	struct side_node *nodes;
	uint32_t *partner; /**< by node: its partner, or PE_CCT_NONE */
};

/**
 * Fill a side, except partner.
 *
 * @param key_of   by frame
 * @param carry    its map_site maps lines to the new revision; NULL: lines stay
 */
void pe_side_make(struct side *side, const struct pe_cct *cct, const uint8_t *cut,
		  const uint32_t *key_of, const struct pe_match_opts *carry, bool sites,
		  struct pe_arena *arena);

/** Number methods by frame; `renamed` is for frames of the old tree, or NULL. With by_name (`hybrid`), methods of one
 * component and name have one number. */
uint32_t *pe_side_keys(const struct pe_frames *frames, const uint32_t *renamed, bool by_name,
		       struct pe_arena *arena);

/** Compare two trees by content to choose the left one: below 0, 0 when they are equal, above 0. */
int pe_side_compare(const struct side *a, const struct side *b);

static inline bool pe_side_skips(const struct side *side, uint32_t node)
{
	return side->cut != NULL && side->cut[node] != 0;
}

/* --- level.c: pairing the children of two paired nodes, as two sequences --- */

/** A child of a node, with the keys of its sorting. */
struct child {
	uint32_t node, place; /**< place: index in its sequence */
	uint32_t key, site;
	uint64_t shape, content;
	double weight;
};

struct children {
	struct child *data;
	size_t n, capacity;
};

/** The working memory of a match; zero-initialise, release with pe_level_release(). */
struct level {
	struct side *left, *right;
	uint64_t cells;  /**< most of one table */
	bool sites_lead; /**< lines were mapped: an equal site counts more than an equal subtree */
	bool unordered;  /**< beyond the budget, pair by occurrence instead of order */
	struct children a, b;
	PE_VEC(uint32_t) to_b;  /**< by place in a: place in b, or PE_CCT_NONE */
	PE_VEC(uint32_t) other; /**< another such pairing, or its inverse */
	struct children sorted_a, sorted_b;
	PE_VEC(uint64_t) row;
	PE_VEC(uint8_t) step;
	PE_VEC(uint32_t) tail, before;
	struct pe_map heads; /**< over methods, or methods and sites, of one sequence */
};

enum level_rule { LEVEL_PLACE, LEVEL_ORDER, LEVEL_OCCURRENCE };

/** Pair the children of left node l with those of right node r: set the partners on both sides. */
void pe_level_pair(struct level *level, uint32_t l, uint32_t r, enum level_rule rule);

/** Release a level's tables. A zeroed level is allowed. */
void pe_level_release(struct level *level);

/** Make the child of a node; place: index in its sequence. */
static inline struct child pe_level_child(const struct side *side, uint32_t node, uint32_t place)
{
	const struct side_node *is = &side->nodes[node];

	return (struct child){node, place, is->key, is->site, is->shape, is->content, is->weight};
}

/** The identity of a child: its method, or its method and site. */
static inline uint64_t pe_level_code(const struct child *child, bool of_one_site)
{
	return (uint64_t)child->key << 32 | (of_one_site ? child->site : 0);
}

/* --- sequence.c: functions over level->a and level->b, which fill level->to_b --- */

/** A range of both sequences. */
struct span {
	uint32_t from_a, end_a, from_b, end_b;
};

/** Find a longest common subsequence of both sequences; beyond the budget, one near it. */
void pe_level_lcs(struct level *level);

/** Pair the k-th of a key in the range of a with its k-th in the range of b, in any order. */
void pe_level_occurrences(struct level *level, const struct span *span, bool of_one_site);

/* --- alike.c --- */

/** Make room for n elements of a vector of the working memory; its content is lost. */
#define pe_level_room(vec, count)                                                                  \
	do {                                                                                       \
		if ((vec)->capacity < (count)) {                                                   \
			free((vec)->data);                                                         \
			(vec)->capacity = (count) + (count) / 2;                                   \
			(vec)->data = pe_realloc(NULL, (vec)->capacity, sizeof(*(vec)->data));     \
		}                                                                                  \
		(vec)->n = (count);                                                                \
	} while (0)

/**
 * Pair members of two sets, at most `limit` pairs: equal content first, then equal shape, then nearest weights. Sort both
 * sets; report each pair once.
 */
void pe_alike_pair(struct child *a, uint32_t na, struct child *b, uint32_t nb, uint32_t limit,
		   void (*pair)(void *payload, const struct child *a, const struct child *b),
		   void *payload);

/** Order siblings of one method and site by content, because their stored order means nothing. Return whether there are any. */
bool pe_alike_canonical(struct level *level, struct child *children, uint32_t n);

/** Pair again the siblings of one method and site: the most similar ones. */
void pe_alike_regroup(struct level *level);

/*
 * --- below.c: finds partners for the children that have none, at any depth below the other side's left-over children. The
 * nodes between were added or removed (Blueprint section V). ---
 */

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
