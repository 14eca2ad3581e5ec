/*
 * Dispatch: how workers are started: as jobs of Slurm, or as child processes on this machine. Neither decides whether
 * work is done; that the pieces do.
 */
#ifndef PE_APP_CLUSTER_DISPATCH_H
#define PE_APP_CLUSTER_DISPATCH_H

#include "app/app.h"

enum pe_job_state {
	PE_JOB_NONE,    /**< not handed out */
	PE_JOB_WAITING, /**< in the queue */
	PE_JOB_RUNNING,
	PE_JOB_STUCK, /**< in the queue, and will not leave it by itself */
	PE_JOB_OVER,  /**< it ended, however */
	PE_JOB_LOST,  /**< it is known no more: nobody can tell whether it ended */
};

enum { PE_JOB_ID = 32, PE_NODE_NAME = 64 };

/** A worker that is asked for. */
struct pe_job {
	const char *shard;          /**< NULL: a probe, that leaves in the spool what its node is */
	const char *node;           /**< where it must run; NULL: anywhere */
	struct pe_strings avoid;    /**< nodes where it must not run */
	char id[PE_JOB_ID];         /**< "": not handed out yet */
	char before[PE_JOB_ID];     /**< the number that it had before: that one is to end */
	char seen_on[PE_NODE_NAME]; /**< where it was seen at last; "": nowhere */
	enum pe_job_state state;
	bool without_node; /**< it waits for nodes that are down, drained or kept for others */
};

struct pe_dispatch {
	struct pe_app *app;
	const char *spool;
	unsigned patience_ms;       /**< after a worker ended, until what it wrote must be seen */
	unsigned least_ms, most_ms; /**< between two polls */
	/** Hand a job out and set its id. PE_EBUSY: not now; PE_EUNSUPPORTED: never, as it is asked for. */
	int (*submit)(struct pe_dispatch *dispatch, struct pe_job *job);
	/**
	 * Set state and node of jobs that were handed out; what works on the same beside them is asked to end.
	 * PE_EBUSY: cannot be told now.
	 */
	int (*poll)(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n);
	/** Ask workers to end. */
	int (*cancel)(struct pe_dispatch *dispatch, struct pe_job *const *jobs, size_t n);
	/** Names of the machines that there are, in the context's arena. */
	int (*nodes)(struct pe_strings *out, struct pe_dispatch *dispatch);
	void (*close)(struct pe_dispatch *dispatch);
	void *own;
};

/** Workers as child processes: they measure one after the other, for one measures at a time on a machine. */
void pe_dispatch_local(struct pe_dispatch *out, struct pe_app *app, const char *spool);

/** Workers as jobs of Slurm: sbatch, squeue, scancel and sinfo on PATH. */
void pe_dispatch_slurm(struct pe_dispatch *out, struct pe_app *app, const char *spool);

/** The command that starts a worker on a node that sees the spool, NULL-terminated; in the context's arena. */
const char *const *pe_dispatch_command(const struct pe_dispatch *dispatch,
				       const struct pe_job *job);

/** The shell's script that does so, in the context's arena. */
const char *pe_dispatch_script(const struct pe_dispatch *dispatch, const struct pe_job *job);

#endif
