/*
 * Names of frames in the text of other tools: a cache from their bytes to frames, so that a file of
 * gigabytes costs one look-up for each distinct name; and the rules that split a name into its parts.
 *
 * The line that many tools write beside a function is the one that was executing, not the function's first
 * line, and it moves with every edit above it: it is left out of the frame.
 */
#pragma once

#include "analysis/profile/frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * Split a tool's name into the members of a frame.
 *
 * @param frame  to be filled; may point into the two strings, and to static strings
 * @param name   terminated, writable, not empty; a byte of room behind the terminator
 * @param place  module or file, where the format has it apart from the name; terminated, writable
 */
typedef void (*pe_names_read_fn)(struct pe_frame *frame, char *name, char *place);

/** Zero-initialise but for frames and read; released by pe_names_release(). */
struct pe_import_names {
	struct pe_frames *frames;
	pe_names_read_fn read;
	struct pe_map known; /**< frames, by the hash of name and place, and their lengths */
};

/**
 * Find the frame of a name and a place; a new name is read.
 *
 * @return  PE_FRAME_NONE for a name that is empty or holds a NUL byte
 */
uint32_t pe_names_frame(struct pe_import_names *names, const char *name, size_t n_name,
			const char *place, size_t n_place);

/** Free the cache. The frames table is borrowed. */
void pe_names_release(struct pe_import_names *names);

/**
 * Read a frame of folded stacks: "f_[k]" (perf, async-profiler), "f (dir/a.py:12)" (py-spy), "[main tid=7]",
 * "f - a.rb:12" (rbspy), "libc.so.1`f+0x1a" (dtrace), "LazyCompile:*f /a.js:1:2" (V8), "ns::f(int)".
 */
void pe_names_read_folded(struct pe_frame *frame, char *name, char *place);

/** Read a symbol with its module's path, as perf writes them. */
void pe_names_read_perf(struct pe_frame *frame, char *name, char *place);

/**
 * Split "ns::f<int>(char const*) const" into a name and "(char const*) const"; other names stay whole.
 *
 * @param name  in an object with one byte more than the name needs: both parts are stored in it
 */
void pe_names_split_signature(struct pe_frame *frame, char *name);

/** The file name at the end of a path. */
char *pe_names_base(char *path);
