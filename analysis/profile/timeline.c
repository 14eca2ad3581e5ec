/*
 * From samples and waits to calls that begin and end: a call lasts as long as stacks in a row have it.
 *
 *	struct row   a thread in the making
 */
#include "analysis/profile/timeline.h"

#include "core/json/writer.h"

#include <stdio.h>

struct row {
	struct pe_json *json;
	const struct pe_samples_path *path;
	uint64_t origin_ns; /* of the run */
	uint32_t pid, tid;
	PE_VEC(uint32_t) open;  /* nodes of calls that have not ended, outermost first */
	bool waits;             /* in the innermost one */
	PE_VEC(uint32_t) stack; /* of the piece in hand, innermost first */
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

/* A call, a wait or a stretch of the path begins: "B", or ends: "E". */
static void put_moment(const struct row *row, const char *phase, const char *name, uint64_t at_ns)
{
	begin_event(row->json, phase, name, row->pid, row->tid);
	pe_json_put(row->json, "ts", (double)(at_ns - row->origin_ns) / 1000);
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

static const char *name_of(const struct row *row, uint32_t node)
{
	return row->path->frames->at[pe_cct_builder_frame(row->path->builder, node)].name;
}

static void end_calls(struct row *row, size_t depth, uint64_t at_ns)
{
	if (row->waits)
		put_moment(row, "E", "", at_ns);
	row->waits = false;
	while (row->open.n > depth)
		put_moment(row, "E", name_of(row, row->open.data[--row->open.n]), at_ns);
}

/* From a moment on the thread is below this node, and in a wait of this name; NULL: in none. */
static void move_to(struct row *row, uint32_t node, const char *wait, uint64_t at_ns)
{
	const struct pe_samples_path *path = row->path;
	size_t same = 0;

	row->stack.n = 0;
	for (; node != 0 && node != PE_CCT_NONE;
	     node = pe_cct_builder_parent(path->builder, node)) {
		if (pe_cct_builder_is_process(path->builder, node))
			break;
		pe_vec_push(&row->stack, node);
	}
	while (same < row->open.n && same < row->stack.n &&
	       row->open.data[same] == row->stack.data[row->stack.n - 1 - same])
		same++;
	end_calls(row, same, at_ns);
	for (size_t i = row->stack.n - same; i-- > 0;) {
		put_moment(row, "B", name_of(row, row->stack.data[i]), at_ns);
		pe_vec_push(&row->open, row->stack.data[i]);
	}
	if (wait != NULL)
		put_moment(row, "B", wait, at_ns);
	row->waits = wait != NULL;
}

static void put_lane(struct row *row, const struct pe_samples_lane *lane)
{
	const struct pe_samples_path *path = row->path;
	const size_t end = lane->wait + lane->n_waits;
	uint64_t at_ns = lane->life.begun_ns;
	size_t wait = lane->wait;

	for (size_t i = 0; i <= lane->n_work; i++) {
		const struct pe_samples_work *work =
			i < lane->n_work ? &path->work.data[lane->work + i] : NULL;

		for (;
		     wait < end && (work == NULL || path->waits.data[wait].begin_ns < work->end_ns);
		     wait++) {
			const struct pe_samples_wait *is = &path->waits.data[wait];

			/* Many short ones: the thread mostly computes. */
			if (is->share < 0.5 || is->begin_ns < at_ns)
				continue;
			if (work != NULL && is->begin_ns > at_ns)
				move_to(row, work->node, NULL, at_ns);
			move_to(row, is->node, pe_samples_path_wait_name(path, lane, is),
				is->begin_ns);
			at_ns = is->end_ns;
			end_calls(row, row->open.n, at_ns);
		}
		if (work == NULL || work->end_ns <= at_ns)
			continue;
		move_to(row, work->node, NULL, at_ns);
		at_ns = work->end_ns;
	}
	end_calls(row, 0, at_ns);
}

/* The process that nobody started, from which this one comes. */
static uint32_t find_root(const struct pe_samples_path *path, uint32_t process)
{
	while (path->processes.data[process].parent != PE_CCT_NONE)
		process = path->processes.data[process].parent;
	return process;
}

/* Stretches of one thread in a row are one. */
static void put_path(struct row *row)
{
	const struct pe_samples_path *path = row->path;

	for (size_t i = 0, next; i < path->stretches.n; i = next) {
		const struct pe_samples_stretch *first = &path->stretches.data[i];
		const struct pe_samples_lane *lane = &path->lanes.data[first->lane];
		const struct pe_samples_image *image = &path->images.data[lane->image];
		char name[128];
		uint64_t end_ns = first->end_ns;

		for (next = i + 1;
		     next < path->stretches.n && path->stretches.data[next].lane == first->lane &&
		     path->stretches.data[next].begin_ns <= end_ns;
		     next++)
			end_ns = path->stretches.data[next].end_ns;
		if (find_root(path, image->process) != 0)
			continue;
		snprintf(name, sizeof(name), "%s, thread %u", image->program, lane->life.tid);
		put_moment(row, "B", name, first->begin_ns);
		put_moment(row, "E", name, end_ns);
	}
}

void pe_timeline_write(struct pe_text *out, const struct pe_samples_path *path)
{
	struct pe_json json = PE_JSON_INIT(out);
	struct row row = {.json = &json, .path = path};

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "displayTimeUnit", "ms");
	pe_json_begin_rows(&json, "traceEvents");
	if (path->lanes.n > 0)
		row.origin_ns = path->images.data[0].started_ns;
	put_name(&json, "process_name", 0, 0, "path: what the program waits for");
	put_path(&row);
	for (size_t i = 0; i < path->lanes.n; i++) {
		const struct pe_samples_lane *lane = &path->lanes.data[i];
		const struct pe_samples_image *image = &path->images.data[lane->image];

		if (find_root(path, image->process) != 0 || lane->life.begun_ns == 0)
			continue;
		row.pid = path->processes.data[image->process].pid;
		row.tid = lane->life.tid;
		put_name(&json, "process_name", row.pid, row.tid, image->program);
		put_lane(&row, lane);
	}
	pe_json_finish(&json);
	pe_vec_release(&row.open);
	pe_vec_release(&row.stack);
}
