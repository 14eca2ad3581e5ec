/* Shared parts of the importer of Chrome's traces and profiles: one event, and the trace so far. Private to it. */
#pragma once

#include "core/base/text.h"
#include "core/base/xxh.h"
#include "analysis/profile/import_turns.h"
#include "analysis/profile/import_v8.h"

/** Calls of a stack that are kept, the innermost ones. */
enum { PE_CHROME_MOST_CALLS = 256 };

/** The members of one event that are read. */
struct pe_chrome_event {
	struct pe_text name, id, argument; /**< argument: args.name */
	/** number of the timer, frame, request... that it schedules or runs; the document that counts these; an address */
	struct pe_text subject, document, url;
	struct pe_text callee;           /**< of a call by the engine: its function */
	struct pe_text function, script; /**< of the call in hand */
	struct pe_import_names calls;    /**< frames to be filled, and read = pe_v8_read_name */
	PE_VEC(uint32_t) stack;          /**< frames of `calls`, innermost first */
	int64_t start_us;                /**< of a profile; has_start */
	bool has_start;
	int64_t pid, tid, at_ns, duration_ns;
	uint64_t offset; /**< in the file */
	char phase;
	bool has_profile; /**< any of the following */
	/** nodes, samples and their times of a profile */
	struct pe_v8_reader reader;
	struct pe_v8 piece;
	PE_VEC(int64_t) samples, deltas;
};

/** Read the next event over the last one. */
int pe_chrome_event_read(struct pe_chrome_event *event, struct pe_json_cursor *json);

/** Read a profile that is a file of its own, as if it stood in an event. */
int pe_chrome_event_profile(struct pe_chrome_event *event, struct pe_json_cursor *json);

/** Release the texts, samples and nodes of the last event; frames are borrowed. */
void pe_chrome_event_release(struct pe_chrome_event *event);

struct pe_chrome_process {
	const char *name; /**< in the import's arena; NULL: unknown */
	bool has_data;
	bool is_path; /**< its events repeat those of threads (analysis/profile/timeline.h) */
};

struct pe_chrome_thread {
	const char *name;
	uint32_t process;
	bool has_data;
};

/** An event that lasts (X), begins (B) or ends (E) on its thread. */
struct pe_chrome_span {
	int64_t at_ns;
	int64_t minus_ns; /**< of X: its duration, negated, so that an outer span sorts before an inner one */
	uint64_t order; /**< of arrival */
	uint32_t thread;
	uint32_t frame; /**< PE_FRAME_NONE: E of any */
	char phase;
};

struct pe_chrome_profile {
	struct pe_v8 v8;
	uint32_t thread;
	int64_t start_us;  /**< on the clock of the events */
	bool is_announced; /**< by an event "Profile" of its id */
};

struct pe_chrome {
	struct pe_import *import;
	struct pe_chrome_event event;
	struct pe_import_names names; /**< of events */
	struct pe_map pids, tids, profile_ids;
	PE_VEC(struct pe_chrome_process) processes;
	PE_VEC(struct pe_chrome_thread) threads;
	PE_VEC(struct pe_chrome_profile) profiles;
	PE_VEC(struct pe_chrome_span) spans;
	struct pe_turns turns; /**< scheduled tasks, by thread */
	uint64_t missing;      /**< undefined nodes with samples in or below them */
	bool was_open;         /**< the end of the array is missing */
};

/** Make the tree; all events are read. PE_EINVALID: the nodes of a profile are no tree. */
int pe_chrome_finish(struct pe_chrome *chrome);
