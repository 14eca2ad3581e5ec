/* From the events of a trace to the tree, after the names of processes and threads have been read. */
#include "analysis/profile/import_chrome.h"
#include "analysis/profile/importers.h"

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

static void count_threads(struct pe_chrome *chrome)
{
	struct pe_cct_facts *facts = &chrome->import->facts;

	for (size_t i = 0; i < chrome->threads.n; i++)
		facts->threads += chrome->threads.data[i].has_data;
	for (size_t i = 0; i < chrome->processes.n; i++)
		facts->processes += chrome->processes.data[i].has_data;
}

static void finish_events(struct pe_chrome *chrome)
{
	struct pe_tracks *tracks = &chrome->tracks;
	struct pe_import *import = chrome->import;

	count_threads(chrome);
	for (size_t i = 0; i < tracks->tracks.n; i++) {
		struct pe_track *track = &tracks->tracks.data[i];

		track->top = track->is_task ? process_node(chrome, track->owner)
					    : thread_node(chrome, track->owner);
	}
	pe_tracks_finish(tracks);
	pe_cct_builder_know(import->builder, PE_CCT_TIME | PE_CCT_CALLS);
	if (tracks->unmatched + tracks->unclosed > 0)
		import->note = pe_arena_printf(import->arena,
					       "%" PRIu64
					       " events begin or end without the other, %" PRIu64
					       " had not ended",
					       tracks->unmatched, tracks->unclosed);
	else if (chrome->was_open)
		import->note = "the end of the trace is missing, which its format allows";
}

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

	chrome->missing += pe_v8_fill(&profile->v8, import->frames);
	PE_TRY(pe_v8_check(&profile->v8, import));
	import->facts.samples += pe_v8_samples(&profile->v8, import->frames);
	pe_turns_spread(&chrome->turns, &target);
	return pe_v8_build(&profile->v8, import, target.under, 0);
}

/*
 * Drop the remains of recordings that began before this trace: samples of nodes that earlier chunks defined,
 * without an event "Profile" of their id. Returns their number.
 */
static size_t drop_remains(struct pe_chrome *chrome)
{
	size_t n = 0, dropped;

	for (size_t i = 0; i < chrome->profiles.n; i++) {
		struct pe_chrome_profile *profile = &chrome->profiles.data[i];

		if (profile->is_announced || pe_v8_is_whole(&profile->v8))
			chrome->profiles.data[n++] = *profile;
		else
			pe_v8_release(&profile->v8);
	}
	dropped = chrome->profiles.n - n;
	chrome->profiles.n = n;
	return dropped;
}

static int finish_profiles(struct pe_chrome *chrome)
{
	struct pe_import *import = chrome->import;
	uint64_t us = 0, samples = 0;
	bool is_cut = chrome->turns.is_full;
	size_t n_remains = drop_remains(chrome);
	int rc = PE_OK;

	for (size_t i = 0; i < chrome->threads.n; i++)
		chrome->threads.data[i].has_data = false;
	for (size_t i = 0; i < chrome->processes.n; i++)
		chrome->processes.data[i].has_data = false;
	for (size_t i = 0; i < chrome->profiles.n; i++) {
		struct pe_chrome_thread *thread =
			&chrome->threads.data[chrome->profiles.data[i].thread];

		thread->has_data = true;
		chrome->processes.data[thread->process].has_data = true;
	}
	count_threads(chrome);
	for (size_t i = 0; rc == PE_OK && i < chrome->profiles.n; i++) {
		struct pe_chrome_profile *profile = &chrome->profiles.data[i];

		rc = build_profile(chrome, profile);
		samples += profile->v8.samples;
		pe_cct_add(&us, (uint64_t)profile->v8.latest_us);
		is_cut = is_cut || profile->v8.is_full;
	}
	if (samples > 0)
		import->facts.interval_ns = (uint64_t)((double)us * 1e3 / (double)samples);
	pe_cct_builder_know(import->builder, PE_CCT_TIME | PE_CCT_SAMPLES);
	if (n_remains > 0)
		import->note = pe_arena_printf(
			import->arena,
			"%zu recordings that began before the trace were passed over: their nodes are missing",
			n_remains);
	else if (chrome->missing > 0)
		import->note = pe_arena_printf(
			import->arena, "%" PRIu64 " functions that samples are in are missing",
			chrome->missing);
	else if (is_cut)
		import->note = "the trace is too long to tell until its end who waited for what";
	else if (chrome->tracks.spans.n > 0)
		import->note =
			"the trace holds CPU profiles; of its other events only those count that "
			"schedule something or run it";
	return rc;
}

int pe_chrome_finish(struct pe_chrome *chrome)
{
	if (chrome->profiles.n > 0)
		return finish_profiles(chrome);
	finish_events(chrome);
	return PE_OK;
}
