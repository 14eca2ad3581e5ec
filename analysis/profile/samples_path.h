/*
 * Samples path: distribution of a program's wall time, from the computing, waits and starts of each thread.
 *
 * Each thread is a lane of waits, in the order of time; between them it computes. The path begins in the main thread. Where
 * that waits for another thread or process, it continues with the activity of that one in the same interval, and so on; the
 * rest (a child's start and end, which are not sampled) stays a wait. So the times of all call paths sum to the life of the
 * main thread. Threads and processes that are never waited for have no time. This is the critical path of C.-Q. Yang and
 * B. P. Miller (Critical path analysis for the execution of parallel and distributed programs, ICDCS 1988), walked from the
 * main thread's side: at each point in time from the waiting to the awaited thread.
 *
 * A wait for a lock is for the thread that held it, and one for a condition for the thread that signalled it. If that is
 * unknown, the wait is for those of the process's other threads that compute at the time.
 */
#pragma once

#include "analysis/profile/cct.h"
#include "core/base/hash_index.h"
#include "core/base/vec.h"
#include "probe/formats/samples.h"

#include <stdbool.h>

/** Computing of a thread up to a sample. */
struct pe_samples_work {
	uint64_t end_ns;
	uint32_t node;
	uint32_t samples;
	double on_path_ns; /**< part of the time since the sample before */
};

/** One wait of a thread, or several that are spread over the time. */
struct pe_samples_wait {
	uint64_t begin_ns, end_ns;
	double share;  /**< waiting share of this time */
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
	double busy;       /**< share of the time without waits in which it had a processor */
	double on_path_ns; /**< processor time */
	bool visiting;     /**< the path is being followed through it */
};

/** A stretch of the path, in a lane. */
struct pe_samples_stretch {
	double begin_ns, end_ns;
	double share; /**< share of this time that is on the path */
	size_t lane;
};

/** A program in a process: one file. */
struct pe_samples_image {
	uint32_t process;
	uint32_t node; /**< above its stacks */
	uint64_t started_ns, interval_ns;
	size_t lane, n_lanes; /**< its threads, the main one first */
	uint32_t before;      /**< the image before it in this process; PE_CCT_NONE */
	const char *program;
};

/** One process: its images, one after the other. */
struct pe_samples_process {
	uint32_t pid, parent_pid;
	uint32_t parent; /**< the starting process, if it left a file; PE_CCT_NONE */
	uint32_t node;   /**< the call path that started it; PE_CCT_NONE: unknown */
	uint32_t last;   /**< image */
	uint32_t child,
		sibling; /**< the latest process that it started; the one before this; PE_CCT_NONE */
	bool shell;      /**< of popen(3) or system(3) */
	bool hung;       /**< its stacks are below that call path */
};

/** A call of system(3). */
struct pe_samples_system {
	uint32_t process, node, id;
	uint64_t began_ns;
	bool taken;
};

/** State over all files; zero-initialise but for the borrowed members. */
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
 * Begin a file; files come in the order of their starts.
 *
 * A process that a function of the tree's own source started is placed below the starting call path, as "(child: NAME)";
 * others below the root.
 *
 * @return  the node for its stacks
 */
uint32_t pe_samples_path_image(struct pe_samples_path *path,
			       const struct pe_samples_header *header);

/** Begin a thread of the current file. @param header  with the rest of the file behind it */
void pe_samples_path_thread(struct pe_samples_path *path, const struct pe_samples_header *header,
			    uint32_t thread);

/** Add samples of the current thread; its events come in the order of time. */
void pe_samples_path_work(struct pe_samples_path *path, uint32_t node,
			  const struct pe_samples_event *event);

/** Add a wait of the current thread. @param mark  of its node; marks of starts are skipped */
void pe_samples_path_wait(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			  const struct pe_samples_event *event);

/** Add a start of another process by the current thread. @param mark  of its node; marks of waits are skipped */
void pe_samples_path_start(struct pe_samples_path *path, uint32_t node, uint64_t mark,
			   uint32_t value);

/** Set the times of all nodes, and the calls of those of children. */
void pe_samples_path_finish(struct pe_samples_path *path);

/** The name of a wait: "(waiting: child git)". */
const char *pe_samples_path_wait_name(const struct pe_samples_path *path,
				      const struct pe_samples_lane *lane,
				      const struct pe_samples_wait *wait);

/** Release the path's own members; borrowed ones stay. */
void pe_samples_path_release(struct pe_samples_path *path);
