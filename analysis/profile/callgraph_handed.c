/* Costs that functions of interest cause in others, by calls whose whole cost is their own. */
#include "analysis/profile/callgraph.h"

#include <stdlib.h>
#include <string.h>

/* Calls by callee: order[begins[f]] to order[begins[f + 1] - 1]. */
struct callers {
	size_t *begins, *order;
};

static void index_callers(struct callers *out, const struct pe_callgraph *graph)
{
	size_t n = graph->functions.n;
	size_t *next = pe_realloc(NULL, n + 1, sizeof(*next));

	out->begins = pe_realloc(NULL, n + 1, sizeof(*out->begins));
	out->order = pe_realloc(NULL, graph->calls.n + 1, sizeof(*out->order));
	memset(out->begins, 0, (n + 1) * sizeof(*out->begins));
	for (size_t i = 0; i < graph->calls.n; i++)
		out->begins[graph->calls.data[i].callee + 1]++;
	for (size_t f = 0; f < n; f++)
		out->begins[f + 1] += out->begins[f];
	memcpy(next, out->begins, (n + 1) * sizeof(*next));
	for (size_t i = 0; i < graph->calls.n; i++)
		out->order[next[graph->calls.data[i].callee]++] = i;
	free(next);
}

/* Find the functions that call one of interest, directly or not; those of interest are among them. */
static bool *find_leading_back(const struct pe_callgraph *graph, const bool *placed)
{
	size_t n = graph->functions.n, waiting = 0;
	bool *leads = pe_realloc(NULL, n + 1, sizeof(*leads));
	uint32_t *work = pe_realloc(NULL, n + 1, sizeof(*work));
	struct callers callers;

	index_callers(&callers, graph);
	memcpy(leads, placed, n * sizeof(*leads));
	for (uint32_t f = 0; f < n; f++)
		if (leads[f])
			work[waiting++] = f;
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
	free(callers.begins);
	free(callers.order);
	free(work);
	return leads;
}

enum { NOBODY = UINT32_MAX, SEVERAL = UINT32_MAX - 1 };

/*
 * Find for whom each function that calls back works: the only function of interest from which calls lead to it by others alone,
 * SEVERAL, or NOBODY. A function of interest works for itself.
 */
static uint32_t *find_masters(const struct pe_callgraph *graph, const bool *placed)
{
	size_t n = graph->functions.n;
	uint32_t *master = pe_realloc(NULL, n + 1, sizeof(*master));
	bool again = true;

	for (uint32_t f = 0; f < n; f++)
		master[f] = placed[f] ? f : NOBODY;
	while (again) {
		again = false;
		for (size_t i = 0; i < graph->calls.n; i++) {
			const uint32_t from = master[graph->calls.data[i].caller];
			uint32_t *to = &master[graph->calls.data[i].callee];

			if (placed[graph->calls.data[i].callee] || from == NOBODY || *to == from ||
			    *to == SEVERAL)
				continue;
			*to = *to == NOBODY ? from : SEVERAL;
			again = true;
		}
	}
	return master;
}

static void add_held(uint64_t *sum, uint64_t cost)
{
	*sum = cost > UINT64_MAX - *sum ? UINT64_MAX : *sum + cost;
}

void pe_callgraph_handed(uint64_t *out, bool *whole, const struct pe_callgraph *graph,
			 const bool *placed)
{
	pe_auto_free bool *leads = find_leading_back(graph, placed);
	pe_auto_free uint32_t *master = find_masters(graph, placed);

	memset(out, 0, graph->functions.n * sizeof(*out));
	for (size_t i = 0; i < graph->calls.n; i++) {
		const struct pe_callgraph_call *call = &graph->calls.data[i];
		const bool is_left = leads[call->caller] && !leads[call->callee];

		if (whole != NULL)
			whole[i] = is_left && placed[call->caller];
		if (is_left && master[call->caller] < SEVERAL)
			add_held(&out[master[call->caller]], call->cost);
	}
	for (uint32_t f = 0; f < graph->functions.n; f++)
		if (leads[f] && !placed[f] && master[f] < SEVERAL)
			add_held(&out[master[f]], graph->functions.data[f].self);
}
