/*
 * Farm: `track` on many machines. The coordinator divides the benchmarks into shards (app/cluster/shard.h), submits a job for
 * each (app/cluster/jobs.h), and imports the pieces that workers leave in the spool (app/cluster/pieces.h); it alone writes
 * the store. A shard is done when its worker's piece says so, whatever the state of the job. A shard whose job ends earlier
 * is submitted again. Nothing about jobs is stored: the queue has the shards' names.
 */
#pragma once

#include "app/cluster/jobs.h"
#include "app/cluster/pieces.h"
#include "app/cluster/shard.h"
#include "app/search/track.h"

/** A shard that was or will be submitted. */
struct pe_farm_part {
	const char *name;         /**< of the shard */
	const char *node, *avoid; /**< where its jobs run, and do not; NULL: anywhere, nowhere */
	unsigned tries;           /**< jobs in a row that measured nothing */
	bool handed_out;          /**< it had a job of this coordinator */
	bool gone;                /**< it had no job when the queue was queried last */
	bool waits;               /**< it was reported that its node is down */
	bool over;                /**< done, or given up */
	const char *reason;       /**< why its last job failed; given up: why; NULL: not known */
};

/** The coordinator of a spool. */
struct pe_farm {
	struct pe_app *app;
	const char *spool;
	struct pe_jobs jobs;
	int lock;
	struct pe_strings others; /**< nodes of another class, which get no jobs */
	PE_VEC(struct pe_farm_part) parts;
	size_t given_up;
	uint64_t due_ns;   /**< when the queue is queried again */
	unsigned pause_ms; /**< from then to the next time: it grows while nothing is submitted */
	bool silent;       /**< it was reported that the queue does not answer */
};

/** Open a spool's coordinator. PE_EBUSY: there is another one. */
int pe_farm_open(struct pe_farm *out, struct pe_app *app);

/** Close it; the jobs go on. A zeroed one is allowed. */
void pe_farm_close(struct pe_farm *farm);

#define pe_auto_farm __attribute__((cleanup(pe_farm_close))) struct pe_farm

/** Add a part. @param name  of the shard */
void pe_farm_add(struct pe_farm *farm, const char *name, const struct pe_shard *shard);

/** Make shards parts of the work that an earlier coordinator submitted and whose jobs wait or run. */
int pe_farm_adopt(struct pe_farm *farm);

/**
 * Submit jobs and import pieces until every part is done or given up.
 *
 * @return  PE_ESTOPPED after Ctrl-C, or `farm stop`; PE_EUNSUPPORTED: a part was given up, with the reason
 */
int pe_farm_watch(struct pe_farm *farm);

/** Wait. @return  the user wants it to end: Ctrl-C, or `farm stop` */
bool pe_farm_pause(const struct pe_farm *farm, unsigned ms);

/** Ask all workers to end; a running coordinator then ends, too. *n: jobs. */
int pe_farm_stop(size_t *n, struct pe_app *app);

/* --- app/cluster/nodes.c --- */

/** The class of machines that this store's farm measures on: app->machine. PE_ENOTFOUND: `farm init` has not been run. */
int pe_farm_choose_machine(struct pe_app *app);

/** Probe every node of the partition, and choose the class that most nodes are of. `out` receives the report. */
int pe_farm_init(struct pe_app *app, struct pe_text *out);

/** Names of the nodes that `farm init` found to be of another class than app->machine. In the arena. */
int pe_farm_other_nodes(struct pe_strings *out, struct pe_app *app, const char *spool,
			const struct pe_machine *machine);

/* --- app/cluster/status.c --- */

/** Append what the farm is doing and what its nodes are like, for people and as a document: see the function. */
int pe_farm_status(struct pe_text *text, struct pe_text *document, struct pe_app *app);

/* --- app/cluster/track.c --- */

/**
 * Measure and confirm on a farm, as pe_track_measure() does here; the session measures, and does not any more afterwards.
 *
 * @param quick  of `--quick`: the workers' config is made so
 */
int pe_farm_track(struct pe_session *session, const struct pe_track_request *request, bool quick);
