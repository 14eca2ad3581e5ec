/*
 * Worker pool: jobs at work at one time, each in a thread with a launcher of its own: builds (app/measure/ahead.c) and
 * counting runs (app/measure/engine_beside.c). One thread starts jobs and takes them when they are over.
 *
 * (1) The store and the session are that thread's while it is awake. A job uses them between pe_pool_enter() and
 *     pe_pool_leave(), which wait until that thread waits for the next job that is over.
 * (2) The repository is read by one thread at a time.
 * (3) Threads begin with their job and are joined when it is taken, so that none is left when anything is timed.
 * (4) Signals reach the thread that waits: with the second Ctrl-C, it ends all.
 */
#ifndef PE_APP_MEASURE_POOL_H
#define PE_APP_MEASURE_POOL_H

#include "core/exec/builder.h"

struct pe_session;
struct pe_pool;

/** What a job has for itself. */
struct pe_pool_worker {
	struct pe_pool *pool;
	unsigned number;                  /**< from 0 */
	const struct pe_builder *builder; /**< with its launcher's executor, and its stop_fd */
};

/** The first member of what is to be done. */
struct pe_pool_job {
	/** called in a thread; rc and err are its to fill in */
	void (*work)(struct pe_pool_job *job, const struct pe_pool_worker *worker);
	const char *id; /**< of the revision */
	bool builds;    /**< its `make` shares the jobs of all builds */
	int rc;
	struct pe_err err;
	struct pe_arena arena; /**< of who takes the job to release */
	bool beside;           /**< another was at work, too, at some time */
	uint64_t share_ns; /**< of the wall time, which is divided among those that are at work */
};

/**
 * Open a pool. Launchers are started when they are needed, confined as the session's.
 *
 * @param workers  jobs at one time
 */
int pe_pool_open(struct pe_pool **out, struct pe_session *session, unsigned workers);

/** Close all launchers. Nothing is at work any more; NULL is allowed. */
void pe_pool_close(struct pe_pool *pool);

/** How many jobs are at work. */
unsigned pe_pool_busy(const struct pe_pool *pool);

/** The job of a worker; NULL: it has nothing to do, or there is no such worker. */
const struct pe_pool_job *pe_pool_at(const struct pe_pool *pool, unsigned worker);

/**
 * Start a job.
 *
 * @param job  stays where it is until it is taken
 * @return     PE_EBUSY: no worker is free; else why a launcher cannot be had
 */
int pe_pool_start(struct pe_pool *pool, struct pe_pool_job *job, struct pe_err *err);

/** Wait for the next job that is over. NULL: nothing is at work. */
struct pe_pool_job *pe_pool_take(struct pe_pool *pool);

/** End all that is at work, and start no process any more until all were taken. */
void pe_pool_stop(struct pe_pool *pool);

/** In a job: from here to pe_pool_leave(), the store and the session are its own. @return  Ctrl-C so far, how often */
int pe_pool_enter(const struct pe_pool_worker *worker);

/** Give them back. */
void pe_pool_leave(const struct pe_pool_worker *worker);

#endif
