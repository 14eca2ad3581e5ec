/*
 * Level: pairing the children of two paired nodes, as two sequences. Private to the room.
 */
#ifndef PE_COMPARE_LEVEL_H
#define PE_COMPARE_LEVEL_H

#include "core/base/hash_index.h"
#include "analysis/compare/side.h"

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
	uint32_t *seen;  /**< by key: the last sequence that had it */
	uint32_t serial; /**< of sequences */
	uint32_t shortcut; /**< levels beyond the budget */
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

/* Sequences (sequence.c): functions over level->a and level->b, which fill level->to_b. */

/** A range of both sequences. */
struct span {
	uint32_t from_a, end_a, from_b, end_b;
};

/** Find a longest common subsequence of both sequences; beyond the budget, one near it. */
void pe_level_lcs(struct level *level);

/** Pair the k-th of a key in the range of a with its k-th in the range of b, in any order. */
void pe_level_occurrences(struct level *level, const struct span *span, bool of_one_site);

/* Alike (alike.c). */

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

#endif
