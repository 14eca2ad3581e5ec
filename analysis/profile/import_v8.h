/*
 * V8's CPU profiles: a list of nodes and a list of samples, as a file of their own or in the pieces of a trace.
 * Nodes, samples and links between nodes may come in any order.
 *
 * A sample's delta is the time since the sample before: it counts for the node that the sample found (DevTools'
 * flame chart draws the sample until the next one instead). Deltas may be negative, where the threads that
 * stamp samples disagree: the time between two samples counts once, when the clock first passes it.
 *
 * A function is identified by its name and its script's path, without query. V8 leaves the names of anonymous
 * functions empty: they all are "(anonymous)" of their script, distinguished by their callers. Their line would
 * distinguish more of them, but every edit above one would make another method of it.
 */
#pragma once

#include "analysis/profile/importers.h"
#include "core/base/hash_index.h"
#include "analysis/profile/import_names.h"

#include "core/base/text.h"

/** The name of functions without one. */
#define PE_V8_ANONYMOUS "(anonymous)"

struct pe_v8_node {
	int64_t id;
	uint64_t offset;        /**< of its first mention */
	uint32_t frame, parent; /**< parent: an index; PE_CCT_NONE: none so far */
	bool is_defined;
};

/** Sums of the samples of a node; apart from the nodes, because every sample updates them. */
struct pe_v8_sum {
	uint64_t samples, us;
};

/** Samples that found one node in a row. Times are µs since the profile's start. */
struct pe_v8_run {
	uint32_t node;
	uint32_t samples;
	int64_t from_us, first_us, to_us; /**< of the sample before, of its first and last sample */
};

/** Zero-initialise but for frames and keeps_runs; released by pe_v8_release(). */
struct pe_v8 {
	struct pe_map indices; /**< by id */
	PE_VEC(struct pe_v8_node) nodes;
	PE_VEC(struct pe_v8_sum) sums; /**< by index */
	int64_t now_us, latest_us;     /**< since its start */
	uint64_t samples;
	bool keeps_runs;
	bool is_spread; /**< some samples were moved elsewhere: nodes without any left are omitted */
	PE_VEC(struct pe_v8_run) runs;
};

/** The number of no node. */
#define PE_V8_NO_NODE INT64_MIN

/** State of reading nodes, apart from their profile: the members of the last node. */
struct pe_v8_reader {
	struct pe_v8 *v8;
	struct pe_import_names names; /**< frames to be filled, and read = pe_v8_read_name */
	struct pe_text name, url;
	int64_t id, parent, line;
	PE_VEC(uint32_t) children; /**< indices */
};

/** Split a function's name and "URL:LINE". "(idle)" of no script is no code: it becomes a node "(waiting)". */
void pe_v8_read_name(struct pe_frame *frame, char *name, char *place);

/** Find the frame of a function, its script and line; -1: unknown. PE_FRAME_NONE: the name is invalid. */
uint32_t pe_v8_frame(struct pe_import_names *names, const struct pe_text *function,
		     const struct pe_text *script, int64_t line);

/** Read one node. The reader is self; a pe_json_value_fn. */
int pe_v8_node(struct pe_json_cursor *json, void *self);

/** Add a sample and its delta, in µs. */
void pe_v8_add(struct pe_v8 *v8, int64_t id, int64_t delta_us, uint64_t offset);

/** Find the index of the node with an id, and make it when it is new. */
uint32_t pe_v8_index(struct pe_v8 *v8, int64_t id, uint64_t offset);

/**
 * Settle the nodes: an unknown function stands for each missing one that samples are in or below.
 *
 * @param missing  their number is added
 * @return         PE_EINVALID: the nodes are no tree
 */
int pe_v8_settle(struct pe_v8 *v8, const struct pe_import *import, uint64_t *missing);

/** The number of samples that found code. */
uint64_t pe_v8_samples(const struct pe_v8 *v8, const struct pe_frames *frames);

/** Whether a node is V8's own "(root)", which is no method. */
bool pe_v8_is_root(const struct pe_v8 *v8, const struct pe_frames *frames, uint32_t node);

/**
 * Add the whole profile, which is settled, below a node of a tree. V8's own "(root)" becomes that node; time without code
 * goes below the root of the tree, whatever that node is.
 */
void pe_v8_build(struct pe_v8 *v8, const struct pe_import *import, uint32_t under);

/** Release nodes, sums and runs of a profile; its frames are borrowed. */
void pe_v8_release(struct pe_v8 *v8);

/** Release the buffers of a reader; the profile that it filled is the caller's. */
void pe_v8_reader_release(struct pe_v8_reader *reader);
