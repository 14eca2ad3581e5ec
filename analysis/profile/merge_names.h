/* Merge names: frames of two builds that are one method, although compilers and variants named them differently. */
#pragma once

#include "analysis/profile/cct.h"

#include <stdint.h>

/** A method that the counting tree does not have: it was not instrumented. */
#define PE_MERGE_UNKNOWN UINT32_MAX

/** Classes of frames, numbered from 0; a class is a method of the counting tree. */
struct pe_merge_names {
	uint32_t *class_of; /**< by number of the frame; PE_MERGE_UNKNOWN */
	uint32_t *frame_of; /**< by class: the counting tree's frame */
	uint32_t n;         /**< classes */
};

/**
 * Sort the frames of two trees, which share a table, into classes. Two frames are one method when kind, component, name
 * and signature agree after pe_merge_plain_name(); or when one of them lacks a source file (a stripped
 * build's) or a signature, module and name agree, and the counting tree has one such method only.
 */
struct pe_merge_names pe_merge_names_sort(const struct pe_cct *counting,
					  const struct pe_cct *samples, struct pe_arena *arena);

/** The length of a function's name without the suffixes that compilers append to copies: ".isra.0", ".cold", " [clone .part.1]". */
size_t pe_merge_name_length(const char *name);

/**
 * Remove the suffixes that compilers append to copies of a function from its name, and the variant from a mangled
 * constructor or destructor.
 *
 * @return  name itself, or a copy in the arena
 */
const char *pe_merge_plain_name(const char *name, struct pe_arena *arena);
