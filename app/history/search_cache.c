/*
 * A file is a row of 64-bit words of this machine: the digest of what its result depends on, the checksum of the result,
 * and the result, as its structs are in memory. A program that was compiled otherwise has another digest
 * (pe_search_sources).
 */
#include "app/history/search_cache.h"

#include "core/base/array.h"
#include "core/base/files.h"

#include <string.h>
#include <unistd.h>

/* Of the sources that decide what is found (app/history/CMakeLists.txt). */
extern const char pe_search_sources[];

enum {
	N_HEAD = 3, /* words before the result */
	N_FOUND = sizeof(struct pe_changepoints) / sizeof(uint64_t),
	N_CHANGE = sizeof(struct pe_changepoint) / sizeof(uint64_t),
	N_COMMIT = sizeof(struct pe_commit_level) / sizeof(uint64_t),
};

static_assert(N_FOUND * sizeof(uint64_t) == sizeof(struct pe_changepoints) &&
		      N_CHANGE * sizeof(uint64_t) == sizeof(struct pe_changepoint) &&
		      N_COMMIT * sizeof(uint64_t) == sizeof(struct pe_commit_level),
	      "what was found is whole words");

struct pe_search_cache {
	struct pe_app *app;
	int dir; /* -1: there is no folder */
};

static int open_folder(struct pe_app *app, bool make)
{
	const char *folder = pe_arena_printf(app->arena, "%s/found", pe_app_cache_dir(app));
	struct pe_err why = PE_ERR_INIT;
	struct pe_app silent = *app;

	silent.err = &why;
	if (make && pe_app_make_cache(&silent, folder) != PE_OK)
		return -1;
	return pe_files_open_below(pe_app_cache_root(app), folder, false);
}

struct pe_search_cache *pe_search_cache_open(struct pe_app *app)
{
	struct pe_search_cache *cache = pe_arena_new(app->arena, struct pe_search_cache, 1);

	*cache = (struct pe_search_cache){app, open_folder(app, false)};
	return cache;
}

void pe_search_cache_close(struct pe_search_cache *cache)
{
	if (cache != NULL && cache->dir >= 0)
		close(cache->dir);
}

void pe_search_cache_begin(struct pe_search_key *key, const struct pe_search_cache *cache,
			   int64_t benchmark, const char *metric, size_t chain)
{
	struct pe_xxh name;

	/* Constructed readings could have the same digest as ours: the store's path keeps them to their own store. */
	pe_xxh_init(&key->digest);
	pe_xxh_string(&key->digest, pe_search_sources);
	pe_xxh_string(&key->digest, pe_store_path(cache->app->store));
	pe_xxh_init(&name);
	pe_xxh_string(&name, pe_store_path(cache->app->store));
	pe_xxh_number(&name, (uint64_t)benchmark);
	pe_xxh_string(&name, metric);
	pe_xxh_number(&name, chain);
	pe_xxh_write(&name, key->name);
}

/* --- What was found, in words --- */

static uint64_t check_of(const uint64_t *words, size_t n)
{
	struct pe_xxh hash;

	pe_xxh_init(&hash);
	pe_xxh_bytes(&hash, words, n * sizeof(*words));
	return hash.low;
}

static size_t count_words(const struct pe_changepoints *found)
{
	return N_FOUND + N_CHANGE * found->n + N_COMMIT * found->n_commits;
}

/* Changes are at other commits each, in ascending order. */
static bool are_whole(const struct pe_changepoints *found)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct pe_changepoint *one = &found->at[i];

		if (one->index >= found->n_commits || one->before >= one->index ||
		    one->first > one->last || one->last >= found->n_commits ||
		    (i > 0 && one->index <= one[-1].index))
			return false;
	}
	return true;
}

static bool decode(struct pe_changepoints *out, const uint64_t *words, size_t n, size_t n_commits,
		   struct pe_arena *arena)
{
	if (n < N_FOUND)
		return false;
	memcpy(out, words, sizeof(*out));
	if (out->n_commits != n_commits || out->n >= n_commits || out->n_components > n_commits ||
	    n != count_words(out))
		return false;
	out->at = pe_array_copy(arena, words + N_FOUND, out->n, sizeof(*out->at));
	out->commits = pe_array_copy(arena, words + N_FOUND + N_CHANGE * out->n, n_commits,
				     sizeof(*out->commits));
	return are_whole(out);
}

bool pe_search_cache_find(struct pe_changepoints *out, const struct pe_search_cache *cache,
			  const struct pe_search_key *key, size_t n_commits, struct pe_arena *arena)
{
	pe_auto_text file = PE_TEXT_INIT;
	/* Memory of the allocator: aligned for words. */
	const uint64_t *words;
	size_t n;

	if (cache->dir < 0 || pe_files_read_at(&file, cache->dir, key->name) != 0)
		return false;
	words = (const uint64_t *)(const void *)file.data;
	n = file.len / sizeof(*words);
	return file.len % sizeof(*words) == 0 && n > N_HEAD && words[0] == key->digest.high &&
	       words[1] == key->digest.low && words[2] == check_of(words + N_HEAD, n - N_HEAD) &&
	       decode(out, words + N_HEAD, n - N_HEAD, n_commits, arena);
}

static void add_words(struct pe_text *out, const void *words, size_t bytes)
{
	if (bytes > 0)
		pe_text_addn(out, words, bytes);
}

void pe_search_cache_put(struct pe_search_cache *cache, const struct pe_search_key *key,
			 const struct pe_changepoints *found)
{
	uint64_t head[N_HEAD] = {key->digest.high, key->digest.low};
	pe_auto_text file = PE_TEXT_INIT;

	if (cache->dir < 0)
		cache->dir = open_folder(cache->app, true);
	if (cache->dir < 0)
		return;
	add_words(&file, head, sizeof(head));
	add_words(&file, found, sizeof(*found));
	add_words(&file, found->at, found->n * sizeof(*found->at));
	add_words(&file, found->commits, found->n_commits * sizeof(*found->commits));
	head[2] = check_of((const uint64_t *)(const void *)(file.data + sizeof(head)),
			   count_words(found));
	memcpy(file.data, head, sizeof(head));
	(void)pe_files_write_at(&file, cache->dir, key->name, 0600);
}
