/*
 * Functions of runs: what each executed itself. Most revisions execute what another one did but for a few functions: the
 * counts of a run are a list of methods by their keys in `frames`, with their counts, and it stands there once, however
 * many runs have it; most lists are what differs from another one, which is whole.
 *
 * Lists are compressed and sealed (core/base/packed.h).
 */
#include "store/profiles.h"
#include "store/sql.h"

#include "core/base/sort.h"
#include "core/base/xxh.h"
#include "core/base/packed.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "PEFN"
enum {
	VERSION = 2,
	/* Differences take at most this part of a whole list. */
	SHARE = 8,
};

struct entry {
	uint64_t frame;
	uint64_t least,
		most; /* counts: of one run they are the same; 0 in a difference: it does not execute it */
};

struct list {
	PE_VEC(struct entry) of; /* by frame, each once */
};

/* Two lists, frame by frame. */
struct both {
	const struct list *a, *b;
	size_t i, j;
	const struct entry *x, *y; /* what each has of the frame at hand; NULL: nothing */
};

static void release(struct list *list)
{
	pe_vec_release(&list->of);
}

#define auto_list __attribute__((cleanup(release))) struct list

/* --- Bytes --- */

static void pack(struct pe_text *out, const struct list *list)
{
	struct pe_packed_writer writer;
	uint64_t last = 0;

	pe_packed_begin(&writer, MAGIC, VERSION, list->of.n, out);
	for (size_t i = 0; i < list->of.n; i++) {
		pe_packed_put(&writer, list->of.data[i].frame - last);
		last = list->of.data[i].frame;
	}
	for (size_t i = 0; i < list->of.n; i++)
		pe_packed_put(&writer, list->of.data[i].most);
	pe_packed_end(&writer);
}

static void read_list(struct list *out, struct pe_packed_reader *reader)
{
	uint64_t frame = 0;

	for (uint64_t i = 0; i < reader->count && reader->rc == PE_OK; i++) {
		uint64_t gap = pe_packed_get(reader);

		if (gap == 0 || gap > (uint64_t)INT64_MAX - frame) {
			pe_packed_refuse(reader, "functions out of order");
			return;
		}
		frame += gap;
		pe_vec_push(&out->of, (struct entry){frame, 0, 0});
	}
	for (size_t i = 0; i < out->of.n && reader->rc == PE_OK; i++)
		out->of.data[i].least = out->of.data[i].most = pe_packed_get(reader);
}

static int unpack(struct list *out, const void *bytes, size_t n, struct pe_err *err)
{
	struct pe_packed_reader reader;

	pe_packed_look(&reader, MAGIC, VERSION, "a list of functions", bytes, n, err);
	if (pe_packed_open(&reader) == PE_OK) {
		read_list(out, &reader);
		pe_packed_finish(&reader);
	}
	pe_packed_close(&reader);
	return reader.rc;
}

/* --- Two lists --- */

/* Go on to the next frame that either has. False: there is none. */
static bool step(struct both *both)
{
	const struct entry *x = both->i < both->a->of.n ? &both->a->of.data[both->i] : NULL;
	const struct entry *y = both->j < both->b->of.n ? &both->b->of.data[both->j] : NULL;

	both->x = x != NULL && (y == NULL || x->frame <= y->frame) ? x : NULL;
	both->y = y != NULL && (x == NULL || y->frame <= x->frame) ? y : NULL;
	both->i += both->x != NULL;
	both->j += both->y != NULL;
	return both->x != NULL || both->y != NULL;
}

/* What of b is not the same in a; what a alone has stands there with 0. */
static void subtract(struct list *out, const struct list *a, const struct list *b)
{
	struct both both = {.a = a, .b = b};

	while (step(&both))
		if (both.y == NULL)
			pe_vec_push(&out->of, (struct entry){both.x->frame, 0, 0});
		else if (both.x == NULL || both.x->most != both.y->most)
			pe_vec_push(&out->of, *both.y);
}

/* A list and what differs from it. */
static void add(struct list *out, const struct list *a, const struct list *difference)
{
	struct both both = {.a = a, .b = difference};

	while (step(&both))
		if (both.y == NULL)
			pe_vec_push(&out->of, *both.x);
		else if (both.y->most != 0)
			pe_vec_push(&out->of, *both.y);
}

/* --- Writing --- */

PE_SORT_BY(by_frame, struct entry, frame);

static int list_of(struct list *out, struct pe_store *store,
		   const struct pe_function_counts *functions, struct pe_err *err)
{
	pe_auto_free uint64_t *keys = pe_realloc(NULL, functions->n, sizeof(*keys));
	int rc = pe_functions_put_keys(keys, store, functions, err);
	size_t n = 0;

	for (size_t i = 0; rc == PE_OK && i < functions->n; i++)
		if (functions->at[i].instructions > 0)
			pe_vec_push(&out->of,
				    (struct entry){keys[i], 0, functions->at[i].instructions});
	if (rc != PE_OK || out->of.n == 0)
		return rc;
	pe_sort(out->of.data, out->of.n, by_frame);
	for (size_t i = 1; i < out->of.n; i++) {
		if (out->of.data[i].frame == out->of.data[n].frame)
			out->of.data[n].most += out->of.data[i].most;
		else
			out->of.data[++n] = out->of.data[i];
	}
	out->of.n = n + 1;
	return PE_OK;
}

/* A whole list by its key. */
static int get_whole(struct list *out, struct pe_store *store, int64_t key, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT data FROM function_counts WHERE key = ?1 AND base IS NULL",
			     ARGS(INT(key)), err);

	if (pe_sql_next(&rc, stmt, store, err))
		rc = unpack(out, sqlite3_column_blob(stmt, 0),
			    (size_t)sqlite3_column_bytes(stmt, 0), err);
	else if (rc == PE_OK)
		rc = pe_fail(err, PE_EINVALID, "there is no whole list of functions %lld",
			     (long long)key);
	pe_sql_close(stmt);
	return rc;
}

/* The whole list that the benchmark's last run has, or differs from; 0: none. */
static int find_base(int64_t *out, struct pe_store *store, int64_t benchmark, struct pe_err *err)
{
	int rc = pe_sql_integer(out, store,
				"SELECT coalesce(f.base, f.key) FROM run_functions r"
				" JOIN function_counts f ON f.key = r.counts"
				" WHERE r.run BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295"
				" ORDER BY r.run DESC LIMIT 1",
				ARGS(INT(benchmark)), err);

	*out = rc == PE_OK ? *out : 0;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

static int put_list(struct pe_store *store, int64_t benchmark, const char *digest,
		    const struct list *list, struct pe_err *err)
{
	pe_auto_text whole = PE_TEXT_INIT, changes = PE_TEXT_INIT;
	auto_list old = {0}, difference = {0};
	int64_t base;
	int rc = find_base(&base, store, benchmark, err);

	/* One that is damaged is nothing to differ from. */
	if (rc == PE_OK && base != 0 && get_whole(&old, store, base, NULL) != PE_OK)
		base = 0;
	if (rc != PE_OK)
		return rc;
	pack(&whole, list);
	if (base != 0) {
		subtract(&difference, &old, list);
		pack(&changes, &difference);
	}
	/* Differences add up over a history: a new whole list now and then costs less. */
	if (base == 0 || SHARE * changes.len > whole.len)
		return pe_sql_run(store,
				  "INSERT INTO function_counts (digest, data) VALUES (?1, ?2)",
				  ARGS(TEXT(digest), BLOB(whole.data, whole.len)), err);
	return pe_sql_run(store,
			  "INSERT INTO function_counts (digest, base, data) VALUES (?1, ?2, ?3)",
			  ARGS(TEXT(digest), INT(base), BLOB(changes.data, changes.len)), err);
}

int pe_functions_put(struct pe_store *store, int64_t run, int64_t benchmark,
		     const struct pe_function_counts *functions, struct pe_err *err)
{
	struct pe_xxh hash;
	char digest[PE_XXH_TEXT];
	auto_list list = {0};
	int64_t key = 0;
	int rc = list_of(&list, store, functions, err);

	if (rc != PE_OK)
		return rc;
	pe_xxh_init(&hash);
	for (size_t i = 0; i < list.of.n; i++) {
		pe_xxh_number(&hash, list.of.data[i].frame);
		pe_xxh_number(&hash, list.of.data[i].most);
	}
	pe_xxh_write(&hash, digest);
	for (unsigned attempt = 0; attempt < 2; attempt++) {
		rc = pe_sql_integer(&key, store,
				    "SELECT key FROM function_counts WHERE digest = ?1",
				    ARGS(TEXT(digest)), err);
		if (rc != PE_ENOTFOUND)
			break;
		rc = put_list(store, benchmark, digest, &list, err);
		if (rc != PE_OK)
			break;
	}
	if (rc == PE_OK)
		rc = pe_sql_run(store, "INSERT INTO run_functions (run, counts) VALUES (?1, ?2)",
				ARGS(INT(run), INT(key)), err);
	return rc;
}

/* --- Reading --- */

static int get_list(struct list *out, struct pe_store *store, int64_t key, struct pe_err *err)
{
	auto_list whole = {0}, difference = {0};
	int64_t base = 0;
	int rc = pe_sql_integer(&base, store,
				"SELECT coalesce(base, 0) FROM function_counts WHERE key = ?1",
				ARGS(INT(key)), err);
	sqlite3_stmt *stmt = NULL;

	if (rc != PE_OK || base == 0)
		return rc == PE_OK ? get_whole(out, store, key, err) : rc;
	rc = get_whole(&whole, store, base, err);
	if (rc == PE_OK)
		rc = pe_sql_open(&stmt, store, "SELECT data FROM function_counts WHERE key = ?1",
				 ARGS(INT(key)), err);
	if (pe_sql_next(&rc, stmt, store, err))
		rc = unpack(&difference, sqlite3_column_blob(stmt, 0),
			    (size_t)sqlite3_column_bytes(stmt, 0), err);
	pe_sql_close(stmt);
	if (rc == PE_OK)
		add(out, &whole, &difference);
	return rc;
}

/* Widen the ranges of several runs by one more; a function that some of them do not execute is there with 0 in these. */
static void widen(struct list *ranges, const struct list *list, bool first)
{
	struct both both = {.a = ranges, .b = list};
	struct list wider = {0};

	while (step(&both)) {
		struct entry one = both.x != NULL ? *both.x : *both.y;

		if (both.y == NULL || (both.x == NULL && !first))
			one.least = 0;
		else if (both.y->least < one.least)
			one.least = both.y->least;
		if (both.y != NULL && both.y->most > one.most)
			one.most = both.y->most;
		pe_vec_push(&wider.of, one);
	}
	release(ranges);
	*ranges = wider;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct pe_function_range *x = a, *y = b;
	int order;

	if (x->most != y->most)
		return x->most < y->most ? 1 : -1;
	order = strcmp(x->name, y->name);
	if (order == 0)
		order = strcmp(x->component, y->component);
	return order != 0 ? order : strcmp(x->signature, y->signature);
}

/* Their names, from the frames that have them. */
static int name_ranges(struct pe_function_ranges *out, struct pe_store *store,
		       const struct list *ranges, struct pe_arena *arena, struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_frames frames = PE_FRAMES_INIT;
	const size_t n = ranges->of.n;
	struct pe_archive_frames needed = {
		.n = n,
		.ids = pe_arena_new(&work, uint64_t, n),
		.lines = pe_arena_new(&work, uint32_t, n),
		.modules = pe_arena_new(&work, const char *, n),
	};
	uint32_t *numbers = pe_arena_new(&work, uint32_t, n);
	int rc;

	for (size_t i = 0; i < n; i++)
		needed.ids[i] = ranges->of.data[i].frame;
	rc = pe_frames_get_numbers(numbers, store, &needed, &frames, err);
	out->n = rc == PE_OK ? n : 0;
	out->at = pe_arena_new(arena, struct pe_function_range, out->n);
	for (size_t i = 0; i < out->n; i++) {
		const struct pe_frame *frame = &frames.at[numbers[i]];

		out->at[i] = (struct pe_function_range){
			.name = pe_arena_strdup(arena, frame->name),
			.signature = pe_arena_strdup(arena, frame->signature),
			.component = pe_arena_strdup(arena, frame->component),
			.least = ranges->of.data[i].least,
			.most = ranges->of.data[i].most,
		};
	}
	pe_frames_release(&frames);
	pe_sort(out->at, out->n, compare_ranges);
	return rc;
}

/* Different lists of one build, and how many runs there are. */
static int find_lists(int64_t **keys, size_t *n, struct pe_store *store, int64_t machine,
		      int64_t revision, int64_t benchmark, struct pe_arena *arena,
		      struct pe_err *err)
{
	return pe_sql_integers(keys, n, store,
			       "SELECT f.counts FROM runs r JOIN batches b ON b.key = r.batch"
			       " JOIN run_functions f ON f.run = r.key WHERE r.benchmark = ?3"
			       " AND r.revision = ?2 AND b.machine = ?1 ORDER BY f.counts",
			       ARGS(INT(machine), INT(revision), INT(benchmark)), arena, err);
}

int pe_store_functions(struct pe_function_ranges *out, struct pe_store *store, int64_t machine,
		       int64_t revision, int64_t benchmark, struct pe_arena *arena,
		       struct pe_err *err)
{
	auto_list ranges = {0};
	int64_t *keys, source;
	size_t n = 0;

	*out = (struct pe_function_ranges){NULL, 0, 0};
	PE_TRY(find_lists(&keys, &n, store, machine, revision, benchmark, arena, err));
	if (n == 0) {
		int rc = pe_sql_integer(&source, store,
					"SELECT source FROM reused WHERE machine = ?1"
					" AND benchmark = ?2 AND revision = ?3",
					ARGS(INT(machine), INT(benchmark), INT(revision)), err);

		if (rc == PE_OK)
			rc = find_lists(&keys, &n, store, machine, source, benchmark, arena, err);
		if (rc != PE_OK && rc != PE_ENOTFOUND)
			return rc;
	}
	for (size_t i = 0; i < n; i++) {
		auto_list list = {0};

		if (i > 0 && keys[i] == keys[i - 1])
			continue;
		PE_TRY(get_list(&list, store, keys[i], err));
		widen(&ranges, &list, i == 0);
	}
	PE_TRY(name_ranges(out, store, &ranges, arena, err));
	out->runs = n;
	return PE_OK;
}

/* --- What varies --- */

/* Functions whose counts vary within one build. Of several builds the widest range stays. */
static int widen_by_build(struct list *varying, struct pe_store *store, const int64_t *keys,
			  size_t n, struct pe_err *err)
{
	auto_list build = {0};
	struct both both = {.a = varying, .b = &build};
	struct list wider = {0};

	for (size_t k = 0; k < n; k++) {
		auto_list list = {0};

		PE_TRY(get_list(&list, store, keys[k], err));
		widen(&build, &list, k == 0);
	}
	while (step(&both)) {
		const struct entry *x = both.x, *y = both.y;

		if (y == NULL || (x != NULL && x->most - x->least > y->most - y->least))
			pe_vec_push(&wider.of, *x);
		else if (y->most > y->least)
			pe_vec_push(&wider.of, *y);
	}
	release(varying);
	*varying = wider;
	return PE_OK;
}

/* Revisions with several lists, the newest first, and their lists. */
#define SEVERAL                                                                                    \
	"SELECT r.revision AS revision, f.counts AS counts FROM run_functions f"                   \
	" JOIN runs r ON r.key = f.run JOIN batches b ON b.key = r.batch"                          \
	" WHERE f.run BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295 AND b.machine = ?1"

int pe_store_functions_varying(struct pe_function_ranges *out, struct pe_store *store,
			       int64_t machine, int64_t benchmark, struct pe_arena *arena,
			       struct pe_err *err)
{
	auto_list varying = {0};
	int64_t *revisions, *keys;
	size_t n, n_keys;

	*out = (struct pe_function_ranges){NULL, 0, 0};
	PE_TRY(pe_sql_integers(&revisions, &n, store,
			       "SELECT revision FROM (" SEVERAL ") GROUP BY revision"
			       " HAVING count(*) > 1 ORDER BY revision DESC LIMIT 32",
			       ARGS(INT(machine), INT(benchmark)), arena, err));
	for (size_t i = 0; i < n; i++) {
		PE_TRY(pe_sql_integers(&keys, &n_keys, store,
				       "SELECT DISTINCT counts FROM (" SEVERAL
				       ") WHERE revision = ?3 ORDER BY counts LIMIT 32",
				       ARGS(INT(machine), INT(benchmark), INT(revisions[i])), arena,
				       err));
		if (n_keys > 1)
			PE_TRY(widen_by_build(&varying, store, keys, n_keys, err));
	}
	PE_TRY(name_ranges(out, store, &varying, arena, err));
	out->runs = n;
	return PE_OK;
}

/* --- What is needed --- */

int pe_functions_frames(uint64_t **ids, size_t *n, const void *bytes, size_t n_bytes,
			struct pe_arena *arena)
{
	auto_list list = {0};
	int rc = unpack(&list, bytes, n_bytes, NULL);

	*n = rc == PE_OK ? list.of.n : 0;
	*ids = pe_arena_new(arena, uint64_t, *n);
	for (size_t i = 0; i < *n; i++)
		(*ids)[i] = list.of.data[i].frame;
	return rc;
}
