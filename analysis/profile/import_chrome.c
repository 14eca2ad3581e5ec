/*
 * Trace JSON of Chrome and of other tools that write its format: an object with "traceEvents", or the array alone, whose
 * end may be missing.
 *
 * A trace with CPU profiles (V8's, of the main thread and of each worker) becomes these profiles: its other events
 * are the browser's own and overlap them. Only events that schedule or start a task are read, to attribute waits and
 * later work to the function that scheduled it (import_turns.h). In any other trace, complete events (X) and pairs of
 * events (B, E) nest on their threads.
 *
 * Metadata names processes and threads, and may come at the end of the file. So nodes are made last. Numbers of threads differ from run to run: a thread without a name is "thread".
 *
 * And .cpuprofile, as DevTools and Node's --cpu-prof write it: one such profile without a trace.
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

	PE_TRY(add_nodes(chrome, whole));
	if (chrome->event.deltas.n != n)
		return pe_import_refuse_at(chrome->import, chrome->event.offset,
					   "a time for each sample", "%zu samples and %zu times", n,
					   chrome->event.deltas.n);
	for (size_t i = 0; i < n; i++)
		pe_v8_add(whole, chrome->event.samples.data[i], chrome->event.deltas.data[i],
			  chrome->event.offset);
	return PE_OK;
}

static int add_span(struct pe_chrome *chrome)
{
	const struct pe_chrome_event *event = &chrome->event;
	const char *name = event->name.len > 0 ? event->name.data : "(anonymous)";
	struct pe_chrome_span span = {
		.at_ns = event->at_ns,
		.minus_ns = event->phase == 'X' ? -event->duration_ns : 0,
		.order = chrome->spans.n,
		.thread = thread_of(chrome),
		.frame = PE_FRAME_NONE,
		.phase = event->phase,
	};

	if (chrome->processes.data[chrome->threads.data[span.thread].process].is_path)
		return PE_OK;
	if (event->phase != 'E' || event->name.len > 0) {
		span.frame = pe_names_frame(&chrome->names, name,
					    event->name.len > 0 ? event->name.len : strlen(name),
					    NULL, 0);
		if (span.frame == PE_FRAME_NONE)
			return pe_import_refuse_at(chrome->import, event->offset,
						   "a name without NUL", "an event's name");
	}
	pe_vec_push(&chrome->spans, span);
	return PE_OK;
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
	case 'B':
	case 'E':
		return add_span(chrome);
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

static int on_cpuprofile(struct pe_json_cursor *json, void *self)
{
	struct pe_chrome *chrome = self;
	struct pe_chrome_profile *profile;

	PE_TRY(pe_chrome_event_profile(&chrome->event, json));
	profile = profile_of(chrome);
	profile->is_announced = true;
	profile->v8.keeps_runs = false;
	return add_piece(chrome);
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
	pe_names_release(&chrome->names);
	pe_vec_release(&chrome->spans);
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

bool pe_cpuprofile_recognises(const char *head, size_t n)
{
	/* Heap profiles have "selfSize" in the same nodes. */
	return pe_import_begins(head, n, '{') && !pe_import_holds(head, n, "\"selfSize\"") &&
	       ((pe_import_holds(head, n, "\"nodes\"") &&
		 pe_import_holds(head, n, "\"callFrame\"")) ||
		pe_import_holds(head, n, "\"timeDeltas\""));
}

static int read_document(struct pe_import *import, unsigned flags, pe_json_value_fn on_document)
{
	struct pe_chrome chrome = {
		.import = import,
		.names = {.frames = import->frames, .read = read_event_name},
		.event.reader.names = {.frames = import->frames, .read = pe_v8_read_name},
	};
	struct pe_json_source source = {.input = import->input};
	struct pe_json_stream *stream = pe_import_json(&source, flags);
	int rc;

	chrome.event.calls =
		(struct pe_import_names){.frames = &chrome.turns.frames, .read = pe_v8_read_name};
	rc = pe_json_document(stream, on_document, &chrome, import->err);
	chrome.was_open = pe_json_was_open(stream);
	if (rc == PE_OK)
		rc = pe_chrome_finish(&chrome);
	pe_json_stream_free(stream);
	release(&chrome);
	return rc;
}

int pe_chrome_read(struct pe_import *import)
{
	return read_document(import, PE_JSON_OPEN_END, on_trace);
}

int pe_cpuprofile_read(struct pe_import *import)
{
	return read_document(import, 0, on_cpuprofile);
}
