/* Callgrind's format from arbitrary bytes: as a tree, and as the graph of whose code addresses are. */
#include "import.h"
#include "profile/callgraph.h"

/* Some have no owner; some owners have much code. */
static uint32_t owner_of(void *payload, const char *object, uint64_t address)
{
	(void)payload;
	require(object != NULL, "an object");
	return address % 3 == 0 ? UINT32_MAX : (uint32_t)(address >> 4) & INT32_MAX;
}

/* Promises of pe_callgraph_handed(): what is nobody's was handed nothing, and nothing is larger than all calls. */
static void check_graph(const struct pe_callgraph *graph, struct pe_arena *arena)
{
	size_t n = graph->functions.n;
	bool *placed = pe_arena_new(arena, bool, n + 1);
	uint64_t *handed = pe_arena_new(arena, uint64_t, n + 1);
	uint64_t all = 0;

	for (size_t f = 0; f < n; f++)
		placed[f] = graph->functions.data[f].frame != UINT32_MAX;
	for (size_t i = 0; i < graph->calls.n; i++) {
		const struct pe_callgraph_call *call = &graph->calls.data[i];

		require(call->caller < n && call->callee < n, "functions at both ends");
		all = call->cost > UINT64_MAX - all ? UINT64_MAX : all + call->cost;
	}
	pe_callgraph_handed(handed, graph, placed);
	for (size_t f = 0; f < n; f++)
		require(handed[f] <= (placed[f] ? all : 0), "what was handed on");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pe_callgrind_places places = {owner_of, NULL};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_callgraph graph;
	int rc = pe_callgrind_read_graph(&graph, data, size, "f", &places, &arena, &err);

	if (rc == PE_OK)
		check_graph(&graph, &arena);
	else
		require(rc == PE_EINVALID && strncmp(err.message, "f", 1) == 0, "a refusal");
	pe_callgraph_release(&graph);
	return import_any("callgrind", data, size);
}
