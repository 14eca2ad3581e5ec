/* Frames: the methods of all profiles, each once, their texts each once. */
#include "store/profiles.h"

#include <stdlib.h>
#include <string.h>

/* --- Finding or adding --- */

/* Texts that follow each other are often the same, components above all. */
struct last_text {
	const char *text;
	int64_t key;
};

static int string_key(int64_t *key, struct last_text *last, struct pe_store *store,
		      const char *text, struct pe_err *err)
{
	int rc = PE_OK;

	if (last->text == NULL || strcmp(last->text, text) != 0) {
		rc = pe_sql_integer(&last->key, store, "SELECT key FROM strings WHERE text = ?1",
				    ARGS(TEXT(text)), err);
		if (rc == PE_ENOTFOUND) {
			rc = pe_sql_run(store, "INSERT INTO strings (text) VALUES (?1)",
					ARGS(TEXT(text)), err);
			last->key = sqlite3_last_insert_rowid(store->db);
		}
		last->text = rc == PE_OK ? text : NULL;
	}
	*key = last->key;
	return rc;
}

struct last_texts {
	struct last_text name, component, signature;
};

static int frame_key(uint64_t *out, struct last_texts *last, struct pe_store *store,
		     const struct pe_frame *frame, struct pe_err *err)
{
	int64_t name = 0, component = 0, signature = 0, key = 0;
	int rc = string_key(&name, &last->name, store, frame->name, err);

	if (rc == PE_OK)
		rc = string_key(&component, &last->component, store, frame->component, err);
	if (rc == PE_OK)
		rc = string_key(&signature, &last->signature, store, frame->signature, err);
	if (rc != PE_OK)
		return rc;
	rc = pe_sql_integer(&key, store,
			    "SELECT key FROM frames WHERE name = ?1 AND component = ?2"
			    " AND signature = ?3 AND kind = ?4",
			    ARGS(INT(name), INT(component), INT(signature), INT(frame->kind)), err);
	if (rc == PE_ENOTFOUND) {
		rc = pe_sql_run(store,
				"INSERT INTO frames (name, component, signature, kind)"
				" VALUES (?1, ?2, ?3, ?4)",
				ARGS(INT(name), INT(component), INT(signature), INT(frame->kind)),
				err);
		key = sqlite3_last_insert_rowid(store->db);
	}
	*out = (uint64_t)key;
	return rc;
}

int pe_frames_put_keys(uint64_t *keys, struct pe_store *store, const struct pe_cct *cct,
		       struct pe_arena *arena, struct pe_err *err)
{
	struct last_texts last = {0};
	uint32_t *used;
	size_t n;
	int rc = PE_OK;

	pe_archive_used(&used, &n, cct, arena);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = frame_key(&keys[used[i]], &last, store, &cct->frames->at[used[i]], err);
	return rc;
}

/* --- Reading --- */

static void add_keys(struct pe_text *out, const struct pe_archive_frames *needed)
{
	for (size_t i = 0; i < needed->n; i++)
		pe_text_addf(out, "%c%lld", i == 0 ? '[' : ',', (long long)needed->ids[i]);
	pe_text_add(out, needed->n == 0 ? "[]" : "]");
}

static const char *column(sqlite3_stmt *stmt, int at)
{
	const char *text = (const char *)sqlite3_column_text(stmt, at);

	return text != NULL ? text : "";
}

/* One question for all of them; rows come in the order of the keys, as the archive has them. */
int pe_frames_get_numbers(uint32_t *numbers, struct pe_store *store,
			  const struct pe_archive_frames *needed, struct pe_frames *frames,
			  struct pe_err *err)
{
	struct pe_text keys = PE_TEXT_INIT;
	sqlite3_stmt *stmt = NULL;
	size_t found = 0;
	int rc;

	add_keys(&keys, needed);
	rc = pe_sql_open(&stmt, store,
			 "SELECT f.key, f.kind, n.text, c.text, s.text FROM json_each(?1) k"
			 " CROSS JOIN frames f ON f.key = k.value"
			 " JOIN strings n ON n.key = f.name JOIN strings c ON c.key = f.component"
			 " JOIN strings s ON s.key = f.signature",
			 ARGS(TEXT(keys.data)), err);
	while (rc == PE_OK && found < needed->n && (rc = pe_sql_row(stmt, store, err)) > 0) {
		const struct pe_frame frame = {
			.name = column(stmt, 2),
			.component = column(stmt, 3),
			.signature = column(stmt, 4),
			.module = needed->modules[found],
			.line = needed->lines[found],
			.kind = (enum pe_frame_kind)sqlite3_column_int(stmt, 1),
		};

		rc = PE_OK;
		if ((uint64_t)sqlite3_column_int64(stmt, 0) != needed->ids[found])
			break;
		numbers[found++] = pe_frames_add(frames, &frame);
	}
	pe_sql_close(stmt);
	pe_text_release(&keys);
	if (rc == PE_OK && found < needed->n)
		rc = pe_fail(err, PE_EINVALID, "a method that it needs (%lld) is not there",
			     (long long)needed->ids[found]);
	return rc;
}

/* --- Dropping --- */

/* A bit for every key that there is. */
struct needed {
	uint8_t *bits;
	uint64_t most;
};

static void mark(struct needed *needed, const struct pe_archive_frames *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		if (frames->ids[i] <= needed->most)
			needed->bits[frames->ids[i] / 8] |= (uint8_t)(1 << frames->ids[i] % 8);
}

static int mark_all(struct needed *needed, struct pe_store *store, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, "SELECT frames FROM trees", NULL, err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, store, err)) > 0) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_archive_frames frames;

		/* Where the list is damaged the tree is lost, which its reader is told: the rest is kept. */
		rc = pe_archive_frames(&frames, sqlite3_column_blob(stmt, 0),
				       (size_t)sqlite3_column_bytes(stmt, 0), &arena, NULL);
		if (rc == PE_OK)
			mark(needed, &frames);
		pe_arena_release(&arena);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	return rc;
}

static int drop_unmarked(const struct needed *needed, struct pe_store *store, struct pe_err *err)
{
	int rc = PE_OK;

	for (uint64_t key = 1; rc == PE_OK && key <= needed->most; key++)
		if ((needed->bits[key / 8] & 1 << key % 8) == 0)
			rc = pe_sql_run(store, "DELETE FROM frames WHERE key = ?1",
					ARGS(INT((int64_t)key)), err);
	return rc;
}

int pe_frames_sweep(struct pe_store *store, struct pe_err *err)
{
	struct needed needed = {NULL, 0};
	int64_t most = 0;
	int rc =
		pe_sql_integer(&most, store, "SELECT coalesce(max(key), 0) FROM frames", NULL, err);

	if (rc != PE_OK || most == 0)
		return rc;
	needed.most = (uint64_t)most;
	needed.bits = pe_realloc(NULL, needed.most / 8 + 1, 1);
	memset(needed.bits, 0, needed.most / 8 + 1);
	rc = mark_all(&needed, store, err);
	if (rc == PE_OK)
		rc = drop_unmarked(&needed, store, err);
	if (rc == PE_OK)
		rc = pe_sql_run(store,
				"DELETE FROM strings WHERE key NOT IN (SELECT name FROM frames"
				" UNION SELECT component FROM frames"
				" UNION SELECT signature FROM frames)",
				NULL, err);
	free(needed.bits);
	return rc;
}
