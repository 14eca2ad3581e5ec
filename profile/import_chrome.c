/*
 * Trace JSON of Chrome and of what writes its format: an object with "traceEvents", or the array alone, whose end
 * may be missing.
 *
 * A trace that holds CPU profiles (V8's, of the main thread and of each worker) becomes these: its other events
 * are the browser's own and overlap them. In any other trace, complete events (X) and pairs of events (B, E) nest
 * on their threads, and asynchronous ones (b, e) on a track of their own: an outermost one is a top-level task.
 *
 * Metadata names processes and threads, and may stand at the end of the file. So nodes of processes and threads
 * are made last. Numbers of threads differ from run to run: a thread without a name is "thread".
 */
#include "profile/importers.h"

#include "profile/import_tracks.h"
#include "profile/import_v8.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* One event, as far as it matters. */
struct event {
	struct pe_text name, category, id, argument;
	int64_t pid, tid, at_ns, duration_ns;
	uint64_t offset;
	char phase;
	bool is_shared;   /* between processes: what its id says */
	bool has_profile; /* anything of V8's */
};

struct process {
	const char *name; /* in the import's arena; NULL: unknown */
	bool has_data;
};

struct thread {
	const char *name;
	uint32_t process, track;
	bool has_track, has_data;
};

/* A node of the draft below its root: a thread, or the asynchronous tasks of a process. */
struct top {
	uint32_t node, index;
	bool is_thread;
};

struct profile {
	struct pe_v8 v8;
	uint32_t thread;
};

struct chrome {
	struct pe_import *import;
	struct pe_input *input;
	struct event event;
	struct pe_names names; /* of events */
	struct pe_map pids, tids, profile_ids, task_ids;
	PE_VEC(struct process) processes;
	PE_VEC(struct thread) threads;
	PE_VEC(struct top) tops;
	struct pe_tracks
		tracks; /* they build the draft, which is the import's builder until it is poured */
	/* what one event holds of a profile, and the profiles */
	struct pe_v8_reader reader;
	struct pe_v8 piece;
	PE_VEC(int64_t) samples, deltas;
	PE_VEC(struct profile) profiles;
	bool was_open;
};

static uint64_t hash_text(uint64_t hash, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return (hash ^ n) * UINT64_C(0x100000001b3);
}

/* --- One event --- */

static int keep_text(struct pe_json_stream *stream, const struct pe_json_token *token,
		     struct pe_text *text, struct pe_err *err)
{
	pe_text_clear(text);
	if (token->kind == PE_JSON_STRING || token->kind == PE_JSON_NUMBER)
		pe_text_addn(text, token->text, token->n);
	return pe_json_skip(stream, token, err);
}

static int on_name(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		   struct pe_err *err)
{
	return keep_text(stream, token, &((struct chrome *)self)->event.name, err);
}

static int on_category(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct chrome *)self)->event.category, err);
}

static int on_id(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		 struct pe_err *err)
{
	return keep_text(stream, token, &((struct chrome *)self)->event.id, err);
}

static int on_shared_id(struct pe_json_stream *stream, const struct pe_json_token *token,
			void *self, struct pe_err *err)
{
	((struct chrome *)self)->event.is_shared = true;
	return on_id(stream, token, self, err);
}

static int on_id2(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"local", on_id}, {"global", on_shared_id}};

	return pe_json_fields(stream, token, fields, 2, self, err);
}

static int on_phase(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	if (token->kind != PE_JSON_STRING || token->n != 1)
		return pe_json_refuse(stream, token, "a phase of one letter, as in \"X\"", err);
	((struct chrome *)self)->event.phase = token->text[0];
	return PE_OK;
}

/* Tools that have no numbers write names. */
static int read_number(struct pe_json_stream *stream, const struct pe_json_token *token,
		       int64_t *out, struct pe_err *err)
{
	if (token->kind == PE_JSON_STRING)
		*out = (int64_t)hash_text(UINT64_C(0xcbf29ce484222325), token->text, token->n);
	else if (!pe_json_integer(token, out))
		return pe_json_refuse(stream, token, "a number", err);
	return PE_OK;
}

static int on_pid(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	return read_number(stream, token, &((struct chrome *)self)->event.pid, err);
}

static int on_tid(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		  struct pe_err *err)
{
	return read_number(stream, token, &((struct chrome *)self)->event.tid, err);
}

static int read_time(struct pe_json_stream *stream, const struct pe_json_token *token, int64_t *ns,
		     struct pe_err *err)
{
	int64_t us;
	double exact;

	if (pe_json_integer(token, &us) && us > INT64_MIN / 1000 && us < INT64_MAX / 1000)
		*ns = us * 1000;
	else if (pe_json_double(token, &exact) && fabs(exact) < 9e15)
		*ns = llround(exact * 1000);
	else
		return pe_json_refuse(stream, token, "a time in microseconds", err);
	return PE_OK;
}

static int on_at(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		 struct pe_err *err)
{
	return read_time(stream, token, &((struct chrome *)self)->event.at_ns, err);
}

static int on_duration(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	int64_t *ns = &((struct chrome *)self)->event.duration_ns;
	int rc = read_time(stream, token, ns, err);

	if (rc == PE_OK && *ns < 0)
		rc = pe_json_refuse(stream, token, "a duration of 0 or more", err);
	return rc;
}

/* --- What an event holds of a profile --- */

static int on_sample(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	int64_t id;

	if (!pe_json_integer(token, &id))
		return pe_json_refuse(stream, token, "the number of a node", err);
	pe_vec_push(&((struct chrome *)self)->samples, id);
	return PE_OK;
}

static int on_delta(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	int64_t us;

	if (!pe_json_integer(token, &us))
		return pe_json_refuse(stream, token, "whole microseconds", err);
	pe_vec_push(&((struct chrome *)self)->deltas, us);
	return PE_OK;
}

static int on_samples(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		      struct pe_err *err)
{
	return pe_json_elements(stream, token, on_sample, self, err);
}

static int on_deltas(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	((struct chrome *)self)->event.has_profile = true;
	return pe_json_elements(stream, token, on_delta, self, err);
}

static int on_nodes(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	return pe_json_elements(stream, token, pe_v8_node, &((struct chrome *)self)->reader, err);
}

static int on_cpu_profile(struct pe_json_stream *stream, const struct pe_json_token *token,
			  void *self, struct pe_err *err)
{
	static const struct pe_json_field fields[] = {
		{"nodes", on_nodes}, {"samples", on_samples}, {"timeDeltas", on_deltas}};

	((struct chrome *)self)->event.has_profile = true;
	return pe_json_fields(stream, token, fields, 3, self, err);
}

static int on_data(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		   struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"cpuProfile", on_cpu_profile},
						      {"timeDeltas", on_deltas}};

	return token->kind == PE_JSON_OBJECT ? pe_json_fields(stream, token, fields, 2, self, err)
					     : pe_json_skip(stream, token, err);
}

static int on_argument(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		       struct pe_err *err)
{
	return keep_text(stream, token, &((struct chrome *)self)->event.argument, err);
}

static int on_arguments(struct pe_json_stream *stream, const struct pe_json_token *token,
			void *self, struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"data", on_data}, {"name", on_argument}};

	return token->kind == PE_JSON_OBJECT ? pe_json_fields(stream, token, fields, 2, self, err)
					     : pe_json_skip(stream, token, err);
}

/* --- Processes, threads, profiles --- */

static uint32_t process_of(struct chrome *chrome)
{
	bool is_new;
	uint32_t index = pe_map_put(&chrome->pids, (uint64_t)chrome->event.pid, 0,
				    (uint32_t)chrome->processes.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->processes, (struct process){0});
	return index;
}

static uint32_t thread_of(struct chrome *chrome)
{
	bool is_new;
	uint32_t process = process_of(chrome);
	uint32_t index = pe_map_put(&chrome->tids, (uint64_t)chrome->event.tid, process,
				    (uint32_t)chrome->threads.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->threads, (struct thread){.process = process});
	return index;
}

static uint32_t top_node(struct chrome *chrome, bool is_thread, uint32_t index)
{
	struct pe_cct_builder *builder = chrome->import->builder;
	/* The call site, which events do not have, tells such nodes apart. */
	uint32_t site = 2 * index + 1 + is_thread;
	uint32_t node = pe_cct_builder_child(builder, 0, pe_cct_builder_frame(builder, 0), site);

	if (chrome->tops.n == 0 || chrome->tops.data[chrome->tops.n - 1].node < node)
		pe_vec_push(&chrome->tops, (struct top){node, index, is_thread});
	return node;
}

static void name_process(struct chrome *chrome)
{
	uint32_t index = process_of(chrome);

	chrome->processes.data[index].name =
		pe_arena_strdup(chrome->import->arena, pe_text_str(&chrome->event.argument));
}

static void name_thread(struct chrome *chrome)
{
	uint32_t index = thread_of(chrome);

	chrome->threads.data[index].name =
		pe_arena_strdup(chrome->import->arena, pe_text_str(&chrome->event.argument));
}

static struct profile *profile_of(struct chrome *chrome)
{
	const struct pe_text *id = &chrome->event.id;
	uint64_t key = id->len > 0 ? hash_text(1, id->data, id->len)
				   : hash_text(2, (const char *)&chrome->event.tid,
					       sizeof(chrome->event.tid));
	bool is_new;
	uint32_t index = pe_map_put(&chrome->profile_ids, key, (uint64_t)chrome->event.pid,
				    (uint32_t)chrome->profiles.n, &is_new);

	if (is_new)
		pe_vec_push(&chrome->profiles, (struct profile){.thread = thread_of(chrome)});
	return &chrome->profiles.data[index];
}

/* The nodes of a piece are known by their numbers in the whole. */
static int add_nodes(struct chrome *chrome, struct pe_v8 *whole, struct pe_err *err)
{
	struct pe_v8_node *nodes = chrome->piece.nodes.data;

	for (size_t i = 0; i < chrome->piece.nodes.n; i++) {
		uint32_t index = pe_v8_index(whole, nodes[i].id, nodes[i].offset), parent;

		if (nodes[i].parent != PE_CCT_NONE) {
			parent = pe_v8_index(whole, nodes[nodes[i].parent].id, nodes[i].offset);
			whole->nodes.data[index].parent = parent;
		}
		if (!nodes[i].is_defined)
			continue;
		if (whole->nodes.data[index].is_defined)
			return pe_import_refuse_at(chrome->input, nodes[i].offset, "each node once",
						   err, "node %" PRId64 " again", nodes[i].id);
		whole->nodes.data[index].is_defined = true;
		whole->nodes.data[index].frame = nodes[i].frame;
	}
	return PE_OK;
}

static int add_piece(struct chrome *chrome, struct pe_err *err)
{
	struct pe_v8 *whole = &profile_of(chrome)->v8;
	size_t n = chrome->samples.n;
	int rc = add_nodes(chrome, whole, err);

	if (rc == PE_OK && chrome->deltas.n != n)
		rc = pe_import_refuse_at(chrome->input, chrome->event.offset,
					 "a time for each sample", err, "%zu samples and %zu times",
					 n, chrome->deltas.n);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		pe_v8_add(whole, chrome->samples.data[i], chrome->deltas.data[i],
			  chrome->event.offset);
	return rc;
}

/* --- Spans --- */

static int add_span(struct chrome *chrome, uint32_t track, enum pe_span_kind kind,
		    struct pe_err *err)
{
	struct event *event = &chrome->event;
	const char *name = event->name.len > 0 ? event->name.data : "(anonymous)";
	struct pe_span span = {
		.at_ns = event->at_ns,
		.duration_ns = event->duration_ns,
		.track = track,
		.kind = kind,
	};

	if (kind != PE_SPAN_END) {
		span.frame = pe_names_frame(&chrome->names, name,
					    event->name.len > 0 ? event->name.len : strlen(name),
					    NULL, 0);
		if (span.frame == PE_FRAME_NONE)
			return pe_import_refuse_at(chrome->input, event->offset,
						   "a name without NUL", err, "an event's name");
	}
	pe_tracks_add(&chrome->tracks, span);
	return PE_OK;
}

static int add_thread_span(struct chrome *chrome, enum pe_span_kind kind, struct pe_err *err)
{
	uint32_t index = thread_of(chrome);
	struct thread *thread = &chrome->threads.data[index];

	if (!thread->has_track)
		thread->track = pe_tracks_new(&chrome->tracks, top_node(chrome, true, index));
	thread->has_track = thread->has_data = true;
	chrome->processes.data[thread->process].has_data = true;
	return add_span(chrome, thread->track, kind, err);
}

/* Events of one id nest; ids of a category are those of its process, unless they say otherwise. */
static int add_task_span(struct chrome *chrome, enum pe_span_kind kind, struct pe_err *err)
{
	struct event *event = &chrome->event;
	uint32_t process = process_of(chrome), track;
	uint64_t key = hash_text(3, pe_text_str(&event->category), event->category.len);
	bool is_new;

	key = hash_text(key, pe_text_str(&event->id), event->id.len);
	track = pe_map_put(&chrome->task_ids, key, event->is_shared ? 0 : (uint64_t)event->pid,
			   (uint32_t)chrome->tracks.tracks.n, &is_new);
	if (is_new)
		pe_tracks_new(&chrome->tracks, top_node(chrome, false, process));
	chrome->processes.data[process].has_data = true;
	return add_span(chrome, track, kind, err);
}

static bool is_named(const struct event *event, const char *name)
{
	return strcmp(pe_text_str(&event->name), name) == 0;
}

static int take_event(struct chrome *chrome, struct pe_err *err)
{
	struct event *event = &chrome->event;

	if (event->has_profile)
		return add_piece(chrome, err);
	/* From the first profile on, nothing else counts. */
	switch (chrome->profiles.n > 0 && event->phase != 'M' ? 'P' : event->phase) {
	case 'M':
		if (event->argument.len > 0 && is_named(event, "process_name"))
			name_process(chrome);
		else if (event->argument.len > 0 && is_named(event, "thread_name"))
			name_thread(chrome);
		return PE_OK;
	case 'P':
		/* It comes from the thread that is sampled; its pieces come from the one that samples. */
		if (is_named(event, "Profile") && event->id.len > 0) {
			uint32_t thread = thread_of(chrome);

			profile_of(chrome)->thread = thread;
		}
		return PE_OK;
	case 'X':
		return add_thread_span(chrome, PE_SPAN_WHOLE, err);
	case 'B':
		return add_thread_span(chrome, PE_SPAN_BEGIN, err);
	case 'E':
		return add_thread_span(chrome, PE_SPAN_END, err);
	case 'b':
	case 'S':
		return add_task_span(chrome, PE_SPAN_BEGIN, err);
	case 'e':
	case 'F':
		return add_task_span(chrome, PE_SPAN_END, err);
	default:
		return PE_OK;
	}
}

static void forget_event(struct chrome *chrome)
{
	struct event *event = &chrome->event;

	pe_text_clear(&event->name);
	pe_text_clear(&event->category);
	pe_text_clear(&event->id);
	pe_text_clear(&event->argument);
	event->pid = event->tid = event->at_ns = event->duration_ns = 0;
	event->phase = '\0';
	event->is_shared = event->has_profile = false;
	chrome->samples.n = chrome->deltas.n = 0;
	if (chrome->piece.nodes.n > 0) {
		pe_v8_release(&chrome->piece);
		chrome->piece = (struct pe_v8){0};
	}
}

static int on_event(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	static const struct pe_json_field fields[] = {
		{"name", on_name},    {"ph", on_phase},     {"ts", on_at},          {"pid", on_pid},
		{"tid", on_tid},      {"dur", on_duration}, {"args", on_arguments}, {"id", on_id},
		{"cat", on_category}, {"id2", on_id2},
	};
	struct chrome *chrome = self;
	int rc;

	forget_event(chrome);
	chrome->event.offset = token->offset;
	rc = pe_json_fields(stream, token, fields, sizeof(fields) / sizeof(*fields), self, err);
	return rc == PE_OK ? take_event(chrome, err) : rc;
}

static int on_events(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		     struct pe_err *err)
{
	return pe_json_elements(stream, token, on_event, self, err);
}

static int on_trace(struct pe_json_stream *stream, const struct pe_json_token *token, void *self,
		    struct pe_err *err)
{
	static const struct pe_json_field fields[] = {{"traceEvents", on_events}};

	return token->kind == PE_JSON_ARRAY ? on_events(stream, token, self, err)
					    : pe_json_fields(stream, token, fields, 1, self, err);
}

/* --- The tree --- */

static uint32_t named_node(struct chrome *chrome, uint32_t under, enum pe_frame_kind kind,
			   const char *name)
{
	struct pe_frame frame = {.name = name, .kind = kind};

	return pe_cct_builder_child(chrome->import->builder, under,
				    pe_frames_add(chrome->import->frames, &frame), 0);
}

/* Processes and threads are levels of the tree where there are several, threads also where they have names. */
static uint32_t process_node(struct chrome *chrome, uint32_t index)
{
	const char *name = chrome->processes.data[index].name;

	if (chrome->import->facts.processes < 2)
		return 0;
	return named_node(chrome, 0, PE_FRAME_PROCESS, name != NULL ? name : "process");
}

static uint32_t thread_node(struct chrome *chrome, uint32_t index)
{
	const struct thread *thread = &chrome->threads.data[index];
	uint32_t under = process_node(chrome, thread->process);

	if (chrome->import->facts.threads < 2 && thread->name == NULL)
		return under;
	return named_node(chrome, under, PE_FRAME_THREAD,
			  thread->name != NULL ? thread->name : "thread");
}

static void count_threads(struct chrome *chrome)
{
	struct pe_cct_facts *facts = &chrome->import->facts;

	for (size_t i = 0; i < chrome->threads.n; i++)
		facts->threads += chrome->threads.data[i].has_data;
	for (size_t i = 0; i < chrome->processes.n; i++)
		facts->processes += chrome->processes.data[i].has_data;
}

/* The node of the tree for a node of the draft. */
static uint32_t final_node(struct chrome *chrome, const struct pe_cct_builder *draft,
			   const uint32_t *made, const struct top *const *top_of, uint32_t node)
{
	uint32_t parent = pe_cct_builder_parent(draft, node), frame;

	if (top_of[node] != NULL)
		return top_of[node]->is_thread ? thread_node(chrome, top_of[node]->index)
					       : process_node(chrome, top_of[node]->index);
	frame = pe_cct_builder_frame(draft, node);
	/* An outermost asynchronous event is a task. */
	if (top_of[parent] != NULL && !top_of[parent]->is_thread)
		return named_node(chrome, made[parent], PE_FRAME_THREAD,
				  chrome->import->frames->at[frame].name);
	return pe_cct_builder_child(chrome->import->builder, made[parent], frame, 0);
}

static void pour_draft(struct chrome *chrome, struct pe_cct_builder *draft)
{
	uint32_t n = pe_cct_builder_count(draft), *made = pe_realloc(NULL, n, sizeof(*made));
	const struct top **top_of = pe_realloc(NULL, n, sizeof(struct top *));

	memset(top_of, 0, n * sizeof(struct top *));
	for (size_t i = 0; i < chrome->tops.n; i++)
		top_of[chrome->tops.data[i].node] = &chrome->tops.data[i];
	made[0] = 0;
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_cct_figures *from = pe_cct_builder_at(draft, i);
		struct pe_cct_figures *to;

		made[i] = final_node(chrome, draft, made, top_of, i);
		to = pe_cct_builder_at(chrome->import->builder, made[i]);
		to->calls += from->calls;
		to->self_ns = pe_import_sum(to->self_ns, from->self_ns);
	}
	free(made);
	free(top_of);
}

static void finish_events(struct chrome *chrome, struct pe_cct_builder *draft)
{
	const struct pe_tracks *tracks = &chrome->tracks;
	struct pe_import *import = chrome->import;

	count_threads(chrome);
	pour_draft(chrome, draft);
	pe_cct_builder_know(import->builder, PE_CCT_TIME | PE_CCT_CALLS);
	if (tracks->late + tracks->unmatched + tracks->unclosed > 0)
		import->note = pe_arena_printf(
			import->arena,
			"%" PRIu64 " events came too late to be placed, %" PRIu64
			" begin or end without the other, %" PRIu64 " had not ended",
			tracks->late, tracks->unmatched, tracks->unclosed);
	else if (chrome->was_open)
		import->note = "the end of the trace is missing, which its format allows";
}

static int finish_profiles(struct chrome *chrome, struct pe_err *err)
{
	struct pe_import *import = chrome->import;
	uint64_t us = 0;
	int rc = PE_OK;

	for (size_t i = 0; i < chrome->threads.n; i++)
		chrome->threads.data[i].has_data = false;
	for (size_t i = 0; i < chrome->processes.n; i++)
		chrome->processes.data[i].has_data = false;
	for (size_t i = 0; i < chrome->profiles.n; i++) {
		struct thread *thread = &chrome->threads.data[chrome->profiles.data[i].thread];

		thread->has_data = true;
		chrome->processes.data[thread->process].has_data = true;
	}
	count_threads(chrome);
	for (size_t i = 0; rc == PE_OK && i < chrome->profiles.n; i++) {
		struct profile *profile = &chrome->profiles.data[i];

		rc = pe_v8_pour(&profile->v8, import->builder, import->frames,
				thread_node(chrome, profile->thread), 0, chrome->input, err);
		import->facts.samples += profile->v8.samples;
		us = pe_import_sum(us, (uint64_t)profile->v8.latest_us);
	}
	if (import->facts.samples > 0)
		import->facts.interval_ns =
			(uint64_t)((double)us * 1e3 / (double)import->facts.samples);
	pe_cct_builder_know(import->builder, PE_CCT_TIME | PE_CCT_SAMPLES);
	if (chrome->tracks.n > 0)
		import->note = "the trace holds CPU profiles; its other events were passed over";
	return rc;
}

static int finish(struct chrome *chrome, struct pe_err *err)
{
	struct pe_cct_builder *draft = chrome->import->builder;
	int rc = PE_OK;

	pe_tracks_finish(&chrome->tracks);
	chrome->import->builder = pe_cct_builder_new(chrome->import->frames, 0);
	if (chrome->profiles.n > 0)
		rc = finish_profiles(chrome, err);
	else
		finish_events(chrome, draft);
	pe_cct_builder_free(draft);
	return rc;
}

static void release(struct chrome *chrome)
{
	for (size_t i = 0; i < chrome->profiles.n; i++)
		pe_v8_release(&chrome->profiles.data[i].v8);
	pe_vec_release(&chrome->profiles);
	pe_vec_release(&chrome->processes);
	pe_vec_release(&chrome->threads);
	pe_vec_release(&chrome->tops);
	pe_vec_release(&chrome->samples);
	pe_vec_release(&chrome->deltas);
	pe_map_release(&chrome->pids);
	pe_map_release(&chrome->tids);
	pe_map_release(&chrome->profile_ids);
	pe_map_release(&chrome->task_ids);
	pe_names_release(&chrome->names);
	pe_tracks_release(&chrome->tracks);
	pe_v8_reader_release(&chrome->reader);
	pe_v8_release(&chrome->piece);
	pe_text_release(&chrome->event.name);
	pe_text_release(&chrome->event.category);
	pe_text_release(&chrome->event.id);
	pe_text_release(&chrome->event.argument);
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

int pe_chrome_read(struct pe_import *import, struct pe_input *input, struct pe_err *err)
{
	struct chrome chrome = {
		.import = import,
		.input = input,
		.names = {.frames = import->frames, .read = read_event_name},
		.tracks.builder = import->builder,
		.reader.names = {.frames = import->frames, .read = pe_v8_read_name},
	};
	struct pe_json_source source = {.input = input};
	struct pe_json_stream *stream = pe_import_json(&source, PE_JSON_OPEN_END);
	int rc;

	chrome.reader.v8 = &chrome.piece;
	rc = pe_json_document(stream, on_trace, &chrome, err);
	chrome.was_open = pe_json_was_open(stream);
	if (rc == PE_OK)
		rc = finish(&chrome, err);
	pe_json_stream_free(stream);
	release(&chrome);
	return rc;
}
