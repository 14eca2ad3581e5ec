/*
 * Shard: what one worker measures in one allocation: some benchmarks over a whole stretch of history. Two commits are never
 * measured on two machines to be compared with each other, so work is divided by benchmark alone. A shard is a document
 * named by its hash, and never changes.
 */
#pragma once

#include "app/app.h"
#include "app/search/track.h"

/** Strings live where it was made. */
struct pe_shard {
	const char *store;   /**< file below the spool: the copy that workers begin with */
	const char *machine; /**< fingerprint of the class of machines whose results these are */
	const char *recipe;  /**< hash: a worker that reads another config refuses */
	const char *node;  /**< that measured these benchmarks before, and is to go on; NULL: any */
	const char *avoid; /**< a node that is not to measure this; NULL: none */
	bool quick;        /**< `--quick` */
	bool whole;        /**< every repeat is made, as with `--all` */
	struct pe_strings names, versions; /**< of its benchmarks */
	struct pe_strings revisions;       /**< ids, oldest first */
	struct pe_strings metrics;         /**< that are judged; none: by config and default */
	struct pe_track_request request;   /**< `bench` is not looked at */
};

/** Write the document. Equal shards give equal bytes. */
void pe_shard_write(struct pe_text *out, const struct pe_shard *shard);

/** Read a document. PE_EINVALID with what is wrong. */
int pe_shard_read(struct pe_shard *out, const char *document, size_t n, struct pe_arena *arena,
		  struct pe_err *err);

/** Read one from a spool, in the arena. PE_ENOTFOUND; PE_EINVALID: it was cut short or altered. */
int pe_shard_get(struct pe_shard *out, struct pe_app *app, const char *spool, const char *name,
		 struct pe_arena *arena);

/** A benchmark that is to be measured. */
struct pe_shard_part {
	size_t benchmark; /**< the caller's number of it */
	double seconds;   /**< that it takes; NaN: not known */
	const char *node; /**< that it stays on; NULL: any */
	size_t shard;     /**< out: which one it is of, from 0 */
};

/**
 * Divide benchmarks among at most `workers` workers that run at the same time, so that they end together: the longest
 * first, each to the worker that has least (Graham, SIAM J. Appl. Math. 17 (1969): at most 4/3 of the best). Those that
 * stay on a node share shards with others of that node alone, and the other nodes share the rest. An unknown duration
 * counts as the mean of the known ones.
 *
 * @param parts  their order does not matter
 * @return       number of shards
 */
size_t pe_shards_divide(struct pe_shard_part *parts, size_t n, size_t workers);
