/*
 * Packing. Three passes over the nodes: the first numbers every different call (caller, callee, site), and these
 * numbers, sorted by caller, become the graph; the second writes the shape, the third the index of each node's call.
 */
#include "analysis/profile/archive.h"

#include "core/base/sort.h"
#include "core/base/packed.h"
#include "analysis/profile/archive_format.h"
#include "analysis/profile/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void pe_archive_release(struct pe_archive *archive)
{
	pe_text_release(&archive->frames);
	pe_text_release(&archive->tree);
}

void pe_archive_used(uint32_t **out, size_t *n, const struct pe_cct *cct, struct pe_arena *arena)
{
	const struct pe_timeline *timeline = cct->facts.timeline;
	pe_auto_free uint8_t *used = pe_realloc(NULL, cct->frames->n, 1);

	memset(used, 0, cct->frames->n);
	for (uint32_t i = 0; i < cct->n; i++)
		used[cct->nodes[i].frame] = 1;
	for (uint32_t i = 0; timeline != NULL && i < timeline->n_lanes; i++)
		used[timeline->lanes[i].frame] = 1;
	for (uint32_t i = 0; timeline != NULL && i < timeline->n_stacks; i++)
		used[timeline->stacks[i].frame] = 1;
	*n = 0;
	for (uint32_t frame = 0; frame < cct->frames->n; frame++)
		*n += used[frame];
	*out = pe_arena_new(arena, uint32_t, *n);
	*n = 0;
	for (uint32_t frame = 0; frame < cct->frames->n; frame++)
		if (used[frame])
			(*out)[(*n)++] = frame;
}

/* --- Frames --- */

/* A frame of the tree's table, with the caller's identifier for it. */
struct named {
	uint64_t id;
	uint32_t frame;
};

PE_SORT_BY(compare_named, struct named, id);

/* @param place  receives the position in the list, for each used frame */
static uint32_t pack_frames(struct pe_text *out, uint32_t *place, const struct pe_cct *cct,
			    const uint64_t *ids)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_frames modules = PE_FRAMES_INIT; /* only the numbers of the names are used */
	struct pe_packed_writer writer;
	struct named *list;
	uint32_t *used;
	size_t n;

	pe_archive_used(&used, &n, cct, &arena);
	list = pe_arena_new(&arena, struct named, n);
	for (size_t i = 0; i < n; i++)
		list[i] = (struct named){ids[used[i]], used[i]};
	pe_sort(list, n, compare_named);

	pe_packed_begin(&writer, PE_ARCHIVE_FRAMES, PE_ARCHIVE_VERSION, n, out);
	for (size_t i = 0; i < n; i++) {
		assert(i == 0 || list[i].id > list[i - 1].id);
		pe_packed_put(&writer, i == 0 ? list[i].id : list[i].id - list[i - 1].id - 1);
		place[list[i].frame] = (uint32_t)i;
	}
	for (size_t i = 0; i < n; i++)
		pe_packed_put(&writer, cct->frames->at[list[i].frame].line);
	for (size_t i = 0; i < n; i++) {
		const char *module = cct->frames->at[list[i].frame].module;
		uint32_t before = modules.n;
		uint32_t number = pe_frames_add_method(&modules, module, NULL);

		pe_packed_put(&writer, number);
		if (number == before)
			pe_packed_put_string(&writer, module);
	}
	pe_packed_end(&writer);
	pe_frames_release(&modules);
	return (uint32_t)n;
}

/* --- The graph of calls --- */

/* A different call, in the order of arrival; its rank is its index among those of its caller. */
struct call {
	uint32_t caller, rank;
	struct pe_archive_call to;
};

struct graph {
	PE_VEC(struct call) calls;
	struct pe_hash_index index; /* over calls */
	uint32_t *degrees;          /* by caller */
};

/* The rank of a call among those of its caller, by first arrival. */
static uint32_t rank_call(struct graph *graph, uint32_t caller, struct pe_archive_call to)
{
	const uint32_t hash = pe_hash_pair((uint64_t)caller << 32 | to.callee, to.site);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&graph->index, hash, slot)) != NULL;) {
		const struct call *call = &graph->calls.data[slot->row];

		assert(call != NULL);
		if (call->caller == caller && call->to.callee == to.callee &&
		    call->to.site == to.site)
			return call->rank;
	}
	pe_hash_index_add(&graph->index, hash, (uint32_t)graph->calls.n);
	pe_vec_push(&graph->calls, (struct call){caller, graph->degrees[caller], to});
	return graph->degrees[caller]++;
}

/* Write the calls by caller, each caller's in the order of their ranks. */
static void put_graph(struct pe_packed_writer *writer, const struct graph *graph, uint32_t n_frames)
{
	pe_auto_free struct pe_archive_call *sorted =
		pe_realloc(NULL, graph->calls.n, sizeof(*sorted));
	pe_auto_free uint32_t *begin = pe_realloc(NULL, n_frames, sizeof(*begin));
	struct pe_archive_call last = {0, 0};
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n_frames; i++) {
		pe_packed_put(writer, graph->degrees[i]);
		begin[i] = sum;
		sum += graph->degrees[i];
	}
	for (uint32_t i = 0; i < graph->calls.n; i++)
		sorted[begin[graph->calls.data[i].caller] + graph->calls.data[i].rank] =
			graph->calls.data[i].to;
	for (uint32_t i = 0; i < graph->calls.n; i++) {
		pe_packed_put(writer, pe_zigzag((int64_t)sorted[i].callee - last.callee));
		last.callee = sorted[i].callee;
	}
	for (uint32_t i = 0; i < graph->calls.n; i++) {
		pe_packed_put(writer, pe_zigzag((int64_t)sorted[i].site - last.site));
		last.site = sorted[i].site;
	}
}

/* --- The tree --- */

static void put_head(struct pe_packed_writer *writer, const struct pe_cct *cct, uint32_t n_frames,
		     const uint32_t *place)
{
	const struct pe_cct_facts *facts = &cct->facts;

	pe_packed_put(writer, cct->known);
	pe_packed_put(writer, n_frames);
	pe_packed_put(writer, place[cct->nodes[0].frame]);
	pe_packed_put(writer, cct->nodes[0].site);
	pe_packed_put_string(writer, facts->source != NULL ? facts->source : "");
	pe_packed_put(writer, facts->duration_ns);
	pe_packed_put(writer, facts->samples);
	pe_packed_put(writer, facts->samples_lost);
	pe_packed_put(writer, facts->interval_ns);
	pe_packed_put(writer, facts->processes);
	pe_packed_put(writer, facts->threads);
	pe_packed_put(writer, facts->peak_bytes);
}

static void put_shape(struct pe_packed_writer *writer, const struct pe_cct *cct)
{
	for (uint32_t i = 1; i < cct->n; i++) {
		uint32_t up = 0;

		for (uint32_t at = i - 1; at != cct->nodes[i].parent; at = cct->nodes[at].parent)
			up++;
		pe_packed_put(writer, up);
	}
}

/* @param ranks  of each node's call; a second array holds the rank expected next below each node */
static void put_ranks(struct pe_packed_writer *writer, const struct pe_cct *cct,
		      const uint32_t *ranks)
{
	pe_auto_free uint32_t *next = pe_realloc(NULL, cct->n, sizeof(*next));

	memset(next, 0, (size_t)cct->n * sizeof(*next));
	for (uint32_t i = 1; i < cct->n; i++) {
		uint32_t *expected = &next[cct->nodes[i].parent];

		pe_packed_put(writer, pe_zigzag((int64_t)ranks[i] - *expected));
		*expected = ranks[i] + 1;
	}
}

static uint64_t bits_of(double value)
{
	static_assert(sizeof(double) == 8, "a double has 8 bytes");
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Write a plane for each byte of a double: similar bytes stand together and compress better. */
static void put_deviations(struct pe_packed_writer *writer, const double *values, uint32_t n)
{
	pe_auto_free uint8_t *plane = pe_realloc(NULL, n, 1);

	for (unsigned byte = 0; byte < sizeof(double); byte++) {
		for (uint32_t i = 0; i < n; i++)
			plane[i] = (uint8_t)(bits_of(values[i]) >> 8 * byte);
		pe_packed_put_bytes(writer, plane, n);
	}
}

static void put_values(struct pe_packed_writer *writer, const struct pe_cct *cct)
{
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++) {
		const uint64_t *column = cct->columns[pe_archive_columns[c]];

		for (uint32_t i = 0; column != NULL && i < cct->n; i++)
			pe_packed_put(writer, column[i]);
	}
	if (cct->deviation_ns != NULL)
		put_deviations(writer, cct->deviation_ns, cct->n);
}

static void put_ranges(struct pe_packed_writer *writer, const struct pe_cct *cct)
{
	uint32_t last = 0;

	pe_packed_put(writer, cct->facts.counting_runs);
	pe_packed_put(writer, bits_of(cct->facts.own_overlap[0]));
	pe_packed_put(writer, bits_of(cct->facts.own_overlap[1]));
	pe_packed_put(writer, cct->n_ranges);
	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		const struct pe_cct_range *range = &cct->ranges[i];

		pe_packed_put(writer, range->node - last);
		pe_packed_put(writer, range->runs);
		for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
			pe_packed_put(writer, range->less[c]);
			pe_packed_put(writer, range->more[c]);
		}
		last = range->node;
	}
}

static void put_timeline(struct pe_packed_writer *writer, const struct pe_timeline *timeline,
			 const uint32_t *place)
{
	struct pe_timeline_segment last = {.lane = 0};

	pe_packed_put(writer, timeline->n_lanes);
	pe_packed_put(writer, timeline->n_stacks);
	pe_packed_put(writer, timeline->n_segments);
	pe_packed_put(writer, timeline->left_out);
	for (uint32_t i = 0; i < timeline->n_lanes; i++) {
		pe_packed_put(writer, place[timeline->lanes[i].frame]);
		pe_packed_put(writer, timeline->lanes[i].threads);
		pe_packed_put(writer, timeline->lanes[i].pid);
		pe_packed_put(writer, timeline->lanes[i].tid);
	}
	for (uint32_t i = 0; i < timeline->n_stacks; i++) {
		const struct pe_timeline_stack *stack = &timeline->stacks[i];

		pe_packed_put(writer, stack->parent != PE_CCT_NONE ? i - stack->parent : 0);
		pe_packed_put(writer, place[stack->frame]);
	}
	for (uint32_t i = 0; i < timeline->n_segments; i++) {
		const struct pe_timeline_segment *segment = &timeline->segments[i];
		const uint32_t up = segment->lane - last.lane;

		pe_packed_put(writer, up);
		pe_packed_put(writer, segment->begin_us - (up == 0 ? last.end_us : 0));
		pe_packed_put(writer, segment->end_us - segment->begin_us);
		pe_packed_put(writer, segment->stack + 1);
		pe_packed_put(writer, segment->waited_us);
		pe_packed_put(writer, segment->path_us);
		last = *segment;
	}
}

static void pack_tree(struct pe_text *out, const struct pe_cct *cct, uint32_t n_frames,
		      const uint32_t *place)
{
	struct graph graph = {0};
	struct pe_packed_writer writer;
	pe_auto_free uint32_t *ranks = pe_realloc(NULL, cct->n, sizeof(*ranks));

	graph.degrees = pe_realloc(NULL, n_frames, sizeof(*graph.degrees));
	memset(graph.degrees, 0, n_frames * sizeof(*graph.degrees));
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		struct pe_archive_call to = {place[node->frame], node->site};

		ranks[i] = rank_call(&graph, place[cct->nodes[node->parent].frame], to);
	}
	pe_packed_begin(&writer, PE_ARCHIVE_TREE, PE_ARCHIVE_VERSION, cct->n, out);
	put_head(&writer, cct, n_frames, place);
	put_graph(&writer, &graph, n_frames);
	put_shape(&writer, cct);
	put_ranks(&writer, cct, ranks);
	pe_packed_put_bytes(&writer, cct->flags, cct->n);
	put_values(&writer, cct);
	put_ranges(&writer, cct);
	if (cct->facts.timeline != NULL)
		put_timeline(&writer, cct->facts.timeline, place);
	pe_packed_end(&writer);
	pe_vec_release(&graph.calls);
	pe_hash_index_release(&graph.index);
	free(graph.degrees);
}

void pe_archive_pack(struct pe_archive *out, const struct pe_cct *cct, const uint64_t *ids)
{
	pe_auto_free uint32_t *place = pe_realloc(NULL, cct->frames->n, sizeof(*place));
	uint32_t n = pack_frames(&out->frames, place, cct, ids);

	pack_tree(&out->tree, cct, n, place);
}
