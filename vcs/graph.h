/*
 * Graph: the commits between some tips and some hidden ones, and an order of them.
 *
 * Commits are loaded newest first by commit time, so only the part of a long history that the query needs is
 * read. Clocks are wrong: a commit may be older than its parent. The load therefore goes on for
 * PE_GRAPH_SLACK commits after the answer seems complete (git does the same with five).
 */
#ifndef PE_VCS_GRAPH_H
#define PE_VCS_GRAPH_H

#include "core/base/hash_index.h"
#include "vcs/internal.h"

enum { PE_GRAPH_SLACK = 256 };

/** A commit in the graph. */
struct pe_graph_node {
	git_oid id;
	int64_t time_s;
	size_t first_parent; /* index of the first of n_parents in graph->parents */
	unsigned n_parents;
	unsigned children; /* visible ones not yet given out: for the order */
	bool hidden;       /* reachable from a hidden commit */
	bool read;         /* its parents were read */
	bool wanted;       /* one of the tips */
	bool skips;        /* a parent cannot be parsed */
};

struct pe_graph {
	struct pe_repo *repo;
	PE_VEC(struct pe_graph_node) nodes;
	PE_VEC(size_t) parents;     /* node indices */
	PE_VEC(size_t) heap;        /* nodes to be read, newest first */
	struct pe_hash_index index; /* over nodes */
	size_t visible_in_heap;
	bool first_parents; /* set before loading: of a visible commit only the first parent is read */
	bool cut_short;     /* a visible commit had its parents cut off */
	int64_t cut_s;      /* commit time of the newest of those */
};

/** When loading may end. Zero-initialise: only when all of history is read. */
struct pe_graph_bounds {
	int64_t since_s; /* 0: none. Older commits are not needed */
	size_t last;     /* enough: this many commits that `counts` accepts; 0: no limit */
	bool tips_only;  /* enough when every tip was read */
	bool (*counts)(const git_oid *id, int64_t time_s, const void *payload);
	const void *payload;
};

/** Release the commits that were read. A zeroed graph is left alone. */
void pe_graph_release(struct pe_graph *graph);

/** Add a starting point: a tip, or a commit that hides itself and its ancestors. */
void pe_graph_add(struct pe_graph *graph, git_commit *commit, bool hide);

/** The same with a commit that a specification names; errors as of pe_repo_resolve(). */
int pe_graph_add_spec(struct pe_graph *graph, const char *spec, bool hide, struct pe_err *err);

/** The same with an object that leads to a commit; false: it is not here, or leads to none. */
bool pe_graph_add_id(struct pe_graph *graph, const git_oid *id, bool hide);

/** The same with the ends of a range: "A..B", "A..", "..B", "B", or NULL for HEAD. */
int pe_graph_add_range(struct pe_graph *graph, const char *spec, struct pe_err *err);

/** Read until the bounds are met. */
int pe_graph_load(struct pe_graph *graph, const struct pe_graph_bounds *bounds, struct pe_err *err);

/** Visible commits that were read, children before parents, newest first. The caller frees data. */
oid_vec pe_graph_order(struct pe_graph *graph);

/** The node of a commit that was read, or NULL. */
const struct pe_graph_node *pe_graph_find(const struct pe_graph *graph, const git_oid *id);

#endif
