/*
 * Frames: the methods that calling context trees speak of, each kept once. Trees that are to be compared
 * share one table, so that one method has one number in both.
 */
#ifndef PE_PROFILE_FRAMES_H
#define PE_PROFILE_FRAMES_H

#include "core/base/hash_index.h"

#include <stddef.h>
#include <stdint.h>

/** What a frame stands for. All but methods are made by perfevo, to hold a tree together. */
enum pe_frame_kind {
	PE_FRAME_METHOD,
	PE_FRAME_ROOT,    /**< of a tree: the benchmark */
	PE_FRAME_PROCESS, /**< a program that the benchmark ran, by its file name */
	PE_FRAME_THREAD, /**< a thread or a top-level task, where a profile tells them apart by name */
	PE_FRAME_UNKNOWN, /**< code without a symbol: the name is module+0xoffset */
	PE_FRAME_WAITING, /**< no code: time that no thread spent on a processor */
};

/** Names of a process below the method that started it, and of the wait for it; the program and ")" follow. */
#define PE_FRAME_CHILD         "(child: "
#define PE_FRAME_WAITING_CHILD "(waiting: child "

/**
 * A method. Its identity is kind, component, name and signature (PARCS section 3.2); module and line are
 * what the first one who added it said.
 */
struct pe_frame {
	const char *name; /**< qualified: "ns::table::probe"; never empty */
	/** types of the parameters, "(int, char const*)", where the language has overloading; else "" */
	const char *signature;
	/** source file, relative to the tree's root where it lies in it, else the module; "": unknown */
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
	 * Folders that are cut off the components and names of what is added, borrowed; NULL: none. Profiles of other tools
	 * name whole paths, and a tree lies at another place at each commit.
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
 * The number of a frame, added when it is new; numbers count from 0 in order of arrival.
 *
 * @param frame  strings are copied; NULL strings are taken as ""
 */
uint32_t pe_frames_add(struct pe_frames *frames, const struct pe_frame *frame);

/** pe_frames_add() for a method of which a name and perhaps a component are all that is known. */
uint32_t pe_frames_add_method(struct pe_frames *frames, const char *name, const char *component);

/** The number of a frame that may not be there: PE_FRAME_NONE. */
uint32_t pe_frames_find(const struct pe_frames *frames, const struct pe_frame *frame);

/** The program of a process that a method started, or waits for, with the ")" behind it; NULL: the frame is none. */
const char *pe_frame_program(const struct pe_frame *frame);

/** Free everything; the table is empty and usable again. */
void pe_frames_release(struct pe_frames *frames);

#endif
