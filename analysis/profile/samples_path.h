/*
 * Samples path: where the wall time of a program went, from what each thread computed, waited for and started.
 *
 * The main thread's life is its processor time and its waits. A wait for another thread or process is what that did
 * meanwhile: it is replaced by the work and the waits of that one, scaled to the length of the wait, and so on; what is left
 * (a child's start and end, which nobody samples) stays a wait. So the times of all call paths sum to what the main thread
 * lived. Threads and processes that nobody waited for have none.
 *
 * Who waits for a lock or a condition is taken to wait for the process's other threads, in proportion to what they did.
 */
#ifndef PE_PROFILE_SAMPLES_PATH_H
#define PE_PROFILE_SAMPLES_PATH_H

#include "analysis/profile/cct.h"
#include "analysis/profile/samples_file.h"
#include "core/base/hash_index.h"
#include "core/base/vec.h"

#include <stdbool.h>

/** Samples of one thread at one node. */
struct pe_samples_work {
	uint32_t node;
	uint32_t samples;
};

/** One mark of a thread. */
struct pe_samples_event {
	uint32_t node; /**< the call path that waited, or started */
	enum pe_samples_mark kind;
	uint32_t id, value;
};

/** A thread of one process image. */
struct pe_samples_lane {
	uint32_t image;
	struct pe_samples_thread life; /**< zero: unknown */
	size_t work, n_work, event, n_events;
	uint64_t samples;
	bool visited;
};

/** One file. */
struct pe_samples_image {
	uint32_t process;
	uint32_t node; /**< below which its stacks stand */
	uint64_t started_ns, interval_ns;
	size_t lane, n_lanes; /**< its threads, the main one first */
	uint32_t before;      /**< of the same process; PE_CCT_NONE */
	const char *program;
};

/** One process: its images, one after the other. */
struct pe_samples_process {
	uint32_t pid, parent_pid;
	uint32_t parent; /**< who started it, if that left a file; PE_CCT_NONE */
	uint32_t node;   /**< the call path that started it; PE_CCT_NONE: unknown */
	uint32_t last;   /**< image */
	uint32_t child,
		sibling; /**< the latest process that it started; the one before this; PE_CCT_NONE */
	bool shell;      /**< of popen(3) or system(3) */
	bool hung;       /**< its stacks stand below that call path */
};

/** A call of system(3). */
struct pe_samples_system {
	uint32_t process, node, id;
	uint64_t began_ns;
	bool taken;
};

/** Of all files; zero-initialise but for what is borrowed. */
struct pe_samples_path {
	struct pe_cct_builder *builder; /**< borrowed */
	struct pe_frames *frames;       /**< borrowed */
	struct pe_arena *arena;         /**< borrowed */
	PE_VEC(struct pe_samples_process) processes;
	PE_VEC(struct pe_samples_image) images;
	PE_VEC(struct pe_samples_lane) lanes;
	PE_VEC(struct pe_samples_work) work;
	PE_VEC(struct pe_samples_event) events;
	PE_VEC(struct pe_samples_system) systems;
	struct pe_map by_pid; /**< the latest process */
	struct pe_map starts; /**< node by process and the mark of a start */
	struct pe_map began;  /**< process by the process that started it and the mark */
	bool timed;           /**< some thread's life is known */
};

/**
 * Take a file in hand; files come in the order of their starts.
 *
 * A process that a function of the tree's own source started stands below the call path that did, as "(child: NAME)";
 * others stand below the root.
 *
 * @return  the node for its stacks
 */
uint32_t pe_samples_path_image(struct pe_samples_path *path, const struct pe_samples_file *file);

/** Take a thread of the file in hand. */
void pe_samples_path_thread(struct pe_samples_path *path, const struct pe_samples_file *file,
			    uint32_t thread);

/** Samples of the thread in hand. */
void pe_samples_path_work(struct pe_samples_path *path, uint32_t node, uint32_t samples);

/** A mark of the thread in hand. @param address  with PE_SAMPLES_MARK */
void pe_samples_path_mark(struct pe_samples_path *path, uint32_t node, uint64_t address,
			  uint32_t value);

/**
 * Give all nodes their times, and those of children their calls.
 *
 * @return  of the main threads' lives, what is neither work nor a wait that was seen
 */
uint64_t pe_samples_path_finish(struct pe_samples_path *path);

/** Release what the path owns; what is borrowed stays. */
void pe_samples_path_release(struct pe_samples_path *path);

#endif
