/*
 * The contents of an archive's two streams, in order. One function lists what a part holds, for writing and for reading: an
 * array that is written stays, one that is read is checked before it is used. Arrays are little-endian, and stand byte by
 * byte: the first byte of each element, then the second, and so on. So similar bytes stand together, and compress better.
 * Values of nodes are numbers of variable length: most are 0, and planes of their bytes would repeat which are not.
 *
 *	frames	of each frame its identifier, less the one before and 1; its line; the number of its module. The texts of
 *		the modules, in the order of their numbers. Other streams refer to a frame by its place in this list.
 *
 *	tree	struct head; the text of facts.source.
 *		The calls: for each frame the number of its different calls; then each call (struct edge).
 *		Of each node but the root the number of levels between the node before it and its parent; then
 *		the index of its call among its parent's, less the one that follows its elder sibling's.
 *		Of each node its flags. A column for each known value. The ranges. The lanes, stacks and segments of the
 *		timeline.
 */
#include "analysis/profile/archive.h"

#include "core/base/packed.h"
#include "core/base/sort.h"
#include "analysis/profile/timeline.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define FRAMES "pevf"
#define TREE   "pevt"

enum {
	VERSION = 5,
	SOURCE_BYTES = 1 << 20, /* of the facts at most: the text among them is a command line */
	ALL_KNOWN = PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SAMPLES,
};

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are archived as they are");

/* What stands before the arrays of a tree. Pointers are archived as NULL. */
struct head {
	uint32_t known, n_frames, n_ranges;
	uint32_t has_timeline;
	struct pe_cct_node root;
	struct pe_cct_facts facts;
	struct pe_timeline timeline;
};

static_assert(sizeof(struct head) == 168, "another layout is another VERSION");

/* The only bytes of a head that are no member's. */
enum { HOLE = offsetof(struct head, facts.counting_runs) + sizeof(uint32_t) };

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
};

/* Code n elements of an array, by planes of bytes. */
static void code_array(const struct codec *codec, void *array, size_t width, size_t n)
{
	pe_auto_free uint8_t *plane = pe_realloc(NULL, n, 1);
	uint8_t *bytes = array;

	for (size_t byte = 0; byte < width; byte++) {
		if (codec->writer == NULL)
			pe_packed_get_bytes(codec->reader, plane, n);
		for (size_t i = 0; i < n; i++) {
			uint8_t *at = &bytes[i * width + byte];

			if (codec->writer != NULL)
				plane[i] = *at;
			else
				*at = plane[i];
		}
		if (codec->writer != NULL)
			pe_packed_put_bytes(codec->writer, plane, n);
	}
}

#define code(codec, array, n) code_array(codec, array, sizeof(*(array)), n)

/* Code n numbers in 1 to 10 bytes each. */
static void code_numbers(const struct codec *codec, uint64_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (codec->writer != NULL)
			pe_packed_put(codec->writer, numbers[i]);
		else
			numbers[i] = pe_packed_get(codec->reader);
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
	struct pe_frames modules = PE_FRAMES_INIT; /* only their names are used */
	struct pe_packed_writer writer;
	const struct codec codec = {.writer = &writer};
	struct named *list;
	uint32_t *used, *lines, *numbers;
	uint64_t *deltas;
	size_t n;

	pe_archive_used(&used, &n, cct, &arena);
	list = pe_arena_new(&arena, struct named, n);
	for (size_t i = 0; i < n; i++)
		list[i] = (struct named){ids[used[i]], used[i]};
	pe_sort(list, n, compare_named);

	deltas = pe_arena_new(&arena, uint64_t, n);
	lines = pe_arena_new(&arena, uint32_t, n);
	numbers = pe_arena_new(&arena, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		const struct pe_frame *frame = &cct->frames->at[list[i].frame];

		assert(i == 0 || list[i].id > list[i - 1].id);
		deltas[i] = i == 0 ? list[i].id : list[i].id - list[i - 1].id - 1;
		lines[i] = frame->line;
		numbers[i] = pe_frames_add_method(&modules, frame->module, NULL);
		place[list[i].frame] = (uint32_t)i;
	}
	pe_packed_begin(&writer, FRAMES, VERSION, n, out);
	code(&codec, deltas, n);
	code(&codec, lines, n);
	code(&codec, numbers, n);
	for (uint32_t i = 0; i < modules.n; i++)
		pe_packed_put_string(&writer, modules.at[i].name);
	pe_packed_end(&writer);
	pe_frames_release(&modules);
	return (uint32_t)n;
}

static int get_frames(struct pe_packed_reader *reader, struct pe_archive_frames *out,
		      struct pe_arena *arena)
{
	const struct codec codec = {.reader = reader};
	const size_t n = out->n;
	uint32_t *numbers = pe_arena_new(arena, uint32_t, n);
	const char **texts = pe_arena_new(arena, const char *, n);
	size_t n_texts = 0;

	code(&codec, out->ids, n);
	code(&codec, out->lines, n);
	code(&codec, numbers, n);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (__builtin_add_overflow(out->ids[i], out->ids[i - 1], &out->ids[i]) ||
			      __builtin_add_overflow(out->ids[i], 1, &out->ids[i])))
			return pe_packed_refuse(reader, "an identifier beyond the last");
		if (numbers[i] > n_texts)
			return pe_packed_refuse(reader, "a module that is not there");
		if (numbers[i] == n_texts)
			texts[n_texts++] = pe_packed_get_string(reader, arena);
		out->modules[i] = texts[numbers[i]];
	}
	return pe_packed_finish(reader);
}

int pe_archive_frames(struct pe_archive_frames *out, const void *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_packed_reader reader;

	*out = (struct pe_archive_frames){0};
	PE_TRY(pe_packed_look(&reader, FRAMES, VERSION, "a list of methods", bytes, n, err));
	/* A method takes 16 bytes, and its module. */
	if (reader.count > reader.size / 16)
		return pe_packed_refuse(&reader, "more methods than there is room for");
	PE_TRY(pe_packed_open(&reader));
	out->n = (size_t)reader.count;
	out->ids = pe_arena_new(arena, uint64_t, out->n);
	out->lines = pe_arena_new(arena, uint32_t, out->n);
	out->modules = pe_arena_new(arena, const char *, out->n);
	return get_frames(&reader, out, arena);
}

/* --- The graph of calls --- */

/* One call in the graph that a tree unfolds. The callee is a place in the list of frames. */
struct edge {
	uint32_t callee, site;
};

/* The different calls: those of the frame at place f begin at edges[begin[f]], and are degrees[f]. */
struct graph {
	uint32_t *degrees, *begin;
	struct edge *edges;
	uint32_t n; /* edges */
};

/*
 * Collect the different calls of a tree.
 *
 * @param ranks  receives, by node, the index of its call among those of its caller, which are in the order of arrival
 * @param place  by frame: in the list of frames
 */
static void find_calls(struct graph *out, uint32_t *ranks, const struct pe_cct *cct,
		       const uint32_t *place, uint32_t n_frames, struct pe_arena *arena)
{
	struct pe_map found = {0};

	*out = (struct graph){.degrees = pe_arena_new(arena, uint32_t, n_frames),
			      .begin = pe_arena_new(arena, uint32_t, n_frames)};
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const uint32_t caller = place[cct->nodes[node->parent].frame];
		bool is_new;

		ranks[i] = *pe_map_put(&found, (uint64_t)caller << 32 | place[node->frame],
				       node->site, out->degrees[caller], &is_new);
		out->degrees[caller] += is_new;
		out->n += is_new;
	}
	for (uint32_t i = 1; i < n_frames; i++)
		out->begin[i] = out->begin[i - 1] + out->degrees[i - 1];
	out->edges = pe_arena_new(arena, struct edge, out->n);
	for (uint32_t i = 1; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const uint32_t caller = place[cct->nodes[node->parent].frame];

		out->edges[out->begin[caller] + ranks[i]] =
			(struct edge){place[node->frame], node->site};
	}
	pe_map_release(&found);
}

/* Read the calls of a tree. Every call has at least one node. */
static int get_graph(const struct codec *codec, struct graph *graph, uint32_t n_frames,
		     uint32_t n_nodes, struct pe_arena *arena)
{
	graph->degrees = pe_arena_new(arena, uint32_t, n_frames);
	graph->begin = pe_arena_new(arena, uint32_t, n_frames);
	code(codec, graph->degrees, n_frames);
	for (uint32_t i = 0; i < n_frames; i++) {
		graph->begin[i] = graph->n;
		if (graph->degrees[i] >= n_nodes - graph->n)
			return pe_packed_refuse(codec->reader, "more calls than nodes");
		graph->n += graph->degrees[i];
	}
	graph->edges = pe_arena_new(arena, struct edge, graph->n);
	code(codec, graph->edges, graph->n);
	for (uint32_t i = 0; i < graph->n; i++)
		if (graph->edges[i].callee >= n_frames)
			return pe_packed_refuse(codec->reader, "a call of no method");
	return codec->reader->rc;
}

/* --- The tree --- */

static void put_shape(const struct codec *codec, const struct pe_cct *cct, struct pe_arena *arena)
{
	uint32_t *ups = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t i = 1; i < cct->n; i++)
		for (uint32_t at = i - 1; at != cct->nodes[i].parent; at = cct->nodes[at].parent)
			ups[i]++;
	code(codec, ups + 1, cct->n - 1);
}

static int get_shape(const struct codec *codec, struct pe_cct *cct, struct pe_arena *arena)
{
	struct pe_cct_node *nodes = cct->nodes;
	uint32_t *ups = pe_arena_new(arena, uint32_t, cct->n);

	code(codec, ups + 1, cct->n - 1);
	nodes[0].parent = PE_CCT_NONE;
	for (uint32_t i = 1; i < cct->n; i++) {
		uint32_t parent = i - 1;

		for (; ups[i] > 0 && parent != 0; ups[i]--) {
			nodes[parent].end = i;
			parent = nodes[parent].parent;
		}
		if (ups[i] > 0)
			return pe_packed_refuse(codec->reader, "a node above the root");
		nodes[i].parent = parent;
	}
	for (uint32_t at = cct->n - 1; at != PE_CCT_NONE; at = nodes[at].parent)
		nodes[at].end = cct->n;
	return codec->reader->rc;
}

/* Put the rank of each node's call, less the one that is expected. @param ranks  are changed */
static void put_ranks(const struct codec *codec, const struct pe_cct *cct, uint32_t *ranks,
		      struct pe_arena *arena)
{
	/* By node: the rank that its next child's call is expected to have. */
	uint32_t *next = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t i = 1; i < cct->n; i++) {
		uint32_t *expected = &next[cct->nodes[i].parent];
		const int64_t more = (int64_t)ranks[i] - *expected;

		*expected = ranks[i] + 1;
		ranks[i] = (uint32_t)pe_zigzag(more);
	}
	code(codec, ranks + 1, cct->n - 1);
}

/* Read the call of each node. Nodes have places in the list of frames, which the caller replaces by frames. */
static int get_calls(const struct codec *codec, struct pe_cct *cct, const struct graph *graph,
		     struct pe_arena *arena)
{
	struct pe_cct_node *nodes = cct->nodes;
	uint32_t *next = pe_arena_new(arena, uint32_t, cct->n);
	uint32_t *ranks = pe_arena_new(arena, uint32_t, cct->n);

	code(codec, ranks + 1, cct->n - 1);
	for (uint32_t i = 1; i < cct->n; i++) {
		const uint32_t caller = nodes[nodes[i].parent].frame;
		const int64_t rank = pe_unzigzag(ranks[i]) + next[nodes[i].parent];

		if (rank < 0 || rank >= graph->degrees[caller])
			return pe_packed_refuse(codec->reader, "a call that is not there");
		nodes[i].frame = graph->edges[graph->begin[caller] + rank].callee;
		nodes[i].site = graph->edges[graph->begin[caller] + rank].site;
		next[nodes[i].parent] = (uint32_t)rank + 1;
	}
	return codec->reader->rc;
}

static void code_values(const struct codec *codec, struct pe_cct *cct)
{
	code(codec, cct->flags, cct->n);
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++)
		if (cct->columns[c] != NULL)
			code_numbers(codec, cct->columns[c], cct->n);
	code(codec, cct->ranges, cct->n_ranges);
}

/* Whether ranges are of nodes, in their order, and of counts that there can be. */
static bool are_ranges(const struct pe_cct *cct)
{
	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		const struct pe_cct_range *range = &cct->ranges[i];

		if (range->node >= cct->n || (i > 0 && range->node <= range[-1].node) ||
		    range->runs > cct->facts.counting_runs)
			return false;
		for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
			const uint64_t *counts = cct->columns[c];
			const uint64_t count = counts != NULL ? counts[range->node] : 0;

			if (range->less[c] > count || range->more[c] > UINT64_MAX - count)
				return false;
		}
	}
	return true;
}

/* --- The timeline --- */

static void code_timeline(const struct codec *codec, struct pe_timeline *timeline)
{
	code(codec, timeline->lanes, timeline->n_lanes);
	code(codec, timeline->stacks, timeline->n_stacks);
	code(codec, timeline->segments, timeline->n_segments);
}

/* Whether the parts of a timeline refer to others that there are, and segments are in order. Frames are places below n_frames. */
static bool is_timeline(const struct pe_timeline *timeline, uint32_t n_frames)
{
	const uint64_t most = UINT64_C(1) << 52; /* numbers of JSON are exact below it */
	struct pe_timeline_segment last = {.lane = 0};

	if (timeline->n_lanes == 0)
		return false;
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		if (timeline->lanes[i].frame >= n_frames)
			return false;
	for (uint32_t i = 0; i < timeline->n_stacks; i++) {
		const struct pe_timeline_stack *stack = &timeline->stacks[i];

		if (stack->frame >= n_frames ||
		    (stack->parent >= i && stack->parent != PE_CCT_NONE))
			return false;
	}
	for (uint32_t i = 0; i < timeline->n_segments; i++) {
		const struct pe_timeline_segment segment = timeline->segments[i];

		if (segment.lane < last.lane || segment.lane >= timeline->n_lanes ||
		    (segment.lane == last.lane && segment.begin_us < last.end_us) ||
		    segment.end_us < segment.begin_us || segment.end_us >= most ||
		    segment.waited_us >= most || segment.path_us >= most ||
		    (segment.stack >= timeline->n_stacks && segment.stack != PE_CCT_NONE))
			return false;
		last = segment;
	}
	return true;
}

static void map_timeline(struct pe_timeline *timeline, const uint32_t *became)
{
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		timeline->lanes[i].frame = became[timeline->lanes[i].frame];
	for (uint32_t i = 0; i < timeline->n_stacks; i++)
		timeline->stacks[i].frame = became[timeline->stacks[i].frame];
}

static void put_timeline(const struct codec *codec, const struct pe_timeline *timeline,
			 const uint32_t *place, struct pe_arena *arena)
{
	struct pe_timeline copy = *timeline;

	copy.lanes = pe_arena_new(arena, struct pe_timeline_lane, copy.n_lanes);
	copy.stacks = pe_arena_new(arena, struct pe_timeline_stack, copy.n_stacks);
	memcpy(copy.lanes, timeline->lanes, copy.n_lanes * sizeof(*copy.lanes));
	memcpy(copy.stacks, timeline->stacks, copy.n_stacks * sizeof(*copy.stacks));
	map_timeline(&copy, place);
	code_timeline(codec, &copy);
}

static int get_timeline(const struct pe_timeline **out, const struct codec *codec,
			const struct head *head, const uint32_t *numbers, struct pe_arena *arena)
{
	struct pe_timeline *timeline = pe_arena_new(arena, struct pe_timeline, 1);

	*timeline = head->timeline;
	timeline->lanes = pe_arena_new(arena, struct pe_timeline_lane, timeline->n_lanes);
	timeline->stacks = pe_arena_new(arena, struct pe_timeline_stack, timeline->n_stacks);
	timeline->segments = pe_arena_new(arena, struct pe_timeline_segment, timeline->n_segments);
	code_timeline(codec, timeline);
	if (!is_timeline(timeline, head->n_frames))
		return pe_packed_refuse(codec->reader, "a timeline that cannot be");
	map_timeline(timeline, numbers);
	*out = timeline;
	return PE_OK;
}

/* --- Whole trees --- */

static struct head head_of(const struct pe_cct *cct, uint32_t n_frames, const uint32_t *place)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.known = cct->known;
	head.n_frames = n_frames;
	head.n_ranges = cct->n_ranges;
	head.root = cct->nodes[0];
	head.root.frame = place[head.root.frame];
	head.facts = cct->facts;
	/* Whatever stands between two members. */
	memset((char *)&head + HOLE, 0, sizeof(uint32_t));
	if (cct->facts.timeline != NULL) {
		head.has_timeline = 1;
		head.timeline = *cct->facts.timeline;
	}
	head.facts.source = head.facts.counted = NULL;
	head.facts.timeline = NULL;
	head.timeline.lanes = NULL;
	head.timeline.stacks = NULL;
	head.timeline.segments = NULL;
	return head;
}

static void pack_tree(struct pe_text *out, const struct pe_cct *cct, uint32_t n_frames,
		      const uint32_t *place)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_packed_writer writer;
	const struct codec codec = {.writer = &writer};
	struct graph graph;
	uint32_t *ranks = pe_arena_new(&arena, uint32_t, cct->n);
	struct head head = head_of(cct, n_frames, place);
	struct pe_cct tree = *cct;

	find_calls(&graph, ranks, cct, place, n_frames, &arena);
	pe_packed_begin(&writer, TREE, VERSION, cct->n, out);
	code(&codec, &head, 1);
	pe_packed_put_string(&writer, cct->facts.source != NULL ? cct->facts.source : "");
	code(&codec, graph.degrees, n_frames);
	code(&codec, graph.edges, graph.n);
	put_shape(&codec, cct, &arena);
	put_ranks(&codec, cct, ranks, &arena);
	code_values(&codec, &tree);
	if (cct->facts.timeline != NULL)
		put_timeline(&codec, cct->facts.timeline, place, &arena);
	pe_packed_end(&writer);
}

void pe_archive_pack(struct pe_archive *out, const struct pe_cct *cct, const uint64_t *ids)
{
	pe_auto_free uint32_t *place = pe_realloc(NULL, cct->frames->n, sizeof(*place));
	uint32_t n = pack_frames(&out->frames, place, cct, ids);

	pack_tree(&out->tree, cct, n, place);
}

/* Check the size: a node takes 9 to 255 bytes of the stream, for its shape, its values, its call and a range. */
static int look(struct pe_packed_reader *reader, const void *bytes, size_t n, struct pe_err *err)
{
	PE_TRY(pe_packed_look(reader, TREE, VERSION, "a tree", bytes, n, err));
	if (reader->count == 0 || reader->count >= PE_CCT_NONE ||
	    (reader->count - 1) * 9 > reader->size ||
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

static int get_head(const struct codec *codec, struct head *head, size_t n_numbers)
{
	const struct pe_timeline *timeline = &head->timeline;
	double *overlap = head->facts.own_overlap;

	code(codec, head, 1);
	if (head->n_frames != n_numbers)
		return pe_packed_refuse(codec->reader, "its list of methods is another's");
	if ((head->known & ~(unsigned)ALL_KNOWN) != 0 || head->root.frame >= head->n_frames)
		return pe_packed_refuse(codec->reader,
					"unknown values, or a root without a method");
	if (head->n_ranges > codec->reader->count || timeline->n_lanes > PE_TIMELINE_LANES ||
	    timeline->n_stacks > codec->reader->size || timeline->n_segments > PE_TIMELINE_SEGMENTS)
		return pe_packed_refuse(codec->reader,
					"more ranges or stacks than there is room for");
	/* The overlap of two executions: a value that is not between 0 and 1 is unknown. */
	for (int i = 0; i < 2; i++)
		if (!(overlap[i] > 0 && overlap[i] <= 1))
			overlap[i] = 0;
	return codec->reader->rc;
}

static int get_tree(const struct codec *codec, struct pe_cct *cct, const struct head *head,
		    const uint32_t *numbers, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct graph graph = {.n = 0};

	cct->nodes[0] = head->root;
	cct->facts = head->facts;
	cct->facts.counted = NULL;
	cct->facts.timeline = NULL;
	cct->facts.source = pe_packed_get_string(codec->reader, arena);
	PE_TRY(get_graph(codec, &graph, head->n_frames, cct->n, &work));
	PE_TRY(get_shape(codec, cct, &work));
	PE_TRY(get_calls(codec, cct, &graph, &work));
	cct->n_ranges = head->n_ranges;
	cct->ranges = pe_arena_new(arena, struct pe_cct_range, head->n_ranges);
	code_values(codec, cct);
	if (!are_ranges(cct))
		return pe_packed_refuse(codec->reader, "differences of runs that cannot be");
	if (head->has_timeline)
		PE_TRY(get_timeline(&cct->facts.timeline, codec, head, numbers, arena));
	return pe_packed_finish(codec->reader);
}

int pe_archive_unpack(struct pe_cct **out, const void *bytes, size_t n, struct pe_frames *frames,
		      const uint32_t *numbers, size_t n_numbers, struct pe_arena *arena,
		      struct pe_err *err)
{
	pe_auto_packed_reader reader;
	const struct codec codec = {.reader = &reader};
	struct pe_cct *cct;
	struct head head;

	*out = NULL;
	PE_TRY(look(&reader, bytes, n, err));
	PE_TRY(pe_packed_open(&reader));
	PE_TRY(get_head(&codec, &head, n_numbers));
	cct = pe_cct_new(frames, (uint32_t)reader.count, head.known, arena);
	PE_TRY(get_tree(&codec, cct, &head, numbers, arena));
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].frame = numbers[cct->nodes[i].frame];
	pe_cct_sum(cct);
	*out = cct;
	return pe_cct_check(cct, err);
}
