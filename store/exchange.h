/*
 * Exchange: what leaves a store for others and what comes from them. A closed batch leaves once, whole; so do
 * failed builds, reused cells, confirmations that are settled, and the profiles of confirmed jumps. What came from elsewhere does not leave again.
 */
#ifndef PE_STORE_EXCHANGE_H
#define PE_STORE_EXCHANGE_H

#include "store/exchange/results.h"
#include "store/store.h"

#include <signal.h>

/** Keys of the closed batches with runs that have not left yet, oldest first, in the arena. */
int pe_store_batches_to_share(int64_t **out, size_t *n, struct pe_store *store,
			      struct pe_arena *arena, struct pe_err *err);

/** A batch with its machine, cells and runs, in the arena. PE_ENOTFOUND: there is no such batch. */
int pe_store_pack_batch(struct pe_results *out, struct pe_store *store, int64_t batch,
			struct pe_arena *arena, struct pe_err *err);

/** Which findings. */
struct pe_findings {
	int64_t machine;
	/** rows of each kind at once (of builds, which have logs, PE_BUILDS_AT_ONCE): when there are that many, there may be more */
	size_t most;
	bool good_builds; /**< also builds that did not fail, for a store of the same machine */
};

/**
 * What a machine has of failed builds, reused cells and settled confirmations that has not left yet: a document
 * without a batch. Nothing of a machine that others have measured on.
 */
int pe_store_pack_findings(struct pe_results *out, struct pe_store *store,
			   const struct pe_findings *which, struct pe_arena *arena,
			   struct pe_err *err);

/**
 * The profiles that explain confirmed jumps, and those of metrics that do not vary, of machines that are measured on
 * here: of the revisions on either side, or of those whose results these take, that have not left yet; oldest first, in
 * the arena.
 */
int pe_store_profiles_to_share(struct pe_stored_profile **out, size_t *n, struct pe_store *store,
			       struct pe_arena *arena, struct pe_err *err);

/** A profile with its machine, trees and their methods, in the arena. PE_ENOTFOUND: there is no such profile. */
int pe_store_pack_profile(struct pe_results *out, struct pe_store *store, int64_t profile,
			  struct pe_arena *arena, struct pe_err *err);

/** It has left. One that takes its place has not. */
int pe_store_profile_left(struct pe_store *store, int64_t profile, struct pe_err *err);

/** Failed builds at once, where there are `most` rows of the others. */
#define PE_BUILDS_AT_ONCE(most) ((most) / 16 + 1)

/** It has left: a batch, or the findings that pe_store_pack_findings() gives for the same arguments. */
int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err);
int pe_store_findings_left(struct pe_store *store, const struct pe_findings *which,
			   struct pe_err *err);

/** Whether this store has measured on a machine of that fingerprint itself: results of others are then refused for it. */
int pe_store_is_own(bool *out, struct pe_store *store, const char *fingerprint, struct pe_err *err);

/** The origin of results, and the commits of this store's own repository that they name. */
struct pe_results_source {
	const char *origin; /**< the key that signed them, or PE_UNSIGNED; not empty */
	const char *remote;
	const char *public_key; /**< that signed them, in base64; NULL: none did */
	const int64_t
		*revisions; /**< keys, one a revision; 0: not here, and its rows are left out */
	/**
	 * Not of others, but of a machine of this store's, whose workers measured with copies of it: the name of the
	 * worker's node. Origin and remote mean nothing then. NULL: of others.
	 */
	const char *node;
	struct pe_weighed
		*weighed; /**< by pe_store_weigh(); NULL: each is tested as it is taken in */
	const volatile sig_atomic_t
		*interrupts; /**< rows end with PE_ESTOPPED above 0; NULL: none */
};

/** The result of a confirmation's test, run again on the confirmation's runs. */
struct pe_weighed {
	bool is_known; /**< another one of its batch and metric is here */
	bool is_borne_out;
	struct pe_confirm_result result; /**< where it is */
};

#define PE_UNSIGNED "unsigned"

/** What was new. Counts are added to. */
struct pe_results_sum {
	size_t batches, runs, builds, reused, confirmations, profiles;
	/** confirmations that were left out: their runs are missing, or give another result */
	size_t unproved;
};

/**
 * Test the confirmations of results whose batches are in the store, without writing: pe_store_take_in() then holds the
 * store's lock only while it writes rows. After 64 confirmations that their runs refute, the others are left out untested.
 *
 * @param out     in the arena, one a confirmation, for the source
 * @param misses  refuted confirmations in the bundle's documents so far; those of this document are added
 */
int pe_store_weigh(struct pe_weighed **out, size_t *misses, struct pe_store *store,
		   const struct pe_results *results, const struct pe_results_source *source,
		   struct pe_arena *arena, struct pe_err *err);

/**
 * Import results, all of them or nothing, under the machine of their origin: no row of another machine changes. Batches
 * that the store has (the same machine, time and seed) stay as they are. A confirmation is imported when the same test,
 * run again on its runs, gives the same answer; its values are those of that test. A profile is imported when its trees
 * are whole, and replaces an older one of the same origin.
 *
 * @return  PE_EINVALID when they are of a machine that was measured here; with a node, when they are of another one
 */
int pe_store_take_in(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results *results, const struct pe_results_source *source,
		     struct pe_err *err);

/** A bundle that was looked at, or sent; all NULL: it is done with, also after `gc`. */
struct pe_stored_bundle {
	const char *missing; /**< id of a commit that it names and the repository lacks */
	const char *refused; /**< why it was not taken in */
	const char *reader;  /**< the version of perfevo that refused it */
};

/** By its name outside, in the arena. PE_ENOTFOUND, without a sentence. */
int pe_store_get_bundle(struct pe_stored_bundle *out, struct pe_store *store, const char *name,
			struct pe_arena *arena, struct pe_err *err);
int pe_store_put_bundle(struct pe_store *store, const char *name,
			const struct pe_stored_bundle *bundle, struct pe_err *err);

#endif
