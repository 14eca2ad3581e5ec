/*
 * Trace JSON of Chrome and of other tools that write its format: an object with "traceEvents", or the array alone, whose
 * end may be missing.
 *
 * A trace with CPU profiles (V8's, of the main thread and of each worker) becomes these profiles: its other events
 * are the browser's own and overlap them. Only events that schedule or start a task are read, to attribute waits and
 * later work to the function that scheduled it (import_turns.h). In any other trace, complete events (X) and pairs of
 * events (B, E) nest on their threads, and asynchronous ones (b, e) on a track of their own, where an outermost one is a
 * top-level task.
 *
 * Metadata names processes and threads, and may come at the end of the file. So nodes are made last. Numbers of threads differ from run to run: a thread without a name is "thread".
 */
#include "analysis/profile/importers.h"
#include "analysis/profile/timeline.h"

#include "analysis/profile/import_chrome.h"

#include <inttypes.h>
#include <string.h>

static uint32_t process_of(struct pe_chrome *chrome)
{
	bool is_new;
	uint32_t index = *pe_map_put(&chrome->pids, (uint64_t)chrome->event.pid, 0,
				     (uint32_t)chrome->processes.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->processes, (struct pe_chrome_process){0});
	return index;
}

static uint32_t thread_of(struct pe_chrome *chrome)
{
	bool is_new;
	uint32_t process = process_of(chrome);
	uint32_t index = *pe_map_put(&chrome->tids, (uint64_t)chrome->event.tid, process,
				     (uint32_t)chrome->threads.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->threads, (struct pe_chrome_thread){.process = process});
	return index;
}

static void name_process(struct pe_chrome *chrome)
{
	struct pe_chrome_process *process = &chrome->processes.data[process_of(chrome)];

	process->name =
		pe_arena_strdup(chrome->import->arena, pe_text_str(&chrome->event.argument));
	process->is_path = strcmp(process->name, PE_TIMELINE_PATH) == 0;
}

static void name_thread(struct pe_chrome *chrome)
{
	uint32_t index = thread_of(chrome);

	chrome->threads.data[index].name =
		pe_arena_strdup(chrome->import->arena, pe_text_str(&chrome->event.argument));
}

static struct pe_chrome_profile *profile_of(struct pe_chrome *chrome)
{
	const struct pe_text *id = &chrome->event.id;
	uint64_t key = id->len > 0 ? pe_xxh_short(1, id->data, id->len)
				   : pe_xxh_short(2, (const char *)&chrome->event.tid,
						  sizeof(chrome->event.tid));
	bool is_new;
	uint32_t index = *pe_map_put(&chrome->profile_ids, key, (uint64_t)chrome->event.pid,
				     (uint32_t)chrome->profiles.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->profiles,
			    (struct pe_chrome_profile){.thread = thread_of(chrome),
						       .start_us = chrome->event.at_ns / 1000,
						       .v8.keeps_runs = true});
	return &chrome->profiles.data[index];
}

/* Add the nodes of a piece to the whole profile, matched by their ids. */
static int add_nodes(struct pe_chrome *chrome, struct pe_v8 *whole)
{
	struct pe_v8_node *nodes = chrome->event.piece.nodes.data;

	for (size_t i = 0; i < chrome->event.piece.nodes.n; i++) {
		uint32_t index = pe_v8_index(whole, nodes[i].id, nodes[i].offset), parent;

		if (nodes[i].parent != PE_CCT_NONE) {
			parent = pe_v8_index(whole, nodes[nodes[i].parent].id, nodes[i].offset);
			whole->nodes.data[index].parent = parent;
		}
		if (!nodes[i].is_defined)
			continue;
		if (whole->nodes.data[index].is_defined)
			return pe_import_refuse_at(chrome->import, nodes[i].offset,
						   "each node once", "node %" PRId64 " again",
						   nodes[i].id);
		whole->nodes.data[index].is_defined = true;
		whole->nodes.data[index].frame = nodes[i].frame;
	}
	return PE_OK;
}

static int add_piece(struct pe_chrome *chrome)
{
	struct pe_v8 *whole = &profile_of(chrome)->v8;
	size_t n = chrome->event.samples.n;
	int rc = add_nodes(chrome, whole);

	if (rc == PE_OK && chrome->event.deltas.n != n)
		rc = pe_import_refuse_at(chrome->import, chrome->event.offset,
					 "a time for each sample", "%zu samples and %zu times", n,
					 chrome->event.deltas.n);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		pe_v8_add(whole, chrome->event.samples.data[i], chrome->event.deltas.data[i],
			  chrome->event.offset);
	return rc;
}

/* --- Spans --- */

static int add_span(struct pe_chrome *chrome, uint32_t track, enum pe_span_kind kind)
{
	struct pe_chrome_event *event = &chrome->event;
	const char *name = event->name.len > 0 ? event->name.data : "(anonymous)";
	struct pe_span span = {
		.at_ns = event->at_ns,
		.duration_ns = event->duration_ns,
		.track = track,
		.kind = kind,
	};

	if (kind == PE_SPAN_END && event->name.len == 0) {
		span.frame = PE_FRAME_NONE;
	} else {
		span.frame = pe_names_frame(&chrome->names, name,
					    event->name.len > 0 ? event->name.len : strlen(name),
					    NULL, 0);
		if (span.frame == PE_FRAME_NONE)
			return pe_import_refuse_at(chrome->import, event->offset,
						   "a name without NUL", "an event's name");
	}
	pe_tracks_add(&chrome->tracks, span);
	return PE_OK;
}

static int add_thread_span(struct pe_chrome *chrome, enum pe_span_kind kind)
{
	uint32_t index = thread_of(chrome);
	struct pe_chrome_thread *thread = &chrome->threads.data[index];

	if (chrome->processes.data[thread->process].is_path)
		return PE_OK;
	if (!thread->has_track)
		thread->track = pe_tracks_new(&chrome->tracks, index, false);
	thread->has_track = thread->has_data = true;
	chrome->processes.data[thread->process].has_data = true;
	return add_span(chrome, thread->track, kind);
}

/* Add a span of an asynchronous event. Events of one id nest; the ids of a category are per process, unless marked shared. */
static int add_task_span(struct pe_chrome *chrome, enum pe_span_kind kind)
{
	struct pe_chrome_event *event = &chrome->event;
	uint32_t process = process_of(chrome), track;
	uint64_t key = pe_xxh_short(3, pe_text_str(&event->category), event->category.len);
	bool is_new;

	key = pe_xxh_short(key, pe_text_str(&event->id), event->id.len);
	track = *pe_map_put(&chrome->task_ids, key, event->is_shared ? 0 : (uint64_t)event->pid,
			    (uint32_t)chrome->tracks.tracks.n, &is_new);
	if (is_new)
		pe_tracks_new(&chrome->tracks, process, true);
	chrome->processes.data[process].has_data = true;
	return add_span(chrome, track, kind);
}

static bool is_named(const struct pe_chrome_event *event, const char *name)
{
	return strcmp(pe_text_str(&event->name), name) == 0;
}

static int take_event(struct pe_chrome *chrome)
{
	struct pe_chrome_event *event = &chrome->event;

	if (event->has_profile)
		return add_piece(chrome);
	pe_turns_take(&chrome->turns, event, thread_of(chrome));
	/* After the first profile, only metadata and profile events are read. */
	switch (chrome->profiles.n > 0 && event->phase != 'M' ? 'P' : event->phase) {
	case 'M':
		if (event->argument.len > 0 && is_named(event, "process_name"))
			name_process(chrome);
		else if (event->argument.len > 0 && is_named(event, "thread_name"))
			name_thread(chrome);
		return PE_OK;
	case 'P':
		/* The thread of this event is sampled; later pieces come from the thread that samples. */
		if (is_named(event, "Profile") && event->id.len > 0) {
			uint32_t thread = thread_of(chrome);
			struct pe_chrome_profile *profile = profile_of(chrome);

			profile->thread = thread;
			profile->is_announced = true;
			profile->start_us =
				event->has_start ? event->start_us : event->at_ns / 1000;
		}
		return PE_OK;
	case 'X':
		return add_thread_span(chrome, PE_SPAN_WHOLE);
	case 'B':
		return add_thread_span(chrome, PE_SPAN_BEGIN);
	case 'E':
		return add_thread_span(chrome, PE_SPAN_END);
	case 'b':
	case 'S':
		return add_task_span(chrome, PE_SPAN_BEGIN);
	case 'e':
	case 'F':
		return add_task_span(chrome, PE_SPAN_END);
	default:
		return PE_OK;
	}
}

static int on_event(struct pe_json_cursor *json, void *self)
{
	struct pe_chrome *chrome = self;

	PE_TRY(pe_chrome_event_read(&chrome->event, json));
	return take_event(chrome);
}

static int on_trace(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {{"traceEvents", on_event, 0, true}};

	return json->token.kind == PE_JSON_ARRAY ? pe_json_elements(json, on_event, self)
						 : pe_json_fields(json, fields, 1, self);
}

static void release(struct pe_chrome *chrome)
{
	for (size_t i = 0; i < chrome->profiles.n; i++)
		pe_v8_release(&chrome->profiles.data[i].v8);
	pe_vec_release(&chrome->profiles);
	pe_vec_release(&chrome->processes);
	pe_vec_release(&chrome->threads);
	pe_map_release(&chrome->pids);
	pe_map_release(&chrome->tids);
	pe_map_release(&chrome->profile_ids);
	pe_map_release(&chrome->task_ids);
	pe_names_release(&chrome->names);
	pe_tracks_release(&chrome->tracks);
	pe_turns_release(&chrome->turns);
	pe_chrome_event_release(&chrome->event);
}

static void read_event_name(struct pe_frame *frame, char *name, char *place)
{
	(void)place;
	frame->name = name;
}

bool pe_chrome_recognises(const char *head, size_t n)
{
	return (pe_import_begins(head, n, '{') && pe_import_holds(head, n, "\"traceEvents\"")) ||
	       (pe_import_begins(head, n, '[') && pe_import_holds(head, n, "\"ph\""));
}

int pe_chrome_read(struct pe_import *import)
{
	struct pe_chrome chrome = {
		.import = import,
		.names = {.frames = import->frames, .read = read_event_name},
		.tracks = {.builder = import->builder, .frames = import->frames},
		.event.reader.names = {.frames = import->frames, .read = pe_v8_read_name},
	};
	struct pe_json_source source = {.input = import->input};
	struct pe_json_stream *stream = pe_import_json(&source, PE_JSON_OPEN_END);
	int rc;

	chrome.event.calls =
		(struct pe_import_names){.frames = &chrome.turns.frames, .read = pe_v8_read_name};
	rc = pe_json_document(stream, on_trace, &chrome, import->err);
	chrome.was_open = pe_json_was_open(stream);
	if (rc == PE_OK)
		rc = pe_chrome_finish(&chrome);
	pe_json_stream_free(stream);
	release(&chrome);
	return rc;
}
