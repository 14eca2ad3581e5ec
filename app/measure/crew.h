/*
 * Crew: builds at work at one time, each in a thread with a launcher of its own. A thread fills its slot, builds there and
 * lists what came of it; it touches neither the store nor the session, nor any slot but a copy of its own. Who asked
 * takes the results, one after the other. Other work is done in the same way, such as counting runs
 * (app/measure/engine_beside.c): what it has for the store and the session goes through who takes its result.
 *
 * The repository is read by one thread at a time. Threads begin with their build and are joined when it is taken, so
 * that none is left when anything is timed. Signals reach the thread that waits: with the second Ctrl-C, it ends all.
 */
#ifndef PE_APP_MEASURE_CREW_H
#define PE_APP_MEASURE_CREW_H

#include "core/exec/builder.h"

struct pe_session;
struct pe_crew;

/** Where a task is done that is no build. */
struct pe_crew_place {
	struct pe_crew *crew;
	unsigned lane;                      /**< from 0 */
	const struct pe_executor *executor; /**< of the lane's own launcher */
	int stop_fd;                        /**< see struct pe_proc_spec */
};

/** One build, or what else is to be done. */
struct pe_crew_task {
	/** NULL: a build. Else this is called in its lane, and the rest of what is asked is unused; rc and err are its to fill in */
	void (*work)(struct pe_crew_task *task, const struct pe_crew_place *place);
	const char *id; /**< of the revision */
	const struct pe_recipe *recipe;
	const char *recipe_hash;
	const char *watch;   /**< see struct pe_builder */
	unsigned jobs;       /**< that it may have */
	struct pe_slot slot; /**< a copy: who takes the task puts it back */
	/* What came of it. */
	int rc; /**< as pe_build_revision(), with err */
	struct pe_err err;
	struct pe_build build; /**< strings live in the arena */
	struct pe_arena arena; /**< the taker's to release */
	bool beside;           /**< another was at work, too, at some time */
	uint64_t share_ns; /**< of the wall time, which is divided among those that are at work */
};

/**
 * Hire as many as a session may have. Their launchers are started when they are needed, confined as the session's.
 *
 * @param lanes  builds at one time
 */
int pe_crew_open(struct pe_crew **out, struct pe_session *session, unsigned lanes);

/** Close all launchers. Nothing is at work any more. Welcomes NULL. */
void pe_crew_close(struct pe_crew *crew);

/** How many tasks are at work. */
unsigned pe_crew_busy(const struct pe_crew *crew);

/** Which one a lane is at; NULL: it has nothing to do, or there is no such lane. */
const struct pe_crew_task *pe_crew_at(const struct pe_crew *crew, unsigned lane);

/**
 * Begin a task.
 *
 * @param task  stays where it is until it is taken
 * @return      PE_EBUSY: no lane is free; else why a launcher cannot be had
 */
int pe_crew_start(struct pe_crew *crew, struct pe_crew_task *task, struct pe_err *err);

/** Wait for the next task that is over. NULL: nothing is at work. */
struct pe_crew_task *pe_crew_take(struct pe_crew *crew);

/**
 * For a task's own work: have the thread that takes results call a function, and wait until it did. There it may use the
 * store and the session, and calls of several lanes come one after the other.
 */
void pe_crew_call(const struct pe_crew_place *place, void (*fn)(void *payload), void *payload);

/** End all that is at work, and start no process any more until all were taken. */
void pe_crew_stop(struct pe_crew *crew);

#endif
