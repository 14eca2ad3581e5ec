/* Unpacking. Every number is checked before it is used, so that the result is the whole tree or an error. */
#include "analysis/profile/archive.h"

#include "core/base/packed.h"
#include "analysis/profile/archive_format.h"
#include "analysis/profile/timeline.h"

#include <stdlib.h>
#include <string.h>

/* --- Frames --- */

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
	pe_packed_look(&reader, PE_ARCHIVE_FRAMES, PE_ARCHIVE_VERSION, "a list of methods", bytes,
		       n, err);
	if (pe_packed_open(&reader) == PE_OK) {
		out->n = (size_t)reader.count;
		out->ids = pe_arena_new(arena, uint64_t, out->n);
		out->lines = pe_arena_new(arena, uint32_t, out->n);
		out->modules = pe_arena_new(arena, const char *, out->n);
		get_ids(&reader, out);
		for (size_t i = 0; i < out->n; i++)
			out->lines[i] = (uint32_t)pe_packed_get_below(
				&reader, (uint64_t)UINT32_MAX + 1, "a line beyond the last");
		get_modules(&reader, out, arena);
		pe_packed_finish(&reader);
	}
	pe_packed_close(&reader);
	return reader.rc;
}

/* --- The tree --- */

struct head {
	uint32_t n, n_frames;
	unsigned known;
	struct pe_cct_node root;
	struct pe_cct_facts facts;
};

/* The graph of calls: those of frame f are begin[f] to begin[f + 1] - 1. */
struct graph {
	uint32_t *begin;
	struct pe_archive_call *calls;
};

static uint32_t get_u32(struct pe_packed_reader *reader)
{
	return (uint32_t)pe_packed_get_below(reader, (uint64_t)UINT32_MAX + 1,
					     "a number that is too large");
}

/* Check the size: a node takes 3 to 255 bytes of the stream, for its shape, its values, its call and a range. */
static int look(struct pe_packed_reader *reader, const void *bytes, size_t n, struct pe_err *err)
{
	PE_TRY(pe_packed_look(reader, PE_ARCHIVE_TREE, PE_ARCHIVE_VERSION, "a tree", bytes, n,
			      err));
	if (reader->count == 0 || reader->count >= PE_CCT_NONE ||
	    (reader->count - 1) * 3 > reader->size ||
	    reader->size > reader->count * 256 + PE_ARCHIVE_SOURCE)
		return pe_packed_refuse(reader, "another number of nodes than there is room for");
	return PE_OK;
}

static void get_head(struct pe_packed_reader *reader, struct head *head, struct pe_arena *arena)
{
	struct pe_cct_facts *facts = &head->facts;

	head->n = (uint32_t)reader->count;
	head->known = (unsigned)pe_packed_get_below(reader, PE_CCT_ALL + 1, "unknown values");
	/* Each frame has a number of calls, which takes a byte. */
	head->n_frames = (uint32_t)pe_packed_get_below(reader, reader->size, "too many methods");
	head->root.frame =
		(uint32_t)pe_packed_get_below(reader, head->n_frames, "a root without a method");
	head->root.site = get_u32(reader);
	facts->source = pe_packed_get_string(reader, arena);
	facts->duration_ns = pe_packed_get(reader);
	facts->samples = pe_packed_get(reader);
	facts->samples_lost = pe_packed_get(reader);
	facts->interval_ns = pe_packed_get(reader);
	facts->processes = get_u32(reader);
	facts->threads = get_u32(reader);
	facts->peak_bytes = pe_packed_get(reader);
}

/* Read a difference to the number before; the sum must be below `end`. */
static uint32_t get_near(struct pe_packed_reader *reader, uint32_t before, uint64_t end)
{
	int64_t number;

	if (!__builtin_add_overflow(pe_unzigzag(pe_packed_get(reader)), (int64_t)before, &number) &&
	    number >= 0 && (uint64_t)number < end)
		return (uint32_t)number;
	pe_packed_refuse(reader, "a method, call or line that is not there");
	return 0;
}

static void get_graph(struct pe_packed_reader *reader, struct graph *graph, const struct head *head)
{
	uint32_t n = 0;

	graph->begin = pe_realloc(NULL, (size_t)head->n_frames + 1, sizeof(*graph->begin));
	for (uint32_t i = 0; i < head->n_frames; i++) {
		graph->begin[i] = n;
		/* Every call has at least one node. */
		n += (uint32_t)pe_packed_get_below(reader, head->n - n, "more calls than nodes");
	}
	graph->begin[head->n_frames] = n;
	graph->calls = pe_realloc(NULL, n, sizeof(*graph->calls));
	for (uint32_t i = 0; i < n; i++)
		graph->calls[i].callee =
			get_near(reader, i > 0 ? graph->calls[i - 1].callee : 0, head->n_frames);
	for (uint32_t i = 0; i < n; i++)
		graph->calls[i].site = get_near(reader, i > 0 ? graph->calls[i - 1].site : 0,
						(uint64_t)UINT32_MAX + 1);
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

/* Read the calls; their callees are places in the list of frames, which the caller replaces by numbers of its table. */
static void get_calls(struct pe_packed_reader *reader, struct pe_cct *cct,
		      const struct graph *graph)
{
	struct pe_cct_node *nodes = cct->nodes;
	pe_auto_free uint32_t *next = pe_realloc(NULL, cct->n, sizeof(*next));

	memset(next, 0, (size_t)cct->n * sizeof(*next));
	for (uint32_t i = 1; i < cct->n && reader->rc == PE_OK; i++) {
		uint32_t caller = nodes[nodes[i].parent].frame;
		uint32_t *expected = &next[nodes[i].parent];
		uint32_t degree = graph->begin[caller + 1] - graph->begin[caller];
		uint32_t rank = get_near(reader, *expected, degree);

		if (reader->rc != PE_OK)
			break;
		*expected = rank + 1;
		nodes[i].frame = graph->calls[graph->begin[caller] + rank].callee;
		nodes[i].site = graph->calls[graph->begin[caller] + rank].site;
	}
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void get_deviations(struct pe_packed_reader *reader, double *values, uint32_t n)
{
	pe_auto_free uint8_t *plane = pe_realloc(NULL, n, 1);
	pe_auto_free uint64_t *bits = pe_realloc(NULL, n, sizeof(*bits));

	memset(bits, 0, (size_t)n * sizeof(*bits));
	for (unsigned byte = 0; byte < sizeof(double); byte++) {
		pe_packed_get_bytes(reader, plane, n);
		for (uint32_t i = 0; i < n; i++)
			bits[i] |= (uint64_t)plane[i] << 8 * byte;
	}
	for (uint32_t i = 0; i < n; i++)
		values[i] = double_of(bits[i]);
}

static void get_values(struct pe_packed_reader *reader, struct pe_cct *cct)
{
	pe_packed_get_bytes(reader, cct->flags, cct->n);
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++) {
		uint64_t *column = cct->columns[pe_archive_columns[c]];

		for (uint32_t i = 0; column != NULL && i < cct->n; i++)
			column[i] = pe_packed_get(reader);
	}
	if (cct->deviation_ns != NULL)
		get_deviations(reader, cct->deviation_ns, cct->n);
}

/* Read the overlap of two executions: a value that is not between 0 and 1 is unknown. */
static double get_share(struct pe_packed_reader *reader)
{
	const double value = double_of(pe_packed_get(reader));

	return value > 0 && value <= 1 ? value : 0;
}

static void get_range(struct pe_packed_reader *reader, struct pe_cct_range *range,
		      const struct pe_cct *cct)
{
	range->runs = (uint32_t)pe_packed_get_below(reader, (uint64_t)cct->facts.counting_runs + 1,
						    "more runs than there were");
	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		const uint64_t *counts = cct->columns[c];
		uint64_t count = counts != NULL ? counts[range->node] : 0;

		range->less[c] = pe_packed_get(reader);
		range->more[c] = pe_packed_get(reader);
		if (range->less[c] > count || range->more[c] > UINT64_MAX - count)
			pe_packed_refuse(reader, "a count beyond all numbers");
	}
}

static void get_ranges(struct pe_packed_reader *reader, struct pe_cct *cct, struct pe_arena *arena)
{
	uint32_t node = 0, n;

	cct->facts.counting_runs = get_u32(reader);
	cct->facts.own_overlap[0] = get_share(reader);
	cct->facts.own_overlap[1] = get_share(reader);
	n = (uint32_t)pe_packed_get_below(reader, (uint64_t)cct->n + 1, "more ranges than nodes");
	if (n == 0)
		return;
	cct->ranges = pe_arena_new(arena, struct pe_cct_range, n);
	for (uint32_t i = 0; i < n && reader->rc == PE_OK; i++) {
		uint64_t step =
			pe_packed_get_below(reader, cct->n - node, "a node beyond the last");

		if (i > 0 && step == 0)
			pe_packed_refuse(reader, "two ranges of one node");
		node += (uint32_t)step;
		cct->ranges[i].node = node;
		get_range(reader, &cct->ranges[i], cct);
		cct->n_ranges++;
	}
}

static void get_stacks(struct pe_packed_reader *reader, struct pe_timeline *timeline,
		       const uint32_t *numbers, uint32_t n_frames)
{
	for (uint32_t i = 0; i < timeline->n_stacks; i++) {
		const uint32_t up =
			(uint32_t)pe_packed_get_below(reader, (uint64_t)i + 1, "no such caller");

		timeline->stacks[i] = (struct pe_timeline_stack){
			up > 0 ? i - up : PE_CCT_NONE,
			numbers[pe_packed_get_below(reader, n_frames, "no such method")]};
	}
}

static void get_segments(struct pe_packed_reader *reader, struct pe_timeline *timeline)
{
	static const char WHY[] = "a timeline beyond all times";
	const uint64_t most = UINT64_C(1) << 52; /* numbers of JSON are exact below it */
	struct pe_timeline_segment last = {.lane = 0};

	for (uint32_t i = 0; i < timeline->n_segments && reader->rc == PE_OK; i++) {
		struct pe_timeline_segment *segment = &timeline->segments[i];
		const uint32_t up =
			(uint32_t)pe_packed_get_below(reader, timeline->n_lanes - last.lane, WHY);

		segment->lane = last.lane + up;
		segment->begin_us = up == 0 ? last.end_us : 0;
		segment->begin_us += pe_packed_get_below(reader, most - segment->begin_us, WHY);
		segment->end_us = segment->begin_us +
				  pe_packed_get_below(reader, most - segment->begin_us, WHY);
		segment->stack = (uint32_t)pe_packed_get_below(
					 reader, (uint64_t)timeline->n_stacks + 1, WHY) -
				 1;
		segment->waited_us = pe_packed_get_below(reader, most, WHY);
		segment->path_us = pe_packed_get_below(reader, most, WHY);
		last = *segment;
	}
}

/* @param numbers  of n_frames frames, in the table of the tree */
static struct pe_timeline *get_timeline(struct pe_packed_reader *reader, const uint32_t *numbers,
					uint32_t n_frames, struct pe_arena *arena)
{
	struct pe_timeline *timeline = pe_arena_new(arena, struct pe_timeline, 1);

	timeline->n_lanes =
		(uint32_t)pe_packed_get_below(reader, PE_TIMELINE_LANES + 1, "too many lanes");
	timeline->n_stacks = (uint32_t)pe_packed_get_below(reader, reader->size, "too many stacks");
	timeline->n_segments = (uint32_t)pe_packed_get_below(reader, PE_TIMELINE_SEGMENTS + 1,
							     "too many segments");
	timeline->left_out = get_u32(reader);
	timeline->lanes = pe_arena_new(arena, struct pe_timeline_lane, timeline->n_lanes);
	timeline->stacks = pe_arena_new(arena, struct pe_timeline_stack, timeline->n_stacks);
	timeline->segments = pe_arena_new(arena, struct pe_timeline_segment, timeline->n_segments);
	if (timeline->n_lanes == 0)
		pe_packed_refuse(reader, "a timeline without lanes");
	for (uint32_t i = 0; i < timeline->n_lanes; i++) {
		const uint64_t frame = pe_packed_get_below(reader, n_frames, "no such program");

		timeline->lanes[i] =
			(struct pe_timeline_lane){numbers[frame], get_u32(reader), 0, 0};
		timeline->lanes[i].pid = get_u32(reader);
		timeline->lanes[i].tid = get_u32(reader);
	}
	get_stacks(reader, timeline, numbers, n_frames);
	get_segments(reader, timeline);
	return timeline;
}

static void name_frames(struct pe_cct *cct, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < cct->n; i++)
		cct->nodes[i].frame = numbers[cct->nodes[i].frame];
}

static void get_tree(struct pe_packed_reader *reader, struct pe_cct *cct, const struct head *head,
		     struct pe_arena *arena)
{
	struct graph graph = {NULL, NULL};

	cct->nodes[0] = head->root;
	cct->facts = head->facts;
	get_graph(reader, &graph, head);
	if (reader->rc == PE_OK)
		get_shape(reader, cct);
	if (reader->rc == PE_OK)
		get_calls(reader, cct, &graph);
	if (reader->rc == PE_OK)
		get_values(reader, cct);
	if (reader->rc == PE_OK)
		get_ranges(reader, cct, arena);
	free(graph.begin);
	free(graph.calls);
}

int pe_archive_nodes(uint32_t *out, const void *bytes, size_t n, struct pe_err *err)
{
	struct pe_packed_reader reader;
	int rc = look(&reader, bytes, n, err);

	*out = rc == PE_OK ? (uint32_t)reader.count : 0;
	return rc;
}

int pe_archive_unpack(struct pe_cct **out, const void *bytes, size_t n, struct pe_frames *frames,
		      const uint32_t *numbers, size_t n_numbers, struct pe_arena *arena,
		      struct pe_err *err)
{
	struct pe_packed_reader reader;
	struct head head = {0};
	struct pe_cct *cct = NULL;
	int rc;

	*out = NULL;
	look(&reader, bytes, n, err);
	if (pe_packed_open(&reader) == PE_OK)
		get_head(&reader, &head, arena);
	if (reader.rc == PE_OK && head.n_frames != n_numbers)
		pe_packed_refuse(&reader, "its list of methods is another's");
	if (reader.rc == PE_OK) {
		cct = pe_cct_new(frames, head.n, head.known, arena);
		get_tree(&reader, cct, &head, arena);
		if (reader.rc == PE_OK && reader.at < reader.end)
			cct->facts.timeline = get_timeline(&reader, numbers, head.n_frames, arena);
		pe_packed_finish(&reader);
	}
	rc = reader.rc;
	pe_packed_close(&reader);
	if (rc != PE_OK)
		return rc;
	name_frames(cct, numbers);
	pe_cct_sum(cct);
	*out = cct;
	return pe_cct_check(cct, err);
}
