/*
 * Spool: the folder that a coordinator and its workers share. Work goes in, pieces of results come out; all are files that
 * are written whole and never change, named by the hash of their content. A file whose name does not match is set aside:
 * it was cut short or altered, and its results are measured again.
 *
 *	lock       held by the coordinator
 *	shards/    work
 *	stores/    copies of the store that workers begin with
 *	pieces/    what workers measured
 *	nodes/     probed machines
 *	logs/      output of workers
 *	refused/   pieces that were not imported
 *	stop       ends the coordinator
 */
#pragma once

#include "app/app.h"
#include "store/farm.h"

/** Path of the spool: `farm: spool:`, else next to the store; absolute, in the arena. */
const char *pe_spool_path(struct pe_app *app);

/** Make the folders, which only this user may write to. */
int pe_spool_make(struct pe_app *app, const char *spool);

/** Be the only coordinator of a spool, as long as the descriptor is open. PE_EBUSY: there is another one. */
int pe_spool_lock(int *out, struct pe_app *app, const char *spool);

/** Write a file of a folder of the spool, named by its content; its name in `name`. */
int pe_spool_put(char name[PE_HASH_HEX], struct pe_app *app, const char *spool, const char *folder,
		 const struct pe_text *content);

/** Read such a file. PE_EINVALID: its content has another name. */
int pe_spool_get(struct pe_text *out, struct pe_app *app, const char *spool, const char *folder,
		 const char *name);

/** Names in a folder of the spool that are hashes, sorted, in the arena. */
int pe_spool_list(struct pe_strings *out, const char *spool, const char *folder,
		  struct pe_arena *arena, struct pe_err *err);

/* --- Pieces --- */

enum pe_piece_state {
	PE_PIECE_PART,   /**< the worker goes on, or another one does */
	PE_PIECE_DONE,   /**< the shard is measured */
	PE_PIECE_FAILED, /**< the worker could not go on */
};

/** Behind each document of a piece: a form feed, which no document has. */
enum { PE_PIECE_END = '\f' };

/** All that the workers of a shard have measured so far: each piece replaces the one before. Strings live where it was made. */
struct pe_piece {
	enum pe_piece_state state;
	const char *shard, *node;
	const char *failure; /**< failed: why; else NULL */
	int64_t time_ns;     /**< of an end: when it was written, so that two ends differ */
	char *documents;     /**< results (store/exchange.h), each ended by PE_PIECE_END */
};

/** Write a piece into the spool; its name in `name`. */
int pe_piece_put(char name[PE_HASH_HEX], struct pe_app *app, const char *spool,
		 const struct pe_piece *piece);

/** Read a piece. PE_EINVALID: it was cut short or altered, or is none. In the arena. */
int pe_piece_get(struct pe_piece *out, struct pe_app *app, const char *spool, const char *name,
		 struct pe_arena *arena);
