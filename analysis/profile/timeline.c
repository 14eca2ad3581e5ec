/*
 * From samples and waits to segments: a call lasts as long as consecutive stacks contain it.
 *
 *	struct piece   a future segment
 *	struct row     a lane of the trace, as it is written
 */
#include "analysis/profile/timeline.h"

#include "analysis/profile/samples_path.h"
#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/json/writer.h"

#include <math.h>
#include <stdlib.h>

struct piece {
	double begin_ns, end_ns;
	double most_ns; /* of the piece that node and wait are from */
	double waited_ns, path_ns;
	uint32_t lane;
	uint32_t node; /* of the path's builder */
	uint32_t wait; /* frame; PE_CCT_NONE: none */
};

/* Pieces of a thread, and the last one that was visited. */
struct range {
	size_t first, at, end;
};

struct making {
	const struct pe_samples_path *path;
	struct pe_timeline *timeline;
	struct pe_arena *arena;
	double ends_ns[PE_TIMELINE_LANES]; /* of the last thread of each lane */
	PE_VEC(struct piece) pieces;
	struct range *ranges;  /* pieces, by thread */
	struct pe_map numbers; /* stack by parent and frame */
	PE_VEC(struct pe_timeline_stack) stacks;
	PE_VEC(uint32_t) nodes; /* of the current stack, innermost first */
};

/* The first ancestor of a process. */
static uint32_t find_root(const struct pe_samples_path *path, uint32_t process)
{
	while (path->processes.data[process].parent != PE_CCT_NONE)
		process = path->processes.data[process].parent;
	return process;
}

/* Find a lane for a thread: one of the same program whose last thread has ended, or a new one. */
static uint32_t find_lane(struct making *making, const struct pe_samples_lane *lane)
{
	const struct pe_samples_path *path = making->path;
	const struct pe_samples_image *image = &path->images.data[lane->image];
	const struct pe_frame program = {.name = image->program, .kind = PE_FRAME_PROCESS};
	const uint32_t frame = pe_frames_add(path->frames, &program);
	struct pe_timeline *timeline = making->timeline;
	uint32_t i = 0;

	while (i < timeline->n_lanes && !(timeline->lanes[i].frame == frame &&
					  making->ends_ns[i] <= (double)lane->life.begun_ns))
		i++;
	if (i == PE_TIMELINE_LANES)
		return PE_CCT_NONE;
	if (i == timeline->n_lanes)
		timeline->lanes[timeline->n_lanes++] = (struct pe_timeline_lane){
			.frame = frame,
			.pid = path->processes.data[image->process].pid,
			.tid = lane->life.tid,
		};
	timeline->lanes[i].threads++;
	making->ends_ns[i] = (double)lane->life.seen_ns;
	return i;
}

static void add_piece(struct making *making, uint32_t lane, uint32_t node, uint32_t wait,
		      double *at_ns, double until_ns)
{
	if (until_ns <= *at_ns)
		return;
	pe_vec_push(&making->pieces, (struct piece){.begin_ns = *at_ns,
						    .end_ns = until_ns,
						    .most_ns = until_ns - *at_ns,
						    .lane = lane,
						    .node = node,
						    .wait = wait});
	*at_ns = until_ns;
}

/* Add the pieces of a thread's life: between its waits it computes below the next sample, at last below the last one. */
static void add_pieces(struct making *making, const struct pe_samples_lane *lane, uint32_t number)
{
	const struct pe_samples_path *path = making->path;
	const size_t end = lane->wait + lane->n_waits;
	double at_ns = (double)lane->life.begun_ns;
	uint32_t node = path->images.data[lane->image].node;
	size_t wait = lane->wait;

	for (size_t i = 0; i <= lane->n_work; i++) {
		const struct pe_samples_work *work =
			i < lane->n_work ? &path->work.data[lane->work + i] : NULL;

		if (work != NULL)
			node = work->node;
		for (;
		     wait < end && (work == NULL || path->waits.data[wait].begin_ns < work->end_ns);
		     wait++) {
			const struct pe_samples_wait *is = &path->waits.data[wait];
			const struct pe_frame frame = {
				.name = pe_samples_path_wait_name(path, lane, is),
				.kind = PE_FRAME_WAITING};

			/* Many short waits: the thread mostly computes. */
			if (is->share < 0.5)
				continue;
			add_piece(making, number, node, PE_CCT_NONE, &at_ns, (double)is->begin_ns);
			add_piece(making, number, is->node, pe_frames_add(path->frames, &frame),
				  &at_ns, (double)is->end_ns);
		}
		add_piece(making, number, node, PE_CCT_NONE, &at_ns,
			  (double)(work != NULL ? work->end_ns : lane->life.seen_ns));
	}
}

/* Add part of a thread's time to its pieces. Times come nearly in order. */
static void spread(const struct making *making, size_t thread, double begin_ns, double end_ns,
		   double waited, double path)
{
	struct piece *pieces = making->pieces.data;
	struct range *range = &making->ranges[thread];

	while (range->at > range->first && pieces[range->at - 1].end_ns > begin_ns)
		range->at--;
	while (range->at < range->end && pieces[range->at].end_ns <= begin_ns)
		range->at++;
	for (size_t i = range->at; i < range->end && pieces[i].begin_ns < end_ns; i++) {
		struct piece *piece = &pieces[i];
		const double ns = fmin(end_ns, piece->end_ns) - fmax(begin_ns, piece->begin_ns);

		piece->waited_ns += waited * ns;
		piece->path_ns += path * ns;
	}
}

static void add_thread(struct making *making, size_t number)
{
	const struct pe_samples_path *path = making->path;
	const struct pe_samples_lane *lane = &path->lanes.data[number];
	const uint32_t shown = find_lane(making, lane);
	struct range *range = &making->ranges[number];

	if (shown == PE_CCT_NONE) {
		making->timeline->left_out++;
		return;
	}
	range->first = range->at = making->pieces.n;
	add_pieces(making, lane, shown);
	range->end = making->pieces.n;
	for (size_t i = lane->wait; i < lane->wait + lane->n_waits; i++)
		spread(making, number, (double)path->waits.data[i].begin_ns,
		       (double)path->waits.data[i].end_ns, path->waits.data[i].share, 0);
}

PE_SORT_BY(by_lane, struct piece, lane, begin_ns);

static void join(struct piece *to, const struct piece *piece)
{
	to->end_ns = piece->end_ns;
	to->waited_ns += piece->waited_ns;
	to->path_ns += piece->path_ns;
	if (to->node == piece->node && to->wait == piece->wait) {
		to->most_ns += piece->most_ns;
	} else if (piece->most_ns > to->most_ns) {
		to->most_ns = piece->most_ns;
		to->node = piece->node;
		to->wait = piece->wait;
	}
}

/* Whether two pieces have one call path, and both or neither are on the path. */
static bool are_alike(const struct piece *a, const struct piece *b)
{
	return a->node == b->node && a->wait == b->wait &&
	       (2 * a->path_ns > a->end_ns - a->begin_ns) ==
		       (2 * b->path_ns > b->end_ns - b->begin_ns);
}

/* Join neighbours that are alike, or that together are no longer than least_ns. */
static void join_pieces(struct making *making, double least_ns)
{
	struct piece *pieces = making->pieces.data;
	size_t n = 0;

	for (size_t i = 0; i < making->pieces.n; i++) {
		struct piece *last = n > 0 ? &pieces[n - 1] : NULL;
		const struct piece *piece = &pieces[i];
		const bool next = last != NULL && last->lane == piece->lane &&
				  piece->begin_ns <= last->end_ns + least_ns;

		if (next && (are_alike(last, piece) || piece->end_ns - last->begin_ns <= least_ns))
			join(last, piece);
		else
			pieces[n++] = *piece;
	}
	making->pieces.n = n;
}

static uint32_t stack_of(struct making *making, uint32_t parent, uint32_t frame)
{
	const uint32_t next = (uint32_t)making->stacks.n;
	bool is_new;
	const uint32_t number = *pe_map_put(&making->numbers, parent, frame, next, &is_new);

	if (is_new)
		pe_vec_push(&making->stacks, (struct pe_timeline_stack){parent, frame});
	return number;
}

static uint32_t find_stack(struct making *making, const struct piece *piece)
{
	const struct pe_cct_builder *builder = making->path->builder;
	uint32_t stack = PE_CCT_NONE;

	making->nodes.n = 0;
	for (uint32_t node = piece->node; node != 0 && node != PE_CCT_NONE;
	     node = pe_cct_builder_node(builder, node)->parent) {
		if (pe_cct_builder_is_process(builder, node))
			break;
		pe_vec_push(&making->nodes, node);
	}
	for (size_t i = making->nodes.n; i-- > 0;)
		stack = stack_of(making, stack,
				 pe_cct_builder_node(builder, making->nodes.data[i])->frame);
	return piece->wait != PE_CCT_NONE ? stack_of(making, stack, piece->wait) : stack;
}

static uint64_t in_us(double ns)
{
	return (uint64_t)(ns / 1000 + 0.5);
}

static void finish(struct making *making, double began_ns)
{
	struct pe_timeline *timeline = making->timeline;

	timeline->n_segments = (uint32_t)making->pieces.n;
	timeline->segments =
		pe_arena_new(making->arena, struct pe_timeline_segment, making->pieces.n);
	for (size_t i = 0; i < making->pieces.n; i++) {
		const struct piece *piece = &making->pieces.data[i];

		timeline->segments[i] = (struct pe_timeline_segment){
			.lane = piece->lane,
			.stack = find_stack(making, piece),
			.begin_us = in_us(piece->begin_ns - began_ns),
			.end_us = in_us(piece->end_ns - began_ns),
			.waited_us = in_us(piece->waited_ns),
			.path_us = in_us(piece->path_ns),
		};
	}
	timeline->n_stacks = (uint32_t)making->stacks.n;
	timeline->stacks = pe_vec_copy(making->arena, &making->stacks);
	pe_vec_release(&making->pieces);
	pe_vec_release(&making->stacks);
	pe_vec_release(&making->nodes);
	pe_map_release(&making->numbers);
}

struct pe_timeline *pe_timeline_make(const struct pe_samples_path *path)
{
	struct making making = {.path = path, .arena = path->arena};
	double began_ns, least_ns;

	if (path->lanes.n == 0 || path->lanes.data[0].life.begun_ns == 0)
		return NULL;
	making.timeline = pe_arena_new(path->arena, struct pe_timeline, 1);
	making.timeline->lanes =
		pe_arena_new(path->arena, struct pe_timeline_lane, PE_TIMELINE_LANES);
	making.ranges = pe_arena_new(path->arena, struct range, path->lanes.n);
	began_ns = (double)path->lanes.data[0].life.begun_ns;
	for (size_t i = 0; i < path->lanes.n; i++) {
		const struct pe_samples_lane *lane = &path->lanes.data[i];

		if ((double)lane->life.begun_ns >= began_ns &&
		    find_root(path, path->images.data[lane->image].process) == 0)
			add_thread(&making, i);
	}
	for (size_t i = 0; i < path->stretches.n; i++) {
		const struct pe_samples_stretch *stretch = &path->stretches.data[i];

		spread(&making, stretch->lane, stretch->begin_ns, stretch->end_ns, 0,
		       stretch->share);
	}
	if (making.pieces.n > 1)
		qsort(making.pieces.data, making.pieces.n, sizeof(struct piece), by_lane);
	join_pieces(&making, 0);
	least_ns = ((double)path->lanes.data[0].life.seen_ns - began_ns) / PE_TIMELINE_SEGMENTS;
	for (; making.pieces.n > PE_TIMELINE_SEGMENTS; least_ns *= 2)
		join_pieces(&making, least_ns);
	finish(&making, began_ns);
	return making.timeline;
}

/* --- As a trace --- */

struct row {
	struct pe_json *json;
	const struct pe_timeline *timeline;
	const struct pe_frames *frames;
	uint32_t pid, tid;
	PE_VEC(uint32_t) open;  /* stacks of calls that have not ended, outermost first */
	PE_VEC(uint32_t) stack; /* of the current segment, innermost first */
};

static void begin_event(struct pe_json *json, const char *phase, const char *name, uint32_t pid,
			uint32_t tid)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "ph", phase);
	pe_json_put(json, "name", name);
	pe_json_put(json, "pid", pid);
	pe_json_put(json, "tid", tid);
}

/* Write the begin ("B") or end ("E") of a call, a wait or a stretch of the path. */
static void put_moment(const struct row *row, const char *phase, const char *name, uint64_t at_us)
{
	begin_event(row->json, phase, name, row->pid, row->tid);
	pe_json_put(row->json, "ts", at_us);
	pe_json_end(row->json);
}

static void put_name(struct pe_json *json, const char *what, uint32_t pid, uint32_t tid,
		     const char *name)
{
	begin_event(json, "M", what, pid, tid);
	pe_json_begin_object(json, "args");
	pe_json_put(json, "name", name);
	pe_json_end(json);
	pe_json_end(json);
}

static const char *name_of(const struct row *row, uint32_t stack)
{
	return row->frames->at[row->timeline->stacks[stack].frame].name;
}

static void end_calls(struct row *row, size_t depth, uint64_t at_us)
{
	while (row->open.n > depth)
		put_moment(row, "E", name_of(row, row->open.data[--row->open.n]), at_us);
}

/* Change the thread's open calls to those of a call path at a time. */
static void move_to(struct row *row, uint32_t stack, uint64_t at_us)
{
	size_t same = 0;

	row->stack.n = 0;
	for (; stack != PE_CCT_NONE; stack = row->timeline->stacks[stack].parent)
		pe_vec_push(&row->stack, stack);
	while (same < row->open.n && same < row->stack.n &&
	       row->open.data[same] == row->stack.data[row->stack.n - 1 - same])
		same++;
	end_calls(row, same, at_us);
	for (size_t i = row->stack.n - same; i-- > 0;) {
		put_moment(row, "B", name_of(row, row->stack.data[i]), at_us);
		pe_vec_push(&row->open, row->stack.data[i]);
	}
}

static void put_segments(struct row *row)
{
	const struct pe_timeline *timeline = row->timeline;
	uint32_t lane = PE_CCT_NONE;
	uint64_t at_us = 0;

	for (uint32_t i = 0; i < timeline->n_segments; i++) {
		const struct pe_timeline_segment *segment = &timeline->segments[i];

		if (segment->lane != lane || segment->begin_us > at_us)
			end_calls(row, 0, at_us);
		lane = segment->lane;
		row->pid = timeline->lanes[lane].pid;
		row->tid = timeline->lanes[lane].tid;
		move_to(row, segment->stack, segment->begin_us);
		at_us = segment->end_us;
	}
	end_calls(row, 0, at_us);
}

PE_SORT_POINTERS_BY(by_begin, struct pe_timeline_segment, begin_us);

/* Write the segments that are mostly on the path; consecutive ones of one lane are joined. */
static void put_path(struct row *row)
{
	const struct pe_timeline *timeline = row->timeline;
	PE_VEC(const struct pe_timeline_segment *) found = {NULL, 0, 0};

	for (uint32_t i = 0; i < timeline->n_segments; i++)
		if (2 * timeline->segments[i].path_us >
		    timeline->segments[i].end_us - timeline->segments[i].begin_us)
			pe_vec_push(&found, &timeline->segments[i]);
	pe_sort(found.data, found.n, by_begin);
	for (size_t i = 0, next; i < found.n; i = next) {
		const struct pe_timeline_lane *lane = &timeline->lanes[found.data[i]->lane];
		uint64_t end_us = found.data[i]->end_us;
		unsigned thread;
		pe_auto_text name = PE_TEXT_INIT;

		for (next = i + 1;
		     next < found.n && found.data[next]->lane == found.data[i]->lane &&
		     found.data[next]->begin_us <= end_us;
		     next++)
			end_us = found.data[next]->end_us;
		if (next < found.n && found.data[next]->begin_us < end_us)
			end_us = found.data[next]->begin_us;
		/* Another run has other ids. */
		pe_text_addf(&name, "%s", row->frames->at[lane->frame].name);
		for (thread = 1; lane > timeline->lanes && lane[-1].pid == lane->pid; lane--)
			thread++;
		if (thread > 1)
			pe_text_addf(&name, ", thread %u", thread);
		put_moment(row, "B", pe_text_str(&name), found.data[i]->begin_us);
		put_moment(row, "E", pe_text_str(&name), end_us);
	}
	pe_vec_release(&found);
}

void pe_timeline_write(struct pe_text *out, const struct pe_timeline *timeline,
		       const struct pe_frames *frames)
{
	struct pe_json json = PE_JSON_INIT(out);
	struct row row = {.json = &json, .timeline = timeline, .frames = frames};

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "displayTimeUnit", "ms");
	pe_json_begin_rows(&json, "traceEvents");
	put_name(&json, "process_name", 0, 0, PE_TIMELINE_PATH);
	put_path(&row);
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		put_name(&json, "process_name", timeline->lanes[i].pid, timeline->lanes[i].tid,
			 frames->at[timeline->lanes[i].frame].name);
	put_segments(&row);
	pe_json_finish(&json);
	pe_vec_release(&row.open);
	pe_vec_release(&row.stack);
}
