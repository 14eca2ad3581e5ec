/*
 * Graph: the commits between some tips and some hidden ones, and an order of them.
 *
 * Commits are loaded newest first by commit time, so only the part of a long history that the query needs is
 * read. Clocks are wrong: a commit may be older than its parent. The load therefore goes on for
 * PE_GRAPH_SLACK commits after the answer seems complete (git does the same with five).
 */
#pragma once

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
	PE_VEC(size_t) queue;       /* nodes to be read, the newest last */
	struct pe_hash_index index; /* over nodes */
	size_t visible_in_queue;
	bool first_parents; /* set before loading: of a visible commit only the first parent is read */
	bool cut_short;     /* a visible commit had its parents cut off */
	int64_t cut_s;      /* commit time of the newest of those */
};

/** Which commits are asked for. Zero-initialise: all. */
struct pe_graph_filter {
	int64_t since_s, until_s; /* commit time; 0: no limit */
	size_t last;              /* at most this many, the newest; 0: no limit */
	bool tips_only;           /* the starting points alone */
	bool tags;                /* those that a tag points at */
};

/** Indices of nodes. */
typedef PE_VEC(size_t) pe_graph_nodes;

/** Release the commits that were read. A zeroed graph is left alone. */
void pe_graph_release(struct pe_graph *graph);

/** A graph that is released where its block is left. */
#define pe_auto_graph __attribute__((cleanup(pe_graph_release))) struct pe_graph

/** Add a starting point: a tip, or a commit that hides itself and its ancestors. */
void pe_graph_add(struct pe_graph *graph, git_commit *commit, bool hide);

/** The same with a commit that a specification names; errors as of pe_repo_resolve(). */
int pe_graph_add_spec(struct pe_graph *graph, const char *spec, bool hide, struct pe_err *err);

/** The same with an object that leads to a commit; false: it is not here, or leads to none. */
bool pe_graph_add_id(struct pe_graph *graph, const git_oid *id, bool hide);

/** The same with the ends of a range: "A..B", "A..", "..B", "B", or NULL for HEAD. */
int pe_graph_add_range(struct pe_graph *graph, const char *spec, struct pe_err *err);

/** Read until all that is asked for was read. */
int pe_graph_load(struct pe_graph *graph, const struct pe_graph_filter *filter, struct pe_err *err);

/** Read, and choose the visible commits that are asked for: children before parents, newest first. The caller frees data. */
int pe_graph_choose(pe_graph_nodes *out, struct pe_graph *graph,
		    const struct pe_graph_filter *filter, struct pe_err *err);

/** The node of a commit that was read, or NULL. */
const struct pe_graph_node *pe_graph_find(const struct pe_graph *graph, const git_oid *id);
