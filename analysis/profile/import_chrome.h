/* What the parts of the importer of Chrome's traces share: one event, and the trace so far. For them alone. */
#ifndef PE_PROFILE_IMPORT_CHROME_H
#define PE_PROFILE_IMPORT_CHROME_H

#include "core/base/text.h"
#include "analysis/profile/import_tracks.h"
#include "analysis/profile/import_turns.h"
#include "analysis/profile/import_v8.h"

/** Calls of a stack that are kept, the innermost ones. */
enum { PE_CHROME_MOST_CALLS = 256 };

/** One event, as far as it matters. */
struct pe_chrome_event {
	struct pe_text name, category, id, argument; /**< the argument is args.name */
	/** what it schedules or runs: number of a timer, frame, request...; the document that counts these; an address */
	struct pe_text subject, document, url;
	struct pe_text function, script; /**< of the call that is being read */
	struct pe_import_names calls;    /**< frames to be filled, and read = pe_v8_read_name */
	PE_VEC(uint32_t) stack;          /**< frames of `calls`, innermost first */
	int64_t start_us;                /**< of a profile; has_start */
	bool has_start;
	int64_t pid, tid, at_ns, duration_ns;
	uint64_t offset; /**< in the file */
	char phase;
	bool is_shared;   /**< between processes: what its id says */
	bool has_profile; /**< any of what follows */
	/** nodes, samples and their times that it holds of a profile */
	struct pe_v8_reader reader;
	struct pe_v8 piece;
	PE_VEC(int64_t) samples, deltas;
};

/** Read the next event over the last one. */
int pe_chrome_event_read(struct pe_chrome_event *event, struct pe_json_cursor *json);

/** Read a sample that stands beside the events, or a frame of its stack: id is its frame, or its parent. */
int pe_chrome_sample_read(struct pe_chrome_event *event, struct pe_json_cursor *json);

/** Release the texts, samples and nodes of the last event; frames are not its own. */
void pe_chrome_event_release(struct pe_chrome_event *event);

/** Start from any number; so keys of several parts are made. */
uint64_t pe_chrome_hash(uint64_t hash, const char *text, size_t n);

struct pe_chrome_process {
	const char *name; /**< in the import's arena; NULL: unknown */
	bool has_data;
};

struct pe_chrome_thread {
	const char *name;
	uint32_t process, track;
	bool has_track, has_data;
};

/** A node of the draft below its root: a thread, or the asynchronous tasks of a process. */
struct pe_chrome_top {
	uint32_t node, index;
	bool is_thread;
};

struct pe_chrome_profile {
	struct pe_v8 v8;
	uint32_t thread;
	int64_t start_us; /**< on the clock of the events */
	bool is_announced; /**< by an event "Profile" of its id, or its samples stand beside the events */
};

/** A frame of the stacks that stand beside the events. */
struct pe_chrome_frame {
	int64_t parent; /**< has_parent */
	uint32_t frame;
	bool has_parent;
};

struct pe_chrome {
	struct pe_import *import;
	struct pe_chrome_event event;
	struct pe_import_names names; /**< of events */
	struct pe_map pids, tids, profile_ids, task_ids, frame_ids;
	PE_VEC(struct pe_chrome_process) processes;
	PE_VEC(struct pe_chrome_thread) threads;
	PE_VEC(struct pe_chrome_top) tops;
	PE_VEC(struct pe_chrome_profile) profiles;
	PE_VEC(struct pe_chrome_frame) frames; /**< by frame_ids */
	struct pe_turns turns;                 /**< who scheduled what on which thread */
	/** they build a draft, which is the import's builder until it is poured */
	struct pe_tracks tracks;
	uint64_t missing; /**< nodes that samples are in or below */
	bool was_open;    /**< the end of the array is missing */
};

/** All events are there: make the tree. PE_EINVALID: a profile whose nodes are no tree. */
int pe_chrome_finish(struct pe_chrome *chrome);

#endif
