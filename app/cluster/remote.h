/*
 * Remote: work and results by way of a git repository, where machines see no folder together (`farm: remote:`). Each has a
 * spool of its own then. What the coordinator hands out is one commit, by whose id all of it is known: the config, the work, the
 * copy of the store, and, as its parents, the commits that are measured. Pieces and nodes' descriptions come back as blobs,
 * each under a reference of its own that nobody changes.
 *
 * Below refs/perfevo/farms/SPOOL:
 *	work/SHARD, pieces/SHARD/NAME, nodes/NODE
 */
#ifndef PE_APP_CLUSTER_REMOTE_H
#define PE_APP_CLUSTER_REMOTE_H

#include "app/app.h"
#include "vcs/bundles.h"

enum { PE_FARM_REMOTE_MS = 4000 }; /**< between looks of pe_farm_remote_look() */

/** A spool's way to the others. All zero: its folder is seen by all. */
struct pe_farm_remote {
	struct pe_app *app;
	const char *spool, *git_dir;
	const char *refs; /**< what all its references begin with */
	struct pe_remote remote;
	uint64_t looked_ns;        /**< at it; 0: never */
	bool unreachable;          /**< then: nobody is to blame for what does not come */
	PE_VEC(const char *) sent; /**< by a worker: pieces */
};

/** Open a coordinator's; all zero where the config has no `farm: remote:`. */
int pe_farm_remote_open(struct pe_farm_remote *out, struct pe_app *app, const char *spool);

/** Open a worker's, as its job's script has left it in the spool; all zero where all see that folder. */
int pe_farm_remote_join(struct pe_farm_remote *out, struct pe_app *app, const char *spool);

/** Let go of it; welcomes a zeroed one. */
void pe_farm_remote_close(struct pe_farm_remote *remote);

/**
 * Push what a worker needs.
 *
 * @param script  receives lines of shell, in the context's arena, that make a clone and a spool of its own on the node, and
 *                go there: `$place/perfevo.yml` and `$place/spool`
 * @param name    of the shard; NULL: a probe
 * @return        PE_EVCS: git says no
 */
int pe_farm_remote_offer(const char **script, struct pe_farm_remote *remote, const char *name);

/** Fetch what workers left, into the spool; each file once. PE_EVCS: git says no. */
int pe_farm_remote_fetch(struct pe_farm_remote *remote);

/** The same, seldom. One that does not answer is said once, and waited for. */
int pe_farm_remote_look(struct pe_farm_remote *remote);

/** Push a worker's pieces that have not left, or, without a shard, what its node is. PE_EVCS: git says no. */
int pe_farm_remote_send(struct pe_farm_remote *remote, const char *shard, const char *node);

/** Push a worker's pieces, and wait where git says no: so many seconds at most. */
int pe_farm_remote_send_patiently(struct pe_farm_remote *remote, const char *shard,
				  unsigned seconds);

/** Remove all references of the spool from the remote, and what was fetched; where git says no, the next time. */
int pe_farm_remote_clear(struct pe_farm_remote *remote);

/** A worker's folder, which its job's script made, is not needed any more. */
void pe_farm_remote_leave(struct pe_farm_remote *remote);

#endif
