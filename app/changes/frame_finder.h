/*
 * Frame finder: which frames are a method of the source. Frames are named by debug information, methods by the
 * text of their file, and the two do not spell alike: template arguments, anonymous namespaces and types differ.
 * So a method is found by its file and plain name; where a file has several of that name, its lines decide, and
 * then the types of its parameters.
 */
#pragma once

#include "configs/config.h"
#include "core/base/vec.h"
#include "analysis/methods/method.h"
#include "analysis/profile/frames.h"

/** A frame of a source file that perfevo reads, under its plain name. */
struct pe_frame_entry {
	const char *component, *name;
	uint32_t frame;
};

struct pe_frame_finder {
	const struct pe_frames *frames; /**< borrowed */
	uint32_t n_old_frames;
	struct pe_arena *arena;
	PE_VEC(struct pe_frame_entry) entries; /**< by component, then name */
};

/** Frames of one method, in the finder's arena: several where a template was made for several types. */
struct pe_found_frames {
	uint32_t *at;
	size_t n;
};

/**
 * A name without template arguments, anonymous namespaces, tags and blanks: what debug information and sources agree on.
 *
 * @return  in the arena
 */
const char *pe_plain_name(const char *name, struct pe_arena *arena);

/**
 * @param paths         of the config: files that are read; NULL: all
 * @param n_old_frames  frames before it have the lines of the old revision, the others those of the new one
 */
void pe_frame_finder_open(struct pe_frame_finder *out, const struct pe_frames *frames,
			  const struct pe_paths *paths, uint32_t n_old_frames,
			  struct pe_arena *arena);

/** Release what the arena does not own. */
void pe_frame_finder_close(struct pe_frame_finder *finder);

/** The index of the first entry of a file whose name is not less; past the last one: there is none. */
size_t pe_frame_finder_first(const struct pe_frame_finder *finder, const char *component,
			     const char *name);

/** The frames of a method; none: it was never called. @param side  0: the method is of old, 1: of new */
struct pe_found_frames pe_frame_finder_find(const struct pe_frame_finder *finder,
					    const struct pe_method *method, int side);
