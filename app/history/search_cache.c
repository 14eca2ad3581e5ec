/*
 * The file is a row of 64-bit words of this machine: a mark, then entries, each with its key, its age, its number of words,
 * their checksum and the words: the result, as its structs are in memory. A program that was compiled otherwise has another
 * digest (pe_search_sources).
 */
#include "app/history/search_cache.h"

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/hash_index.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Of the sources that decide what is found (app/history/CMakeLists.txt). */
extern const char pe_search_sources[];

static const uint64_t MARK = 0x3263616365736570; /* "pesecac2" */
static const char FOLDER[] = "found", FILE_NAME[] = "searches";

enum {
	N_HEAD = 5, /* words before those of an entry */
	N_FOUND = sizeof(struct pe_changepoints) / sizeof(uint64_t),
	N_CHANGE = sizeof(struct pe_changepoint) / sizeof(uint64_t),
	N_COMMIT = sizeof(struct pe_commit_level) / sizeof(uint64_t),
};

static_assert(N_FOUND * sizeof(uint64_t) == sizeof(struct pe_changepoints) &&
		      N_CHANGE * sizeof(uint64_t) == sizeof(struct pe_changepoint) &&
		      N_COMMIT * sizeof(uint64_t) == sizeof(struct pe_commit_level),
	      "what was found is whole words");

struct entry {
	struct pe_xxh key;
	uint64_t age;
	const uint64_t *words; /* in the file, or in the arena */
	size_t n;
	uint64_t check;
	bool used;
};

struct pe_search_cache {
	struct pe_app *app;
	struct pe_text file;
	PE_VEC(struct entry) entries;
	struct pe_hash_index index;
	struct pe_arena arena; /* of new entries */
	size_t fresh;          /* readings behind these */
};

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

static void encode(struct entry *entry, const struct pe_changepoints *found, struct pe_arena *arena)
{
	uint64_t *words = pe_arena_new(arena, uint64_t, count_words(found));

	memcpy(words, found, sizeof(*found));
	if (found->n > 0)
		memcpy(words + N_FOUND, found->at, found->n * sizeof(*found->at));
	if (found->n_commits > 0)
		memcpy(words + N_FOUND + N_CHANGE * found->n, found->commits,
		       found->n_commits * sizeof(*found->commits));
	entry->words = words;
	entry->n = count_words(found);
	entry->check = check_of(words, entry->n);
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

static bool decode(struct pe_changepoints *out, const struct entry *entry, size_t n_commits,
		   struct pe_arena *arena)
{
	if (entry->n < N_FOUND)
		return false;
	memcpy(out, entry->words, sizeof(*out));
	if (out->n_commits != n_commits || out->n >= n_commits || out->n_components > n_commits ||
	    entry->n != count_words(out))
		return false;
	out->at = pe_array_copy(arena, entry->words + N_FOUND, out->n, sizeof(*out->at));
	out->commits = pe_array_copy(arena, entry->words + N_FOUND + N_CHANGE * out->n, n_commits,
				     sizeof(*out->commits));
	return are_whole(out);
}

/* --- The file --- */

static size_t row_of(const struct pe_search_cache *cache, const struct pe_xxh *key)
{
	const uint32_t hash = pe_hash_pair(key->high, key->low);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&cache->index, hash, slot)) != NULL;) {
		const struct pe_xxh *one = &cache->entries.data[slot->row].key;

		if (one->high == key->high && one->low == key->low)
			return slot->row;
	}
	return SIZE_MAX;
}

static void add(struct pe_search_cache *cache, const struct entry *entry)
{
	if (row_of(cache, &entry->key) != SIZE_MAX)
		return;
	pe_hash_index_add(&cache->index, pe_hash_pair(entry->key.high, entry->key.low),
			  (uint32_t)cache->entries.n);
	pe_vec_push(&cache->entries, *entry);
}

/* Anything may have happened to the file: what does not fit ends it. */
static void read_entries(struct pe_search_cache *cache)
{
	/* Memory of the allocator: aligned for words. */
	const uint64_t *at = (const uint64_t *)(const void *)cache->file.data;
	const uint64_t *end = at + cache->file.len / sizeof(*at);

	if (at == end || *at++ != MARK)
		return;
	while (end - at > N_HEAD) {
		const struct entry entry = {.key = {.high = at[0], .low = at[1]},
					    .age = at[2],
					    .check = at[3],
					    .n = (size_t)at[4],
					    .words = at + N_HEAD};

		if (at[4] > (uint64_t)(end - entry.words))
			return;
		at = entry.words + entry.n;
		add(cache, &entry);
	}
}

/* Without a folder for caches there is no cache, and no error: it only saves time. */
static int open_folder(struct pe_app *app, bool make)
{
	const char *folder = pe_arena_printf(app->arena, "%s/%s", pe_app_cache_dir(app), FOLDER);
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
	pe_auto_fd dir = open_folder(app, false);

	*cache = (struct pe_search_cache){.app = app};
	if (dir >= 0 && pe_files_read_at(&cache->file, dir, FILE_NAME) == 0 &&
	    cache->file.len <= PE_SEARCH_CACHE_BYTES)
		read_entries(cache);
	return cache;
}

void pe_search_cache_begin(struct pe_xxh *hash, const struct pe_search_cache *cache)
{
	pe_xxh_init(hash);
	pe_xxh_string(hash, pe_search_sources);
	/* Constructed readings could have the same digest as ours: the store's path keeps them to their own store. */
	pe_xxh_string(hash, pe_store_path(cache->app->store));
}

bool pe_search_cache_find(struct pe_changepoints *out, const struct pe_search_cache *cache,
			  const struct pe_xxh *key, size_t n_commits, struct pe_arena *arena)
{
	const size_t row = row_of(cache, key);
	const struct entry *entry;

	if (row == SIZE_MAX)
		return false;
	entry = &cache->entries.data[row];
	return check_of(entry->words, entry->n) == entry->check &&
	       decode(out, entry, n_commits, arena);
}

void pe_search_cache_put(struct pe_search_cache *cache, const struct pe_xxh *key,
			 const struct pe_changepoints *found, size_t readings)
{
	size_t row = row_of(cache, key);

	if (row == SIZE_MAX) {
		row = cache->entries.n;
		add(cache, &(struct entry){.key = *key});
	}
	cache->entries.data[row].used = true;
	cache->entries.data[row].age = 0;
	if (found == NULL)
		return;
	encode(&cache->entries.data[row], found, &cache->arena);
	cache->fresh += readings;
}

static void write_entry(struct pe_text *out, const struct entry *entry)
{
	const uint64_t head[N_HEAD] = {entry->key.high, entry->key.low,
				       entry->used ? 0 : entry->age + 1, entry->check, entry->n};

	if (out->len + (N_HEAD + entry->n) * sizeof(uint64_t) > PE_SEARCH_CACHE_BYTES)
		return;
	pe_text_addn(out, (const char *)head, sizeof(head));
	pe_text_addn(out, (const char *)entry->words, entry->n * sizeof(uint64_t));
}

/* Entries that were used come first: where there are too many, the others are dropped. */
static void replace_file(const struct pe_search_cache *cache)
{
	pe_auto_fd dir = open_folder(cache->app, true);
	pe_auto_text file = PE_TEXT_INIT;

	if (dir < 0)
		return;
	pe_text_addn(&file, (const char *)&MARK, sizeof(MARK));
	for (int used = 1; used >= 0; used--)
		for (size_t i = 0; i < cache->entries.n; i++) {
			const struct entry *entry = &cache->entries.data[i];

			if (entry->used == (used == 1) && entry->age < PE_SEARCH_CACHE_AGES)
				write_entry(&file, entry);
		}
	(void)pe_files_write_at(&file, dir, FILE_NAME);
}

void pe_search_cache_close(struct pe_search_cache *cache)
{
	if (cache == NULL)
		return;
	if (cache->fresh >= PE_SEARCH_CACHE_FRESH)
		replace_file(cache);
	pe_vec_release(&cache->entries);
	pe_hash_index_release(&cache->index);
	pe_arena_release(&cache->arena);
	pe_text_release(&cache->file);
}
