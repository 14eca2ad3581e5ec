/*
 * Farm: `track` on many machines. The coordinator divides the benchmarks into shards (app/cluster/shard.h), hands them out
 * (app/cluster/dispatch.h), and takes in what workers leave in the spool (app/cluster/pieces.h); it alone writes the store. A
 * shard is done when all pieces are there that its worker names, whatever became of the job.
 */
#ifndef PE_APP_CLUSTER_FARM_H
#define PE_APP_CLUSTER_FARM_H

#include "app/cluster/dispatch.h"
#include "app/cluster/pieces.h"
#include "app/search/track.h"

enum { PE_FARM_NONE, PE_FARM_SLURM, PE_FARM_LOCAL };

/** What was handed out, or is to be: a shard and where it stands. */
struct pe_farm_work {
	const char *name; /**< of the shard */
	struct pe_job job;
	unsigned failures; /**< in a row, without a piece in between */
	size_t known;      /**< its pieces, when it was handed out */
	uint64_t gone_ns;  /**< since when its job is gone; 0: it is not */
	uint64_t
		waits_ns; /**< since when it waits for a node that is not to be had; 0: it does not */
	bool moved;       /**< it waited in vain for the node of its benchmarks: any one will do */
	unsigned lost;    /**< how often its job was forgotten, in a row */
	bool stopped; /**< its worker was asked to end, and told so: its job is not needed any more */
	bool done, given_up; /**< nothing more is to be handed out */
	const char *said;    /**< why it failed last; NULL: nobody said */
};

/** A node that let work down. */
struct pe_farm_node {
	char name[PE_NODE_NAME];
	unsigned failures;
	bool excluded;
	const char *said;
};

/** A spool's coordinator. */
struct pe_farm {
	struct pe_app *app;
	const char *spool;
	struct pe_dispatch dispatch;
	int how, lock;
	PE_VEC(struct pe_farm_work) work;
	PE_VEC(struct pe_farm_node) nodes;
	uint64_t due_ns; /**< when the queue is asked again */
	unsigned
		pause_ms; /**< and how long after that once more: it grows while nothing is handed out */
	bool silent;      /**< it was said that the queue cannot be asked */
	bool unwritten; /**< the spool is full: what was handed out is remembered later */
	size_t taken, refused;
};

/**
 * Open a spool's coordinator, with what an earlier one handed out and did not see the end of.
 *
 * @param how  PE_FARM_SLURM or PE_FARM_LOCAL
 * @return     PE_EBUSY: there is another coordinator
 */
int pe_farm_open(struct pe_farm *out, struct pe_app *app, int how);

/** Close it; jobs of Slurm live on, children are asked to end and waited for. Welcomes a zeroed one. */
void pe_farm_close(struct pe_farm *farm);

/**
 * Hand out what is not handed out yet, and take in pieces until all work is done or given up. What is over is removed
 * from the spool.
 *
 * @return  PE_ESTOPPED after Ctrl-C, or `farm stop`; PE_EUNSUPPORTED: some work was given up, and why
 */
int pe_farm_watch(struct pe_farm *farm);

/** Wait. @return  somebody wants it to end: Ctrl-C, or `farm stop` */
bool pe_farm_pause(const struct pe_farm *farm, unsigned ms);

/** Ask all workers to end, and forget their work; with a coordinator at work, it does so. *n: workers. */
int pe_farm_stop(size_t *n, struct pe_app *app);

/** Name of what is written into the spool to ask a coordinator to end. */
#define PE_FARM_STOP "stop"

/* --- app/cluster/jobs.c: what is remembered of it --- */

/** Write what was handed out to the spool. PE_ESYS, PE_EFULL. */
int pe_farm_write_jobs(struct pe_farm *farm);

/** Read what was handed out from the spool, in the application's arena; nothing where nothing was. PE_ESYS, PE_EINVALID. */
int pe_farm_read_jobs(struct pe_farm *farm);

/** A node, added where it is new. */
struct pe_farm_node *pe_farm_node_of(struct pe_farm *farm, const char *name);

/* --- app/cluster/track.c --- */

/** The class of machines that this store's farm measures on: app->machine. PE_ENOTFOUND: `farm init` has not been run. */
int pe_farm_choose_machine(struct pe_app *app, int how);

/**
 * Measure and confirm on a farm, as pe_track_measure() does here; the session measures, and does not any more afterwards.
 *
 * @param quick  of `--quick`: the workers' config is made so
 */
int pe_farm_track(struct pe_session *session, const struct pe_track_request *request, int how,
		  bool quick);

/** Ask every node of the partition what it is, and choose the class that most nodes are of. Says what was found. */
int pe_farm_init(struct pe_app *app, struct pe_text *out);

#endif
