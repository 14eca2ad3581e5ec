/* Changes: the changes of each frame's source, machine code and executed instructions. */
#pragma once

#include "analysis/profile/frames.h"

#include <stdbool.h>

/** How a method's source changed between old and new (PARCS section 3.2). */
enum pe_source_change {
	PE_SOURCE_UNKNOWN,
	PE_SOURCE_SAME,
	PE_SOURCE_MODIFIED,
	PE_SOURCE_ADDED,
	PE_SOURCE_DELETED,
	PE_SOURCE_RENAMED, /**< or moved to another component; its body is the same */
	PE_N_SOURCE_CHANGES
};

/** How its machine code changed. */
enum pe_binary_change {
	PE_BINARY_UNKNOWN,
	PE_BINARY_SAME,       /**< not recompiled, or to the same instructions */
	PE_BINARY_RECOMPILED, /**< its instructions differ */
	PE_N_BINARY_CHANGES
};

/** How the number of its own instructions changed, by exact counts (analysis/compare/functions.h). */
enum pe_executed_change {
	PE_EXECUTED_UNKNOWN, /**< or they vary between runs of one build */
	PE_EXECUTED_SAME,
	PE_EXECUTED_MORE,
	PE_EXECUTED_FEWER,
};

struct pe_frame_change {
	uint8_t source;   /**< enum pe_source_change */
	uint8_t code;     /**< enum pe_binary_change */
	uint8_t executed; /**< enum pe_executed_change */
	/** reason to recompile it with the same source: "macro SCALE of scale.h changed"; NULL: unknown */
	const char *reason;
};

/** Changes by frame. Zero-initialised: all are unknown. */
struct pe_changes {
	const struct pe_frame_change *at; /**< n of them; frames past it are unknown */
	uint32_t n;
};

/** The changes of a frame. */
static inline struct pe_frame_change pe_changes_at(const struct pe_changes *changes, uint32_t frame)
{
	return changes != NULL && frame < changes->n ? changes->at[frame]
						     : (struct pe_frame_change){0};
}

static inline enum pe_source_change pe_changes_source(const struct pe_changes *changes,
						      uint32_t frame)
{
	return (enum pe_source_change)pe_changes_at(changes, frame).source;
}

static inline enum pe_binary_change pe_changes_binary(const struct pe_changes *changes,
						      uint32_t frame)
{
	return (enum pe_binary_change)pe_changes_at(changes, frame).code;
}

static inline enum pe_executed_change pe_changes_executed(const struct pe_changes *changes,
							  uint32_t frame)
{
	return (enum pe_executed_change)pe_changes_at(changes, frame).executed;
}

/** Whether a method's source differs: it was modified, added or deleted. */
static inline bool pe_changes_source_differs(const struct pe_changes *changes, uint32_t frame)
{
	const enum pe_source_change source = pe_changes_source(changes, frame);

	return source == PE_SOURCE_MODIFIED || source == PE_SOURCE_ADDED ||
	       source == PE_SOURCE_DELETED;
}

/**
 * Whether a method's own behaviour may have changed: its instructions differ; or its source was modified, added or deleted,
 * and its instructions are not known to be the same.
 */
static inline bool pe_changes_touched(const struct pe_changes *changes, uint32_t frame)
{
	const enum pe_binary_change code = pe_changes_binary(changes, frame);

	return code == PE_BINARY_RECOMPILED ||
	       (code != PE_BINARY_SAME && pe_changes_source_differs(changes, frame));
}

/** The number of an old frame's method in the new tree. @param renamed  by frame, as in struct pe_match_opts; NULL: none was */
static inline uint32_t pe_changes_new_frame(const uint32_t *renamed, uint32_t frame)
{
	return renamed != NULL && renamed[frame] != PE_FRAME_NONE ? renamed[frame] : frame;
}

/**
 * Whether a method's instructions are the same, so that a change of its source has no effect. Without a comparison of machine
 * code, an untouched method with exactly as many executed instructions counts as the same.
 */
static inline bool pe_changes_same(const struct pe_changes *changes, uint32_t frame)
{
	enum pe_binary_change code = pe_changes_binary(changes, frame);

	return code == PE_BINARY_SAME ||
	       (code == PE_BINARY_UNKNOWN && !pe_changes_touched(changes, frame) &&
		pe_changes_executed(changes, frame) == PE_EXECUTED_SAME);
}
