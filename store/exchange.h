/*
 * Exchange: what leaves a store for others and what comes from them. A closed batch leaves once, whole; so do
 * failed builds, reused cells, confirmations that are settled, and the profiles of confirmed jumps. What came from elsewhere does not leave again.
 */
#pragma once

#include "core/base/text.h"
#include "store/store.h"

#include <signal.h>

/** What a document, and what a bundle of them may have at most; those that are sent stay well below. */
enum pe_results_limit {
	PE_RESULTS_BYTES = 16 << 20, /**< of text */
	PE_RESULTS_ROWS = 1 << 18,   /**< of all tables */
	PE_RESULTS_VALUES =
		1 << 20, /**< of JSON in one document: they bound the memory that reading takes */
	PE_RESULTS_TEXT = 1 << 20, /**< bytes of a set of modules */
	PE_RESULTS_MODULES =
		1 << 15, /**< of all sets of a document: they are compared with each other */
	PE_RESULTS_NODES = 1 << 20, /**< of all trees of a document, while they are unpacked */
};

/** What was packed, or was new to the store that took it in. Counts are added to. */
struct pe_results_sum {
	size_t batches, runs, builds, reused, confirmations, profiles;
	/** confirmations that were left out: their runs are missing, or give another result */
	size_t unproved;
	/** those of them that were tested: after 64 the others are left out untested */
	size_t misses;
};

/** Add the counts of another sum. */
static inline void pe_results_sum_add(struct pe_results_sum *sum, const struct pe_results_sum *more)
{
	sum->batches += more->batches;
	sum->runs += more->runs;
	sum->builds += more->builds;
	sum->reused += more->reused;
	sum->confirmations += more->confirmations;
	sum->profiles += more->profiles;
	sum->unproved += more->unproved;
	sum->misses += more->misses;
}

/* --- Out --- */

/** A document (schema/results.sql). Equal results give equal bytes. Its text is the caller's, also after a failure. */
struct pe_document {
	struct pe_text text;
	size_t rows;    /**< of all tables, samples among them */
	int64_t time_s; /**< when the newest of it was measured */
	bool more;      /**< of a batch: another part follows */
	struct pe_results_sum sum;
};

/** Receives a document, which lives as long as the call. What is not PE_OK ends the packing with it. */
typedef int pe_document_fn(const struct pe_document *document, void *payload);

static inline void pe_document_release(struct pe_document *document)
{
	pe_text_release(&document->text);
}

#define pe_auto_document __attribute__((cleanup(pe_document_release))) struct pe_document

/** Keys of the closed batches with runs that have not left yet, oldest first, in the arena. */
int pe_store_batches_to_share(int64_t **out, size_t *n, struct pe_store *store,
			      struct pe_arena *arena, struct pe_err *err);

/**
 * Pack the runs of a batch, in parts of some 4 MiB, each with its machine and all cells. Parts without a run are left out.
 *
 * @param failures  also runs that failed
 */
int pe_store_pack_batch(struct pe_store *store, int64_t batch, bool failures, pe_document_fn *take,
			void *payload, struct pe_err *err);

/** Which findings. */
struct pe_findings {
	int64_t machine;
	size_t most; /**< rows of each kind in a document (of builds, which have logs, a 16th) */
	bool good_builds; /**< also builds that did not fail, for a store of the same machine */
	bool no_failures; /**< and none that failed */
};

/**
 * Pack what a machine has of failed builds, reused cells and settled confirmations that has not left yet, in documents
 * without a batch. Each has left when it was taken. Nothing of a machine that others have measured on.
 */
int pe_store_pack_findings(struct pe_store *store, const struct pe_findings *which,
			   pe_document_fn *take, void *payload, struct pe_err *err);

/**
 * The profiles that explain confirmed jumps, and those of metrics that do not vary, of machines that are measured on
 * here: of the revisions on either side, or of those whose results these take, that have not left yet; oldest first, in
 * the arena.
 */
int pe_store_profiles_to_share(struct pe_stored_profile **out, size_t *n, struct pe_store *store,
			       struct pe_arena *arena, struct pe_err *err);

/** A profile with its machine, trees and their methods. */
int pe_store_pack_profile(struct pe_document *out, struct pe_store *store, int64_t profile,
			  struct pe_err *err);

/** It has left. One that takes its place has not. */
int pe_store_profile_left(struct pe_store *store, int64_t profile, struct pe_err *err);

/** Count what has not left yet. */
int pe_store_count_to_share(struct pe_results_sum *out, struct pe_store *store,
			    struct pe_arena *arena, struct pe_err *err);

/** It has left: a batch. */
int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err);

/* --- In --- */

/** A benchmark of one version. */
struct pe_results_benchmark {
	const char *name, *version;
};

/** A document that was read. Strings and arrays live where it was made. */
struct pe_results {
	char fingerprint[PE_HASH_HEX]; /**< of its machine */
	bool has_batch;
	size_t n_rows;
	const char **
		revisions; /**< ids of commits: what these are, each store learns from its own repository */
	size_t n_revisions;
	struct pe_results_benchmark *benchmarks;
	size_t n_benchmarks;
};

/**
 * Read a document, for pe_store_take_in(). Nothing in it is trusted: identifiers have their form, references their target,
 * numbers are finite and within the bounds that a store has, only measured runs have samples.
 *
 * @param document  terminated
 * @return          PE_EINVALID with the row that is wrong; PE_EUNSUPPORTED for a newer version
 */
int pe_results_read(struct pe_results *out, struct pe_store *store, const char *document,
		    struct pe_arena *arena, struct pe_err *err);

/** Whether this store has measured on a machine of that fingerprint itself: results of others are then refused for it. */
int pe_store_is_own(bool *out, struct pe_store *store, const char *fingerprint, struct pe_err *err);

/** The origin of results. */
struct pe_results_source {
	const char *origin; /**< the key that signed them, or PE_UNSIGNED; not empty */
	const char *remote;
	const char *public_key; /**< that signed them, in base64; NULL: none did */
	/**
	 * Not of others, but of a machine of this store's, whose workers measured with copies of it: the name of the
	 * worker's node. Origin and remote mean nothing then. NULL: of others.
	 */
	const char *node;
	int64_t now_s; /**< a day more is allowed for what was measured, for clocks that differ */
	const volatile sig_atomic_t *interrupts; /**< ends with PE_ESTOPPED above 0; NULL: none */
};

#define PE_UNSIGNED "unsigned"

/**
 * Import the document that was read last, all of it or nothing, under the machine of its origin: no row of another machine
 * changes. Rows of commits that the store has not are left out. Batches that the store has (the same machine, time and seed)
 * stay as they are. A confirmation is imported when the same test, run again on its runs, gives the same answer; its values
 * are those of that test. A profile is imported when its trees are whole, and replaces an older one of the same origin.
 *
 * @return  PE_EINVALID when it is of a machine that was measured here (with a node: of another one), and for what cannot be
 *          true: nothing was measured in the future or before its commit, times and counts are not negative
 */
int pe_store_take_in(struct pe_results_sum *sum, struct pe_store *store,
		     const struct pe_results_source *source, struct pe_err *err);

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
