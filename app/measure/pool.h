/*
 * Worker pool: jobs that run at one time, each in a thread with a launcher of its own: builds (app/measure/ahead.c) and
 * counting runs (app/measure/engine_beside.c). One thread, the taker, starts jobs and takes them when they are over.
 *
 * (1) The taker alone uses the store and the session while it is awake. A job uses them between pe_pool_enter() and
 *     pe_pool_leave(), which wait until the taker waits for the next job that is over.
 * (2) One thread at a time reads the repository.
 * (3) A thread begins with its job and is joined when the job is taken, so that none is left when anything is timed.
 * (4) The taker gets all signals, while it waits: with the second Ctrl-C, it ends all jobs.
 */
#pragma once

#include "core/exec/builder.h"

struct pe_session;
struct pe_pool;

/** The resources of a job. */
struct pe_pool_worker {
	struct pe_pool *pool;
	unsigned number;                  /**< from 0 */
	const struct pe_builder *builder; /**< with its launcher's executor, and its stop_fd */
};

/** The first member of a caller's job. */
struct pe_pool_job {
	/** called in a thread; fills in rc and err */
	void (*work)(struct pe_pool_job *job, const struct pe_pool_worker *worker);
	const char *id; /**< of the revision */
	bool builds;    /**< its `make` shares the job slots of all builds */
	int rc;
	struct pe_err err;
	struct pe_arena arena; /**< released by the caller who takes the job */
	bool beside;           /**< another job ran at some time meanwhile */
	uint64_t
		share_ns; /**< its share of the wall time, which is divided among the running jobs */
};

/**
 * Open a pool. A worker starts its launcher, confined as the session's, with its first job.
 *
 * @param workers  number of jobs at one time
 */
int pe_pool_open(struct pe_pool **out, struct pe_session *session, unsigned workers);

/** Close all launchers. No job may run any more; NULL is allowed. */
void pe_pool_close(struct pe_pool *pool);

/** The number of running jobs. */
unsigned pe_pool_busy(const struct pe_pool *pool);

/**
 * Start a job.
 *
 * @param job  must not move until it is taken
 * @return     PE_EBUSY: no worker is free; else the failure of its launcher
 */
int pe_pool_start(struct pe_pool *pool, struct pe_pool_job *job, struct pe_err *err);

/** Wait for the next job that is over. NULL: none runs. */
struct pe_pool_job *pe_pool_take(struct pe_pool *pool);

/** End all running jobs, and start no process any more until all are taken. */
void pe_pool_stop(struct pe_pool *pool);

/** In a job: take the store and the session until pe_pool_leave(). @return  the number of Ctrl-C so far */
int pe_pool_enter(const struct pe_pool_worker *worker);

/** Give them back to the taker. */
void pe_pool_leave(const struct pe_pool_worker *worker);
