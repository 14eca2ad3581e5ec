/*
 * The contents of an archive's two streams, in order. One function lists what a part holds, for writing and for reading: a
 * number that is written stays, a number that is read is checked before it is used.
 *
 *	frames	of each frame its identifier, less the one before and 1; of each its line; of each its module: the number
 *		of an earlier one, or the next number and the text. Other streams refer to a frame by its place in this list.
 *
 *	tree	the known columns; number of frames; the root's frame and site; the facts.
 *		The calls: for each frame the number of its different calls; then each call's callee and site,
 *		less those of the call before.
 *		Of each node but the root the number of levels between the node before it and its parent; then
 *		the index of its call among its parent's, less the one that follows its elder sibling's.
 *		Of each node its flags. A column for each known value, in the order of the table below.
 *		Deviations are split into planes of bytes, a plane for each of the 8 bytes of a double.
 *		The number of counting runs, and their overlap, as the bits of two doubles; the number of ranges; for each its
 *		node, less the one before, its runs, and by how much less and more was counted.
 *		Where the tree has a timeline: its numbers of lanes, stacks and segments, and of omitted threads;
 *		then the members of each. A stack's parent is its distance back, or 0; a segment's lane is less the
 *		one before, its begin less the end before in its lane, its end less its begin; its stack is one more.
 */
#include "analysis/profile/archive.h"

#include "core/base/packed.h"
#include "core/base/sort.h"
#include "analysis/profile/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES "pevf"
#define TREE   "pevt"

enum {
	VERSION = 3,
	SOURCE_BYTES = 1 << 20, /* of the facts at most: the text among them is a command line */
	ALL_KNOWN = PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_DEVIATION |
		    PE_CCT_ALLOCATIONS | PE_CCT_SAMPLES,
};

static const uint64_t ANY = UINT64_MAX, ANY_32 = (uint64_t)UINT32_MAX + 1;

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

/* --- Both directions --- */

struct codec {
	struct pe_packed_writer *writer; /* NULL: the stream is read */
	struct pe_packed_reader *reader;
	/* Written: place in the list of frames, by frame. Read: frame, by place. */
	const uint32_t *frames;
	uint32_t n_frames; /* in the list */
};

/* Code a number below `end`; ANY: no number is too large. */
static void code(const struct codec *codec, uint64_t *number, uint64_t end, const char *why)
{
	if (codec->writer != NULL)
		pe_packed_put(codec->writer, *number);
	else
		*number = end == ANY ? pe_packed_get(codec->reader)
				     : pe_packed_get_below(codec->reader, end, why);
}

static void code_32(const struct codec *codec, uint32_t *number, uint64_t end, const char *why)
{
	uint64_t wide = *number;

	code(codec, &wide, end, why);
	*number = (uint32_t)wide;
}

static void code_any_32(const struct codec *codec, uint32_t *number)
{
	code_32(codec, number, ANY_32, "a number that is too large");
}

/* Code the difference to the number before; the number is below `end`. */
static void code_near(const struct codec *codec, uint32_t *number, uint32_t before, uint64_t end)
{
	int64_t sum;

	if (codec->writer != NULL) {
		pe_packed_put(codec->writer, pe_zigzag((int64_t)*number - before));
		return;
	}
	if (__builtin_add_overflow(pe_unzigzag(pe_packed_get(codec->reader)), (int64_t)before,
				   &sum) ||
	    sum < 0 || (uint64_t)sum >= end) {
		pe_packed_refuse(codec->reader, "a method, call or line that is not there");
		sum = 0;
	}
	*number = (uint32_t)sum;
}

static void code_bytes(const struct codec *codec, uint8_t *bytes, size_t n)
{
	if (codec->writer != NULL)
		pe_packed_put_bytes(codec->writer, bytes, n);
	else
		pe_packed_get_bytes(codec->reader, bytes, n);
}

/* Code a frame of the table by its place in the list. */
static void code_frame(const struct codec *codec, uint32_t *frame, const char *why)
{
	uint32_t place = codec->writer != NULL ? codec->frames[*frame] : 0;

	code_32(codec, &place, codec->n_frames, why);
	if (codec->writer == NULL)
		*frame = codec->frames[place];
}

static bool is_good(const struct codec *codec)
{
	return codec->writer != NULL || codec->reader->rc == PE_OK;
}

static void refuse(const struct codec *codec, const char *why)
{
	if (codec->writer == NULL)
		pe_packed_refuse(codec->reader, why);
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

	pe_packed_begin(&writer, FRAMES, VERSION, n, out);
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

static void get_ids(struct pe_packed_reader *reader, struct pe_archive_frames *out)
{
	for (size_t i = 0; i < out->n; i++) {
		uint64_t id = pe_packed_get(reader);

		if (i > 0 && (__builtin_add_overflow(id, out->ids[i - 1], &id) ||
			      __builtin_add_overflow(id, 1, &id))) {
			pe_packed_refuse(reader, "an identifier beyond the last");
			return;
		}
		out->ids[i] = id;
	}
}

static void get_modules(struct pe_packed_reader *reader, struct pe_archive_frames *out,
			struct pe_arena *arena)
{
	pe_auto_free const char **modules = pe_realloc(NULL, out->n, sizeof(*modules));
	size_t n = 0;

	for (size_t i = 0; i < out->n; i++) {
		size_t number =
			(size_t)pe_packed_get_below(reader, n + 1, "a module that is not there");

		if (number == n)
			modules[n++] = pe_packed_get_string(reader, arena);
		out->modules[i] = modules[number];
	}
}

int pe_archive_frames(struct pe_archive_frames *out, const void *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct pe_packed_reader reader;

	*out = (struct pe_archive_frames){0};
	pe_packed_look(&reader, FRAMES, VERSION, "a list of methods", bytes, n, err);
	if (pe_packed_open(&reader) == PE_OK) {
		out->n = (size_t)reader.count;
		out->ids = pe_arena_new(arena, uint64_t, out->n);
		out->lines = pe_arena_new(arena, uint32_t, out->n);
		out->modules = pe_arena_new(arena, const char *, out->n);
		get_ids(&reader, out);
		for (size_t i = 0; i < out->n; i++)
			out->lines[i] = (uint32_t)pe_packed_get_below(&reader, ANY_32,
								      "a line beyond the last");
		get_modules(&reader, out, arena);
		pe_packed_finish(&reader);
	}
	pe_packed_close(&reader);
	return reader.rc;
}

/* --- The graph of calls --- */

/* One call in the graph that a tree unfolds. The callee is a place in the list of frames. */
struct edge {
	uint32_t callee, site;
};

/* The different calls: those of the frame at place f are edges[begin[f]] to edges[begin[f + 1] - 1]. */
struct graph {
	uint32_t *begin;
	struct edge *edges;
};

/* A different call, in the order of arrival; its rank is its index among those of its caller. */
struct call {
	uint32_t caller, rank;
	struct edge to;
};

struct ranking {
	PE_VEC(struct call) calls;
	struct pe_hash_index index; /* over calls */
	uint32_t *degrees;          /* by caller */
};

/* The rank of a call among those of its caller, by first arrival. */
static uint32_t rank_call(struct ranking *ranking, uint32_t caller, struct edge to)
{
	const uint32_t hash = pe_hash_pair((uint64_t)caller << 32 | to.callee, to.site);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&ranking->index, hash, slot)) != NULL;) {
		const struct call *call = &ranking->calls.data[slot->row];

		assert(call != NULL);
		if (call->caller == caller && call->to.callee == to.callee &&
		    call->to.site == to.site)
			return call->rank;
	}
	pe_hash_index_add(&ranking->index, hash, (uint32_t)ranking->calls.n);
	pe_vec_push(&ranking->calls, (struct call){caller, ranking->degrees[caller], to});
	return ranking->degrees[caller]++;
}

/* Collect the different calls of a tree. @param ranks  receives the rank of each node's call */
static void find_calls(struct graph *out, uint32_t *ranks, const struct pe_cct *cct,
		       const struct codec *codec)
{
	struct ranking ranking = {
		.degrees = pe_realloc(NULL, codec->n_frames, sizeof(*ranking.degrees))};

	memset(ranking.degrees, 0, codec->n_frames * sizeof(*ranking.degrees));
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		ranks[i] = rank_call(&ranking, codec->frames[cct->nodes[node->parent].frame],
				     (struct edge){codec->frames[node->frame], node->site});
	}
	out->begin = pe_realloc(NULL, (size_t)codec->n_frames + 1, sizeof(*out->begin));
	out->edges = pe_realloc(NULL, ranking.calls.n, sizeof(*out->edges));
	out->begin[0] = 0;
	for (uint32_t i = 0; i < codec->n_frames; i++)
		out->begin[i + 1] = out->begin[i] + ranking.degrees[i];
	for (size_t i = 0; i < ranking.calls.n; i++) {
		const struct call *call = &ranking.calls.data[i];

		out->edges[out->begin[call->caller] + call->rank] = call->to;
	}
	pe_vec_release(&ranking.calls);
	pe_hash_index_release(&ranking.index);
	free(ranking.degrees);
}

static void code_graph(const struct codec *codec, struct graph *graph, uint32_t n_nodes)
{
	const bool is_read = codec->writer == NULL;
	struct edge last = {0, 0};

	if (is_read)
		graph->begin = pe_realloc(NULL, (size_t)codec->n_frames + 1, sizeof(*graph->begin));
	graph->begin[0] = 0;
	for (uint32_t i = 0; i < codec->n_frames; i++) {
		uint32_t degree = is_read ? 0 : graph->begin[i + 1] - graph->begin[i];

		/* Every call has at least one node. */
		code_32(codec, &degree, n_nodes - graph->begin[i], "more calls than nodes");
		graph->begin[i + 1] = graph->begin[i] + degree;
	}
	if (is_read)
		graph->edges =
			pe_realloc(NULL, graph->begin[codec->n_frames], sizeof(*graph->edges));
	for (uint32_t i = 0; i < graph->begin[codec->n_frames]; i++) {
		code_near(codec, &graph->edges[i].callee, last.callee, codec->n_frames);
		last.callee = graph->edges[i].callee;
	}
	for (uint32_t i = 0; i < graph->begin[codec->n_frames]; i++) {
		code_near(codec, &graph->edges[i].site, last.site, ANY_32);
		last.site = graph->edges[i].site;
	}
}

/* --- The tree --- */

/* Code what stands before the graph. @param most_frames  bytes of the stream: each frame takes one for its number of calls */
static void code_head(struct codec *codec, struct pe_cct *cct, uint64_t most_frames,
		      struct pe_arena *arena)
{
	struct pe_cct_facts *facts = &cct->facts;
	uint32_t known = cct->known;

	code_32(codec, &known, ALL_KNOWN + 1, "unknown values");
	cct->known = known;
	code_32(codec, &codec->n_frames, most_frames, "too many methods");
	code_32(codec, &cct->nodes[0].frame, codec->n_frames, "a root without a method");
	code_any_32(codec, &cct->nodes[0].site);
	if (codec->writer != NULL)
		pe_packed_put_string(codec->writer, facts->source != NULL ? facts->source : "");
	else
		facts->source = pe_packed_get_string(codec->reader, arena);
	code(codec, &facts->duration_ns, ANY, NULL);
	code(codec, &facts->samples, ANY, NULL);
	code(codec, &facts->samples_lost, ANY, NULL);
	code(codec, &facts->interval_ns, ANY, NULL);
	code_any_32(codec, &facts->processes);
	code_any_32(codec, &facts->threads);
	code(codec, &facts->peak_bytes, ANY, NULL);
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

static void get_shape(struct pe_packed_reader *reader, struct pe_cct *cct)
{
	struct pe_cct_node *nodes = cct->nodes;

	nodes[0].parent = PE_CCT_NONE;
	for (uint32_t i = 1; i < cct->n; i++) {
		uint64_t up = pe_packed_get(reader);
		uint32_t parent = i - 1;

		for (; up > 0 && parent != 0; up--) {
			nodes[parent].end = i;
			parent = nodes[parent].parent;
		}
		if (up > 0)
			pe_packed_refuse(reader, "a node above the root");
		nodes[i].parent = parent;
	}
	for (uint32_t at = cct->n - 1; at != PE_CCT_NONE; at = nodes[at].parent)
		nodes[at].end = cct->n;
}

/*
 * Code the call of each node. Nodes that are read have places in the list of frames, which the caller replaces by frames.
 *
 * @param ranks  of the calls that are written; NULL: they are read
 */
static void code_calls(const struct codec *codec, struct pe_cct *cct, const struct graph *graph,
		       const uint32_t *ranks)
{
	struct pe_cct_node *nodes = cct->nodes;
	/* By node: the rank that its next child's call is expected to have. */
	pe_auto_free uint32_t *next = pe_realloc(NULL, cct->n, sizeof(*next));

	memset(next, 0, (size_t)cct->n * sizeof(*next));
	for (uint32_t i = 1; i < cct->n && is_good(codec); i++) {
		const uint32_t caller = nodes[nodes[i].parent].frame;
		uint32_t *expected = &next[nodes[i].parent], rank;

		if (ranks != NULL) {
			rank = ranks[i];
			code_near(codec, &rank, *expected, ANY_32);
		} else {
			const struct edge *edges = graph->edges + graph->begin[caller];

			code_near(codec, &rank, *expected,
				  graph->begin[caller + 1] - graph->begin[caller]);
			if (!is_good(codec))
				break;
			nodes[i].frame = edges[rank].callee;
			nodes[i].site = edges[rank].site;
		}
		*expected = rank + 1;
	}
}

static uint64_t bits_of(double value)
{
	static_assert(sizeof(double) == 8, "a double has 8 bytes");
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Code a plane for each byte of a double: similar bytes stand together and compress better. */
static void code_deviations(const struct codec *codec, double *values, uint32_t n)
{
	pe_auto_free uint8_t *plane = pe_realloc(NULL, n, 1);
	pe_auto_free uint64_t *bits = pe_realloc(NULL, n, sizeof(*bits));

	for (uint32_t i = 0; i < n; i++)
		bits[i] = codec->writer != NULL ? bits_of(values[i]) : 0;
	for (unsigned byte = 0; byte < sizeof(double); byte++) {
		for (uint32_t i = 0; i < n; i++)
			plane[i] = (uint8_t)(bits[i] >> 8 * byte);
		code_bytes(codec, plane, n);
		for (uint32_t i = 0; i < n; i++)
			bits[i] |= (uint64_t)plane[i] << 8 * byte;
	}
	for (uint32_t i = 0; i < n; i++)
		values[i] = double_of(bits[i]);
}

static void code_values(const struct codec *codec, struct pe_cct *cct)
{
	static const unsigned char order[PE_CCT_N_COLUMNS] = {
		PE_CCT_COUNT_CALLS, PE_CCT_COLUMN_TIME,  PE_CCT_COUNT_ALLOCATIONS,
		PE_CCT_COUNT_BYTES, PE_CCT_COLUMN_FREES, PE_CCT_COLUMN_SAMPLES,
	};

	code_bytes(codec, cct->flags, cct->n);
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++) {
		uint64_t *column = cct->columns[order[c]];

		for (uint32_t i = 0; column != NULL && i < cct->n; i++)
			code(codec, &column[i], ANY, NULL);
	}
	if (cct->deviation_ns != NULL)
		code_deviations(codec, cct->deviation_ns, cct->n);
}

/* Code the overlap of two executions: a value that is not between 0 and 1 is unknown. */
static void code_share(const struct codec *codec, double *share)
{
	uint64_t bits = bits_of(*share);

	code(codec, &bits, ANY, NULL);
	*share = double_of(bits);
	*share = *share > 0 && *share <= 1 ? *share : 0;
}

static void code_range(const struct codec *codec, struct pe_cct_range *range,
		       const struct pe_cct *cct)
{
	code_32(codec, &range->runs, (uint64_t)cct->facts.counting_runs + 1,
		"more runs than there were");
	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		const uint64_t *counts = cct->columns[c];
		uint64_t count = counts != NULL ? counts[range->node] : 0;

		code(codec, &range->less[c], ANY, NULL);
		code(codec, &range->more[c], ANY, NULL);
		if (range->less[c] > count || range->more[c] > UINT64_MAX - count)
			refuse(codec, "a count beyond all numbers");
	}
}

static void code_ranges(const struct codec *codec, struct pe_cct *cct, struct pe_arena *arena)
{
	uint32_t node = 0, n = cct->n_ranges;

	code_any_32(codec, &cct->facts.counting_runs);
	code_share(codec, &cct->facts.own_overlap[0]);
	code_share(codec, &cct->facts.own_overlap[1]);
	code_32(codec, &n, (uint64_t)cct->n + 1, "more ranges than nodes");
	if (codec->writer == NULL && n > 0)
		cct->ranges = pe_arena_new(arena, struct pe_cct_range, n);
	for (uint32_t i = 0; i < n && is_good(codec); i++) {
		uint32_t step = cct->ranges[i].node - node;

		code_32(codec, &step, cct->n - node, "a node beyond the last");
		if (i > 0 && step == 0)
			refuse(codec, "two ranges of one node");
		cct->ranges[i].node = node += step;
		code_range(codec, &cct->ranges[i], cct);
		cct->n_ranges = i + 1;
	}
}

/* --- The timeline --- */

static void code_stacks(const struct codec *codec, struct pe_timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->n_stacks; i++) {
		struct pe_timeline_stack *stack = &timeline->stacks[i];
		uint32_t up = stack->parent != PE_CCT_NONE ? i - stack->parent : 0;

		code_32(codec, &up, (uint64_t)i + 1, "no such caller");
		stack->parent = up > 0 ? i - up : PE_CCT_NONE;
		code_frame(codec, &stack->frame, "no such method");
	}
}

static void code_segments(const struct codec *codec, struct pe_timeline *timeline)
{
	static const char WHY[] = "a timeline beyond all times";
	const uint64_t most = UINT64_C(1) << 52; /* numbers of JSON are exact below it */
	struct pe_timeline_segment last = {.lane = 0};

	for (uint32_t i = 0; i < timeline->n_segments && is_good(codec); i++) {
		struct pe_timeline_segment *segment = &timeline->segments[i];
		uint32_t up = segment->lane - last.lane, stack = segment->stack + 1;
		uint64_t before, gap, length = segment->end_us - segment->begin_us;

		code_32(codec, &up, timeline->n_lanes - last.lane, WHY);
		segment->lane = last.lane + up;
		before = up == 0 ? last.end_us : 0;
		gap = segment->begin_us - before;
		code(codec, &gap, most - before, WHY);
		segment->begin_us = before + gap;
		code(codec, &length, most - segment->begin_us, WHY);
		segment->end_us = segment->begin_us + length;
		code_32(codec, &stack, (uint64_t)timeline->n_stacks + 1, WHY);
		segment->stack = stack - 1;
		code(codec, &segment->waited_us, most, WHY);
		code(codec, &segment->path_us, most, WHY);
		last = *segment;
	}
}

static void code_timeline(const struct codec *codec, struct pe_timeline *timeline,
			  uint64_t most_stacks, struct pe_arena *arena)
{
	code_32(codec, &timeline->n_lanes, PE_TIMELINE_LANES + 1, "too many lanes");
	code_32(codec, &timeline->n_stacks, most_stacks, "too many stacks");
	code_32(codec, &timeline->n_segments, PE_TIMELINE_SEGMENTS + 1, "too many segments");
	code_any_32(codec, &timeline->left_out);
	if (codec->writer == NULL) {
		timeline->lanes = pe_arena_new(arena, struct pe_timeline_lane, timeline->n_lanes);
		timeline->stacks =
			pe_arena_new(arena, struct pe_timeline_stack, timeline->n_stacks);
		timeline->segments =
			pe_arena_new(arena, struct pe_timeline_segment, timeline->n_segments);
	}
	if (timeline->n_lanes == 0)
		refuse(codec, "a timeline without lanes");
	for (uint32_t i = 0; i < timeline->n_lanes; i++) {
		struct pe_timeline_lane *lane = &timeline->lanes[i];

		code_frame(codec, &lane->frame, "no such program");
		code_any_32(codec, &lane->threads);
		code_any_32(codec, &lane->pid);
		code_any_32(codec, &lane->tid);
	}
	code_stacks(codec, timeline);
	code_segments(codec, timeline);
}

/* --- Whole trees --- */

static void pack_tree(struct pe_text *out, const struct pe_cct *cct, uint32_t n_frames,
		      const uint32_t *place)
{
	struct pe_packed_writer writer;
	struct codec codec = {.writer = &writer, .frames = place, .n_frames = n_frames};
	struct graph graph;
	pe_auto_free uint32_t *ranks = pe_realloc(NULL, cct->n, sizeof(*ranks));
	struct pe_cct_node root = cct->nodes[0];
	struct pe_cct head = *cct, tree = *cct;

	/* The root's frame stands by its place. */
	root.frame = place[root.frame];
	head.nodes = &root;
	find_calls(&graph, ranks, cct, &codec);
	pe_packed_begin(&writer, TREE, VERSION, cct->n, out);
	code_head(&codec, &head, ANY, NULL);
	code_graph(&codec, &graph, cct->n);
	put_shape(&writer, cct);
	code_calls(&codec, &tree, &graph, ranks);
	code_values(&codec, &tree);
	code_ranges(&codec, &tree, NULL);
	if (cct->facts.timeline != NULL) {
		struct pe_timeline timeline = *cct->facts.timeline;

		code_timeline(&codec, &timeline, ANY, NULL);
	}
	pe_packed_end(&writer);
	free(graph.begin);
	free(graph.edges);
}

void pe_archive_pack(struct pe_archive *out, const struct pe_cct *cct, const uint64_t *ids)
{
	pe_auto_free uint32_t *place = pe_realloc(NULL, cct->frames->n, sizeof(*place));
	uint32_t n = pack_frames(&out->frames, place, cct, ids);

	pack_tree(&out->tree, cct, n, place);
}

/* Check the size: a node takes 3 to 255 bytes of the stream, for its shape, its values, its call and a range. */
static int look(struct pe_packed_reader *reader, const void *bytes, size_t n, struct pe_err *err)
{
	PE_TRY(pe_packed_look(reader, TREE, VERSION, "a tree", bytes, n, err));
	if (reader->count == 0 || reader->count >= PE_CCT_NONE ||
	    (reader->count - 1) * 3 > reader->size ||
	    reader->size > reader->count * 256 + SOURCE_BYTES)
		return pe_packed_refuse(reader, "another number of nodes than there is room for");
	return PE_OK;
}

int pe_archive_nodes(uint32_t *out, const void *bytes, size_t n, struct pe_err *err)
{
	struct pe_packed_reader reader;
	int rc = look(&reader, bytes, n, err);

	*out = rc == PE_OK ? (uint32_t)reader.count : 0;
	return rc;
}

static void get_tree(const struct codec *codec, struct pe_cct *cct, struct pe_arena *arena)
{
	struct graph graph = {NULL, NULL};

	code_graph(codec, &graph, cct->n);
	if (is_good(codec))
		get_shape(codec->reader, cct);
	if (is_good(codec))
		code_calls(codec, cct, &graph, NULL);
	if (is_good(codec))
		code_values(codec, cct);
	if (is_good(codec))
		code_ranges(codec, cct, arena);
	free(graph.begin);
	free(graph.edges);
	if (is_good(codec) && codec->reader->at < codec->reader->end) {
		struct pe_timeline *timeline = pe_arena_new(arena, struct pe_timeline, 1);

		code_timeline(codec, timeline, codec->reader->size, arena);
		cct->facts.timeline = timeline;
	}
	pe_packed_finish(codec->reader);
}

int pe_archive_unpack(struct pe_cct **out, const void *bytes, size_t n, struct pe_frames *frames,
		      const uint32_t *numbers, size_t n_numbers, struct pe_arena *arena,
		      struct pe_err *err)
{
	struct pe_packed_reader reader;
	struct codec codec = {.reader = &reader, .frames = numbers};
	struct pe_cct_node root = {.end = 0};
	struct pe_cct head = {.nodes = &root}, *cct = NULL;

	*out = NULL;
	look(&reader, bytes, n, err);
	if (pe_packed_open(&reader) == PE_OK)
		code_head(&codec, &head, reader.size, arena);
	if (reader.rc == PE_OK && codec.n_frames != n_numbers)
		pe_packed_refuse(&reader, "its list of methods is another's");
	if (reader.rc == PE_OK) {
		cct = pe_cct_new(frames, (uint32_t)reader.count, head.known, arena);
		cct->nodes[0] = root;
		cct->facts = head.facts;
		get_tree(&codec, cct, arena);
	}
	pe_packed_close(&reader);
	if (reader.rc != PE_OK)
		return reader.rc;
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].frame = numbers[cct->nodes[i].frame];
	pe_cct_sum(cct);
	*out = cct;
	return pe_cct_check(cct, err);
}
