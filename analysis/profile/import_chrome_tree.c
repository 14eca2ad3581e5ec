/* From the events of a trace to the tree, after the names of processes and threads have been read. */
#include "analysis/profile/import_chrome.h"
#include "core/base/sort.h"

#include <inttypes.h>
#include <string.h>

static uint32_t named_node(struct pe_chrome *chrome, uint32_t under, enum pe_frame_kind kind,
			   const char *name)
{
	struct pe_frame frame = {.name = name, .kind = kind};

	return pe_cct_builder_child(chrome->import->builder, under,
				    pe_frames_add(chrome->import->frames, &frame), 0);
}

/*
 * The node of a process. Processes and threads are levels of the tree where there are several, threads also if they
 * have names.
 */
static uint32_t process_node(struct pe_chrome *chrome, uint32_t index)
{
	const char *name = chrome->processes.data[index].name;

	if (chrome->import->facts.processes < 2)
		return 0;
	return named_node(chrome, 0, PE_FRAME_PROCESS, name != NULL ? name : "process");
}

static uint32_t thread_node(struct pe_chrome *chrome, uint32_t index)
{
	const struct pe_chrome_thread *thread = &chrome->threads.data[index];
	uint32_t under = process_node(chrome, thread->process);

	if (chrome->import->facts.threads < 2 && thread->name == NULL)
		return under;
	return named_node(chrome, under, PE_FRAME_THREAD,
			  thread->name != NULL ? thread->name : "thread");
}

/* Mark a thread, and its process, as one with data. */
static void mark_thread(struct pe_chrome *chrome, uint32_t index)
{
	struct pe_chrome_thread *thread = &chrome->threads.data[index];

	thread->has_data = chrome->processes.data[thread->process].has_data = true;
}

static void count_threads(struct pe_chrome *chrome)
{
	struct pe_cct_facts *facts = &chrome->import->facts;

	for (size_t i = 0; i < chrome->threads.n; i++)
		facts->threads += chrome->threads.data[i].has_data;
	for (size_t i = 0; i < chrome->processes.n; i++)
		facts->processes += chrome->processes.data[i].has_data;
}

/* --- Spans --- */

/* Most open spans that are searched for an end. Well-formed spans do not cross. */
enum { MOST_CROSSED = 64 };

PE_SORT_BY(by_thread, struct pe_chrome_span, thread, at_ns, minus_ns, order);

/* A span that has not ended. */
struct open {
	uint32_t node, frame;
	int64_t end_ns; /* INT64_MAX: unknown */
	bool is_begin;  /* waits for an event E */
};

/* The spans of one thread, as they are placed below its node. */
struct track {
	struct pe_cct_builder *builder;
	uint32_t top;
	int64_t now_ns;
	PE_VEC(struct open) open;
	uint64_t unmatched, unclosed; /* ends without a begin, begins without an end */
};

/* Give the innermost open span the time up to a moment. */
static void add_time(struct track *track, int64_t until_ns)
{
	if (until_ns <= track->now_ns)
		return;
	if (track->open.n > 0) {
		const uint32_t node = track->open.data[track->open.n - 1].node;
		struct pe_cct_values *values = pe_cct_builder_at(track->builder, node);

		pe_cct_add(&values->self_ns, (uint64_t)until_ns - (uint64_t)track->now_ns);
	}
	track->now_ns = until_ns;
}

/* Advance to a time: spans end on the way. A begin without an end lasts as long as the span around it. */
static void advance(struct track *track, int64_t now_ns)
{
	while (track->open.n > 0 && track->open.data[track->open.n - 1].end_ns <= now_ns) {
		const struct open *top = &track->open.data[track->open.n - 1];

		add_time(track, top->end_ns);
		track->unclosed += top->is_begin;
		track->open.n--;
	}
	add_time(track, now_ns);
}

/* A whole span that reaches beyond the one around it is cut there, so that times add up. */
static void begin_span(struct track *track, const struct pe_chrome_span *span)
{
	const struct open *around = track->open.n > 0 ? &track->open.data[track->open.n - 1] : NULL;
	struct open open = {
		.node = pe_cct_builder_child(
			track->builder, around != NULL ? around->node : track->top, span->frame, 0),
		.frame = span->frame,
		.end_ns = INT64_MAX,
		.is_begin = span->phase == 'B',
	};

	if (span->phase == 'X' && span->at_ns <= INT64_MAX + span->minus_ns)
		open.end_ns = span->at_ns - span->minus_ns;
	if (around != NULL && open.end_ns > around->end_ns)
		open.end_ns = around->end_ns;
	pe_cct_builder_at(track->builder, open.node)->calls++;
	pe_vec_push(&track->open, open);
}

/* End the innermost open begin with a frame, and all spans within it. */
static void end_span(struct track *track, uint32_t frame)
{
	const struct open *open = track->open.data;

	for (size_t i = track->open.n; i > 0 && track->open.n - i < MOST_CROSSED; i--) {
		if (!open[i - 1].is_begin || (frame != PE_FRAME_NONE && open[i - 1].frame != frame))
			continue;
		for (size_t within = i; within < track->open.n; within++)
			track->unclosed += open[within].is_begin;
		track->open.n = i - 1;
		return;
	}
	track->unmatched++;
}

/* End a thread: spans without an end last until its last event. */
static void end_thread(struct track *track)
{
	while (track->open.n > 0) {
		const struct open *top = &track->open.data[track->open.n - 1];

		if (top->end_ns < INT64_MAX)
			add_time(track, top->end_ns);
		track->unclosed += top->is_begin;
		track->open.n--;
	}
}

static void finish_spans(struct pe_chrome *chrome)
{
	struct pe_import *import = chrome->import;
	struct track track = {.builder = import->builder};
	const struct pe_chrome_span *spans = chrome->spans.data;

	for (size_t i = 0; i < chrome->spans.n; i++)
		mark_thread(chrome, spans[i].thread);
	count_threads(chrome);
	pe_sort(chrome->spans.data, chrome->spans.n, by_thread);
	for (size_t i = 0; i < chrome->spans.n; i++) {
		if (i == 0 || spans[i].thread != spans[i - 1].thread) {
			end_thread(&track);
			track.top = thread_node(chrome, spans[i].thread);
			track.now_ns = INT64_MIN;
		}
		advance(&track, spans[i].at_ns);
		if (spans[i].phase == 'E')
			end_span(&track, spans[i].frame);
		else
			begin_span(&track, &spans[i]);
	}
	end_thread(&track);
	pe_vec_release(&track.open);
	pe_cct_builder_know(import->builder, PE_CCT_TIME | PE_CCT_CALLS);
	if (track.unmatched + track.unclosed > 0)
		import->note = pe_arena_printf(import->arena,
					       "%" PRIu64 " events end without a begin, %" PRIu64
					       " begin without an end",
					       track.unmatched, track.unclosed);
	else if (chrome->was_open)
		import->note = "the end of the trace is missing, which its format allows";
}

/* --- Profiles --- */

/* Build a profile: scheduled work below the function that scheduled it, then the rest below its thread. */
static int build_profile(struct pe_chrome *chrome, struct pe_chrome_profile *profile)
{
	struct pe_import *import = chrome->import;
	const struct pe_turns_target target = {
		.v8 = &profile->v8,
		.builder = import->builder,
		.frames = import->frames,
		.thread = profile->thread,
		.under = thread_node(chrome, profile->thread),
		.start_us = profile->start_us,
	};

	PE_TRY(pe_v8_settle(&profile->v8, import, &chrome->missing));
	import->facts.samples += pe_v8_samples(&profile->v8, import->frames);
	pe_turns_spread(&chrome->turns, &target);
	pe_v8_build(&profile->v8, import, target.under);
	return PE_OK;
}

/*
 * Drop the remains of recordings that began before this trace, which have no event "Profile" of their id: earlier chunks
 * defined their nodes. Returns their number.
 */
static size_t drop_remains(struct pe_chrome *chrome)
{
	size_t n = 0, dropped;

	for (size_t i = 0; i < chrome->profiles.n; i++)
		if (chrome->profiles.data[i].is_announced)
			chrome->profiles.data[n++] = chrome->profiles.data[i];
		else
			pe_v8_release(&chrome->profiles.data[i].v8);
	dropped = chrome->profiles.n - n;
	chrome->profiles.n = n;
	return dropped;
}

static int finish_profiles(struct pe_chrome *chrome)
{
	struct pe_import *import = chrome->import;
	uint64_t us = 0, samples = 0;
	size_t n_remains = drop_remains(chrome);

	for (size_t i = 0; i < chrome->profiles.n; i++)
		mark_thread(chrome, chrome->profiles.data[i].thread);
	count_threads(chrome);
	for (size_t i = 0; i < chrome->profiles.n; i++) {
		struct pe_chrome_profile *profile = &chrome->profiles.data[i];

		PE_TRY(build_profile(chrome, profile));
		samples += profile->v8.samples;
		pe_cct_add(&us, (uint64_t)profile->v8.latest_us);
	}
	if (samples > 0)
		import->facts.interval_ns = (uint64_t)((double)us * 1e3 / (double)samples);
	pe_cct_builder_know(import->builder, PE_CCT_SAMPLES | (us > 0 ? PE_CCT_TIME : 0u));
	if (n_remains > 0)
		import->note = pe_arena_printf(
			import->arena,
			"%zu recordings that began before the trace were passed over: their nodes are missing",
			n_remains);
	else if (chrome->missing > 0)
		import->note = pe_arena_printf(
			import->arena, "%" PRIu64 " functions that samples are in are missing",
			chrome->missing);
	else if (chrome->turns.unknown > 0)
		import->note = pe_arena_printf(
			import->arena,
			"no function is known that scheduled %" PRIu64
			" of the tasks: record the category disabled-by-default-devtools.timeline.stack, too",
			chrome->turns.unknown);
	else if (chrome->spans.n > 0)
		import->note =
			"the trace holds CPU profiles; of its other events only those count that "
			"schedule something or run it";
	return PE_OK;
}

int pe_chrome_finish(struct pe_chrome *chrome)
{
	if (chrome->profiles.n > 0)
		return finish_profiles(chrome);
	finish_spans(chrome);
	return PE_OK;
}
