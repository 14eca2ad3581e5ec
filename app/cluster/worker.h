/*
 * Worker: measures one shard on the node that it is started on, in a copy of the store, and leaves what it measured in the
 * spool, from time to time and at the end: a piece with all of it, in place of the one before. The next worker of the same
 * shard begins with the last piece.
 */
#pragma once

#include "app/cluster/shard.h"
#include "app/cluster/spool.h"

/** Exit status of a worker that was interrupted: the shard goes on with another one (EX_TEMPFAIL). */
enum { PE_EXIT_REQUEUE = 75 };

/**
 * Measure a shard. The application has its repository and config open, and no store.
 *
 * @param id     the shard's name
 * @return       PE_OK: it is done, or what stands against it was left in the spool; PE_ESTOPPED: asked to end
 */
int pe_farm_work(struct pe_app *app, const char *spool, const char *id);

/** Leave in the spool what this machine is. */
int pe_farm_describe_node(struct pe_app *app, const char *spool);

/** The name of this node: Slurm's, else the host's. In the arena. */
const char *pe_farm_node(struct pe_arena *arena);
