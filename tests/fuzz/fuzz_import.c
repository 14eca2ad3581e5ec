/*
 * Importers of profiles read arbitrary bytes. The first byte chooses the format, or leaves it to the content; the rest is
 * the file, compressed or not. Whatever it is, reading it ends in a sentence that names a place, or in a tree
 * that keeps its promises.
 */
#include "analysis/profile/callgraph.h"
#include "analysis/profile/importer.h"
#include "tests/fuzz/require.h"

#include <string.h>

/* By content: 'H', then in this order. */
static const char *const formats[] = {NULL,     "callgrind",   "chrome", "cpuprofile",
				      "folded", "perf-script", "pprof",  "speedscope"};

static void check_tree(const struct pe_cct *cct)
{
	struct pe_err err = PE_ERR_INIT;
	uint64_t samples = 0;

	require(pe_cct_check(cct, &err) == PE_OK, err.message);
	require(cct->n > 1, "a tree of more than its root");
	require(cct->known != 0, "values");
	for (uint32_t i = 1; i < cct->n; i++)
		require(pe_cct_frame(cct, i)->name[0] != '\0', "a name");
	for (uint32_t i = 0; cct->samples != NULL && i < cct->n; i++)
		samples = samples + cct->samples[i] < samples ? UINT64_MAX
							      : samples + cct->samples[i];
	/* Those of perf weigh their periods. */
	if (cct->samples != NULL && samples < UINT64_MAX / 2 &&
	    strcmp(cct->facts.source, "perf-script") != 0)
		require(samples <= cct->facts.samples, "no more samples than were taken");
}

/* @param format  NULL: by content */
static void import_as(const char *format, const uint8_t *data, size_t size)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;
	struct pe_input *input;
	const char *note;
	int rc = pe_input_open_bytes(&input, data, size, "f", &err);

	if (rc == PE_OK)
		rc = pe_import(&cct, input, format, &frames, &arena, &note, &err);

	if (rc == PE_OK) {
		check_tree(cct);
		require(note == NULL || note[0] != '\0', "a note that says something");
	} else {
		require(rc == PE_EINVALID && cct == NULL, "a refusal");
		require(strncmp(err.message, "f:", 2) == 0 &&
				strstr(err.message, "offset ") != NULL,
			"a place in the message");
	}
	pe_frames_release(&frames);
}

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
	pe_callgraph_handed(handed, NULL, graph, placed);
	for (size_t f = 0; f < n; f++)
		require(handed[f] <= (placed[f] ? all : 0), "what was handed on");
}

static void read_graph(const uint8_t *data, size_t size)
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
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *format;

	if (size == 0)
		return 0;
	format = formats[data[0] % (sizeof(formats) / sizeof(*formats))];
	if (format != NULL && strcmp(format, "callgrind") == 0)
		read_graph(data + 1, size - 1);
	import_as(format, data + 1, size - 1);
	return 0;
}
