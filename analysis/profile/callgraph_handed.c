/* Costs that functions of interest cause in others, by calls whose whole cost is their own. */
#include "analysis/profile/callgraph.h"

#include <string.h>

/* Find the functions that call one of interest, directly or not; those of interest are among them. */
static bool *find_leading_back(const struct pe_callgraph *graph, const bool *placed,
			       struct pe_arena *arena)
{
	const struct pe_callgraph_ends callers = pe_callgraph_index(
		graph->calls.data, graph->calls.n, graph->functions.n, false, arena);
	bool *leads = pe_arena_new(arena, bool, graph->functions.n);
	uint32_t *work = pe_arena_new(arena, uint32_t, graph->functions.n);
	size_t waiting = 0;

	for (uint32_t f = 0; f < graph->functions.n; f++) {
		leads[f] = placed[f];
		if (leads[f])
			work[waiting++] = f;
	}
	while (waiting > 0) {
		uint32_t f = work[--waiting];

		for (size_t i = callers.begins[f]; i < callers.begins[f + 1]; i++) {
			uint32_t caller = graph->calls.data[callers.order[i]].caller;

			if (leads[caller])
				continue;
			leads[caller] = true;
			work[waiting++] = caller;
		}
	}
	return leads;
}

static const uint32_t NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1;

/* For whom functions work, while it is found out. */
struct masters {
	const struct pe_callgraph *graph;
	const bool *placed;
	struct pe_callgraph_ends callees;
	uint32_t *of,
		*work; /* an unplaced function waits twice at most: it gets a master, and then SEVERAL */
	size_t waiting;
};

static void set_master(struct masters *masters, uint32_t function, uint32_t master)
{
	masters->of[function] = master;
	masters->work[masters->waiting++] = function;
}

/* Hand the masters of waiting functions to those that they call. */
static void pass_on(struct masters *masters)
{
	while (masters->waiting > 0) {
		const uint32_t f = masters->work[--masters->waiting];

		for (size_t i = masters->callees.begins[f]; i < masters->callees.begins[f + 1];
		     i++) {
			const uint32_t to =
				masters->graph->calls.data[masters->callees.order[i]].callee;

			if (masters->placed[to] || masters->of[to] == masters->of[f] ||
			    masters->of[to] == SEVERAL)
				continue;
			set_master(masters, to,
				   masters->of[to] == NOBODY ? masters->of[f] : SEVERAL);
		}
	}
}

/*
 * Find for whom each function works: the only function of interest from which calls lead to it by others alone; SEVERAL, also
 * where a function to which none of interest leads calls it; or NOBODY. A function of interest works for itself.
 */
static uint32_t *find_masters(const struct pe_callgraph *graph, const bool *placed,
			      struct pe_arena *arena)
{
	const size_t n = graph->functions.n;
	struct masters masters = {
		.graph = graph,
		.placed = placed,
		.callees = pe_callgraph_index(graph->calls.data, graph->calls.n, n, true, arena),
		.of = pe_arena_new(arena, uint32_t, n),
		.work = pe_arena_new(arena, uint32_t, 2 * n),
	};

	for (uint32_t f = 0; f < n; f++)
		masters.of[f] = NOBODY;
	for (uint32_t f = 0; f < n; f++)
		if (placed[f])
			set_master(&masters, f, f);
	pass_on(&masters);
	for (size_t i = 0; i < graph->calls.n; i++) {
		const uint32_t to = graph->calls.data[i].callee;

		if (masters.of[graph->calls.data[i].caller] == NOBODY && !placed[to] &&
		    masters.of[to] < SEVERAL)
			set_master(&masters, to, SEVERAL);
	}
	pass_on(&masters);
	return masters.of;
}

void pe_callgraph_handed(uint64_t *out, bool *whole, const struct pe_callgraph *graph,
			 const bool *placed)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const bool *leads = find_leading_back(graph, placed, &arena);
	const uint32_t *master = find_masters(graph, placed, &arena);

	memset(out, 0, graph->functions.n * sizeof(*out));
	for (size_t i = 0; i < graph->calls.n; i++) {
		const struct pe_callgraph_call *call = &graph->calls.data[i];
		const bool is_left = leads[call->caller] && !leads[call->callee];

		if (whole != NULL)
			whole[i] = is_left && placed[call->caller];
		if (is_left && master[call->caller] < SEVERAL)
			pe_cct_add(&out[master[call->caller]], call->cost);
	}
	for (uint32_t f = 0; f < graph->functions.n; f++)
		if (leads[f] && !placed[f] && master[f] < SEVERAL)
			pe_cct_add(&out[master[f]], graph->functions.data[f].self);
}
