/*
 * Import of pieces: each once, in the transaction that records it, and only for work of this spool. A piece that was cut
 * short, altered, or has results of other work is set aside; its results are measured again.
 */
#pragma once

#include "app/cluster/spool.h"

/** A piece that was imported. Strings live in the arena that pe_pieces_take() was given. */
struct pe_piece_taken {
	const char *name;
	struct pe_piece piece;
};

struct pe_pieces {
	struct pe_results_sum rows;
	size_t refused;
	struct pe_piece_taken *at;
	size_t n;
};

/**
 * Import the pieces in a spool that are new.
 *
 * @param shard  only those of this one; NULL: all
 * @param arena  of the result
 */
int pe_pieces_take(struct pe_pieces *out, struct pe_app *app, const char *spool, const char *shard,
		   struct pe_arena *arena);
