/* Status: what a farm is doing, and what its nodes are like. Reads alone: a coordinator may be at work. */
#ifndef PE_APP_CLUSTER_STATUS_H
#define PE_APP_CLUSTER_STATUS_H

#include "app/cluster/farm.h"

/** A job that is queued or runs. */
struct pe_farm_status_work {
	const char *name, *job, *node; /**< of the shard, of the job; "" until it runs */
	size_t benchmarks, revisions, pieces;
	const char *waits; /**< for this node, which is down or drained; NULL: it does not */
};

struct pe_farm_status_node {
	struct pe_stored_node stored;
	bool excluded; /**< of another class: it gets no jobs */
};

struct pe_farm_status {
	const char *spool;
	bool has_class, is_coordinated; /**< machine means something; somebody waits for the work */
	struct pe_machine machine;
	const char *silence; /**< why the queue cannot be queried; NULL: it can */
	struct pe_farm_status_work *work;
	size_t n_work;
	struct pe_farm_status_node *nodes;
	size_t n_nodes;
};

/** Look. Everything lives in the application's arena. */
int pe_farm_status(struct pe_farm_status *out, struct pe_app *app);

/** Append it for people. */
void pe_farm_status_text(struct pe_text *out, const struct pe_farm_status *status);

/** Append it as a document: see the function. */
void pe_farm_status_json(struct pe_text *out, const struct pe_farm_status *status);

#endif
