/*
 * Exchange: what leaves a store for others and what comes from them. A closed batch leaves once, whole; so do
 * failed builds, reused cells and confirmations that are settled. What came from elsewhere does not leave again.
 */
#ifndef PE_STORE_EXCHANGE_H
#define PE_STORE_EXCHANGE_H

#include "exchange/results.h"
#include "store/store.h"

/** Keys of the closed batches with runs that have not left yet, oldest first, in the arena. */
int pe_store_batches_to_share(int64_t **out, size_t *n, struct pe_store *store,
			      struct pe_arena *arena, struct pe_err *err);

/** A batch with its machine, cells and runs, in the arena. PE_ENOTFOUND: there is no such batch. */
int pe_store_pack_batch(struct pe_results *out, struct pe_store *store, int64_t batch,
			struct pe_arena *arena, struct pe_err *err);

/**
 * What a machine has of failed builds, reused cells and settled confirmations that has not left yet: a document
 * without a batch.
 *
 * @param most  rows of each at once: when there are that many, there may be more
 */
int pe_store_pack_findings(struct pe_results *out, struct pe_store *store, int64_t machine,
			   size_t most, struct pe_arena *arena, struct pe_err *err);

/** It has left: a batch, or the findings that pe_store_pack_findings() gives for the same arguments. */
int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err);
int pe_store_findings_left(struct pe_store *store, int64_t machine, size_t most,
			   struct pe_err *err);

/**
 * Take results in, all of it or nothing. A batch that is there already (by machine, time and seed) stays as
 * it is, and so does what is known of builds, reused cells and confirmations.
 *
 * @param runs  set to the number of runs that are new
 */
int pe_store_unpack(size_t *runs, struct pe_store *store, const struct pe_results *results,
		    struct pe_err *err);

/** Bundles that were looked at, by their name outside: each is taken in once, also after `gc`. */
int pe_store_bundle_seen(bool *out, struct pe_store *store, const char *name, struct pe_err *err);
int pe_store_see_bundle(struct pe_store *store, const char *name, struct pe_err *err);

#endif
