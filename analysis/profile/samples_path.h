/*
 * Samples path: where the wall time of a program went, from what each thread computed, waited for and started.
 *
 * Each thread is a lane of waits, in the order of time; between them it computes. The path begins in the main thread. Where
 * that waits for another thread or process, it goes on in what that one did at the same moments, and so on; what is left (a
 * child's start and end, which nobody samples) stays a wait. So the times of all call paths sum to what the main thread
 * lived. Threads and processes that nobody waited for have none. This is the critical path of C.-Q. Yang and B. P. Miller
 * (Critical path analysis for the execution of parallel and distributed programs, ICDCS 1988), walked from the main thread's
 * side: at each moment from who waits to who is waited for.
 *
 * Who waits for a lock waits for the thread that held it, and at a condition for the one that signalled it. Where that is not
 * known, it waits for those of the process's other threads that compute at the moment.
 */
#ifndef PE_PROFILE_SAMPLES_PATH_H
#define PE_PROFILE_SAMPLES_PATH_H

#include "analysis/profile/cct.h"
#include "analysis/profile/samples_file.h"
#include "core/base/hash_index.h"
#include "core/base/vec.h"

#include <stdbool.h>

/** What a thread computed until a moment. */
struct pe_samples_work {
	uint64_t end_ns;
	uint32_t node;
	uint32_t samples;
	double on_path_ns; /**< of the time since the sample before */
};

/** One wait of a thread, or several that are spread over the time. */
struct pe_samples_wait {
	uint64_t begin_ns, end_ns;
	double share;  /**< of this time: the thread waited */
	uint32_t node; /**< the call path */
	enum pe_samples_mark kind;
	uint32_t id;
};

/** A thread of one process image. */
struct pe_samples_lane {
	uint32_t image;
	struct pe_samples_thread life; /**< zero: unknown */
	size_t work, n_work, wait, n_waits;
	uint64_t samples;
	double busy;       /**< of the time that it does not wait: it had a processor */
	double on_path_ns; /**< of its processor time */
	bool visiting;     /**< the path goes through it at the moment */
};

/** Some time of the path, in a lane. */
struct pe_samples_stretch {
	double begin_ns, end_ns;
	double share; /**< of this time: on the path */
	size_t lane;
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
	PE_VEC(struct pe_samples_wait) waits;
	PE_VEC(struct pe_samples_system) systems;
	PE_VEC(struct pe_samples_stretch) stretches; /**< of the first run, in the order of time */
	struct pe_map by_pid;                        /**< the latest process */
	struct pe_map starts;                        /**< node by process and the mark of a start */
	struct pe_map began; /**< process by the process that started it and the mark */
	bool timed;          /**< some thread's life is known */
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

/** Samples of the thread in hand; its events come in the order of time. */
void pe_samples_path_work(struct pe_samples_path *path, uint32_t node,
			  const struct pe_samples_event *event);

/** A wait of the thread in hand. @param mark  of its node; marks of starts are passed over */
void pe_samples_path_wait(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			  const struct pe_samples_event *event);

/** A start of another process by the thread in hand. @param mark  of its node; marks of waits are passed over */
void pe_samples_path_start(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			   uint32_t value);

/**
 * Give all nodes their times, and those of children their calls.
 *
 * @return  of the main threads' lives, what is neither work nor a wait that was seen
 */
uint64_t pe_samples_path_finish(struct pe_samples_path *path);

/** The name of a wait: "(waiting: child git)". */
const char *pe_samples_path_wait_name(const struct pe_samples_path *path,
				      const struct pe_samples_lane *lane,
				      const struct pe_samples_wait *wait);

/** Release what the path owns; what is borrowed stays. */
void pe_samples_path_release(struct pe_samples_path *path);

#endif
