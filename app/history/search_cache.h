/*
 * Search cache: results of the search for change points, by the digest of all that they depend on: the readings, the
 * store's path and the code. It is in the user's own cache and not in a store, so that reading a store needs no right to
 * write it, and results in a received store are never trusted.
 *
 * A file a chain of a line, which the next result of that chain replaces; a damaged one counts as missing.
 */
#pragma once

#include "app/app.h"
#include "core/base/xxh.h"
#include "core/stats/changepoint.h"

struct pe_search_cache;

enum {
	/** readings of a chain that has a file: fewer are searched as quickly */
	PE_SEARCH_CACHE_LEAST = 300,
};

/** A chain of a line in the cache. */
struct pe_search_key {
	char name[PE_XXH_TEXT]; /**< of its file; "": it has none */
	struct pe_xxh
		digest; /**< of all that its result depends on; pe_search_cache_begin() is called first */
};

/** Without a folder for it the cache is empty. pe_search_cache_close() releases it. */
struct pe_search_cache *pe_search_cache_open(struct pe_app *app);

/** Name the file of a chain, and begin the digest with the code and the store. */
void pe_search_cache_begin(struct pe_search_key *key, const struct pe_search_cache *cache,
			   int64_t benchmark, const char *metric, size_t chain);

/**
 * What was found for a key. May be called on several threads at a time.
 *
 * @param n_commits  that were searched
 * @return           false: nothing, or nothing that can be read
 */
bool pe_search_cache_find(struct pe_changepoints *out, const struct pe_search_cache *cache,
			  const struct pe_search_key *key, size_t n_commits,
			  struct pe_arena *arena);

/** Keep the result for a key. A failure is ignored: the cache only saves time. */
void pe_search_cache_put(struct pe_search_cache *cache, const struct pe_search_key *key,
			 const struct pe_changepoints *found);

/** NULL is allowed. */
void pe_search_cache_close(struct pe_search_cache *cache);
