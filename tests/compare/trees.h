/*
 * Trees for tests: written down as text, or made at random, and changed node by node before they are laid
 * out. A node keeps its place among its siblings by a number, so that one can be put between two others.
 */
#pragma once

#include "core/base/random.h"
#include "analysis/compare/functions.h"
#include "analysis/profile/cct.h"

/* What functions executed, as pe_functions_compare() takes it. */
#define RANGES(...)                                                                                \
	(struct pe_function_ranges)                                                                \
	{                                                                                          \
		(struct pe_function_range[]){__VA_ARGS__},                                         \
			sizeof((struct pe_function_range[]){__VA_ARGS__}) /                        \
				sizeof(struct pe_function_range),                                  \
			1                                                                          \
	}

enum { SKETCH_NODES = 64 };

struct sketch_node {
	uint32_t
		parent; /**< PE_CCT_NONE: the root, which is node 0; else a smaller number or any */
	uint32_t frame, site;
	double order; /**< among siblings */
	uint64_t calls, self_ns, allocations;
};

struct sketch {
	uint32_t n;
	struct sketch_node at[SKETCH_NODES];
};

/**
 * Parse "a{b@12*3:40!2 c{d}}": method, call site, calls (1), own time in ns (0), allocations (0), children.
 * Ends the test when the text is wrong.
 */
struct sketch sketch_parse(struct pe_frames *frames, const char *text);

/** Of n nodes, methods "a", "b", ... of so many names; sites as given, values small. */
struct sketch sketch_random(struct pe_frames *frames, struct pe_random *random, uint32_t n,
			    uint32_t names, uint32_t sites);

/** The tree, in preorder; where[i] becomes the place of node i when it is not NULL. */
struct pe_cct *sketch_tree(const struct sketch *sketch, struct pe_frames *frames, unsigned known,
			   uint32_t *where, struct pe_arena *arena);

/** sketch_parse() and sketch_tree() with calls, times, allocations and sites. */
struct pe_cct *tree(struct pe_frames *frames, const char *text, struct pe_arena *arena);

/** "/a/b/c": the methods from the root to a node. */
const char *tree_path(const struct pe_cct *cct, uint32_t node, struct pe_arena *arena);

/** The first node in preorder whose path it is; ends the test when there is none. */
uint32_t tree_find(const struct pe_cct *cct, const char *path);
