/*
 * Call graph: functions and the calls between them, as reported by profilers that keep no paths; and the
 * calling context tree that is made of one.
 *
 * A graph has the cost of a function, and the part that each of its callers spent in it, but not which of its
 * calls below were made for which caller. Where a function has one context, its node is exact. Where it has several,
 * its own cost and all below it are split in the proportion of the cost of its callers' calls, as gprof does
 * (Graham, Kessler, McKusick, SIGPLAN 1982, section 4); these nodes are marked PE_CCT_SPLIT. Sums over all
 * nodes of a function, and calls between two functions, remain exactly those of the graph.
 *
 * Functions that call each other in a circle are entered as one: below the function that was called from
 * outside, each of them occurs once, at the end of a shortest path of calls, and calls that lead back are
 * counted at their target (PE_CCT_FOLDED).
 *
 * Calls of one function from several lines of another are one node, its site unknown, unless the callee is a
 * leaf: to split the costs below by line would be another estimate.
 *
 * A part of less than 1/10000 of the whole is not followed further down (PE_CCT_CUT); the costs of these
 * omitted nodes are collected by function below a node "(other callers)".
 */
#pragma once

#include "core/base/vec.h"
#include "analysis/profile/cct.h"

#include <stdint.h>

struct pe_callgraph_function {
	uint32_t frame;
	uint64_t self;    /**< cost, in the unit of enum pe_callgraph_cost */
	const char *name; /**< by pe_callgrind_read_graph(), in its arena; NULL: an owner of code */
};

struct pe_callgraph_call {
	uint32_t caller, callee; /**< functions, by number */
	uint32_t site;           /**< 0: unknown */
	uint64_t calls;
	uint64_t cost; /**< of the callee and all below it, for this caller */
};

/** Zero-initialise; released by pe_callgraph_release(). */
struct pe_callgraph {
	PE_VEC(struct pe_callgraph_function) functions;
	PE_VEC(struct pe_callgraph_call) calls; /**< each (caller, callee, site) once */
};

/** Calls by the function at one end: order[begins[f]] to order[begins[f + 1] - 1]. */
struct pe_callgraph_ends {
	uint32_t *begins, *order;
};

/** Index calls by their callers, or by their callees. */
struct pe_callgraph_ends pe_callgraph_index(const struct pe_callgraph_call *calls, size_t n_calls,
					    size_t n_functions, bool by_caller,
					    struct pe_arena *arena);

/** The column that receives the costs. */
enum pe_callgraph_cost { PE_CALLGRAPH_SAMPLES, PE_CALLGRAPH_NS };

/**
 * Add a graph's tree to a builder. Linear in the graph and in the tree; nothing recurses.
 *
 * @return  whether the values of some nodes are estimates (PE_CCT_SPLIT)
 */
bool pe_callgraph_unfold(const struct pe_callgraph *graph, enum pe_callgraph_cost cost,
			 struct pe_cct_builder *builder, struct pe_frames *frames);

/**
 * Sum, for each function of interest, the costs of what works for it alone: its calls of other functions that never call one of
 * interest, not even indirectly, with all below; and the own costs of a function that calls back (a sort that calls a
 * comparison), if nothing else calls it but what works for it, too. These sums are exact. The own costs of one that calls back and
 * works for several are left out.
 *
 * @param out     by function: the cost of what works for it; as many as the graph has
 * @param whole   set by call: its whole cost is its caller's; NULL: not asked
 * @param placed  by function: it is of interest
 */
void pe_callgraph_handed(uint64_t *out, bool *whole, const struct pe_callgraph *graph,
			 const bool *placed);

/** Owners of code, by address, including inlined code. */
struct pe_callgrind_places {
	/**
	 * @param object   path of the program or library
	 * @param address  in the file's own addresses
	 * @return         the owner, a number below 2^31; UINT32_MAX: none
	 */
	uint32_t (*find)(void *payload, const char *object, uint64_t address);
	void *payload;
};

/**
 * Read a callgrind record with addresses (--dump-instr=yes) as a graph without unfolding it. Besides its functions the
 * graph has one for each owner of code, with the costs of that code and the calls from there. A function that contains
 * owned code calls its owner, at no cost.
 *
 * @param out    released by pe_callgraph_release(), also after an error; the frame of an owner is its number, that of a
 *               function UINT32_MAX
 * @param name   for messages
 * @param arena  owns the names; for temporary data
 * @return       PE_EINVALID: the record is broken, or has no addresses
 */
int pe_callgrind_read_graph(struct pe_callgraph *out, const void *bytes, size_t n, const char *name,
			    const struct pe_callgrind_places *places, struct pe_arena *arena,
			    struct pe_err *err);

/** Free the functions and calls. */
void pe_callgraph_release(struct pe_callgraph *graph);
