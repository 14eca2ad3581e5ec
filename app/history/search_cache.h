/*
 * Search cache: what the search for change points found, by the digest of all that it depends on: the readings, the
 * store's path and the code. It lies in the user's own cache and not in a store, so that reading a store needs no right
 * to write it, and what another's store says was found is never asked.
 *
 * One file, read whole and replaced whole: whoever replaces it last wins, and a damaged entry is as good as none.
 */
#ifndef PE_APP_HISTORY_SEARCH_CACHE_H
#define PE_APP_HISTORY_SEARCH_CACHE_H

#include "app/app.h"
#include "core/base/xxh.h"
#include "core/stats/changepoint.h"

struct pe_search_cache;

enum {
	PE_SEARCH_CACHE_LEAST =
		100, /**< readings of a chain that is worth an entry: fewer are searched as quickly */
	PE_SEARCH_CACHE_FRESH =
		5000, /**< readings that were searched anew before the file is worth replacing */
	PE_SEARCH_CACHE_AGES =
		3, /**< an entry that was not asked for in so many replacements goes */
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

/** That a digest was asked for. @param found  what was found anew; NULL: it was there */
void pe_search_cache_put(struct pe_search_cache *cache, const struct pe_xxh *key,
			 const struct pe_changepoints *found, size_t readings);

/** Replace the file where enough is new, and release the cache. Nobody is told where that fails. Welcomes NULL. */
void pe_search_cache_close(struct pe_search_cache *cache);

#endif
