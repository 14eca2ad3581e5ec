/*
 * Jobs: the workers of a farm as Slurm's queue has them, which requeues them when their node fails. All jobs of a spool have
 * one name, and a job's comment is its shard, so that a coordinator finds by one question what an earlier one handed out, and
 * remembers nothing. Whether work is done the pieces decide, not the jobs.
 */
#pragma once

#include "app/app.h"
#include "core/base/vec.h"

/** A job that is queued or runs. */
struct pe_job {
	char id[32];
	char shard[PE_HASH_HEX]; /**< its comment */
	char node[64];           /**< "": it does not run yet */
	bool runs;
	bool lacks_node; /**< it waits for nodes that are down, drained or reserved */
};

struct pe_jobs {
	struct pe_app *app;
	const char *spool;
	const char *name;         /**< of the jobs */
	PE_VEC(struct pe_job) at; /**< of the last pe_jobs_poll() */
};

/** Prepare the queue of a spool; it is not queried yet. */
void pe_jobs_open(struct pe_jobs *out, struct pe_app *app, const char *spool);

/** The jobs go on. A zeroed one is allowed. */
void pe_jobs_close(struct pe_jobs *jobs);

/**
 * Start a worker.
 *
 * @param shard    what it measures; NULL: a probe, which leaves in the spool what its node is
 * @param node     where it runs; NULL: anywhere
 * @param exclude  nodes where it does not run
 * @return         PE_EBUSY: not now; PE_EUNSUPPORTED: Slurm refuses such a job
 */
int pe_jobs_submit(struct pe_jobs *jobs, const char *shard, const char *node,
		   const struct pe_strings *exclude);

/** Ask the queue. Jobs that it holds back for ever, and second ones of a shard, are cancelled. PE_EBUSY: it does not answer. */
int pe_jobs_poll(struct pe_jobs *jobs);

/** The job of a shard; NULL: none is queued or runs. */
const struct pe_job *pe_jobs_find(const struct pe_jobs *jobs, const char *shard);

/** End a shard's job where it has not begun. */
void pe_jobs_drop(struct pe_jobs *jobs, const char *shard);

/** Ask all workers to end, and remove those that have not begun. PE_EBUSY. */
int pe_jobs_cancel(struct pe_jobs *jobs);

/** Names of the machines that take jobs, in the context's arena. */
int pe_jobs_nodes(struct pe_strings *out, struct pe_jobs *jobs);
