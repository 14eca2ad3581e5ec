/*
 * Frames: the methods of calling context trees, each stored once. Trees that are compared
 * share one table, so that one method has one number in both.
 */
#pragma once

#include "core/base/hash_index.h"

#include <stddef.h>
#include <stdint.h>

/** The kind of a frame. perfevo makes all kinds but methods, to hold a tree together. */
enum pe_frame_kind {
	PE_FRAME_METHOD,
	PE_FRAME_ROOT,    /**< of a tree: the benchmark */
	PE_FRAME_PROCESS, /**< a program that the benchmark ran, by its file name */
	PE_FRAME_THREAD, /**< a thread or a top-level task, where a profile distinguishes them by name */
	PE_FRAME_UNKNOWN, /**< code without a symbol: the name is module+0xoffset */
	PE_FRAME_WAITING, /**< no code: time that no thread spent on a processor */
};

/** Names of a process below the method that started it, and of the wait for it; the program and ")" follow. */
#define PE_FRAME_CHILD         "(child: "
#define PE_FRAME_WAITING_CHILD "(waiting: child "

/**
 * A method. Its identity is kind, component, name and signature (PARCS section 3.2); module and line are
 * those of the first frame that was added.
 */
struct pe_frame {
	const char *name; /**< qualified: "ns::table::probe"; never empty */
	/** types of the parameters, "(int, char const*)", where the language has overloading; else "" */
	const char *signature;
	/** source file, relative to the tree's root if it is in there, else the module; "": unknown */
	const char *component;
	const char *module; /**< file name of the program or library; "": unknown */
	uint32_t line;      /**< where its definition begins; 0: unknown */
	enum pe_frame_kind kind;
};

enum { PE_FRAMES_ROOTS = 3 };

/** Zero-initialise with PE_FRAMES_INIT; pe_frames_release() frees it. */
struct pe_frames {
	struct pe_frame *at; /**< by number; owned, as are the strings */
	uint32_t n;
	uint32_t capacity;
	struct pe_hash_index index; /**< over at */
	struct pe_arena strings;
	/**
	 * Folders whose paths are removed from components and names of new frames, borrowed; NULL: none. Profiles of
	 * other tools hold whole paths, and each commit's tree is in another folder.
	 */
	const char *roots[PE_FRAMES_ROOTS];
};

#define PE_FRAMES_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}

/** No frame. */
#define PE_FRAME_NONE UINT32_MAX

/**
 * Find the number of a frame, and add it when it is new; numbers count from 0 in order of arrival.
 *
 * @param frame  strings are copied; NULL is allowed for strings and means ""
 */
uint32_t pe_frames_add(struct pe_frames *frames, const struct pe_frame *frame);

/** Add a method by its name and perhaps its component, with nothing else known. */
uint32_t pe_frames_add_method(struct pe_frames *frames, const char *name, const char *component);

/** Find the number of a frame without adding it; PE_FRAME_NONE: it is missing. */
uint32_t pe_frames_find(const struct pe_frames *frames, const struct pe_frame *frame);

/**
 * Find the program in the name of a process below a method, or of a wait for it, with the ")" behind it; NULL: other frames.
 */
const char *pe_frame_program(const struct pe_frame *frame);

/** Free everything; the table is empty and usable again. */
void pe_frames_release(struct pe_frames *frames);

/** A local table that is released where its block is left, whichever way: `pe_auto_frames frames = PE_FRAMES_INIT;` */
#define pe_auto_frames __attribute__((cleanup(pe_frames_release))) struct pe_frames
