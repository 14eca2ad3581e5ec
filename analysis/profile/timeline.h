/*
 * Timeline: one run of a program over time. Each lane is a thread, or several of one program that lived one after the other;
 * its segments are calls and waits in the order of time. The path is the activity that the program waited for at each time
 * (samples_path.h).
 *
 * A run has at most PE_TIMELINE_SEGMENTS. Short neighbours are joined down to this number: one segment then replaces them,
 * below the call path that had most of their time. Their waiting time, and their time on the path, are summed exactly.
 */
#pragma once

#include "analysis/profile/cct.h"
#include "core/base/text.h"

enum { PE_TIMELINE_SEGMENTS = 10000, PE_TIMELINE_LANES = 256 };

struct pe_timeline_lane {
	uint32_t frame;    /**< its program */
	uint32_t threads;  /**< shown in it */
	uint32_t pid, tid; /**< of the first one */
};

/** A call path, or a wait below one. */
struct pe_timeline_stack {
	uint32_t parent; /**< has a smaller index; PE_CCT_NONE */
	uint32_t frame;
};

/** Times are microseconds since the run began. */
struct pe_timeline_segment {
	uint32_t lane;
	uint32_t stack; /**< PE_CCT_NONE: unknown */
	uint64_t begin_us, end_us;
	uint64_t waited_us, path_us; /**< parts of it */
};

struct pe_timeline {
	struct pe_timeline_lane *lanes; /**< the program's main thread first */
	struct pe_timeline_stack *stacks;
	struct pe_timeline_segment *segments; /**< by lane, then time; they do not overlap */
	uint32_t n_lanes, n_stacks, n_segments;
	uint32_t left_out; /**< threads beyond PE_TIMELINE_LANES at once */
};

struct pe_samples_path;

/** Make the timeline of a path's first run. @return in the path's arena; NULL: no thread's life is known */
struct pe_timeline *pe_timeline_make(const struct pe_samples_path *path);

/** The name of the process that shows the path in a written timeline; it has no thread of the program. */
#define PE_TIMELINE_PATH "path: what the program waits for"

/** Append a trace in the format of Chrome, for ui.perfetto.dev and chrome://tracing: a row for each lane, one for the path. */
void pe_timeline_write(struct pe_text *out, const struct pe_timeline *timeline,
		       const struct pe_frames *frames);
