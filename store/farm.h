/*
 * Farm: what a store needs where many machines measure for it. Its copy goes to each of them, and what they measure comes
 * back in documents (store/exchange.h), each of which is taken in once.
 */
#pragma once

#include "store/exchange.h"

/** Write the whole store, as of this moment, into a new file. PE_ESTORE, PE_EFULL. */
int pe_store_copy(struct pe_store *store, const char *path, struct pe_err *err);

/** All that is there has left: only what comes from now on leaves this store. For a copy, before it is measured into. */
int pe_store_all_left(struct pe_store *store, struct pe_err *err);

/**
 * Keys of batches, with runs or without, in the arena: of those that are open, but of no confirmation, whose runs count when
 * it is decided; or of those that are closed and have not left.
 */
int pe_store_farm_batches(int64_t **out, size_t *n, struct pe_store *store, bool open,
			  struct pe_arena *arena, struct pe_err *err);

/** Make a machine the class of this store's farm, of which results are shown first. */
int pe_store_set_farm(struct pe_store *store, int64_t machine, struct pe_err *err);

/** The class of this store's farm, in the arena; the one that was set last. PE_ENOTFOUND, without a sentence. */
int pe_store_get_farm(struct pe_machine *out, struct pe_store *store, struct pe_arena *arena,
		      struct pe_err *err);

/** Whether a piece was taken in; that it was, in the transaction in which its rows are. @param name  hash */
int pe_store_has_piece(bool *out, struct pe_store *store, const char *name, struct pe_err *err);
int pe_store_put_piece(struct pe_store *store, const char *name, const char *shard,
		       struct pe_err *err);

/** Pieces of a shard that were taken in. */
int pe_store_count_pieces(size_t *out, struct pe_store *store, const char *shard,
			  struct pe_err *err);

/** The node that measured a benchmark on a machine first, in the arena; NULL: none is known. */
int pe_store_node_of(const char **out, struct pe_store *store, int64_t machine, int64_t benchmark,
		     struct pe_arena *arena, struct pe_err *err);

/** A node that measured a benchmark. */
struct pe_measured_on {
	int64_t benchmark; /**< key */
	const char *node;
};

/**
 * What was measured where on a machine, by benchmark and the nodes' names, in the arena: one row each. What stands aside of
 * the series does not count.
 */
int pe_store_measured_on(struct pe_measured_on **out, size_t *n, struct pe_store *store,
			 int64_t machine, struct pe_arena *arena, struct pe_err *err);

/** What a node has measured. */
struct pe_stored_node {
	const char *name;
	size_t batches, runs, benchmarks;
	int64_t last_run_s;
};

/** The nodes of a machine, by name, in the arena. */
int pe_store_nodes(struct pe_stored_node **out, size_t *n, struct pe_store *store, int64_t machine,
		   struct pe_arena *arena, struct pe_err *err);
