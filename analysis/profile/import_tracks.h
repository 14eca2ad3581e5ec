/*
 * Tracks: spans of time that nest, on threads or of asynchronous tasks, as a tree.
 *
 * Spans come in any order; they are sorted by their begin, an outer one before an inner one. A whole span that reaches
 * beyond the one around it is cut there, so that times add up. A begin without its end continues when a span around it
 * ends: below the next one around.
 */
#ifndef PE_PROFILE_IMPORT_TRACKS_H
#define PE_PROFILE_IMPORT_TRACKS_H

#include "core/base/vec.h"
#include "analysis/profile/cct.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pe_span_kind {
	PE_SPAN_WHOLE, /**< begin and duration are known */
	PE_SPAN_BEGIN,
	PE_SPAN_END, /**< of the latest open begin with its frame */
};

struct pe_span {
	int64_t at_ns, duration_ns;
	uint64_t order;        /**< of arrival; filled by pe_tracks_add() */
	uint32_t track, frame; /**< PE_FRAME_NONE: PE_SPAN_END of any */
	enum pe_span_kind kind;
};

/** A span that has not ended. */
struct pe_span_open {
	uint32_t node, frame;
	int64_t end_ns; /**< INT64_MAX: unknown */
	bool is_begin;  /**< waits for a PE_SPAN_END */
};

struct pe_track {
	uint32_t owner; /**< number of the thread, or of the process of asynchronous tasks */
	bool is_task;   /**< its outermost spans are tasks, which are nodes PE_FRAME_THREAD */
	uint32_t top; /**< the node above its spans; set by the caller before pe_tracks_finish() */
	int64_t last_ns;
	PE_VEC(struct pe_span_open) open;
};

/** Zero-initialise but for builder and frames; released by pe_tracks_release(). */
struct pe_tracks {
	struct pe_cct_builder *builder; /**< borrowed */
	struct pe_frames *frames;       /**< borrowed */
	PE_VEC(struct pe_track) tracks;
	PE_VEC(struct pe_span) spans;
	uint64_t unmatched, unclosed; /**< ends without a begin, begins without an end */
};

/** Add a track. */
uint32_t pe_tracks_new(struct pe_tracks *tracks, uint32_t owner, bool is_task);

/** Add a span; duration and frame are read for kinds that have them. */
void pe_tracks_add(struct pe_tracks *tracks, struct pe_span span);

/** Place the spans, and close all tracks. */
void pe_tracks_finish(struct pe_tracks *tracks);

/** Free the spans and tracks; the tree that they were placed in is not theirs. */
void pe_tracks_release(struct pe_tracks *tracks);

#endif
