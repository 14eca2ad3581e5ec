/*
 * Search cache: results of the search for change points, by the digest of all that they depend on: the readings, the
 * store's path and the code. It is in the user's own cache and not in a store, so that reading a store needs no right to
 * write it, and results in a received store are never trusted.
 *
 * One file, read whole and replaced whole: the last writer wins, and a damaged entry counts as missing.
 */
#ifndef PE_APP_HISTORY_SEARCH_CACHE_H
#define PE_APP_HISTORY_SEARCH_CACHE_H

#include "app/app.h"
#include "core/base/xxh.h"
#include "core/stats/changepoint.h"

struct pe_search_cache;

enum {
	PE_SEARCH_CACHE_LEAST =
		100, /**< readings of a chain that gets an entry: fewer are searched as quickly */
	PE_SEARCH_CACHE_FRESH =
		5000, /**< readings that were searched anew before the file is replaced */
	PE_SEARCH_CACHE_AGES = 3, /**< replacements after which an unused entry is dropped */
	PE_SEARCH_CACHE_BYTES = 128 << 20, /**< of the file; 1,000 lines of 1,000 commits: 72 MB */
};

/** Read the file. Without one, or without a place for it, the cache is empty. pe_search_cache_close() releases it. */
struct pe_search_cache *pe_search_cache_open(struct pe_app *app);

/** What a digest of a chain begins with: the code and the store. */
void pe_search_cache_begin(struct pe_xxh *hash, const struct pe_search_cache *cache);

/**
 * What was found for a digest. May be called on several threads at a time.
 *
 * @param n_commits  that were searched
 * @return           false: nothing, or nothing that can be read
 */
bool pe_search_cache_find(struct pe_changepoints *out, const struct pe_search_cache *cache,
			  const struct pe_xxh *key, size_t n_commits, struct pe_arena *arena);

/** Note that a digest was used. @param found  its new result; NULL: the cache had it */
void pe_search_cache_put(struct pe_search_cache *cache, const struct pe_xxh *key,
			 const struct pe_changepoints *found, size_t readings);

/** Replace the file where enough is new, and release the cache. A failure is ignored. NULL is allowed. */
void pe_search_cache_close(struct pe_search_cache *cache);

#endif
