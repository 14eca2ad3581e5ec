/*
 * The file is a row of 64-bit words of this machine: the mark, then entries, each with its key, its age, the number of its
 * words, their check and they themselves: what encode() writes.
 */
#include "app/history/search_cache.h"

#include "core/base/files.h"
#include "core/base/hash_index.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* Of the sources that decide what is found (app/history/CMakeLists.txt). */
extern const char pe_search_sources[];

static const uint64_t MARK = 0x3163616365736570; /* "pesecac1" */
static const char FOLDER[] = "found", FILE_NAME[] = "searches";

/* Of a commit: a word that says for how many a level holds, the level, what would be seen, the component, the location, and its spread. */
enum { N_HEAD = 5, N_CHANGE = 12, N_FOUND = 4, N_SPREAD = 3, N_COMMIT = 5 + N_SPREAD };

static_assert(sizeof(struct pe_spread) == N_SPREAD * sizeof(uint64_t), "a spread is whole words");

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

/* --- Words --- */

/* Writes into an array that is long enough. */
struct writer {
	uint64_t *at;
	size_t n;
};

static void put(struct writer *writer, uint64_t word)
{
	writer->at[writer->n++] = word;
}

static void put_real(struct writer *writer, double real)
{
	memcpy(&writer->at[writer->n++], &real, sizeof(real));
}

/* Reads words of a file that anything may have happened to: what is not there is 0, and `bad` is set. */
struct reader {
	const uint64_t *at;
	size_t n;
	bool bad;
};

static uint64_t get(struct reader *reader)
{
	if (reader->n == 0) {
		reader->bad = true;
		return 0;
	}
	reader->n--;
	return *reader->at++;
}

/* A number below a limit. */
static size_t get_below(struct reader *reader, size_t limit)
{
	uint64_t word = get(reader);

	if (word >= limit) {
		reader->bad = true;
		return 0;
	}
	return (size_t)word;
}

static double get_real(struct reader *reader)
{
	uint64_t word = get(reader);
	double real;

	memcpy(&real, &word, sizeof(real));
	return real;
}

static uint64_t check_of(const uint64_t *words, size_t n)
{
	struct pe_xxh hash;

	pe_xxh_init(&hash);
	pe_xxh_bytes(&hash, words, n * sizeof(*words));
	return hash.low;
}

/* --- What was found, in words --- */

static bool same(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static void encode_change(struct writer *writer, const struct pe_changepoint *change)
{
	put(writer, change->index);
	put(writer, change->before);
	put(writer, change->first);
	put(writer, change->last);
	put(writer, change->unlinked);
	put_real(writer, change->level_before);
	put_real(writer, change->level_after);
	put_real(writer, change->relative);
	put_real(writer, change->low);
	put_real(writer, change->high);
	put_real(writer, change->strength);
	put_real(writer, change->sure);
}

/* Levels are the same for many commits: a word says for how many, and one which. */
static void encode_levels(struct writer *writer, const struct pe_changepoints *found)
{
	for (size_t from = 0, to; from < found->n_commits; from = to) {
		for (to = from + 1; to < found->n_commits &&
				    same(found->commits[to].level, found->commits[from].level);
		     to++)
			;
		put(writer, to - from);
		put_real(writer, found->commits[from].level);
	}
}

static void encode_commit(struct writer *writer, const struct pe_commit_level *commit)
{
	put_real(writer, commit->least);
	put(writer, commit->component);
	put_real(writer, commit->location);
	memcpy(&writer->at[writer->n], &commit->spread, sizeof(commit->spread));
	writer->n += N_SPREAD;
}

static struct writer encode(const struct pe_changepoints *found, struct pe_arena *arena)
{
	const size_t most = N_FOUND + N_CHANGE * found->n + N_COMMIT * found->n_commits;
	struct writer writer = {pe_arena_new(arena, uint64_t, most), 0};

	put(&writer, found->n);
	put(&writer, found->n_components);
	put(&writer, found->linear | (uint64_t)found->several_batches << 1);
	put_real(&writer, found->jitter);
	for (size_t i = 0; i < found->n; i++)
		encode_change(&writer, &found->at[i]);
	encode_levels(&writer, found);
	for (size_t i = 0; i < found->n_commits; i++)
		encode_commit(&writer, &found->commits[i]);
	return writer;
}

static void decode_change(struct pe_changepoint *out, struct reader *reader, size_t n_commits)
{
	double *const reals[] = {&out->level_before, &out->level_after, &out->relative, &out->low,
				 &out->high,         &out->strength,    &out->sure};

	out->index = get_below(reader, n_commits);
	out->before = get_below(reader, n_commits);
	out->first = get_below(reader, n_commits);
	out->last = get_below(reader, n_commits);
	out->unlinked = get_below(reader, 2) != 0;
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		*reals[i] = get_real(reader);
}

static void decode_changes(struct pe_changepoints *out, struct reader *reader)
{
	for (size_t i = 0; i < out->n && !reader->bad; i++) {
		struct pe_changepoint *one = &out->at[i];

		decode_change(one, reader, out->n_commits);
		/* There is one at most for each commit, and they ascend. */
		reader->bad |= one->before >= one->index || one->first > one->last ||
			       (i > 0 && one->index <= one[-1].index);
	}
}

static void decode_commit(struct pe_commit_level *out, struct reader *reader)
{
	uint64_t words[N_SPREAD];

	out->least = get_real(reader);
	out->component = (size_t)get(reader);
	out->location = get_real(reader);
	for (size_t i = 0; i < N_SPREAD; i++)
		words[i] = get(reader);
	memcpy(&out->spread, words, sizeof(out->spread));
}

/* Runs of equal levels, and then what each commit has of its own. */
static void decode_commits(struct pe_changepoints *out, struct reader *reader)
{
	for (size_t i = 0, n; i < out->n_commits && !reader->bad; i += n) {
		double level;

		n = get_below(reader, out->n_commits - i + 1);
		level = get_real(reader);
		reader->bad |= n == 0;
		for (size_t k = i; k < i + n; k++)
			out->commits[k].level = level;
	}
	for (size_t i = 0; i < out->n_commits; i++)
		decode_commit(&out->commits[i], reader);
}

static bool decode(struct pe_changepoints *out, const struct entry *entry, size_t n_commits,
		   struct pe_arena *arena)
{
	struct reader reader = {entry->words, entry->n, false};
	uint64_t flags;

	*out = (struct pe_changepoints){.n_commits = n_commits};
	out->n = get_below(&reader, n_commits);
	out->n_components = get_below(&reader, n_commits + 1);
	flags = get(&reader);
	out->linear = (flags & 1) != 0;
	out->several_batches = (flags & 2) != 0;
	out->jitter = get_real(&reader);
	out->at = pe_arena_new(arena, struct pe_changepoint, out->n);
	out->commits = pe_arena_new(arena, struct pe_commit_level, n_commits);
	decode_changes(out, &reader);
	decode_commits(out, &reader);
	return !reader.bad && reader.n == 0;
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

static void read_entries(struct pe_search_cache *cache)
{
	/* Memory of the allocator: aligned for words. */
	struct reader reader = {(const uint64_t *)(const void *)cache->file.data,
				cache->file.len / sizeof(uint64_t), false};

	if (get(&reader) != MARK)
		return;
	while (reader.n > N_HEAD) {
		struct entry entry = {.used = false};

		entry.key.high = get(&reader);
		entry.key.low = get(&reader);
		entry.age = get(&reader);
		entry.check = get(&reader);
		entry.n = get_below(&reader, reader.n);
		entry.words = reader.at;
		if (reader.bad)
			return;
		reader.at += entry.n;
		reader.n -= entry.n;
		add(cache, &entry);
	}
}

/* Without a place for a cache there is none: nobody asked for it. */
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
	int dir = open_folder(app, false);

	*cache = (struct pe_search_cache){.app = app};
	if (dir < 0)
		return cache;
	if (pe_files_read_at(&cache->file, dir, FILE_NAME) == 0 &&
	    cache->file.len <= PE_SEARCH_CACHE_BYTES)
		read_entries(cache);
	close(dir);
	return cache;
}

void pe_search_cache_begin(struct pe_xxh *hash, const struct pe_search_cache *cache)
{
	pe_xxh_init(hash);
	pe_xxh_string(hash, pe_search_sources);
	/* Somebody who knows our readings could make others of the same digest: they stay in his own store. */
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
	struct writer words;

	if (row == SIZE_MAX) {
		row = cache->entries.n;
		add(cache, &(struct entry){.key = *key});
	}
	cache->entries.data[row].used = true;
	cache->entries.data[row].age = 0;
	if (found == NULL)
		return;
	words = encode(found, &cache->arena);
	cache->entries.data[row].words = words.at;
	cache->entries.data[row].n = words.n;
	cache->entries.data[row].check = check_of(words.at, words.n);
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

/* What was asked for comes first: where there is too much, the others give way. */
static void replace_file(const struct pe_search_cache *cache)
{
	int dir = open_folder(cache->app, true);
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
	close(dir);
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
